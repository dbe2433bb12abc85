"""All of the grader's code that runs beside a student's code, in the locked-down process or in the same one.

It imports only the standard library and numpy, holds no expected value and gives no verdict.
"""
