"""Decide whether two entries state the same fact (WM-5).

Conservative: two entries that might differ stay two. Equal canonical text always counts. Beyond
that only project and reference entries about one URL or path merge, and only if they use the same
words apart from filler, with names, numbers and negations in the same order. Judges texts only;
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

IDENTITY_TYPES = frozenset({"project", "reference"})
"""Decisions and feedback merge only on equal canonical text: their wording is their meaning."""

_FILLER_WORDS = (
    "a an the is are be it its this that which where here there of in on at for found find lives"
    " live located stands holds hold contains contain has have"
)
FILLERS = frozenset(_FILLER_WORDS.split())
"""Words that only connect a fact. No negation, modal, tense or direction (from, before)."""

_NEGATION_WORDS = (
    "not no never none nor without cannot t isn aren don doesn didn won mustn shouldn"
    " nicht kein keine keinen nie niemals ohne pas jamais sans sin nunca ninguno não nem sem"
    " instead only except unless"
)
NEGATIONS = frozenset(_NEGATION_WORDS.split())
"""Canonical words (`don't` is `don t` there) that negate or narrow a fact."""

_BEFORE_PATH = words("in at by through via under on see")
"""Directly before a URL or path these words only connect it; "from" and "to" carry meaning."""

_ALIKE = (
    "expos reachabl avail accessibl",
    "reset wipe wip clear empti purg",
    "databas db",
    "postgr postgresql",
    "folder directori dir",
    "email mail",
    "manag administ",
    "settings config configur",
)
SYNONYMS = {word: row.split()[0] for row in _ALIKE for word in row.split()}
"""Stems with one meaning for a file or a URL; each row is reduced to its first."""

SHOWING = words("expos list describ defin document")
"""Verbs for what a file contains; a colon before the path means the same."""

_LINK_WORDS = "in at by from under through via with see is are of to on"
_LINKS = frozenset(_LINK_WORDS.split())
_ROOT_WORDS = (
    "src lib libs app apps bin cmd config configs data doc docs etc examples fixtures include"
    " internal migrations packages pkg public schemas scripts services static templates test"
    " tests tools vendor web"
)
_ROOTS = frozenset(_ROOT_WORDS.split())
"""First folders that make a two-part token a path although it has no extension."""

_EDGE = "\"'`“”‘’«»()[]{}<>,;:!?"
_PATH = Lazy(r"^(?:~|\.{1,2})?/?(?:[\pL\pN_@.+-]+/)*[\pL\pN_@.+-]+/?$")
_EXTENSION = Lazy(r"[\pL\pN_]\.[A-Za-z][A-Za-z0-9]{0,7}$")
_PLAIN_FILE = Lazy(r"^[\pL\pN_@+-][\pL\pN_@.+-]+\.[a-z]{1,5}[0-9]?$")
_HOST = Lazy(r"\.(?:com|org|net|io|dev|ai|app|edu|gov|eu|de|js|NET)$")
_MAX_TOKEN = 300
_MAX_TOKENS = 120


class FactStatement(Struct, frozen=True):
    """A text parsed for comparison.

    identity: the URL or path it is about, or "". leads: the identity is its subject. words: content
    words in order, stemmed. marks: those of them that must keep their order.
    """

    identity: str
    leads: bool
    linked: bool
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
def statement(text: str) -> FactStatement:
    """Parse a text for `same_fact`. Cached: a new entry is parsed several times."""
    about = identity(text)
    words: list[str] = []
    marks: list[str] = []
    leads = linked = apposed = False
    before = ""
    for token in text.split()[:_MAX_TOKENS]:
        if about and about in (_url(token), _path(token)):
            leads = leads or not words or (apposed and not linked)
            linked = linked or before in _LINKS
            if before in _BEFORE_PATH and words and words[-1] == before:
                words.pop()
            continue
        apposed = token.endswith(",")
        for word in _words(token):
            if before == "port" and word.isdigit() and words[-1:] == ["port"]:
                words.pop()
            before = word
            if word in FILLERS:
                continue
            root = stem(word)
            words.append(SYNONYMS.get(root, root))
            if _is_mark(word, token):
                marks.append(word)
    return FactStatement(about, leads, linked, tuple(words), tuple(marks))


def same_fact(a: FactStatement, b: FactStatement) -> bool:
    """Whether both say the same about one URL or path, perhaps in reversed order."""
    if not a.identity or a.identity != b.identity:
        return False
    if a.marks != b.marks:
        return False
    if _revoiced(a, b):
        return True
    if not _turned(a.words, b.words):
        return False
    # "x imports zod" and "zod imports x" have the same words; "zod is imported in x" may merge.
    return a.leads == b.leads or (a.linked or a.leads) == (b.linked or b.leads)


def _words(token: str) -> list[str]:
    """Canonical words of one token; most tokens need no folding."""
    bare = token.rstrip(".,;:")
    return [bare.lower()] if bare.isascii() and bare.isalnum() else canonical(token).split()


def _turned(a: tuple[str, ...], b: tuple[str, ...]) -> bool:
    """Whether `b` has the words of `a`, in order or rotated once (active and passive voice)."""
    if len(a) != len(b) or not a:
        return a == b
    return any(a[i:] + a[:i] == b for i in range(len(a)))


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
    if len(active.words) == len(passive.words):
        at = passive.words.index(verb[0]) if verb[0] in passive.words else -1
        moved = passive.words[:at] + passive.words[at + 1 :]
        return passive.linked and at >= 0 and moved == rest
    return verb[0] in SHOWING and passive.words == rest


def _is_mark(word: str, token: str) -> bool:
    """Numbers, negations, and words written as names: inner capitals, underscores, backticks."""
    if word in NEGATIONS or any(map(str.isdigit, word)):
        return True
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
    if not (rooted or known or (quoted and len(parts) > 1)):
        return ""
    return bare.removeprefix("./").rstrip("/")
