"""docs/protocol.md: the socket's paths from the route table, and wm/daemon/openapi.json."""

from __future__ import annotations

from tests.docs.openapi import build
from tests.docs.schemas import json_text
from wm.daemon.routes import ROUTES
from wm.ops.catalogue import OPERATIONS

INTRODUCTION = """\
# The socket

Generated from the route table (`python -m tests.docs.build`). The full description with every
field is `schemas/openapi.json`, and `GET /v1/openapi.json` on the socket itself.

HTTP/1.1 with JSON on a Unix socket: `$WM_SOCKET`, else `$XDG_RUNTIME_DIR/wm/wm.sock` (if
`WM_HOME` is not set), else `run/wm.sock` under the data folder. Only the owner is served; the
peer's user id is checked on every connection.

    curl --unix-socket "$XDG_RUNTIME_DIR/wm/wm.sock" http://wm/v1/status
    curl --unix-socket "$XDG_RUNTIME_DIR/wm/wm.sock" http://wm/v1/entries \\
         --json '{"directory": "'"$PWD"'", "text": "We deploy with `make ship`."}'

A request says which workspace it means with `directory` (any folder in it) or `workspace` (its
key). Fields come from the path, then the query string (`GET`, `DELETE`), then the members of
the JSON body. A query parameter that a path does not know is refused, with those that it knows.
Errors are `application/problem+json` with `type` (a stable word), `detail` (a sentence) and often
`fix`. 503 with `Retry-After` means: come back, nothing was done.

202 means queued, not written yet: the answer to the hook of a tool call that succeeded, for which
no agent should wait. Everything else is answered when it is done.

An acknowledged update of memory is on disk; one of hot session state survives the death of the
daemon and is flushed within a second.

| method | path | use case | what it does |
|---|---|---|---|
"""

PYTHON = """
## From Python

```python
from wm.daemon.client import Client
from wm.settings import load

client = Client(load())
client.call("remember", {"directory": "/home/ann/ferry", "text": "We deploy with make ship."})
for change in client.changes():
    print(change.data)
```

`wm.daemon.client_async.AsyncClient` has the same calls for asyncio. A use case is called by the
name in the third column; its fields are those of the request model in
`wm/api/protocol.py`. Without a daemon both raise `Unavailable`; `wm.ops.local.open_runtime`
with `wm.ops.operation.execute` runs the same use case on the files.
"""


def page() -> str:
    rows = "".join(
        f"| {route.method} | `{route.path}` | `{route.operation}` | {route.summary} |\n"
        for route in ROUTES
    )
    return INTRODUCTION + rows + PYTHON


def openapi() -> str:
    return json_text(build(OPERATIONS, ROUTES)) + "\n"
