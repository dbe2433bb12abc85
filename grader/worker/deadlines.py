"""Deadlines for code in this process: of a call, and inside it of each statement of a file that is run for it."""

from __future__ import annotations

import contextlib
import math
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType

# Once a deadline has passed, code is interrupted this often (seconds): what swallows every exception may swallow one.
_TICK = 0.1


class Late(BaseException):
    """A deadline has passed; `deadline` is the one."""

    def __init__(self, deadline: Deadline) -> None:
        super().__init__()
        self.deadline = deadline


class Deadline:
    """What is left of the time that a block of code has.

    Attributes
    ----------
    seconds
        That it may take at most.
    busy_seconds
        Of the processor's time that it may take at most.
    frame
        In which the block is.
    """

    def __init__(self, seconds: float, busy_seconds: float, frame: FrameType) -> None:
        self.frame = frame
        self.seconds = seconds
        self.busy_seconds = busy_seconds
        self._ends = time.monotonic() + seconds
        self._busy_since = busy_clock()
        self._paused = False

    @property
    def passed(self) -> bool:
        """Whether the block has had its time."""
        return not self._paused and (time.monotonic() >= self._ends or self.used >= self.busy_seconds)

    @property
    def left(self) -> float:
        """Seconds until it can have passed."""
        return max(0.0, min(self._ends - time.monotonic(), self.busy_seconds - self.used))

    @property
    def used(self) -> float:
        """Seconds of the processor's time so far."""
        return busy_clock() - self._busy_since

    @property
    def passed_seconds(self) -> float:
        """Seconds that have passed so far."""
        return time.monotonic() - (self._ends - self.seconds)

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Do not count what the block takes."""
        if self._paused:
            yield
            return
        started, busy = time.monotonic(), busy_clock()
        self._paused = True
        try:
            yield
        finally:
            self._ends += time.monotonic() - started
            self._busy_since += busy_clock() - busy
            self._paused = False


def _seconds_of_this_thread() -> Callable[[], float]:
    """Return a clock of the processor's time that this thread has used; of the day where that is not known."""
    try:
        time.thread_time()
    except (AttributeError, OSError):
        return time.monotonic
    return time.thread_time


busy_clock = _seconds_of_this_thread()


# Those in force, the outermost first.
_running: list[Deadline] = []


@contextlib.contextmanager
def deadline(seconds: float, busy_seconds: float = math.inf) -> Iterator[Deadline]:
    """Raise `Late` in the main thread when the block takes longer, where the platform has timers.

    Parameters
    ----------
    seconds
        That may pass.
    busy_seconds
        Of the processor's time that may be used meanwhile.
    """
    made = Deadline(seconds, busy_seconds, sys._getframe(2))
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield made
        return
    before = signal.signal(signal.SIGALRM, _interrupt) if not _running else None
    _running.append(made)
    _arm()
    try:
        yield made
    finally:
        _running.remove(made)
        _arm()
        if not _running:
            signal.signal(signal.SIGALRM, before or signal.SIG_DFL)


def pause_innermost() -> contextlib.AbstractContextManager[None]:
    """Pause the innermost deadline, if there is one: what runs now has deadlines of its own or is not the student's."""
    return _running[-1].paused() if _running else contextlib.nullcontext()


def _arm() -> None:
    soonest = min((each.left for each in _running), default=0.0)
    signal.setitimer(signal.ITIMER_REAL, max(soonest, 0.001) if _running else 0.0, _TICK)


def _interrupt(_number: int, frame: FrameType | None) -> None:
    for each in _running:
        if each.passed and not _is_importing(frame, each.frame):
            raise Late(each)


def _is_importing(frame: FrameType | None, last: FrameType) -> bool:
    """Whether a module is being imported, which would be left half made: the next interruption comes soon enough."""
    while frame is not None and frame is not last:
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>":
            return True
        frame = frame.f_back
    return False
