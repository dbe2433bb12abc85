"""Inputs with the expected answers: drawn for each `grader run`, recorded for everybody else."""
