"""How text is compared, matched, shown and put into prompts.

Pure and linear in the input's length (EX-6). Decides nothing about meaning. Each function has
one reader: `canonical` for merging (WM-5), `normalised` for rules (EX-3), `safe` for terminals
and `neutralise` for prompts (TR-1), `first_sentences` for what is shown of a long entry (WM-1).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from wm.domain.patterns import Lazy, Pattern

SENTENCE_ENDS = ".!?…"
CJK_SENTENCE_ENDS = "。！？｡"

_HIDDEN_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Letters and marks that draw nothing, though Unicode does not class them as format characters."""


def is_invisible(char: str) -> bool:
    """True for bidi controls, zero-width characters, selectors, tags, controls, half surrogates.

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
"""What `is_invisible` although Python calls it printable."""


_SEEN = bytes(code for code in range(128) if not is_invisible(chr(code)))
NEVER_PLAIN = _DRAWS_NOTHING.text + r"|[^\pL\pM\pN\pP\pS\pZ\n\t\r]"
"""A pattern that finds at least all that `is_invisible`, but carriage returns."""


def _shows_all(text: str) -> bool:
    """Is there certainly nothing invisible? Quick for prose; False proves nothing."""
    if text.isascii():
        return not text.encode().translate(None, _SEEN)
    plain = text.replace("\n", " ").replace("\t", " ").replace("\u3000", " ")
    return plain.isprintable() and not _DRAWS_NOTHING.holds(text)


def without_invisible(text: str) -> str:
    """The text less everything that `is_invisible`; other line ends become line feeds."""
    if _shows_all(text):
        return text
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = text.replace("\u2028", "\n").replace("\u2029", "\n")
    hidden = invisible_in(text)
    return "".join([char for char in text if char not in hidden]) if hidden else text


def invisible_in(text: str) -> frozenset[str]:
    """The letters of a text that are invisible: each is asked once, not at every place."""
    return frozenset() if _shows_all(text) else frozenset(filter(is_invisible, set(text)))


def with_gaps_of(most: int, text: str) -> str:
    """The text with `most` line feeds in the place of more in a row."""
    run, gap = "\n" * (most + 1), "\n" * most
    first, *rest = text.split(run)
    if not rest:
        return text
    kept = [part for part in map(_unled, filter(None, rest)) if part]
    end = "" if _unled(rest[-1]) else gap
    return gap.join([first, *kept]) + end


def _unled(text: str) -> str:
    return text.lstrip("\n")


# --- reading letters as others ---------------------------------------------------------------

USUAL_MARKS = "\uff0c\u3002\u3001\uff1a\uff1b\uff01\uff1f\u300c\u300d\uff08\uff09\u201c\u201d\u3000"
"""What Chinese and Japanese prose is full of."""

FEW_KINDS = 4
"""So many kinds of letters to replace are found one by one; then all that the text has are told."""
MANY_KINDS = 24
"""Of more kinds of letters to replace, one pass over the text is cheaper than one for each."""


def one_of(table: Iterable[int]) -> Lazy:
    """A class of the letters that a table names."""
    return Lazy("[" + "".join(f"\\x{{{code:x}}}" for code in sorted(table)) + "]")


def translated(text: str, table: Mapping[int, str | int | None], letters: Lazy) -> str:
    """`text.translate(table)`, made for tables that leave most letters of most texts alone.

    letters: finds every letter that the table changes. `str.translate` asks for each place of a
    text that is not ASCII, which took most of the time of a Chinese message.
    """
    if text.isascii():
        return text.translate(table)
    for char in USUAL_MARKS:
        text = text.replace(char, _found(table, char))
    for _ in range(FEW_KINDS):
        found = letters.search(text)
        if found is None:
            return text
        into = _found(table, found.group())
        if into and letters.holds(into):
            break
        text = text.replace(found.group(), into)
    told = {char: _found(table, char) for char in set(text)}
    new = {char: into for char, into in told.items() if into != char}
    # What one replacement writes must not be found by the next.
    if len(new) > MANY_KINDS or any(into in new for into in new.values()):
        return text.translate({ord(char): into for char, into in told.items()})
    for char, into in new.items():
        text = text.replace(char, into)
    return text


def _found(table: Mapping[int, str | int | None], char: str) -> str:
    try:
        into = table[ord(char)]
    except KeyError:
        return char
    return chr(into) if isinstance(into, int) else into or ""


def composed(text: str) -> str:
    """NFKC. The usual full-width marks are replaced beforehand, by the same: a text without any
    need not be taken apart."""
    if text.isascii():
        return text
    for char in "\uff0c\uff1a\uff1b\uff01\uff1f\uff08\uff09":
        text = text.replace(char, chr(ord(char) - 0xFEE0))
    return unicodedata.normalize("NFKC", text.replace("\u3000", " "))


# --- canonical text (WM-5) -------------------------------------------------------------------


class _Fold(dict[int, str]):
    """Translation to a space for every punctuation mark that never carries meaning."""

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

_FOLDED = Lazy(r"[^\pL\pN\pM]|\x{3c2}")


@lru_cache(maxsize=8_192)
def canonical(text: str) -> str:
    """The form in which two texts state the same words: what WM-5 compares.

    NFKC, lower case, punctuation and white space folded to single spaces. Marks that change
    the meaning stay: `C++`, `C#`, `.env`, `*.ts`, `--force`, `-1`, `3.9`, `/etc`, `!=`, `50%`.
    Lower case, not case folding: "Maße" and "Masse" are two words.
    """
    text = composed(composed(without_invisible(text)).lower())
    words = (_canonical_word(word) for word in translated(text, _FOLD, _FOLDED).split())
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
    """Does the conditional mark at `i` change what the word means?"""
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


# --- languages -------------------------------------------------------------------------------


def is_cjk(char: str) -> bool:
    """Han, Kana or Hangul."""
    return (
        "\u3041" <= char <= "\u30ff"
        or "\u3400" <= char <= "\u4dbf"
        or "\u4e00" <= char <= "\u9fff"
        or "\uac00" <= char <= "\ud7a3"
        or "\u1100" <= char <= "\u11ff"
        or "\u3131" <= char <= "\u318e"
        or "\uf900" <= char <= "\ufaff"
        or "\uff66" <= char <= "\uff9d"
        or "\U00020000" <= char <= "\U0003ffff"
    )


def is_cjk_heavy(text: str) -> bool:
    """True when Chinese, Japanese or Korean carries the text (three in ten of its letters).

    Such text says as much in eight characters as English in twenty (EX-3).
    """
    if text.isascii():
        return False
    letters = sum(char.isalnum() for char in text)
    return sum(map(is_cjk, text)) * 10 >= max(1, letters) * 3


# --- matching --------------------------------------------------------------------------------

_LOOKALIKES = str.maketrans(
    "асԁеһіјӏорԛѕԝхуѵԍАВЕНІЈКМОРЅТХУЗѢгαεικνορτυχϲϳΑΒΕΖΗΙΚΜΝΟΡΤΥΧɑɡɩʏᴀᴇꞓℓ",
    "acdehijlopqswxyvGABEHIJKMOPSTXYZBraeikvoptuxcjABEZHIKMNOPTYXagiyaecl",
)
"""Cyrillic, Greek and other letters, and the Latin ones they are drawn like."""
_LOOKS_ALIKE = one_of(_LOOKALIKES)


def normalised(text: str) -> str:
    """The text as rules match it: NFKC, no invisible characters, lookalikes made Latin (EX-3).

    Case and line ends stay. Cyrillic and Greek prose becomes unreadable: never show this.
    """
    if text.isascii() and text.isprintable():
        return text
    text = translated(composed(without_invisible(text)), _LOOKALIKES, _LOOKS_ALIKE)
    return text.replace("\u2019", "'").replace("\u00a0", " ")


_ACCENTED = {
    code: unicodedata.normalize("NFD", chr(code))[0]
    for code in range(0xC0, 0x180)
    if unicodedata.normalize("NFD", chr(code))[0].isascii()
}


_HAS_ACCENT = one_of(_ACCENTED)


def unaccented(text: str) -> str:
    """Latin letters without their accents, one character for one; other scripts as they are.

    For matching words: re2 knows word borders between ASCII letters only, so that in "terminé"
    no word ends behind the é. Fold the pattern's words as well.
    """
    return text if text.isascii() else translated(text, _ACCENTED, _HAS_ACCENT)


class Words(Lazy):
    """A pattern of words in our eight languages: without case, and without accents on both sides.

    Places in a match are places in the text; take the text itself from there, since the groups
    of a match have lost their accents.
    """

    __slots__ = ()

    def __init__(self, text: str, *, multi_line: bool = False) -> None:
        super().__init__(unaccented(text), ignore_case=True, multi_line=multi_line)

    def match(self, text: str) -> Pattern:
        return super().match(unaccented(text))

    def fullmatch(self, text: str) -> Pattern:
        return super().fullmatch(unaccented(text))

    def search(self, text: str) -> Pattern:
        return super().search(unaccented(text))

    def finditer(self, text: str) -> Iterator[Pattern]:
        return super().finditer(unaccented(text))


# --- terminals -------------------------------------------------------------------------------


def safe(text: str, *, keep_newlines: bool = False) -> str:
    r"""The text for a terminal: what could steer it or hide is shown as `\x1b`, `\u202e`, … (TR-1).

    keep_newlines: line feeds and tabs stay as they are; otherwise they are shown too.
    """
    if text.isprintable():
        told = {char: _shown(char) for char in set(text)}
        return text if text.isascii() else "".join(map(told.__getitem__, text))
    kept = "\n\t" if keep_newlines else ""
    told = {char: char if char in kept else _shown(char) for char in set(text)}
    return "".join(map(told.__getitem__, text))


def _shown(char: str) -> str:
    if char.isascii() and char.isprintable():
        return char
    if not is_invisible(char) and char not in "\n\t\u2028\u2029":
        return char
    return repr(char)[1:-1] if not char.isprintable() else f"\\u{ord(char):04x}"


# --- prompts ---------------------------------------------------------------------------------

_ROLE_AT_LINE_START = Lazy(
    r"^([\s>#*\-]*)(human|assistant|user|system|developer|tool)(\**\s{0,3}[:：])",
    ignore_case=True,
    multi_line=True,
)
_ROLE_ANYWHERE = Lazy(r"\b(Human|Assistant|H|A)(\s?:)(\s|$)")
_TAG_START = Lazy(
    r"<(\s{0,4}[/!?|]?\s{0,4})("
    r"system|user|assistant|human|developer|tool|function|invoke|parameter|antml|thinking|memory|"
    r"instruction|important|command|context|reminder|prompt|policy|admin|im_start|im_end|<sys|"
    r"endoftext|[a-z][a-z0-9]{0,40}[_:-])",
    ignore_case=True,
)
_MODEL_MARK = Lazy(r"\[(/?)(INST|SYS|SYSTEM)\]|(?:<\||\|>)", ignore_case=True)
_FENCE = Lazy(r"`{3,}|~{3,}")
_ANGLES = str.maketrans({"\uff1c": "<", "\ufe64": "<", "\uff1e": ">", "\ufe65": ">"})


def neutralise(text: str) -> str:
    """Stored text as it may stand in a prompt: one line that is data and nothing else (TR-1).

    No line breaks, invisible or bidi characters, role markers, fences, nor tags that a client,
    a model or `wm` itself gives a meaning; ordinary angle brackets (`Array<string>`) stay.
    """
    text = without_invisible(text).translate(_ANGLES)
    text = _ROLE_AT_LINE_START.sub(lambda m: f"{m.group(1)}({m.group(2)})", text)
    text = _ROLE_ANYWHERE.sub(lambda m: f"({m.group(1)}){m.group(3)}", text)
    text = _FENCE.sub("`", " ".join(text.split()))
    text = _MODEL_MARK.sub(lambda m: f"({m.group(2)})" if m.group(2) else "|", text)
    return _close_tags(text)


def _close_tags(text: str) -> str:
    """Angle brackets of telling tags become single quotation marks of the same look."""
    pieces, last = [], 0
    for match in _TAG_START.finditer(text):
        start = match.start()
        if start < last:
            continue
        end = text.find(">", start, start + 400)
        pieces += [text[last:start], "\u2039"]
        last = start + 1
        if end >= 0:
            pieces += [text[last:end].replace("<", "\u2039"), "\u203a"]
            last = end + 1
    return "".join(pieces) + text[last:]


# --- what is shown of a long text ------------------------------------------------------------


def first_sentences(text: str, max_chars: int) -> str:
    """The whole sentences that fit into `max_chars` characters, at least a part of the first.

    When the first sentence alone is longer, it is cut at a word's border and ends in `…`.
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
    """The whole sentences of a text, in order."""
    found, begin = [], 0
    for i in range(len(text)):
        if _ends_sentence(text, i):
            found.append(text[begin : i + 1].strip())
            begin = i + 1
    return tuple(filter(None, (*found, text[begin:].strip())))


def _ends_sentence(text: str, i: int) -> bool:
    """Is the character at `i` the last of a sentence?"""
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
    # "e.g. this" and "z. B. das" go on; a number before a full stop counts something.
    return not following.islower() and not (char == "." and _abbreviates(text, i))


def _abbreviates(text: str, dot: int) -> bool:
    before = text[max(0, dot - 3) : dot]
    if before[-1:].isdigit():
        return not before[-3:].strip().isalnum() and len(before.strip()) < 2
    return len(before) >= 1 and before[-1].isalpha() and before[-2:-1] in ("", " ", ".", "(")


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
