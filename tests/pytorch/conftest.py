"""One thread for PyTorch: the tensors here are small, and threads that wait for each other take ten times as long."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
