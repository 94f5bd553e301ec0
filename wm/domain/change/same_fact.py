"""Decide whether two entries state the same fact (WM-5).

Conservative: two entries that might differ stay two. Equal canonical text always counts. Beyond
that only project and reference entries about one URL or path merge, and only if they use the same
words apart from filler, in one order: the verb may move with its voice, and "A of B" is "B A". The
order of names, numbers and negations is the same. Judges texts only;
`consolidate` decides which entry stays.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from urllib.parse import urlsplit

from msgspec import Struct

from wm.text.letters import canonical
from wm.text.patterns import Lazy, words
from wm.text.stems import stem
from wm.text.tables import Tables

IDENTITY_TYPES = frozenset({"project", "reference"})
"""Decisions and feedback merge only on equal canonical text: their wording is their meaning."""

_TABLES = Tables("wm.domain.change", "same_fact.toml")


def _table(name: str) -> frozenset[str]:
    return frozenset(_TABLES.words(name))


FILLERS, NEGATIONS = _table("fillers"), _table("negations")
_CONNECTING = FILLERS | _table("connecting")
_GENITIVES = words("of for")
_BE, _BEFORE_PATH, _DIRECTIONS = _table("be"), _table("before_path"), _table("directions")
_LINKS = _BEFORE_PATH | _BE | words("from with of to")
_VERB_ENDINGS = {*_table("verb_endings"), ""}
SYNONYMS = {word: row[0] for row in _TABLES.rows("alike") for word in row}
SHOWING = words("expos list describ defin docu show host stor keep publish serv")
"""Verbs for what a file contains; a colon before the path means the same."""

_CJK_EDGES = Lazy(
    r"^(?:には?|で|里有?|中有)|(?:は|が|を|の|に|です|(?:に|が)(?:ある|あります))$"
    r"|(\p{Hangul})[은는이가을를에]$|(?:存放|位于|写)?在$"
)
"""What connects a word without spaces to a path."""

_ROOTS = _table("roots")
_EDGE = "\"'`“”‘’«»()[]{}<>,;:!?。，、；："
_PATH = Lazy(r"^(?:~|\.{1,2})?/?(?:[\pL\pN_@.+-]+/)*[\pL\pN_@.+-]+/?$")
_EXTENSION = Lazy(r"[\pL\pN_]\.[A-Za-z][A-Za-z0-9]{0,7}$")
_PLAIN_FILE = Lazy(r"^[\pL\pN_@+-][\pL\pN_@.+-]+\.[a-z]{1,5}[0-9]?$")
_HOST = Lazy(r"\.(?:com|org|net|io|dev|ai|app|edu|gov|eu|de|js|NET)$")
_MAX_TOKEN = 300
_MAX_TOKENS = 120


class FactStatement(Struct, frozen=True):
    """A text parsed for comparison.

    identity: the URL or path it is about, or "". leads: the identity is its subject. linked: a word
    connects the identity to the text before it. passive: it has a form of "be". words: content
    words in order, stemmed, and "of" or "for" between them. marks: those whose order is kept.
    """

    identity: str
    leads: bool
    linked: bool
    passive: bool
    words: tuple[str, ...]
    marks: tuple[str, ...]


def identity(text: str) -> str:
    """The URL or real path that a text is about: the first URL, else the first path, else ""."""
    tokens = text.split()[:_MAX_TOKENS]
    urls = filter(None, map(_url, tokens))
    return next(urls, "") or next(filter(None, map(_path, tokens)), "")


def paths(text: str) -> Iterator[str]:
    """Yield all real paths that a text names: as `identity` recognises them, as a Markdown link
    (`[x](a/b.md)`), or as an instruction file (`@a/b.md`)."""
    named = map(_path, text.replace("](", " ").split())
    return (path.removeprefix("@") for path in named if path)


@lru_cache(maxsize=8)
def fact_statement(text: str) -> FactStatement:
    """Parse a text for `same_fact`. Cached: a new entry is parsed several times."""
    about = identity(text)
    words: list[str] = []
    late: list[str] = []
    marks: list[str] = []
    leads = linked = apposed = passive = False
    before = ""
    for token in text.split()[:_MAX_TOKENS]:
        if about and about in (_url(token), _path(token)):
            if apposed and not linked:  # "At start, a.rs is read."
                late, words = words, []
            leads = leads or not words
            linked = linked or before in _LINKS or before.endswith(":")
            if before in _BEFORE_PATH and words and words[-1] == before:
                words.pop()
            words += [before] if before in _DIRECTIONS else []
            continue
        apposed, named = token.endswith(","), _is_name(token)
        for word in _words(token):
            if before == "port" and word.isdigit() and words[-1:] == ["port"]:
                words.pop()
            before = word
            passive = passive or word in _BE
            if word in _GENITIVES and words and words[-1] not in _GENITIVES:
                words.append(word)
            if word in _CONNECTING and not (named and len(word) > 1):
                continue
            bare = word if word.isascii() else _CJK_EDGES.sub(r"\1", word)
            linked = linked or bare != word
            root = stem(bare)
            words += [SYNONYMS.get(root, root)] if root and bare not in _CONNECTING else []
            # Numbers, denials and names must keep their order.
            if named or word in NEGATIONS or any(map(str.isdigit, word)):
                marks.append(word)
        before += ":" if token.endswith(":") else ""
    words += late
    if leads and words[1:2] == ["by"]:  # "a.json is written by make" and "make writes a.json"
        words, leads, linked = [*words[2:], words[0]], False, False
    said = tuple(words[:-1] if words and words[-1] in _GENITIVES else words)
    return FactStatement(about, leads, linked, passive, said, tuple(marks))


def same_fact(a: FactStatement, b: FactStatement) -> bool:
    """Whether both say the same about one URL or path, perhaps in another voice."""
    if not a.identity or a.identity != b.identity or a.marks != b.marks:
        return False
    # "x imports zod" and "zod imports x" have the same words; "zod is imported in x" may merge.
    alike = (a.linked or a.leads) == (b.linked or b.leads)
    return (alike and _meet(a.words, b.words)) or _revoiced(a, b)


def _words(token: str) -> list[str]:
    """Canonical words of one token; most tokens need no folding."""
    bare = token.rstrip(".,;:")
    return [bare.lower()] if bare.isascii() and bare.isalnum() else canonical(token).split()


def _meet(a: tuple[str, ...], b: tuple[str, ...]) -> bool:
    """Whether they are the same words in one order, "A of B" and "B A" being the same."""
    one, other = (["of" if word == "for" else word for word in said] for said in (a, b))
    if one.count("of") == other.count("of"):
        return one == other
    return not _orders(a).isdisjoint(_orders(b))


def _orders(words: tuple[str, ...]) -> set[tuple[str, ...]]:
    """The words without "of", and with up to three that follow the first "of" or "for" before the
    one or two that precede it."""
    found = {tuple(word for word in words if word != "of")}
    at = next((i for i, word in enumerate(words) if word in _GENITIVES), 0)
    head, rest = words[:at], words[at + 1 :]
    size = next((i for i, word in enumerate(rest) if word in _GENITIVES), len(rest))
    # What precedes "for" may be a verb and its object.
    most = min(at, 2 if "of" in words[at : at + 1] else 1)
    for a in range(1, most + 1):
        for b in range(1, min(3, size) + 1):
            found.add(head[:-a] + rest[:b] + head[-a:] + rest[b:])
    return found


def _revoiced(a: FactStatement, b: FactStatement) -> bool:
    """Whether they differ in voice only: "a.ts rounds x to y", "x is rounded to y in a.ts".

    Also true for a bare location ("The screens: docs/s.md") and a text that only states it.
    """
    if a.leads == b.leads:
        return False
    active, passive = (a, b) if a.leads else (b, a)
    verb, rest = active.words[:1], active.words[1:]
    if not verb or not rest:
        return False
    if verb[0] in SHOWING and _meet(passive.words, rest):
        return True
    if not passive.linked or not (passive.passive or not verb[0].isascii()):
        return False
    places = (at for at, word in enumerate(passive.words) if _one_verb(word, verb[0]))
    return any(_meet(passive.words[:at] + passive.words[at + 1 :], rest) for at in places)


def _one_verb(a: str, b: str) -> bool:
    """Whether the words differ in nothing but the endings of verbs."""
    same = next((i for i in range(min(len(a), len(b)), 3, -1) if a[:i] == b[:i]), 0)
    return a == b or (same > 0 and {a[same:], b[same:]} <= _VERB_ENDINGS)


def _is_name(token: str) -> bool:
    """Whether a token is written as a name: with inner capitals, an underscore or a backtick."""
    bare = token.strip(_EDGE + ".")
    return "_" in bare or "`" in token or any(map(str.isupper, bare[1:]))


def _url(token: str) -> str:
    at = token.find("://")
    if not 3 <= at <= 40 or len(token) > _MAX_TOKEN:
        return ""
    start = max(token.rfind("http", 0, at), 0)
    raw = token[start:].strip(_EDGE).rstrip(_EDGE + ".")
    try:
        parts = urlsplit(raw)
    except ValueError:
        return ""
    if parts.scheme.lower() not in ("http", "https") or not parts.netloc:
        return ""
    query = f"?{parts.query}" if parts.query else ""
    return f"{parts.netloc.lower()}{parts.path.rstrip('/')}{query}"


def _path(token: str) -> str:
    """The path in a token, without `./` and a line number; "" for `TCP/IP`, `24/7`, …"""
    if "/" not in token and "." not in token:
        return ""
    quoted = token.strip(",.;:!?()")[:1] in ("`", '"', "'")
    bare = token.strip(_EDGE).rstrip(_EDGE + ".")
    bare = bare.split(":", 1)[0]
    if not bare or len(bare) > _MAX_TOKEN or ("/" not in bare and "." not in bare):
        return ""  # a word at the end of its sentence
    if not _PATH.search(bare):
        return ""
    if "/" not in bare:
        return bare if _PLAIN_FILE.search(bare) and not _HOST.search(bare) else ""
    rooted = bare.startswith(("/", "./", "../", "~/"))
    parts = [p for p in bare.split("/") if p not in ("", ".", "..", "~")]
    if not parts or all(p.isdigit() for p in parts):
        return ""
    known = parts[0] in _ROOTS or bool(_EXTENSION.search(parts[-1])) or len(parts) > 3
    folder = bare.endswith("/") and len(parts[0]) > 2
    if not (rooted or known or folder or (quoted and len(parts) > 1)):
        return ""
    return bare.removeprefix("./").rstrip("/")
