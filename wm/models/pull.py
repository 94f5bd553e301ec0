"""Fetch a model: the only code here that touches the network (RC-2).

What may be fetched stands in `pinned`: the repository, its commit, and of each file the size and
the digest. A byte that differs, from whatever server, ends the fetch; so a mirror is as good as
the original. Everything else comes by `wm models import`, from a folder that somebody else filled.
"""

from __future__ import annotations

import hashlib
import http.client
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator

from wm.errors import ModelUnavailable
from wm.models.pinned import Pinned, PinnedFile

CHUNK = 1 << 16
AGENT = "wm-models-pull"


def fetch(
    model: Pinned, file: PinnedFile, base: str, wait_s: float, tell: Callable[[int], None]
) -> Iterator[bytes]:
    """The bytes of one file; `tell` hears how many came. Raises ModelUnavailable; what came until
    then is worth nothing."""
    path = f"{model.repository}/resolve/{model.commit}/{file.name}"
    url = f"{base.rstrip('/')}/{urllib.parse.quote(path)}"
    host, digest, size = base, hashlib.sha256(), 0
    try:
        host = urllib.parse.urlsplit(url).hostname or base
        # Only the scheme is checked: whatever a server sends must have the pinned digest.
        if urllib.parse.urlsplit(url).scheme not in ("https", "http"):
            raise _unreachable(base, "it is no web address")
        request = urllib.request.Request(url, headers={"User-Agent": AGENT})  # noqa: S310
        with urllib.request.urlopen(request, timeout=wait_s) as answer:  # noqa: S310
            while data := answer.read(CHUNK):
                size += len(data)
                if size > file.size:
                    raise _another(model, file, "it is longer")
                digest.update(data)
                tell(len(data))
                yield data
    except urllib.error.HTTPError as error:
        error.close()  # it holds the connection
        raise _unreachable(host, f"it answers {error.code} for {file.name}") from error
    except (OSError, http.client.HTTPException, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        raise _unreachable(host, str(reason) or type(error).__name__) from error
    if size < file.size:
        raise _unreachable(host, f"{file.name} ended after {size:,} of {file.size:,} bytes")
    if digest.hexdigest() != file.sha256:
        raise _another(model, file, "its digest differs")


def _unreachable(host: str, why: str) -> ModelUnavailable:
    return ModelUnavailable(
        f"{host} did not give the model: {why}.",
        fix="Try again where there is a network, name a mirror in recall.models_url, or copy a "
        "model's folder here and `wm models import` it. Nothing was changed.",
    )


def _another(model: Pinned, file: PinnedFile, why: str) -> ModelUnavailable:
    return ModelUnavailable(
        f"{file.name} of {model.repository} is not the pinned file: {why}. It was thrown away.",
        fix="A proxy or mirror may have changed it. `wm models import` takes a folder that you "
        "trust.",
    )
