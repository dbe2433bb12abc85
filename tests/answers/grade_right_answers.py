"""Grade the right answers with several seeds, and print a line for each complaint.

    OPENBLAS_CORETYPE=Haswell python tests/answers/grade_right_answers.py 1 2 3

A program of its own, because NumPy chooses the kernels of its BLAS once, when it is imported.
"""

import sys
from pathlib import Path

from grader.author.answers import read_answers
from grader.author.check import AuthorCheck
from lesson.course import load_course

ROOT = Path(__file__).parents[2]


def main() -> None:
    course = load_course()
    answers = [
        answer
        for answer in read_answers(ROOT / "tests" / "right_answers", course)
        if not any(exercise.requires for exercise in course.of_topic(answer.topic))
    ]
    for seed in map(int, sys.argv[1:]):
        checks = AuthorCheck(ROOT, course, seed)
        for answer in answers:
            for complaint in answer.complaints(checks.grade(answer)):
                print(f"seed {seed}: {answer.name} {complaint}")
    print(f"graded {len(answers)} right answers")


if __name__ == "__main__":
    main()
