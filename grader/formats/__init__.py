"""One module for each form in which results leave the grader."""
