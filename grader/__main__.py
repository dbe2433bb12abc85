"""`python -m grader` is the `grader` command."""

from grader.commands.main import main

main()
