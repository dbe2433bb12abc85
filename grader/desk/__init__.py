"""A student's own work, checked where it is: files, and the page in the browser."""
