"""D-Wave."""
