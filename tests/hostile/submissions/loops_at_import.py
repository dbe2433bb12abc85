"""Loops without end while it is imported."""
# topic: selective
# outcome: step7 none timeout
# seconds: 0.5

while True:
    try:
        pass
    except BaseException:
        pass
