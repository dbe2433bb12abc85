"""The course: its exercises, its text and its figures."""
