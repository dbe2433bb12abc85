"""Has more to say about what could not run than anybody would read, and steers terminals with it."""
# topic: selective
# outcome: step7 full passed

for _number in range(3000):
    __import__(f"module_{_number}")
raise ValueError("\x1b]0;owned\x07\u202e<img src=x onerror=alert(1)>" * 1000)
