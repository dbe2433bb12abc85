"""Loops without end while it is imported, and is cut off; what it has defined stays."""
# topic: selective
# outcome: step7 full passed

while True:
    try:
        pass
    except BaseException:
        pass
