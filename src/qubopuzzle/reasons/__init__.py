"""Why: what contradicts each other, what follows from what, and how many answers there are."""
