"""The catalogue of sentences a student can see.

Every such sentence is written in English inside `_()`, extracted to `locale/grader.pot` by Babel, and looked up
in the language that the environment names (LANGUAGE, LC_ALL, LC_MESSAGES, LANG).
"""

import gettext
from pathlib import Path

LOCALE_DIR = Path(__file__).with_name("locale")

_translation = gettext.translation("grader", LOCALE_DIR, fallback=True)


def _(sentence: str) -> str:
    """Return the sentence in the reader's language, or as it is when there is no translation."""
    return _translation.gettext(sentence)


def ngettext(singular: str, plural: str, count: int) -> str:
    """Return the form of a sentence that fits the count."""
    return _translation.ngettext(singular, plural, count)
