"""The page for graded exercises in the browser: building it, and handing it out."""
