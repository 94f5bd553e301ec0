"""Secrets are replaced by labels before any byte reaches the disk (TR-1).

Pure and linear (TR-5). Three passes over one text: formats with a shape of their own
(`secret_formats`), values that a label gives away ("the password is …", `API_KEY=…`, headers,
cookies, URLs, eight languages), and opaque tokens that nothing names. What is found is
replaced by `[secret:kind:digest]`; the same secret has the same label wherever it stands.
Does not find secrets that look like ordinary words and that no label names.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import NamedTuple

from msgspec import Struct, field

from wm.domain.patterns import Lazy, Sieve, encoded, escaped
from wm.domain.secret_formats import FORMATS, SHAPES, WEAK_PREFIXES, Format
from wm.domain.secret_labels import KEY_HINT, labelled
from wm.domain.secret_lines import HINTS, placed
from wm.domain.secret_looks import Span, is_placeholder, is_wordy, looks_random
from wm.domain.text import NEVER_PLAIN, USUAL_MARKS, invisible_in, one_of, translated

LABEL_DIGEST_CHARS = 6
"""Hex digits of the salted digest that a label shows (TR-1)."""

SHORTEST_BODY = 8
"""No format of `FORMATS` has fewer characters behind its prefix, nor a space among these."""

WINDOW = 4096
"""Characters behind a prefix that one format is matched against. Bounds the work per hit (EX-6)."""


CLEAN_CHARS = 4096
"""Longer texts are not remembered as clean."""

MOST_CLEAN = 64
"""So many of them are remembered."""


class _Clean:
    """The last short texts in which nothing was found, so that what is redacted, judged and quoted
    in evidence is searched once. Knows no text that held anything."""

    def __init__(self) -> None:
        self._texts: dict[str, None] = {}

    def __contains__(self, text: str) -> bool:
        return len(text) <= CLEAN_CHARS and text in self._texts

    def add(self, text: str) -> None:
        if len(text) <= CLEAN_CHARS:
            if len(self._texts) >= MOST_CLEAN:
                self._texts.clear()
            self._texts[text] = None


class Redactor(Struct, frozen=True):
    """Replaces secrets by labels.

    digest: keyed digest of a secret as lower-case hex. allowed: digests, whole or as shown in
    a label, of what the user declared to be no secret. opaque False: a token that only looks
    random stays, as in names, and in files with digests of our own.
    """

    digest: Callable[[str], str]
    allowed: Collection[str] = frozenset()
    opaque: bool = True
    _clean: _Clean = field(default_factory=_Clean)

    def text(self, text: str) -> str:
        """The text with every secret replaced. Redacting twice changes nothing more."""
        spans = self.find(text)
        if not spans:
            return text
        pieces, last = [], 0
        for span in spans:
            pieces += [text[last : span.start], self._label(text[span.start : span.end], span.kind)]
            last = span.end
        return "".join(pieces) + text[last:]

    def value(self, value: object) -> object:
        """A JSON value with every string in it redacted, keys too.

        A string under a telling key (`"password": "…"`) is judged together with its key.
        """
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self._key(k): self._member(k, v) for k, v in value.items()}
        if isinstance(value, list | tuple):
            return [self.value(item) for item in value]
        return value

    def find(self, text: str) -> list[Span]:
        """The secrets of a text in order, without overlaps, less those that are allowed."""
        if len(text) < 4 or text in self._clean:
            return []
        folded, places, held = _prepared(text)
        if not held:
            self._clean.add(text)
            return []
        spans = _merged(
            _known(folded, held),
            labelled(folded) if KEY_HINT in held else _NOTHING,
            placed(folded, held),
            _opaque(folded) if _TOKEN.text in held and self.opaque else _NOTHING,
            _labels_in(folded) if _LABEL.text in held else _NOTHING,
        )
        if places is not None:
            spans = [Span(places[s], places[e - 1] + 1, kind) for s, e, kind in spans]
        if not spans:
            self._clean.add(text)
        # Asked once for each text that holds something: the collection may be read from a file.
        allowed = frozenset(self.allowed) if spans else frozenset()
        return [s for s in spans if not self._is_allowed(text[s.start : s.end], allowed)]

    def _key(self, key: object) -> object:
        return self.text(key) if isinstance(key, str) else key

    def _member(self, key: object, value: object) -> object:
        if not isinstance(value, str) or not isinstance(key, str) or not 4 <= len(value) <= 4096:
            return self.value(value)
        found = self.text(value)
        if found != value or "\n" in value or '"' in value or "\\" in value:
            return found
        # The key may hold a secret itself: its label is as long as it is, not as the secret was.
        head = f'"{self.text(key)[-100:]}": "'
        return self.text(f'{head}{value}"')[len(head) : -1] if '"' not in key else found

    def _label(self, secret: str, kind: str) -> str:
        return f"[secret:{kind}:{self.digest(secret)[:LABEL_DIGEST_CHARS]}]"

    def _is_allowed(self, secret: str, allowed: frozenset[str]) -> bool:
        if not allowed:
            return False
        digest = self.digest(secret)
        return digest in allowed or digest[:LABEL_DIGEST_CHARS] in allowed


# --- preparing the text ----------------------------------------------------------------------

_FULL_WIDTH: dict[int, str] = {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
_QUOTES = {ord(char): '"' for char in "“”„‟«»「」『』〝〞＂"}
_SINGLE = {ord(char): "'" for char in "‘’‚‛‹›"}
_PLAIN = {**_FULL_WIDTH, **_QUOTES, **_SINGLE, 0x3000: " ", 0xA0: " ", 0x202F: " "}
_READ_AS_PLAIN = one_of(_PLAIN)
_USUAL = {char: _PLAIN[ord(char)] for char in USUAL_MARKS if ord(char) in _PLAIN}
"""What Chinese and Japanese prose is full of."""


def _prepared(text: str) -> tuple[str, list[int] | None, frozenset[str]]:
    """The text as it is searched, where its characters stood (None: at the same places), and the
    hints that it holds."""
    if text.isascii():
        return text, None, _held(text)
    for char, plain in _USUAL.items():
        text = text.replace(char, plain)
    held = _held(text)
    if _UNUSUAL not in held:
        return text, None, held
    folded, places = _folded(text)
    same = places is None and folded == text
    return folded, places, (held if same else _held(folded)) - {_UNUSUAL}


def _folded(text: str) -> tuple[str, list[int] | None]:
    """Full-width forms and typographic quotes become plain, one character for one; invisible
    characters, which would cut a secret in two, leave."""
    folded = translated(text, _PLAIN, _READ_AS_PLAIN)
    hidden = invisible_in(folded) - {"\r"}
    if not hidden:
        return folded, None
    places = [i for i, char in enumerate(folded) if char not in hidden]
    return "".join([folded[i] for i in places]), places


def _merged(*found: Iterable[Span]) -> list[Span]:
    """Spans of all passes without overlaps: earlier passes win, labels in the text hold none."""
    *passes, labels = [list(spans) for spans in found]
    taken: list[Span] = []
    for spans in passes:
        taken = _joined(taken, spans)
    if labels:
        taken = [span for span in _joined(labels, taken) if span.kind]
    return taken


def _joined(first: list[Span], second: list[Span]) -> list[Span]:
    """Both, in order; of the second only what touches nothing of the first."""
    if not first or not second:
        return first or _apart(second)
    result, i = [], 0
    for span in _apart(second):
        while i < len(first) and first[i].end <= span.start:
            result.append(first[i])
            i += 1
        if i == len(first) or first[i].start >= span.end:
            result.append(span)
    return result + first[i:]


def _apart(spans: list[Span]) -> list[Span]:
    """Sorted, and of two that overlap the one that begins first."""
    result: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        if not result or span.start >= result[-1].end:
            result.append(span)
    return result


_LABEL = Lazy(r"\[secret:[a-z0-9_]{2,40}:[0-9a-f]{6}\]")


def _labels_in(text: str) -> Iterator[Span]:
    for match in _LABEL.finditer(text):
        yield Span(match.start(), match.end(), "")


# --- first pass: known formats ---------------------------------------------------------------


class _Rule(NamedTuple):
    kind: str
    pattern: Lazy
    weak: bool


def _joins(first: str) -> bool:
    """May this character go on a word before it?"""
    return first.isalnum() or first == "_"


def _rules_by_prefix(formats: tuple[Format, ...]) -> dict[str, tuple[_Rule, ...]]:
    table: dict[str, tuple[_Rule, ...]] = {}
    for kind, prefix, rest in formats:
        rule = _Rule(kind, Lazy(rest), prefix in WEAK_PREFIXES)
        table[prefix] = (*table.get(prefix, ()), rule)
    return table


def _hint_of_prefixes(prefixes: Iterable[str]) -> str:
    """A prefix that is no middle of a longer word (`_continues`), and the least that any format
    has behind it."""
    words = [escaped(prefix) for prefix in prefixes if _joins(prefix[0])]
    others = [escaped(prefix) for prefix in prefixes if not _joins(prefix[0])]
    start = f"(?:^|[^0-9A-Za-z])(?:{'|'.join(words)})"
    return f"(?:{'|'.join([start, *others])})[!-~]{{{SHORTEST_BODY}}}"


_RULES = _rules_by_prefix(FORMATS)
_PREFIXES = Lazy("|".join(_escaped for _escaped in sorted(
    ("".join(c if c.isalnum() else "\\" + c for c in prefix) for prefix in _RULES),
    key=len, reverse=True)))  # fmt: skip
_PREFIX_HINT = _hint_of_prefixes(_RULES)
_SHAPES = tuple((shape, Lazy(shape.pattern)) for shape in SHAPES)


def _known(text: str, held: Collection[str]) -> Iterator[Span]:
    if _BLOCK_HINT in held:
        yield from _blocks(text)
    if _PREFIX_HINT in held:
        yield from _prefixed(text)
    has_run = _TOKEN.text in held
    for shape, pattern in _SHAPES:
        if shape.hint in held and (has_run or not shape.in_run):
            yield from _shaped(text, shape.kind, pattern)


def _prefixed(text: str) -> Iterator[Span]:
    end = 0
    for start, at in _PREFIXES.spans(text):
        before = text[start - 1] if start else ""
        if start < end or (before and _continues(before, text[start])):
            continue
        prefix, window = text[start:at], text[at : at + WINDOW]
        for kind, pattern, weak in _RULES[prefix]:
            if weak and before == "_":
                continue
            size = pattern.end(window)
            if size < 0:
                continue
            body = window[:size].rstrip(".-,")
            if is_placeholder(body) or (weak and is_wordy(body)):
                continue
            end = at + len(body)
            if len(body) == WINDOW:
                end = _run_end(text, end)
            yield Span(_secret_start(text, start, prefix, kind), end, kind)
            break


def _run_end(text: str, end: int) -> int:
    """The end of the token that goes on behind the window."""
    return end + max(0, _TOKEN.end(text[end:]))


def _secret_start(text: str, start: int, prefix: str, kind: str) -> int:
    """A token goes with its prefix and a webhook with its host; a field's name stays."""
    if kind == "webhook_url":
        return start - 8 if text.startswith("https://", max(0, start - 8)) else start
    return start + len(prefix) if prefix.endswith(("= ", "=", ": ", " ", "/bot")) else start


def _continues(before: str, first: str) -> bool:
    """Is a prefix at this place the middle of a longer word? `test_ghp_…` is none."""
    return before.isalnum() and before.isascii() and _joins(first)


def _shaped(text: str, kind: str, pattern: Lazy) -> Iterator[Span]:
    for match in pattern.finditer(text):
        group = 1 if match.re.groups else 0
        if match.start(group) >= 0 and not is_placeholder(match.group(group)):
            yield Span(match.start(group), match.end(group), kind)


_BLOCK_HINT = "[- ]BEGIN |PuTTY"
_BLOCK_BEGIN = Lazy(
    r"-----BEGIN ([A-Z0-9 ]{0,60}(?:PRIVATE|SECRET) KEY(?: BLOCK)?)-----"
    r"|---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----"
    r"|PuTTY-User-Key-File-\d: [a-z0-9-]{1,60}"
)


def _blocks(text: str) -> Iterator[Span]:
    """Private key blocks whole, also where the end line is missing or line feeds are escaped."""
    end = 0
    ends = True
    for match in _BLOCK_BEGIN.finditer(text):
        if match.start() < end:
            continue
        name = match.group(1)
        marker = f"-----END {name}-----" if name else "Private-MAC:"
        # One miss proves that no later search of any end line needs to run to the end again.
        stop = text.find("-----END ", match.end()) if ends and name else -1
        ends = ends and (stop >= 0 or not name)
        if stop >= 0 and text.startswith(marker, stop):
            end = stop + len(marker)
        else:
            end = _key_body_end(text, match.end())
        yield Span(match.start(), end, "private_key")


def _key_body_end(text: str, start: int) -> int:
    """Where the base64 lines and headers behind a begin line stop."""
    end = start
    while end < len(text):
        stop = text.find("\n", end)
        stop = len(text) if stop < 0 else stop
        line = text[end:stop].strip(" \t\r>|+\"'\\")
        if line and not _KEY_LINE.fits(line):
            break
        end = min(len(text), stop + 1)
    return len(text[:end].rstrip()) if end - start < WINDOW else end


_KEY_LINE = Lazy(r"[0-9A-Za-z+/=\\]+|[A-Za-z][A-Za-z-]{2,30}: .{0,200}|-----END [A-Z ]{1,60}-----")


# --- third pass: opaque tokens ---------------------------------------------------------------

_TOKEN = Lazy(r"[0-9A-Za-z_+/=.~-]{20,}")
_PUBLIC_BEFORE = Lazy(
    r"(?i)(?:sha-?(?:1|224|256|384|512)|md5|blake[23][bs]?|integrity|checksum|digest|fingerprint|"
    r"hash(?:es)?|h1|commit|rev|revision|etag|ssh-(?:rsa|ed25519|dss)|ecdsa-sha2-nistp\d+|"
    r"request[_-]?id|trace[_-]?id|span[_-]?id|correlation[_-]?id|build[_-]?id|public[_ -]?key|"
    r"base64,|base64)[\"'`]?\s?[-:=~]{0,2}>?\s?[\"'`]?$"
)
_PUBLIC_START = (
    "AAAAB3Nza", "AAAAC3Nza", "AAAAE2Vj", "iVBORw0KG", "/9j/", "R0lGOD", "UEsDB", "JVBERi",
    "PHN2Z", "PD94b", "data:", "UklGR", "T2dnUw", "MII", "LS0tLS1CRUdJTiBDRVJU", "age1", "H4sI",
    "d09GMg", "AAEAAAA", "sha1-", "sha256-", "sha384-", "sha512-", "toolu_", "srvtoolu_", "msg_",
    "call_", "req_", "resp_", "chatcmpl-", "prt_", "ses_", "thread_", "run_", "file-", "urn:",
)  # fmt: skip


_DIGITS = "0123456789"
_OWN_ID = Lazy(r"[a-z]_[0-9a-f]{8,40}|mem_\d+_[0-9a-z]{4,12}")
"""Ids of entries, outputs, objects and epochs (ID-4)."""


def _opaque(text: str) -> Iterator[Span]:
    for first, last in _TOKEN.spans(text):
        run = text[first:last]
        if run.islower() and not any(digit in run for digit in _DIGITS):
            continue
        for start, end in _token_parts(text, first, last):
            if looks_random(text[start:end]) and not _is_public(text, first, start, end):
                yield Span(start, end, "token")


def _is_public(text: str, run: int, start: int, end: int) -> bool:
    """Checksums, public keys, images, ids of messages, and paths of URLs (`run`: its start)."""
    if text.startswith(_PUBLIC_START, start) or text.startswith("://", max(0, run - 1)):
        return True
    if _OWN_ID.fits(text[start:end]):
        return True
    if start and text[start - 1] in "@%#" and end - start < 60:
        return True
    return _PUBLIC_BEFORE.holds(text[max(0, start - 24) : start])


def _token_parts(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A run, cut at assignments: `key=value` and `a.b.c=value` name before they hold."""
    while start < end:
        sign = text.find("=", start, end)
        # Signs of equality at the end are padding, not an assignment.
        stop = end if sign < 0 or not text[sign:end].strip("=") else sign
        first, last = start, stop
        while first < last and text[first] in ".=/~-+_":
            first += 1
        while first < last and text[last - 1] in ".-/~":
            last -= 1
        if last - first >= 20:
            yield first, last
        start = stop + 1


# --- what is asked of a text beforehand -------------------------------------------------------

_NOTHING: tuple[Span, ...] = ()
_UNUSUAL = rf"{_READ_AS_PLAIN.text}|{NEVER_PLAIN}|\x{{fffd}}"
"""A text without any of these is searched as it stands. The last is what half a surrogate pair is
matched as."""
_SIEVES = (
    Sieve((_UNUSUAL, _BLOCK_HINT, _PREFIX_HINT, *(shape.hint for shape in SHAPES), _LABEL.text)),
    Sieve((_TOKEN.text,)),
    Sieve((KEY_HINT,)),
    Sieve(HINTS),
)
"""Most texts hold nothing, and a pass for each group says so. In one group all would be told by one
pass, through an automaton that does not fit into its memory."""


def _held(text: str) -> frozenset[str]:
    raw = encoded(text)
    return frozenset().union(*(sieve.held(raw) for sieve in _SIEVES))
