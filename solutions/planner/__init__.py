"""A planner of recomputation for real models."""
