"""The sentences of figures, in the reader's language.

They stand in the same catalogue as those of the grader, so that a translator has one file: this lesson always comes
with the grader.
"""

import gettext
from pathlib import Path

_translation = gettext.translation("grader", Path(__file__).parents[1] / "grader" / "locale", fallback=True)


def _(sentence: str) -> str:
    """Return the sentence in the reader's language, or as it is when there is no translation."""
    return _translation.gettext(sentence)
