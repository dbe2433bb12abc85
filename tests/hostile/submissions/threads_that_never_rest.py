"""Two threads compute without end beside the right answers and then forever."""
# topic: selective
# outcome: step7 full passed

import threading


def _spin():
    while True:
        try:
            pass
        except BaseException:
            pass


for _ in range(2):
    threading.Thread(target=_spin).start()
