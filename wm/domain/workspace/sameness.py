"""When do two entries state the same fact? (WM-5)

Conservative: two entries that might differ stay two. Exact canonical text always counts. Beyond
it only project and reference entries about one URL or path merge, and only if they use the same
words apart from filler, with names, numbers and negations in the same order. Judges texts only;
who survives is decided in `consolidate`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from urllib.parse import urlsplit

from msgspec import Struct

from wm.domain.patterns import compile, words
from wm.domain.stems import stem
from wm.domain.text import canonical
from wm.formats.workspace_memory import MemoryEntry

IDENTITY_TYPES = frozenset({"project", "reference"})
"""Decisions and feedback merge on exact canonical text only: wording is their meaning."""

_FILLER_WORDS = (
    "a an the is are be it its this that which where here there of in on at for found find lives"
    " live located stands holds hold contains contain has have"
)
FILLERS = frozenset(_FILLER_WORDS.split())
"""Words that only tie a fact together. No negation, modal, tense or direction (from, before)."""

_NEGATION_WORDS = (
    "not no never none nor without cannot t isn aren don doesn didn won mustn shouldn"
    " nicht kein keine keinen nie niemals ohne pas jamais sans sin nunca ninguno não nem sem"
    " instead only except unless"
)
NEGATIONS = frozenset(_NEGATION_WORDS.split())
"""Canonical words (`don't` is `don t` there) that turn a fact round or narrow it."""

_BEFORE_PATH = words("in at by through via under on see")
"""Right in front of a URL or path these only tie it to the rest; "from" and "to" say more."""

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
"""Stems that say the same of a file or a URL; each row's first stands for all."""

SHOWING = words("expos list describ defin document")
"""What files do with what they hold; a colon in front of the path says as much."""

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
_PATH = compile(r"^(?:~|\.{1,2})?/?(?:[\pL\pN_@.+-]+/)*[\pL\pN_@.+-]+/?$")
_EXTENSION = compile(r"[\pL\pN_]\.[A-Za-z][A-Za-z0-9]{0,7}$")
_PLAIN_FILE = compile(r"^[\pL\pN_@+-][\pL\pN_@.+-]+\.[a-z]{1,5}[0-9]?$")
_HOST = compile(r"\.(?:com|org|net|io|dev|ai|app|edu|gov|eu|de|js|NET)$")
_MAX_TOKEN = 300
_MAX_TOKENS = 120


class Statement(Struct, frozen=True):
    """What a text says, as far as comparing needs it.

    identity: the URL or path it speaks of, "" for none. leads: the identity is its subject.
    words: content words in order, stemmed. marks: those of them that may not change places.
    """

    identity: str
    leads: bool
    linked: bool
    words: tuple[str, ...]
    marks: tuple[str, ...]


def key(entry: MemoryEntry) -> tuple[str, str]:
    """Entries with one key state the same in the same words."""
    return entry.type, canonical(entry.text)


def identity(text: str) -> str:
    """The URL or real path that a text is about: the first URL, else the first path, else ""."""
    tokens = text.split()[:_MAX_TOKENS]
    urls = filter(None, map(_url, tokens))
    return next(urls, "") or next(filter(None, map(_path, tokens)), "")


def paths(text: str) -> Iterator[str]:
    """All real paths that a text names, as `identity` tells them, as a link in Markdown does
    (`[x](a/b.md)`), or an instruction file (`@a/b.md`)."""
    named = map(_path, text.replace("](", " ").split())
    return (path.removeprefix("@") for path in named if path)


@lru_cache(maxsize=8)
def statement(text: str) -> Statement:
    """Take a text apart for `same_fact`. Remembered for the last texts: a newcomer is asked about
    several times."""
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
    return Statement(about, leads, linked, tuple(words), tuple(marks))


def same_fact(a: Statement, b: Statement) -> bool:
    """Both speak of one URL or path and say the same of it, perhaps turned round."""
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
    """Canonical words of one token; most are plain and need no folding."""
    bare = token.rstrip(".,;:")
    return [bare.lower()] if bare.isascii() and bare.isalnum() else canonical(token).split()


def _turned(a: tuple[str, ...], b: tuple[str, ...]) -> bool:
    """Is `b` the words of `a`, in order or turned round once (active and passive voice)?"""
    if len(a) != len(b) or not a:
        return a == b
    return any(a[i:] + a[:i] == b for i in range(len(a)))


def _revoiced(a: Statement, b: Statement) -> bool:
    """The same in active and passive voice: "a.ts rounds x to y", "x is rounded to y in a.ts".

    Also a mere place ("The screens: docs/s.md") against what only says that it is one.
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
    """Numbers, negations, and names written as such: capitals inside, underscores, backticks."""
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
    """The path that a token is, without `./` and a line number; "" for `TCP/IP`, `24/7`, …"""
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
