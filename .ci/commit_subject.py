"""Refuse a commit message whose subject is too long: git's hook `commit-msg` calls this with the message's file."""

import sys
from pathlib import Path

LONGEST = 72


def subject(message: str) -> str:
    """Return the first line that git would keep."""
    lines = [line for line in message.splitlines() if line.strip() and not line.startswith("#")]
    return lines[0].strip() if lines else ""


def main() -> None:
    """Check the message in the file that is named on the command line."""
    length = len(subject(Path(sys.argv[1]).read_text(encoding="utf-8")))
    if length > LONGEST:
        sys.exit(f"The subject has {length} characters; at most {LONGEST} are allowed. Say the rest in the body.")


if __name__ == "__main__":
    main()
