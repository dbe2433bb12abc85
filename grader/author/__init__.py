"""For those who change the course: generated files, and the answers that grade the grader.

Everything here works in a clone of the project and needs its solutions and tests.
"""
