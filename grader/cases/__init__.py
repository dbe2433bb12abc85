"""Inputs with the expected answers: drawn anew for `grader run`, recorded for everybody else."""
