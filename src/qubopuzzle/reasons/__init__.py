"""What follows from what, how many answers there are, and puzzles made to have one."""
