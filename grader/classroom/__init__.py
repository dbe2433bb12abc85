"""Many students: what they handed in, who they are, grading them all, and keeping the results."""
