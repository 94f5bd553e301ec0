"""The peer of the `request` measurement: the same use case behind FastAPI and uvicorn."""

from __future__ import annotations

import sys

import uvicorn
from fastapi import FastAPI

from wm.formats.protocol import EntriesRequest, Inspection
from wm.ops.base import execute
from wm.ops.entries import inspect
from wm.ops.local import open_runtime
from wm.settings import load


def main() -> None:
    path, project = sys.argv[1:3]
    runtime = open_runtime(load())
    app = FastAPI()

    @app.get("/v1/entries")
    async def entries(directory: str = project, status: str = "", type: str = "") -> Inspection:
        request = EntriesRequest(directory=directory, status=status, type=type)
        return execute(runtime, inspect, request)

    uvicorn.run(app, uds=path, log_level="error", access_log=False)


if __name__ == "__main__":
    main()
