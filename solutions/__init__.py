"""The reference, one module for each topic, and the planner for real models."""
