"""The peer of the `request` measurement: the same use case behind FastAPI and uvicorn."""

from __future__ import annotations

import sys

import uvicorn
from fastapi import FastAPI

from wm.api.protocol import EntryAnswer, EntryRequest
from wm.ops.local import open_runtime
from wm.ops.memory.entries import show_entry
from wm.ops.operation import execute
from wm.settings import load


def main() -> None:
    path, project = sys.argv[1:3]
    runtime = open_runtime(load())
    app = FastAPI()

    @app.get("/v1/entries/{entry_id}")
    async def entry(entry_id: str, directory: str = project) -> EntryAnswer:
        return execute(runtime, show_entry, EntryRequest(directory=directory, id=entry_id))

    uvicorn.run(app, uds=path, log_level="error", access_log=False)


if __name__ == "__main__":
    main()
