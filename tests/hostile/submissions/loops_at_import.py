"""Loops without end while it is imported."""
# topic: selective
# outcome: step7 0 timeout
# seconds: 1

while True:
    try:
        pass
    except BaseException:
        pass
