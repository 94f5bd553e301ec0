"""Fetch a model: the only module here that uses the network (RC-2).

`pinned` lists what may be fetched: the repository, its commit, and the size and digest of each
file. A file that differs ends the fetch, whichever server sent it; so a mirror is as good as the
original. Other models come from a local folder by `wm models import`.
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
    model: Pinned, file: PinnedFile, base: str, wait_s: float, progress: Callable[[int], None]
) -> Iterator[bytes]:
    """The bytes of one file. progress: called with the number of bytes of each chunk. Raises
    ModelUnavailable; discard the earlier chunks then."""
    path = f"{model.repository}/resolve/{model.commit}/{file.name}"
    url = f"{base.rstrip('/')}/{urllib.parse.quote(path)}"
    host, digest, size = base, hashlib.sha256(), 0
    try:
        host = urllib.parse.urlsplit(url).hostname or base
        # Checking the scheme is enough: content from any server must have the pinned digest.
        if urllib.parse.urlsplit(url).scheme not in ("https", "http"):
            raise _unreachable(base, "it is not an http or https address")
        request = urllib.request.Request(url, headers={"User-Agent": AGENT})  # noqa: S310
        with urllib.request.urlopen(request, timeout=wait_s) as answer:  # noqa: S310
            while data := answer.read(CHUNK):
                size += len(data)
                if size > file.size:
                    raise _another(model, file, "it is longer")
                digest.update(data)
                progress(len(data))
                yield data
    except urllib.error.HTTPError as error:
        error.close()  # the error keeps the connection open
        raise _unreachable(host, f"it answered {error.code} for {file.name}") from error
    except (OSError, http.client.HTTPException, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        raise _unreachable(host, str(reason) or type(error).__name__) from error
    if size < file.size:
        raise _unreachable(host, f"{file.name} ended after {size:,} of {file.size:,} bytes")
    if digest.hexdigest() != file.sha256:
        raise _another(model, file, "its digest differs")


def _unreachable(host: str, why: str) -> ModelUnavailable:
    return ModelUnavailable.of("model.not_fetched", host=host, why=why)


def _another(model: Pinned, file: PinnedFile, why: str) -> ModelUnavailable:
    return ModelUnavailable.of(
        "model.not_pinned", name=file.name, repository=model.repository, why=why
    )
