"""A user of the command line for tests: a scratch home, a repository, agents, and the verbs.

The verbs run in this process, so that a hundred of them cost little; what only a process can
show (a closed pipe, imports, a terminal) is in `test_process.py`.
"""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from copy import copy
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from wm.cli.app import run
from wm.formats.base import Record
from wm.ops.catalogue import OPERATIONS
from wm.ops.operation import execute
from wm.ops.runtime import Ids, make_runtime
from wm.settings import Settings, load
from wm.store.files import FileStore


@dataclass(frozen=True)
class Said:
    """What a command line printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def sentences(self) -> str:
        """The text on stderr, in one line."""
        return " ".join(self.err.split())


def repository(folder: Path) -> Path:
    """What wm needs to see of a git repository on the branch main."""
    for part in ("objects", "refs"):
        (folder / ".git" / part).mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    return folder


class Terminal:
    """A home of its own, with a repository `ferry` on the branch main in it."""

    def __init__(self, folder: Path) -> None:
        self.home = folder.resolve() / "home"
        self.repo = repository(self.home / "ferry")
        self.bin = self.home / "bin"
        self.bin.mkdir()
        self.env = {"HOME": str(self.home), "PATH": f"{self.bin}:/usr/bin:/bin", "LANG": "C.UTF-8"}

    def at(self, name: str) -> Terminal:
        """The same home, in another repository."""
        other = copy(self)
        other.repo = repository(self.home / name / "ferry")
        return other

    @property
    def data(self) -> Path:
        return self.home / ".local" / "share" / "wm"

    def settings(self) -> Settings:
        return load(self.env)

    def install(self, *programs: str) -> None:
        """Programs of agents, as far as setup looks for them."""
        for program in programs:
            (self.bin / program).write_text("#!/bin/sh\n")
            (self.bin / program).chmod(0o755)

    def wm(
        self,
        *words: str,
        stdin: str = "",
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> Said:
        """Run `wm WORDS` in the repository, or in `cwd`; in "." it runs in that of the test."""
        out, err = _stream(), _stream()
        with (
            self.inside(cwd or self.repo, {**self.env, **(env or {})}),
            _stdin(stdin),
            redirect_stdout(out),
            redirect_stderr(err),
        ):
            code = _code(list(words))
        return Said(code, _text(out), _text(err))

    @contextmanager
    def inside(self, folder: Path, env: Mapping[str, str]) -> Iterator[None]:
        outside = dict(os.environ)
        before = os.getcwd() if folder != Path() else "."
        if folder != Path():
            os.chdir(folder)
        os.environ.clear()
        os.environ.update(env)
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(outside)
            if folder != Path():
                os.chdir(before)

    def seed(self, *calls: tuple[str, dict[str, Any]]) -> list[Record]:
        """Run use cases on the files, with ids that are the same in every run."""
        settings = self.settings()
        count = iter(range(1, 10_000))
        store = FileStore(settings.paths.home, settings.store)
        spread = 0x9E3779B97F4A7C15F39D
        ids = Ids(lambda size: (next(count) * spread % 2 ** (8 * size)).to_bytes(size))
        moment = datetime.now(UTC)
        runtime = make_runtime(settings, store, ids=ids, now=lambda: moment)
        try:
            answers = []
            for name, fields in calls:
                operation = OPERATIONS[name]
                request = operation.request.model_validate({"directory": str(self.repo), **fields})
                answers.append(execute(runtime, operation, request))
            return answers
        finally:
            store.close()

    def remember(self, text: str, *words: str) -> str:
        """The id of a fact that is kept."""
        return str(self.wm("remember", text, *words, "--json").json["entry"]["id"])


def _code(words: list[str]) -> int:
    try:
        return run(words)
    except SystemExit as end:  # click's completion ends the process itself
        return int(end.code or 0)


def _stream() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)


def _text(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()


@contextmanager
def _stdin(text: str) -> Iterator[None]:
    before, sys.stdin = sys.stdin, io.StringIO(text)
    try:
        yield
    finally:
        sys.stdin = before
