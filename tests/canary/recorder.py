"""Every byte that processes write, as the kernel sees it: `strace` around each of them.

Recorded are what goes into files (also into those that are removed again), and the names that
files and folders get. What goes to pipes and sockets is no part of the record: it is an answer
to whoever asked, and the scenes look at it by themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import re2

from tests.canary.tokens import Canary, forms
from wm.text.patterns import Pattern

NO_DISK = ("/dev/", "/proc/", "/memfd:")
"""How the names of files begin that are on no disk."""

WRITES = ("write", "pwrite64", "writev", "pwritev", "pwritev2")
NAMES = (
    "openat", "open", "creat", "mkdir", "mkdirat", "rename", "renameat", "renameat2",
    "link", "linkat", "symlink", "symlinkat", "mknod", "mknodat", "setxattr", "fsetxattr",
)  # fmt: skip
AT_ONCE = 1500
"""Literals of one expression: more do not fit the automaton's memory, and search is slow then."""

LONGEST = 64 * 1024 * 1024

_CALL = re.compile(rb"^(?:\d+ +)?(\w+)\((.*)$", re.DOTALL)
_DESCRIPTOR = re.compile(rb"^\d+<([^>]*)>")


def traced(words: Sequence[str], log: Path) -> list[str]:
    """The command line that runs `words` and leaves in `log` what they write."""
    calls = ",".join(f"?{name}" for name in (*WRITES, *NAMES))
    # -D: the traced process is our own child, so that a daemon it leaves behind is not waited for.
    options = [
        "-D",
        "-f",
        "-qq",
        "-xx",
        "-y",
        "-s",
        str(LONGEST),
        "--seccomp-bpf",
        "-e",
        f"trace={calls}",
    ]
    return ["strace", *options, "-e", "signal=none", "-o", str(log), "--", *words]


@dataclass(frozen=True)
class Written:
    """Bytes that went into a file, or a name that one got. by: the log of the process."""

    by: str
    path: str
    data: bytes


def written(log: Path) -> Iterator[Written]:
    """What the processes of one log wrote, in order."""
    with log.open("rb") as lines:
        for line in lines:
            match = _CALL.match(line)
            if match is None:
                continue
            call, rest = match[1].decode(), match[2]
            # Every byte of a string is escaped, so a quotation mark can only be its end.
            strings = [_plain(found) for found in rest.split(b'"')[1::2]]
            if call in WRITES:
                target = _DESCRIPTOR.match(rest)
                path = _plain(target[1]).decode(errors="replace") if target else ""
                if path.startswith("/") and not path.startswith(NO_DISK):
                    yield Written(log.name, path, b"".join(strings))
            elif call in NAMES and (not call.startswith("open") or b"O_CREAT" in rest):
                for name in strings:
                    yield Written(log.name, "(a name)", name)


def _plain(escaped: bytes) -> bytes:
    return bytes.fromhex(escaped.replace(b"\\x", b"").decode()) if b"\\x" in escaped else escaped


@dataclass(frozen=True)
class Leak:
    canary: Canary
    form: str
    written: Written

    def __str__(self) -> str:
        at = self.written.data.find(self.canary.secrets[0].encode())
        around = self.written.data[max(0, at - 60) : at + 20]
        return (
            f"{self.canary.place} ({self.canary.shape}, {self.form}) -> {self.written.path} "
            f"by {self.written.by}: {around!r}"
        )


class Net:
    """Finds canaries in bytes: all of them, in every form."""

    def __init__(self, canaries: Iterable[Canary]) -> None:
        self._of: dict[bytes, tuple[Canary, str]] = {}
        for canary in canaries:
            for secret in canary.secrets:
                for form, data in forms(secret):
                    self._of.setdefault(data, (canary, form))
        literals = sorted(self._of, key=len, reverse=True)
        self._some = [_any_of(literals[i : i + AT_ONCE]) for i in range(0, len(literals), AT_ONCE)]

    def leaks(self, found: Iterable[Written]) -> Iterator[Leak]:
        for piece in found:
            for canary, form in self.hits(piece.data):
                yield Leak(canary, form, piece)

    def hits(self, data: bytes) -> Iterator[tuple[Canary, str]]:
        for some in self._some:
            if some.search(data) is not None:
                yield from (self._of[match.group()] for match in some.finditer(data))


def _any_of(literals: list[bytes]) -> Pattern:
    options = re2.Options()
    options.max_mem = 1 << 28
    return re2.compile(b"|".join(map(re2.escape, literals)), options)
