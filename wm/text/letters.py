"""Normalised forms of a text for comparing and matching.

Pure and linear in the input's length (EX-6). Decides nothing about meaning. `canonical` is for
merging (WM-5), `normalised` for rules (EX-3); neither is ever shown.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from functools import lru_cache

from wm.text.patterns import Lazy

_HIDDEN_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Letters and marks without a glyph that Unicode does not class as format characters."""


def is_invisible(char: str) -> bool:
    """True for bidi controls, zero-width characters, selectors, tags, controls, lone surrogates.

    Tab and line feed count as white space, not as invisible.
    """
    if char in "\n\t ":
        return False
    if char in _HIDDEN_LETTERS or "\ufe00" <= char <= "\ufe0f":
        return True
    if "\U000e0100" <= char <= "\U000e01ef":
        return True
    return unicodedata.category(char) in ("Cc", "Cf", "Cs")


_DRAWS_NOTHING = Lazy(
    "[" + "".join(f"\\x{{{ord(c):x}}}" for c in sorted(_HIDDEN_LETTERS))
    + r"\x{fe00}-\x{fe0f}\x{e0100}-\x{e01ef}]"
)  # fmt: skip
"""Characters that are invisible (`is_invisible`) although Python calls them printable."""


_SEEN = bytes(code for code in range(128) if not is_invisible(chr(code)))
NEVER_PLAIN = _DRAWS_NOTHING.text + r"|[^\pL\pM\pN\pP\pS\pZ\n\t\r]"
"""A pattern that matches every invisible character except the carriage return, and some others."""


def _shows_all(text: str) -> bool:
    """A fast check that a text has no invisible characters. False means unknown."""
    if text.isascii():
        return not text.encode().translate(None, _SEEN)
    plain = text.replace("\n", " ").replace("\t", " ").replace("\u3000", " ")
    return plain.isprintable() and not _DRAWS_NOTHING.is_match(text)


def without_invisible(text: str) -> str:
    """The text without invisible characters; other line ends become line feeds."""
    if _shows_all(text):
        return text
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = text.replace("\u2028", "\n").replace("\u2029", "\n")
    hidden = invisible_in(text)
    return "".join([char for char in text if char not in hidden]) if hidden else text


def invisible_in(text: str) -> frozenset[str]:
    """The invisible characters of a text. Each distinct character is checked once."""
    return frozenset() if _shows_all(text) else frozenset(filter(is_invisible, set(text)))


def with_gaps_of(most: int, text: str) -> str:
    """Shorten runs of more than `most` line feeds to `most`."""
    run, gap = "\n" * (most + 1), "\n" * most
    first, *rest = text.split(run)
    if not rest:
        return text
    kept = [part for part in map(_unled, filter(None, rest)) if part]
    end = "" if _unled(rest[-1]) else gap
    return gap.join([first, *kept]) + end


def _unled(text: str) -> str:
    return text.lstrip("\n")


# --- replacing characters --------------------------------------------------------------------


MANY_KINDS = 24
"""Above this number of distinct characters to replace, one pass over the text is faster than one
`str.replace` for each."""


def one_of(table: Iterable[int]) -> Lazy:
    """A character class of the table's keys."""
    return Lazy("[" + "".join(f"\\x{{{code:x}}}" for code in sorted(table)) + "]")


def translated(text: str, table: Mapping[int, str | int | None]) -> str:
    """`text.translate(table)`, for tables that change few characters of most texts.

    `str.translate` looks up every character of a text that is not ASCII: a Chinese message of
    200 KB took eight times as long to normalise.
    """
    if text.isascii():
        return text.translate(table)
    found = {char: char.translate(table) for char in set(text)}
    changes = {char: into for char, into in found.items() if into != char}
    # One replacement must not match the output of another.
    if len(changes) > MANY_KINDS or not changes.keys().isdisjoint("".join(changes.values())):
        return "".join(map(found.__getitem__, text))
    for char, into in changes.items():
        text = text.replace(char, into)
    return text


def composed(text: str) -> str:
    """NFKC. Replaces the common full-width marks first: texts with no other full-width characters
    then skip the decomposition, which took most of the time on Chinese prose."""
    if text.isascii():
        return text
    for char in "\uff0c\uff1a\uff1b\uff01\uff1f\uff08\uff09":
        text = text.replace(char, chr(ord(char) - 0xFEE0))
    return unicodedata.normalize("NFKC", text.replace("\u3000", " "))


# --- canonical text (WM-5) -------------------------------------------------------------------


class _Fold(dict[int, str]):
    """Translation table: punctuation that never carries meaning becomes a space."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        return " " if unicodedata.category(char)[0] in "PZC" else char


_CONDITIONAL = ".-#!@*/"
_KEPT = "%&_+$=<>^|~" + _CONDITIONAL
_FOLD = _Fold(
    {
        **{code: chr(code) if chr(code).isalnum() or chr(code) in _KEPT else " "
           for code in range(128)},
        ord("\u2212"): "-",
        ord("\u00b4"): " ",
        ord("\u03c2"): "\u03c3",
    }
)  # fmt: skip


@lru_cache(maxsize=8_192)
def canonical(text: str) -> str:
    """The form in which two texts are compared for equal wording (WM-5).

    NFKC, lower case, punctuation and white space folded to single spaces. Marks that change
    the meaning stay: `C++`, `C#`, `.env`, `*.ts`, `--force`, `-1`, `3.9`, `/etc`, `!=`, `50%`.
    Lower case, not case folding: "Maße" and "Masse" are two words.
    """
    text = composed(composed(without_invisible(text)).lower())
    words = (_canonical_word(word) for word in translated(text, _FOLD).split())
    return " ".join(" ".join(words).split())


def _canonical_word(word: str) -> str:
    if word.isalnum():
        return word
    kept = [
        char if char not in _CONDITIONAL or _mark_matters(word, i) else " "
        for i, char in enumerate(word)
    ]
    return "".join(kept)


def _mark_matters(word: str, i: int) -> bool:
    """Return whether the conditional mark at `i` changes the meaning of the word."""
    char = word[i]
    before = word[i - 1] if i else " "
    after = word[i + 1] if i + 1 < len(word) else " "
    starts = not before.isalnum() and before != "_"
    match char:
        case ".":
            both = before.isdigit() and after.isdigit()
            return both or (starts and before != "." and after.isalnum())
        case "-":
            if after == "-":
                return i == 0 and len(word) > 2 and word[2].isalnum()
            if before == "-":
                return i == 1 and after.isalnum()
            return after.isalnum() and (i == 0 or before in "=<>+^~|")
        case "#":
            return before.isalnum() or after.isalnum()
        case "!":
            return after == "=" or (i == 0 and after.isalnum())
        case "@":
            return starts and after.isalnum()
        case "*":
            return after == "." and i + 2 < len(word) and word[i + 2].isalnum()
        case _:
            return i == 0 and after.isalnum()


# --- matching --------------------------------------------------------------------------------

_LOOKALIKES = str.maketrans(
    "асԁеһіјӏорԛѕԝхуѵԍАВСЕНІЈКМОРЅТХУЗѢгαεικνορτυχϲϳΑΒΕΖΗΙΚΜΝΟΡΤΥΧɑɡɩʏᴀᴇꞓℓ"
    "օհոսզցյՕՍՏԼᴄᴅɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡᴢꜰʙ",
    "acdehijlopqswxyvGABCEHIJKMOPSTXYZBraeikvoptuxcjABEZHIKMNOPTYXagiyaecl"
    "ohnuqgjOUSLcdghijklmnoprstuvwzfb",
)
"""Maps Cyrillic, Greek, Armenian and other letters to the Latin letters that look the same."""

_LOOKS_LATIN = one_of(_LOOKALIKES)


def normalised(text: str) -> str:
    """The text in the form rules match: NFKC, no invisible characters, lookalikes made Latin
    (EX-3).

    Case and line ends stay. Cyrillic and Greek prose becomes unreadable: never show this.
    """
    if text.isascii() and text.isprintable():
        return text
    text = composed(without_invisible(text))
    text = translated(text, _LOOKALIKES) if _LOOKS_LATIN.is_match(text) else text
    return text.replace("\u2019", "'").replace("\u00a0", " ")


_ACCENTED = {
    code: unicodedata.normalize("NFD", chr(code))[0]
    for code in range(0xC0, 0x180)
    if unicodedata.normalize("NFD", chr(code))[0].isascii()
}
_HAS_ACCENT = one_of(_ACCENTED)


def unaccented(text: str) -> str:
    """Latin letters without their accents, one character for one; other scripts unchanged.

    For matching words: re2 sees word boundaries between ASCII letters only, so "terminé" has no
    boundary behind the é. Apply this to the pattern's words as well.
    """
    is_plain = text.isascii() or not _HAS_ACCENT.is_match(text)
    return text if is_plain else translated(text, _ACCENTED)


class WordPattern(Lazy):
    """A pattern of words in our eight languages that ignores case and accents.

    Offsets of a match are offsets in the original text. Slice the original text with them: the
    groups of a match have no accents.
    """

    __slots__ = ()

    def __init__(self, text: str, *, multi_line: bool = False) -> None:
        super().__init__(unaccented(text), ignore_case=True, multi_line=multi_line)

    def read(self, text: str) -> str:
        return super().read(unaccented(text))
