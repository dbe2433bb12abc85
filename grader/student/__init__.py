"""A handle on a student's functions, and the places where they may run."""
