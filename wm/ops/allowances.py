"""Texts that look like secrets and are none: allow one, take it back, list them (TR-1).

Only keyed digests are kept. An allowance counts from the next text on, in every process; what a
label replaced before is not kept anywhere and does not come back.
"""

from __future__ import annotations

from collections.abc import Iterable

from wm.domain.redact import LABEL_DIGEST_CHARS, Redactor
from wm.domain.times import iso
from wm.errors import NotFound, UserError
from wm.formats.allowances import Allowances, AllowRequest
from wm.formats.home import AllowedDigests
from wm.formats.protocol import NoRequest
from wm.ops.base import Operation, Work
from wm.ops.runtime import ALLOWED, Runtime

MAX_DIGEST_CHARS = 64


def _list(work: Work, _request: NoRequest) -> Allowances:
    return Allowances(digests=_read(work).digests)


def _allow(work: Work, request: AllowRequest) -> Allowances:
    known = _read(work)
    wanted = dict.fromkeys((*map(_digits, request.labels), *_digests_of(work, request.text)))
    if not wanted:
        raise UserError("Nothing was named.", fix="Give the label that stands in its place.")
    new = {digest: iso(work.now) for digest in wanted if digest not in known.digests}
    return _saved(work, known, {**known.digests, **new}, tuple(new))


def _disallow(work: Work, request: AllowRequest) -> Allowances:
    known = _read(work)
    gone: list[str] = []
    for wanted in (*map(_digits, request.labels), *_digests_of(work, request.text)):
        shown = wanted[:LABEL_DIGEST_CHARS]
        # A label names a whole digest too, and a whole digest what was allowed by its label.
        fits = [d for d in known.digests if d in (wanted, shown) or d.startswith(wanted)]
        if not fits:
            raise NotFound(
                f"{wanted} was not allowed.", fix="`wm config allow-secret --list` shows what is."
            )
        gone += fits
    kept = {digest: at for digest, at in known.digests.items() if digest not in gone}
    return _saved(work, known, kept, tuple(dict.fromkeys(gone)))


def _read(work: Work) -> AllowedDigests:
    return work.read(ALLOWED).document or AllowedDigests()


def _saved(
    work: Work, known: AllowedDigests, digests: dict[str, str], changed: tuple[str, ...]
) -> Allowances:
    if changed:
        work.put(ALLOWED, known.model_copy(update={"digests": digests}))
        work.notify("", AllowedDigests.slug)
    return Allowances(digests=digests, changed=changed)


def _digits(label: str) -> str:
    """The digest of a label, or the digits themselves. Raises UserError."""
    bare = label.strip().removeprefix("[secret:").removesuffix("]").rpartition(":")[2].lower()
    is_hex = all(char in "0123456789abcdef" for char in bare)
    if not is_hex or not LABEL_DIGEST_CHARS <= len(bare) <= MAX_DIGEST_CHARS:
        # The word is not repeated: it may be the very secret.
        raise UserError(
            "That is no label of a secret.",
            fix="A label looks like [secret:token:1a2b3c]; `-` reads the text from standard input.",
        )
    return bare


def _digests_of(work: Work, text: str) -> Iterable[str]:
    """Digests of what would be replaced in a text; of the whole text where nothing would be."""
    digest = work.runtime.store.digest
    found = Redactor(digest).find(text)
    if not text.strip():
        return ()
    return [digest(text[s.start : s.end]) for s in found] or [digest(text.strip())]


def _home(_runtime: Runtime, _request: AllowRequest) -> str:
    return "home"


list_allowed = Operation("list_allowed", NoRequest, Allowances, _list)
allow_secret = Operation(
    "allow_secret", AllowRequest, Allowances, _allow, lambda _runtime, _request: (ALLOWED,), _home
)
disallow_secret = Operation(
    "disallow_secret",
    AllowRequest,
    Allowances,
    _disallow,
    lambda _runtime, _request: (ALLOWED,),
    _home,
)
