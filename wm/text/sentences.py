"""Split a text into sentences, in languages that end them with marks.

Pure and linear in the input's length (EX-6). `first_sentences` shortens a long entry for
display (WM-1).
"""

from __future__ import annotations

import unicodedata

from wm.text.patterns import Lazy
from wm.text.scripts import is_cjk

SENTENCE_ENDS = ".!?…"
CJK_SENTENCE_ENDS = "。！？｡"


def first_sentences(text: str, max_chars: int) -> str:
    """The complete sentences that fit into `max_chars` characters, or a part of the first.

    A first sentence that is too long is cut at a word boundary and ends in `…`.
    """
    text = text.strip()
    if len(text) <= max_chars:
        return text
    end = 0
    for i in range(max_chars):
        if _ends_sentence(text, i):
            end = i + 1
    return text[:end].rstrip() if end else _cut(text, max_chars)


def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text, in order."""
    found, begin = [], 0
    for i in range(len(text)):
        if _ends_sentence(text, i):
            found.append(text[begin : i + 1].strip())
            begin = i + 1
    return tuple(filter(None, (*found, text[begin:].strip())))


def _ends_sentence(text: str, i: int) -> bool:
    """Return whether the character at `i` is the last of a sentence."""
    char = text[i]
    after = text[i + 1] if i + 1 < len(text) else "\n"
    if char in CJK_SENTENCE_ENDS:
        return after not in CJK_SENTENCE_ENDS + "」』）\"'”’)"
    if char in "」』）\"'”’)":
        if i == 0 or text[i - 1] not in SENTENCE_ENDS + CJK_SENTENCE_ENDS:
            return False
        return text[i - 1] in CJK_SENTENCE_ENDS or not after.isalnum()
    if after == "\n":
        return char != "\n"
    if char not in SENTENCE_ENDS or not after.isspace():
        return False
    following = text[i + 2 : i + 4].lstrip()[:1]
    # "e.g. this" and "z. B. das" continue; a single digit before a full stop is a list number.
    return not following.islower() and not (char == "." and _abbreviates(text, i))


def _abbreviates(text: str, dot: int) -> bool:
    before = text[max(0, dot - 3) : dot]
    if before[-1:].isdigit():
        return not before[-3:].strip().isalnum() and len(before.strip()) < 2
    return len(before) >= 1 and before[-1].isalpha() and before[-2:-1] in ("", " ", ".", "(")


def without_ordinals(text: str) -> str:
    """The text in the same length, without the full stops behind ordinal numbers: "am 5. jedes
    Monats" has no end of a sentence."""
    return text if ". " not in text else _DATED.sub(r"\1_\2", _DETERMINED.sub(r"\1_ ", text))


_DETERMINED = Lazy(
    r"(?i)(\b(?:am|de[mnrs]|das|die|im|vom|zum|jede[mnrs]?|und|oder|ay[iı]n) \d{1,2})\. "
)
_DATED = Lazy(
    r"(?i)(\b\d{1,2})\.( (?:januar|februar|märz|marts|mars|april|mai|maj|jun[ij]|jul[ij]|august|"
    r"september|oktober|november|de[cz]ember|jedes|hver|dnia)\b)"
)


def _cut(text: str, max_chars: int) -> str:
    room = max(0, max_chars - 1)
    head = text[:room]
    if room < len(text) and not text[room].isspace() and not is_cjk(text[room]):
        space = max(head.rfind(" "), head.rfind("\n"))
        if space > room // 2:
            head = head[:space]
    while head and unicodedata.combining(text[len(head)] if len(head) < len(text) else "a"):
        head = head[:-1]
    return head.rstrip(" \n\t,;:-") + "…" if max_chars > 0 else ""
