"""What people read: tables, a progress bar, files written whole or not at all."""
