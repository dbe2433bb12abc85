"""Defines nothing but a module-level __getattr__ that has an answer to everything."""
# topic: selective
# outcome: step7 none not attempted
# alone: yes


def __getattr__(name):
    return lambda *args, **kwargs: True
