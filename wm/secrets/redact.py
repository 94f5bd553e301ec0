"""Replace secrets with labels before any byte reaches the disk (TR-1).

Pure and linear (TR-5). Three passes over a text: known formats (`formats`), values that a label
or a position marks (`labels`, `lines`), and opaque tokens. Each secret becomes
`[secret:kind:digest]`; the same secret always gets the same digest.
Does not find unlabelled secrets that look like ordinary words.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import NamedTuple

from msgspec import Struct

from wm.secrets.formats import FORMATS, SHAPES, TABLES, WEAK_PREFIXES, Format
from wm.secrets.labels import KEY_HINT, labelled
from wm.secrets.lines import HINTS, placed
from wm.secrets.looks import MIN_TOKEN_CHARS, SecretSpan, is_placeholder, is_wordy, looks_random
from wm.text.letters import NEVER_PLAIN, invisible_in, translated
from wm.text.patterns import Lazy, PatternSet, encoded, escaped

LABEL_DIGEST_CHARS = 6
"""Hex digits of the salted digest that a label shows (TR-1)."""

SHORTEST_BODY = 8
"""Every format of `FORMATS` has at least this many characters after its prefix, without a space."""

WINDOW = 4096
"""Characters after a prefix that a format is matched against. Bounds the work per match (EX-6)."""


PRIVATE_LABEL = "[private]"
"""What replaces a part that the user marked as private; without a digest (EX-7)."""

_PRIVATE = Lazy(r"(?s)<private>.*?(?:</private>|\z)")
"""A part without an end extends to the end of the text: in doubt it is private."""


def without_private(text: str) -> str:
    """A text without what the user marked as private; its lines keep their numbers."""
    return _PRIVATE.sub(lambda part: "\n" * part.group().count("\n"), text)


class Redactor(Struct, frozen=True):
    """Replaces secrets with labels.

    digest: keyed digest of a secret as lower-case hex. allowed: digests, whole or as shown in
    a label, of strings that the user declared not secret. opaque False: tokens that only look
    random stay, as in names, and in files with digests of our own.
    """

    digest: Callable[[str], str]
    allowed: Iterable[str] = frozenset()
    opaque: bool = True

    def text(self, text: str) -> str:
        """The text with every secret and every `<private>` part replaced. Redacting twice changes
        nothing more."""
        if "<private>" in text:
            text = _PRIVATE.sub(PRIVATE_LABEL, text)
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

        A string under a key that labels it (`"password": "…"`) is judged together with its key.
        """
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self._key(k): self._member(k, v) for k, v in value.items()}
        if isinstance(value, list | tuple):
            return [self.value(item) for item in value]
        return value

    def find(self, text: str) -> list[SecretSpan]:
        """The secrets of a text in order, without overlaps and without the allowed ones."""
        if len(text) < 4:
            return []
        folded, places, hints = _prepared(text)
        if not hints:
            return []
        spans = _merged(
            _known(folded, hints),
            labelled(folded) if KEY_HINT in hints else _NOTHING,
            placed(folded, hints),
            _opaque(folded) if _TOKEN.text in hints and self.opaque else _NOTHING,
            _labels_in(folded) if _LABEL.text in hints else _NOTHING,
        )
        if spans and ("\n" in folded or len(folded) > _BROKEN):
            spans = _completed(folded, spans)
        if spans and "arn:" in folded:
            spans = [span for span in spans if not _in_arn(folded, span.start)]
        spans = [span for span in spans if not _is_harmless(folded, span)]
        if spans and self.opaque:
            spans = _joined(spans, _again(folded, spans))
        if places is not None:
            spans = [SecretSpan(places[s], _end(text, places[e - 1]), kind) for s, e, kind in spans]
        # Read only for a text with secrets: the collection may come from a file.
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
        # The key may contain a secret: redact it first, so that `head` has its final length.
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


def _prepared(text: str) -> tuple[str, list[int] | None, frozenset[str]]:
    """The text to scan, the original offset of each character (None: unchanged), and the hints that
    occur in it."""
    coloured = "\x1b[" in text
    text, escapes = _unescaped(text) if "\\u" in text else (text, None)
    if text.isascii() and not coloured:
        return text, escapes, _hints_in(text)
    text = translated(text, _PLAIN)
    hints = _hints_in(text)
    if _UNUSUAL not in hints and not coloured:
        return text, escapes, hints
    folded, places = _without_hidden(text)
    if places is None:
        return folded, escapes, hints
    return folded, places if escapes is None else [escapes[i] for i in places], _hints_in(folded)


_ESCAPED = Lazy(r"\\+u[0-9a-fA-F]{4}")
_AS_WRITTEN = frozenset((*range(0x20), ord('"'), ord("\\"), *range(0xD800, 0xE000)))
"""Codes that stay escaped: what JSON needs escaped, and halves of a character."""


def _unescaped(text: str) -> tuple[str, list[int] | None]:
    """The text with the characters that JSON in ASCII escapes, as it does those of most labels that
    are not English, and the offset of each in the original."""
    pieces: list[str] = []
    places: list[int] = []
    last = 0
    for start, end in _ESCAPED.spans(text):
        code = int(text[end - 4 : end], 16)
        if code not in _AS_WRITTEN:
            pieces += [text[last:start], chr(code)]
            places += range(last, start + 1)
            last = end
    if not last:
        return text, None
    return "".join(pieces) + text[last:], [*places, *range(last, len(text))]


def _end(text: str, at: int) -> int:
    """The end of the character at an offset of the original text."""
    return at + max(1, _ESCAPED.end(text[at : at + _LONGEST_ESCAPE]))


_LONGEST_ESCAPE = 40
"""Characters of an escape in JSON inside JSON, inside more JSON: the backslashes double."""


def _without_hidden(text: str) -> tuple[str, list[int] | None]:
    """The text without invisible characters and terminal colours, which would split a secret or
    look like the value behind a name."""
    hidden = invisible_in(text) - {"\r"}
    colours = {i for match in _COLOUR.finditer(text) for i in range(*match.span())}
    if not hidden and not colours:
        return text, None
    places = [i for i, char in enumerate(text) if char not in hidden and i not in colours]
    return "".join([text[i] for i in places]), places


_COLOUR = Lazy(r"\x1b\[[0-?]*[ -/]*[@-~]")


def _merged(*found: Iterable[SecretSpan]) -> list[SecretSpan]:
    """The spans of all passes without overlaps. Earlier passes win; existing labels stay as they
    are."""
    *passes, labels = [list(spans) for spans in found]
    taken: list[SecretSpan] = []
    for spans in passes:
        taken = _joined(taken, spans)
    if labels:
        taken = [span for span in _joined(labels, taken) if span.kind]
    return taken


def _joined(first: list[SecretSpan], second: list[SecretSpan]) -> list[SecretSpan]:
    """Both in order; a span of `second` that overlaps one of `first` is dropped."""
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


def _apart(spans: list[SecretSpan]) -> list[SecretSpan]:
    """Sorted; of two that overlap, the one that begins first."""
    result: list[SecretSpan] = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        if not result or span.start >= result[-1].end:
            result.append(span)
    return result


SHORTEST_AGAIN = 8
"""Characters of a secret that is also looked for where nothing marks it."""


def _again(text: str, spans: list[SecretSpan]) -> list[SecretSpan]:
    """Further occurrences of the secrets that were found: `-A x -X x`, a log that repeats one."""
    found = []
    for value, kind in {text[start:end]: kind for start, end, kind in spans}.items():
        if len(value) < SHORTEST_AGAIN or not any(map(str.isdigit, value)):
            continue
        at = text.find(value)
        while at >= 0:
            end = at + len(value)
            if not (text[at - 1 : at].isalnum() or text[end : end + 1].isalnum()):
                found.append(SecretSpan(at, end, kind))
            at = text.find(value, end)
    return found


_BROKEN = 200
"""A shorter value ended before the window in which it was read [chars]."""
_REST = Lazy(r"\\?\r?\n[ \t]{0,8}[0-9A-Za-z_+/=.~-]{6,}")
_SHORTEST_WRAPPED = 40
"""Terminals are wider than this; a shorter line was not wrapped [chars]."""


def _completed(text: str, spans: Iterable[SecretSpan]) -> list[SecretSpan]:
    """The spans with their rests. spans: in order; one that begins in the rest of another is part
    of it, and is not read again: a line may hold thousands."""
    found: list[SecretSpan] = []
    for span in spans:
        if not found or span.start >= found[-1].end:
            found.append(_unwrapped(text, span))
    return found


def _unwrapped(text: str, span: SecretSpan) -> SecretSpan:
    """The span with the rest of a token that continues beyond the window in which a label's value
    is read, or that a terminal broke at the end of its line."""
    start, end, kind = span
    while end - start > _BROKEN and (size := _RUN.end(text[end : end + WINDOW])) > 0:
        end += size
    whole = end - start >= MIN_TOKEN_CHARS and "\n" not in text[start:end]
    while whole and end >= _SHORTEST_WRAPPED and "\n" not in text[end - _SHORTEST_WRAPPED : end]:
        size = _REST.end(text[end : end + WINDOW])
        rest = text[end : end + max(0, size)].split("\n")[-1].strip()
        if (
            is_wordy(rest)
            or not any(map(str.isdigit, rest))
            or text[end + size : end + size + 1] not in _ENDS
        ):
            break
        end += size
    return SecretSpan(start, end, kind)


_RUN = Lazy(r"[0-9A-Za-z_+/=.~%-]*[0-9A-Za-z_/=]")
_ENDS = ("", "\n", "\r", '"', "'", "`")


def labels_in(text: str) -> list[str]:
    """The labels that replace secrets in a redacted text, each once, in order."""
    return list(dict.fromkeys(_LABEL.findall(text)))


_LABEL = Lazy(r"\[secret:[a-z0-9_]{2,40}:[0-9a-f]{6}\]")


def _labels_in(text: str) -> Iterator[SecretSpan]:
    for match in _LABEL.finditer(text):
        yield SecretSpan(match.start(), match.end(), "")


# --- first pass: known formats ---------------------------------------------------------------


class _Rule(NamedTuple):
    kind: str
    pattern: Lazy
    weak: bool


def _joins(first: str) -> bool:
    """Return whether a prefix with this first character could be the middle of a word."""
    return first.isalnum() or first == "_"


def _rules_by_prefix(formats: tuple[Format, ...]) -> dict[str, tuple[_Rule, ...]]:
    table: dict[str, tuple[_Rule, ...]] = {}
    for kind, prefix, rest in formats:
        rule = _Rule(kind, Lazy(rest), prefix in WEAK_PREFIXES)
        table[prefix] = (*table.get(prefix, ()), rule)
    return table


def _hint_of_prefixes(prefixes: Iterable[str]) -> str:
    """A pattern for a prefix that is not the middle of a longer word (`_continues`), and the
    shortest body of any format."""
    words = [escaped(prefix) for prefix in prefixes if _joins(prefix[0])]
    others = [escaped(prefix) for prefix in prefixes if not _joins(prefix[0])]
    start = f"(?:^|[^0-9A-Za-z])(?:{'|'.join(words)})"
    return f"(?:{'|'.join([start, *others])})[!-~]{{{SHORTEST_BODY}}}"


_RULES = _rules_by_prefix(FORMATS)
_PREFIXES = Lazy("|".join(map(escaped, sorted(_RULES, key=len, reverse=True))))
_PREFIX_HINT = _hint_of_prefixes(_RULES)
_SHAPES = tuple((shape, Lazy(shape.pattern)) for shape in SHAPES)


def _known(text: str, hints: Collection[str]) -> Iterator[SecretSpan]:
    if _BLOCK_HINT in hints:
        yield from _blocks(text)
    if _PREFIX_HINT in hints:
        yield from _prefixed(text)
    has_run = _TOKEN.text in hints
    for shape, pattern in _SHAPES:
        if shape.hint in hints and (has_run or not shape.in_run):
            yield from _shaped(text, shape.kind, pattern)


def _prefixed(text: str) -> Iterator[SecretSpan]:
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
            if is_placeholder(body) or (weak and (is_wordy(body) or _is_lower(body))):
                continue
            end = at + len(body)
            if len(body) == WINDOW:  # the token continues beyond the window
                end += max(0, _TOKEN.end(text[end:]))
            yield SecretSpan(_secret_start(text, start, prefix, kind), end, kind)
            break


def _is_lower(body: str) -> bool:
    """True for small letters only, as in names; the body of a token has digits or capitals."""
    return body.replace("_", "").replace("-", "").isalpha() and body == body.lower()


def _secret_start(text: str, start: int, prefix: str, kind: str) -> int:
    """The start of the secret: it includes a token's prefix and a webhook's host, but no field
    name."""
    if kind == "webhook_url":
        return start - 8 if text.startswith("https://", max(0, start - 8)) else start
    return start + len(prefix) if prefix.endswith(("= ", "=", ": ", " ", "/bot")) else start


def _continues(before: str, first: str) -> bool:
    """True for a prefix in the middle of a longer word. `test_ghp_…` is not."""
    return before.isalnum() and before.isascii() and _joins(first)


def _shaped(text: str, kind: str, pattern: Lazy) -> Iterator[SecretSpan]:
    for match in pattern.finditer(text):
        group = 1 if match.re.groups else 0
        if match.start(group) >= 0 and not is_placeholder(match.group(group)):
            yield SecretSpan(match.start(group), match.end(group), kind)


_BLOCK_HINT = "[- ]BEGIN |PuTTY"
_BLOCK_BEGIN = Lazy(
    r"-----BEGIN ([A-Z0-9 ]{0,60}(?:PRIVATE|SECRET) KEY(?: BLOCK)?)-----"
    r"|---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----"
    r"|PuTTY-User-Key-File-\d: [a-z0-9-]{1,60}"
)


def _blocks(text: str) -> Iterator[SecretSpan]:
    """Whole private key blocks, also without an end line or with escaped line feeds."""
    end = 0
    ends = True
    for match in _BLOCK_BEGIN.finditer(text):
        if match.start() < end:
            continue
        name = match.group(1)
        marker = f"-----END {name}-----" if name else "Private-MAC:"
        # After one miss, no later search for an end line needs to scan to the end again.
        stop = text.find("-----END ", match.end()) if ends and name else -1
        ends = ends and (stop >= 0 or not name)
        if stop >= 0 and text.startswith(marker, stop):
            end = stop + len(marker)
        else:
            end = _key_body_end(text, match.end())
        yield SecretSpan(match.start(), end, "private_key")


def _key_body_end(text: str, start: int) -> int:
    """The end of the base64 lines and headers after a begin line."""
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
    r"(?i)(?:sha-?(?:1|224|256|384|512)|md5|blake[23][bs]?|integrity|checksum|(?:digest|signature)(?:value)?|fingerprint|x509certificate|sec-websocket-(?:key|accept)|"
    r"hash(?:es)?|h1|commit|rev|revision|etag|\bhost(?:name)?|_host|ssh-(?:rsa|ed25519|dss)|ecdsa-sha2-nistp\d+|"
    r"request[_-]?id|trace[_-]?id|span[_-]?id|correlation[_-]?id|build[_-]?id|public[_ -]?key|"
    r"base64,|base64|enc\[\w{3,12},data|,iv|,tag|\|1\|(?:[^|\s]{28}\|)?)[\"'`]?\s?[-:=~.+]{0,2}>?\s?[\"'`]?$"
)
_PUBLIC_START = TABLES.words("public_starts")
_PUBLIC_END = TABLES.words("public_ends")


_DIGITS = "0123456789"
_OWN_ID = Lazy(r"[a-z]_[0-9a-f]{8,40}|mem_\d+_[0-9a-z]{4,12}")
"""Ids of entries, outputs, objects and epochs (ID-4)."""


_RESOURCE_ID = Lazy(
    r"[a-z]{1,12}(?:-[a-z]{2,12}){0,3}-[0-9a-f]{8,17}(?:EXAMPLE)?|0x[0-9A-Fa-f]{40}"
    r"|[A-Za-z]{3,12}(?:-[A-Za-z][0-9A-Za-z]{1,11}){0,5}-(?:[0-9a-f]{40}|[0-9a-f]{64})(?:\.[a-z.]{2,8})?"
    r"|[0-9a-df-np-sv-z]{32}-[A-Za-z][\w.+-]*"
)
"""`vpc-0a1b2c3d`, `tgw-attach-…`: names that a cloud gives to what it rents out; `main-<commit>`,
`linux-npm-<digest>`: images and caches; and an account or a fingerprint, `0x…`. Of other lengths a
number in hexadecimal may be the key itself."""
MOST_OF_ARN = 120
"""Characters before a token in which the beginning of its ARN is looked for."""

_PUBLIC = (
    r" [A-Z0-9 ]{0,40}(?:PUBLIC KEY|CERTIFICATE|REQUEST|SIGNATURE|MESSAGE|CRL|PARAMETERS|"
    r"ENCRYPTED FILE)(?: BLOCK)?-----"
)
_PUBLIC_BEGIN = Lazy(f"-----BEGIN{_PUBLIC}")
_PUBLIC_REST = Lazy(rf"(?:\s*[0-9A-Za-z+/=]{{4,76}}\r?\n)+\s*-----END{_PUBLIC}")
"""The rest of a block at the beginning of an excerpt."""


def _public_blocks(text: str) -> Iterator[tuple[int, int]]:
    """The places of public keys, certificates and signatures, in order, and then the end."""
    end = max(0, _PUBLIC_REST.end(text))
    yield 0, end
    for match in _PUBLIC_BEGIN.finditer(text):
        if match.start() < end:
            continue
        end = text.find("-----END ", match.end())
        if end < 0:
            break
        yield match.end(), end
    yield len(text), len(text)


def _opaque(text: str) -> Iterator[SecretSpan]:
    public = _public_blocks(text)
    opens, closes = next(public)
    for first, last in _TOKEN.spans(text):
        while closes <= first:
            opens, closes = next(public)
        if first >= opens:
            continue
        run = text[first:last]
        if run.islower() and not any(digit in run for digit in _DIGITS):
            continue
        for start, end in _token_parts(text, first, last):
            if looks_random(text[start:end]) and not _is_public(text, first, start, end):
                yield SecretSpan(start, end, "token")


def _is_public(text: str, run: int, start: int, end: int) -> bool:
    """True for checksums, public keys, images, message ids and URL paths. run: start of the run."""
    if text[start:end].endswith(_PUBLIC_END) or "+sha" in text[start:end]:
        return True
    if text.startswith(_PUBLIC_START, start) or text.startswith("://", max(0, run - 1)):
        return True
    token = text[start:end]
    if _OWN_ID.fits(token):
        return True
    if _RESOURCE_ID.fits(token) and not any(word in token.lower() for word in _SECRET_NAMES):
        return True
    sign = text[start - 1] if start else ""
    of_message = sign == "<" and text.startswith("@", end)
    if end - start < 60 and (of_message or sign in ("@", "%", "#")):
        return True
    before = text[max(0, start - 34) : start]
    bare = before.rstrip("_-+/.")
    return _PUBLIC_BEFORE.is_match(before) or _PUBLIC_BEFORE.is_match(bare) or _is_id(before)


_ID = Lazy(r"([A-Za-z_-]*)(?:[_-]id|Id|ID|\bid)[\"'`]?(?:\s?[:=]\s?|\s)[\"'`]?$")
_SECRET_IDS = ("session", "sess", "key", "token", "auth", "secret", "cookie", "access", "login")
_SECRET_NAMES = (*_SECRET_IDS, "pass", "pwd", "cred", "bearer", "private")


def _is_id(before: str) -> bool:
    """True behind the label of an id that opens nothing: `"DetectorId": "`, `--stack-id `."""
    found = _ID.search(before)
    return found is not None and not found.group(1).lower().rstrip("_-").endswith(_SECRET_IDS)


_PACKAGE_OR_BADGE = Lazy(
    r"(?m)(?:^[^\n:=]{0,3}(?:import\b|export\b[^\n=:]{0,160} from )[^\n;'\"=:]{0,160}['\"]|"
    r"\brequire\(['\"]|"
    r"(?:/badge|shields\.io/)[^\s?]{0,160}\?(?:[^\s?]{0,80}[&;])?token=)$"
)
_COMMIT = Lazy(r"[0-9a-f]{7,40}")


def _is_harmless(text: str, span: SecretSpan) -> bool:
    """True for the name of an imported package, the token of a badge, a linked commit, and a
    reference that is filled in later: `from "@a/core-auth"`, `badge.svg?token=…`, `${file(…)}`."""
    if span.kind not in ("credential", "token"):
        return False
    value = text[span.start : span.end]
    linked = text[span.end : span.end + 3] == "`](" and _COMMIT.fits(value)
    before = text[max(0, span.start - 240) : span.start]
    return value.startswith("${") or linked or _PACKAGE_OR_BADGE.search(before) is not None


def _in_arn(text: str, start: int) -> bool:
    """True inside the name of a resource, `arn:aws:…`, which is not a secret."""
    words = text[max(0, start - MOST_OF_ARN) : start].split()
    tail = words[-1] if words and not text[start - 1].isspace() else ""
    return tail.lstrip("\"'`([=,").startswith("arn:") or '"arn:' in tail or "'arn:" in tail


def _token_parts(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Split a run at assignments: `key=value` and `a.b.c=value` begin with a name."""
    while start < end:
        sign = text.find("=", start, end)
        # Equals signs at the end are padding, not an assignment.
        stop = end if sign < 0 or not text[sign:end].strip("=") else sign
        first, last = start, stop
        while first < last and text[first] in ".=/~-+_":
            first += 1
        while first < last and text[last - 1] in ".-/~":
            last -= 1
        if last - first >= 20:
            yield first, last
        start = stop + 1


# --- hints: which scans a text needs ----------------------------------------------------------

_NOTHING: tuple[SecretSpan, ...] = ()
_UNUSUAL = rf"{NEVER_PLAIN}|\x{{fffd}}"
"""A text without a match is scanned unchanged. U+FFFD replaces a lone surrogate."""
_PARTS = 4
"""Sets that share the hints of lines: 150 kB of mixed text take 4 ms, in one set 370."""
_HINT_SETS = tuple(
    PatternSet(map(Lazy, dict.fromkeys(hints)))
    for hints in (
        (_UNUSUAL, _BLOCK_HINT, _PREFIX_HINT, *(shape.hint for shape in SHAPES), _LABEL.text),
        (_TOKEN.text,),
        (KEY_HINT,),
        *(HINTS[part::_PARTS] for part in range(_PARTS)),
    )
)
"""Several sets, because the automaton of one with all hints exceeds its memory on mixed text."""


def _hints_in(text: str) -> frozenset[str]:
    raw = encoded(text)
    return frozenset(hint.text for hints in _HINT_SETS for hint in hints.matching(raw))
