"""Allow texts that look like secrets but are none; revoke and list allowances (TR-1).

Stores keyed digests only, never the text. An allowance applies to later texts in every process;
text that was already replaced by a label is not kept anywhere and cannot be restored.
"""

from __future__ import annotations

from collections.abc import Iterable

from wm.api.allowances import Allowances, AllowRequest
from wm.api.protocol import NoRequest
from wm.errors import NotFound, UserError
from wm.formats.home import AllowedDigests
from wm.ops.operation import Operation, Work, as_written, home_queue
from wm.ops.runtime import ALLOWED
from wm.secrets.redact import LABEL_DIGEST_CHARS, Redactor

MAX_DIGEST_CHARS = 64


def _list(work: Work, _request: NoRequest) -> Allowances:
    return Allowances(digests=_read(work).digests)


def _allow(work: Work, request: AllowRequest) -> Allowances:
    known = _read(work)
    wanted = dict.fromkeys((*map(_digits, request.labels), *_digests_of(work, request.text)))
    if not wanted:
        raise UserError.of("allowed.nothing_named")
    new = {digest: work.moment for digest in wanted if digest not in known.digests}
    return _saved(work, known, {**known.digests, **new}, tuple(new))


def _disallow(work: Work, request: AllowRequest) -> Allowances:
    known = _read(work)
    gone: list[str] = []
    for wanted in (*map(_digits, request.labels), *_digests_of(work, request.text)):
        shown = wanted[:LABEL_DIGEST_CHARS]
        # A label is a prefix of a digest, and the stored value may be either.
        fits = [d for d in known.digests if d in (wanted, shown) or d.startswith(wanted)]
        if not fits:
            raise NotFound.of("allowed.not_this", wanted=wanted)
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
        work.notify(AllowedDigests.slug)
    return Allowances(digests=digests, changed=changed)


def _digits(label: str) -> str:
    """The digest in a label, or the digits themselves. Raises UserError."""
    bare = label.strip().removeprefix("[secret:").removesuffix("]").rpartition(":")[2].lower()
    is_hex = all(char in "0123456789abcdef" for char in bare)
    if not is_hex or not LABEL_DIGEST_CHARS <= len(bare) <= MAX_DIGEST_CHARS:
        # The message does not quote the word: it may be the secret itself.
        raise UserError.of("allowed.no_label")
    return bare


def _digests_of(work: Work, text: str) -> Iterable[str]:
    """Digests of the parts of a text that would be redacted; of the complete text if none would."""
    digest = work.store.digest
    found = Redactor(digest).find(text)
    if not text.strip():
        return ()
    return [digest(text[s.start : s.end]) for s in found] or [digest(text.strip())]


list_allowed = Operation("list_allowed", NoRequest, Allowances, _list)
allow_secret = Operation("allow_secret", AllowRequest, Allowances, _allow, as_written, home_queue)
disallow_secret = Operation(
    "disallow_secret", AllowRequest, Allowances, _disallow, as_written, home_queue
)
