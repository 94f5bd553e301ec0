"""Forms of a sentence that need no words: a path, a number, a name in code, capitals (EX-7).

Features of the models that judge a sentence. Pure and linear (EX-6).
"""

from __future__ import annotations

from wm.text.patterns import Lazy, PatternSet, encoded

_CAPS = Lazy(r"\b(?:NOT|NEVER|DON'?T|ALWAYS|ONLY|MUST|NO|ANY\w*|EVERY\w*|ALL|IS)\b")
PATH = Lazy(r"`[^`]+`|(?:^|[\s(])[~.]?[\w.-]*/[\w./-]+|\b[\w-]+\.(?:[a-z]{1,4}|json|yaml|toml)\b")
_URL = Lazy(r"https?://")
_NUMBER = Lazy(r"\d")
_QUOTED = Lazy(r"[\"“”«»「」„]|(?:^|\s)'\S")
_CODE_NAME = Lazy(r"\b[a-z]+[A-Z]\w+|\b\w+_\w+|\b[A-Z][a-z]+[A-Z]\w*|\w\(\)")
_ACCEPTS = Lazy(
    r"(?:\bit is|\bis better|\bmakes (?:more )?sense|\bsounds good|\bis fine)[.!]?$",
    ignore_case=True,
)
_OPTION = Lazy(
    r"\b(?:option|approach|step|phase|item|number|stage|task|point|part)s? #?\d|\(\d+\)|"
    r"(?:^|\s)#\d|^\d+\b|\boption [a-d]\b",
    ignore_case=True,
)
_PLACE = Lazy(r"(?:^|[\s(])[~/][\w.-]+/|\[Image", ignore_case=True)
_PARTICLE = Lazy(r"(?:か|吗|嗎|까요?|나요)[。.]?$")
"""Endings that make a question without its mark."""
_PROPER = Lazy(r"\S\s+[A-ZÄÖÜÉÀ][\w-]+")
ASKS = Lazy(r"[?？؟]")


FORMS = {
    "caps": _CAPS, "path": PATH, "url": _URL, "number": _NUMBER, "quoted": _QUOTED,
    "code_name": _CODE_NAME, "proper": _PROPER, "inner_ask": ASKS, "accepts": _ACCEPTS,
    "option": _OPTION, "place": _PLACE, "particle": _PARTICLE,
}  # fmt: skip


_FORMS = PatternSet(FORMS.values())
_NAMES = {rule: name for name, rule in FORMS.items()}


def forms_of(text: str) -> frozenset[str]:
    """The names of the forms that a text has."""
    return frozenset(map(_NAMES.__getitem__, _FORMS.matching(encoded(text))))


def length_of(plain: str, lang: str) -> str:
    """How long a `folded` sentence is: tiny, short, mid or long."""
    words = len(plain.split()) if lang not in ("zh", "ja") else len(plain) // 2
    return "tiny" if words < 4 else "short" if words < 9 else "long" if words > 24 else "mid"
