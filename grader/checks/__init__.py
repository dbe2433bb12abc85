"""The checks: one pytest test for each exercise, one function for each claim in `course.toml`.

A check asks `student` and `case` and never knows where the student's functions run.
"""
