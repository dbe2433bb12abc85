"""What the tests share: the course, and what grading needs."""

from pathlib import Path

import pytest
from hypothesis import settings
from notebook_tools import numpy_is_enough

from grader.classroom.room import Classroom, Settings
from grader.isolation.sandbox import detect
from lesson.course import load_course

ROOT = Path(__file__).parents[1]
# How long an example takes says more about what else the machine does than about the code.
settings.register_profile("without deadline", deadline=None)
settings.load_profile("without deadline")


@pytest.fixture(scope="session")
def course():
    return load_course()


@pytest.fixture(scope="session")
def solutions(course):
    """The files of the reference, as a submission, as far as NumPy is enough for them."""
    enough = [topic.id for topic in course.topics if numpy_is_enough(topic.id)]
    return {f"{topic}.py": (ROOT / "solutions" / f"{topic}.py").read_bytes() for topic in enough}


@pytest.fixture(scope="session")
def full_marks(course):
    """What `solutions` earns: all points, those of a bonus that needs no other package too."""
    return sum(exercise.points for exercise in course.exercises if not exercise.requires)


@pytest.fixture(scope="session")
def classroom(course):
    """What grades submissions as `grader run` does."""
    room = Classroom(course, Settings(seed=11, isolation=detect(), call_seconds=1.5))
    yield room
    room.close()
