"""Run the tools of `tools/*.toml` on small projects that are broken on purpose; keep the outputs.

A project is a few files. A break is a set of replacements in them, so the label of an output (what
is wrong, in which file and line) is known before the tool runs. A tool that is not installed is
skipped; its recorded rows stay. Machine paths and the host's name are replaced.
"""

from __future__ import annotations

import hashlib
import os
import platform
import pty
import re
import select
import shutil
import subprocess
import tempfile
import time
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

TOOLS = Path(__file__).parent / "tools"
HOME = Path("/home/dev")
"""Where the projects are laid out, so that the recorded paths look like a developer's."""
TOOL_FOLDERS = ("/opt/evidence/py", "/opt/evidence/js")
"""A Python environment and a folder with `node_modules`, where they exist (see README.md)."""
DEADLINE = 120
MOST_CHARS = 400_000

Row = dict[str, Any]


class Form(NamedTuple):
    """One way in which a command is run. wrap: `{}` is the command."""

    env: Mapping[str, str] = MappingProxyType({})
    wrap: str = "{}"
    columns: int = 0
    """Of a terminal; 0: the output goes to a pipe."""


FORMS = {
    "plain": Form(),
    "colour": Form({"FORCE_COLOR": "1", "CLICOLOR_FORCE": "1", "PY_COLORS": "1"}, columns=120),
    "narrow": Form(columns=60),
    "ci": Form({"CI": "true", "GITHUB_ACTIONS": "true"}),
    "german": Form({"LC_ALL": "de_DE.UTF-8", "LANGUAGE": "de"}),
    "japanese": Form({"LC_ALL": "ja_JP.UTF-8", "LANGUAGE": "ja"}),
    "french": Form({"LC_ALL": "fr_FR.UTF-8", "LANGUAGE": "fr"}),
    "spanish": Form({"LC_ALL": "es_ES.UTF-8", "LANGUAGE": "es"}),
    "tail": Form(wrap="{} 2>&1 | tail -40"),
    "true": Form(wrap="{} || true"),
    "echo": Form(wrap="{} ; echo finished"),
    "code": Form(wrap='{} ; echo "exit code: $?"'),
    "tee": Form(wrap="{} 2>&1 | tee run.txt"),
}
OTHERS = (
    "tail",
    "colour",
    "true",
    "ci",
    "narrow",
    "echo",
    "german",
    "code",
    "tee",
    "japanese",
    "french",
    "spanish",
)


def families() -> dict[str, Any]:
    """All projects and tools of the TOML files: `{"project": {…}, "tool": {…}}`."""
    found: dict[str, Any] = {"project": {}, "tool": {}}
    for path in sorted(TOOLS.glob("*.toml")):
        try:
            read = tomllib.loads(path.read_text("utf-8"))
        except tomllib.TOMLDecodeError as error:
            raise SystemExit(f"{path.name}: {error}") from error
        for kind, tables in found.items():
            tables.update(read.get(kind, {}))
    for name, project in found["project"].items():
        if "like" in project:
            same = {**found["project"][project["like"]], "node": False, "folder": name}
            found["project"][name] = same
    return found


def record(names: list[str]) -> Iterator[tuple[str, list[Row]]]:
    """Each of these tools (all if none is named) that is installed, with its rows."""
    defined = families()
    for name in names or sorted(defined["tool"]):
        tool = defined["tool"][name]
        project = defined["project"][tool.get("project", name)] if "files" not in tool else tool
        if not _installed(tool.get("needs", name)):
            print(f"{name}: not installed, skipped")
            continue
        begun = time.monotonic()
        found = [*_outputs(name, tool, project), *_flows(name, tool, project)]
        print(f"{name}: {len(found)} rows, {time.monotonic() - begun:.0f} s", flush=True)
        yield name, found


def check() -> None:
    """Lay out every break of every tool without running it. Exits with the first that is wrong."""
    defined = families()
    for name, tool in defined["tool"].items():
        project = tool if "files" in tool else defined["project"][tool.get("project", name)]
        bare = {**project, "prepare": []}
        for broken, wanted in tool["expect"].items():
            if broken not in project["breaks"]:
                raise SystemExit(f"{name}: no break {broken!r}")
            root = _laid_out(tool.get("project", name), bare, project["breaks"][broken])
            _expected(root, wanted)


def _installed(needs: str) -> bool:
    path = _environment({})["PATH"]
    return all(shutil.which(name, path=path) for name in needs.split())


def _outputs(name: str, tool: Row, project: Row) -> Iterator[Row]:
    """One row for each command, break and form; equal outputs of further forms are left out."""
    version = _version(tool)
    breaks = {"": {}, **{key: project["breaks"][key] for key in tool.get("expect", {})}}
    turn = int(_digest(name)[:6], 16)
    for number, (broken, changes) in enumerate(breaks.items()):
        commands = tool.get("commands_of", {}).get(broken, tool["commands"])
        if not broken:
            commands = commands[:1]
        elif number > 1 and broken not in tool.get("commands_of", {}):
            # After the first break, two of the commands in turn.
            commands = [
                commands[(number + i) % len(commands)] for i in range(min(2, len(commands)))
            ]
        seen: set[str] = set()
        for place, command in enumerate(commands):
            other = OTHERS[turn % len(OTHERS)]
            turn += 1
            for form in ("plain", other) if broken and not (place and number > 1) else ("plain",):
                root = _laid_out(tool.get("project", name), project, {**changes})
                text, code = _run(root, tool, command, form)
                if _digest(text) in seen and "{" not in FORMS[form].wrap.strip("{}"):
                    continue
                seen.add(_digest(text))
                if code and not broken:
                    print(f"{name}: {command} fails on the whole project: {text[-200:]}")
                    continue
                yield {
                    "id": f"{name}-{_digest(f'{broken} {command} {form}')[:8]}",
                    "tool": name,
                    "version": version,
                    "break": broken,
                    "form": form,
                    "root": str(root),
                    "command": FORMS[form].wrap.format(command),
                    "exit": code,
                    "output": text,
                    "files": sorted(changes),
                    "keep": tool.get("keep", {}).get(broken, []),
                    "expect": _expected(root, tool["expect"][broken]) if broken else [],
                }


def _expected(root: Path, wanted: list[list[str]]) -> list[Row]:
    """`[file, text of its line, words of the message …]` → file, line number, words."""
    found = []
    for file, at, *says in wanted:
        line = 0
        if at and file:
            before, found_at, _after = (root / file).read_text("utf-8").partition(at)
            if not found_at:
                raise SystemExit(f"{root.name}: {file} has no {at!r}")
            line = before.count("\n") + 1
        found.append({"file": file, "line": line, "says": says})
    return found


def _flows(name: str, tool: Row, project: Row) -> Iterator[Row]:
    """Runs after each other in one project. A step is `break X`, `fix X`, `run COMMAND`, or
    `open X …`: the breaks whose errors must be open then."""
    for number, steps in enumerate(tool.get("flows", [])):
        root = _laid_out(tool.get("project", name), project, {})
        broken: list[str] = []
        events: list[Row] = []
        ever: set[str] = set()
        for step in steps:
            act, _, rest = step.partition(" ")
            if act in ("break", "fix"):
                broken = [*broken, rest] if act == "break" else [b for b in broken if b != rest]
                ever.add(rest)
                changes: Row = {}
                for one in broken:
                    changes.update(project["breaks"][one])
                _laid_out(tool.get("project", name), project, changes, afresh=False)
            elif act == "run":
                text, code = _run(root, tool, rest, "plain")
                events.append({"command": rest, "exit": code, "output": text})
            else:
                events[-1]["open"] = rest.split()
        expect = {}
        for one in sorted(ever):
            _laid_out(tool.get("project", name), project, project["breaks"][one], afresh=False)
            expect[one] = _expected(root, tool["expect"][one])
        yield {
            "id": f"{name}-flow-{number}",
            "tool": name,
            "version": _version(tool),
            "root": str(root),
            "events": events,
            "expect": expect,
        }


# --- one run ------------------------------------------------------------------------------------


def _laid_out(name: str, project: Row, changes: Row, *, afresh: bool = True) -> Path:
    """Write the project with these changes. afresh False: keep what runs have left in it."""
    root = HOME / project.get("folder", name)
    if afresh:
        shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True, exist_ok=True)
    files = dict(_many(project)) | project["files"]
    for path, change in changes.items():
        if path in project["files"] and isinstance(change, list):
            old, new = change
            if old not in files[path]:
                raise SystemExit(f"{name}: {path} has no {old!r}")
            files[path] = files[path].replace(old, new, 1)
        else:
            files[path] = change
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        if not (root / path).exists() or (root / path).read_text("utf-8") != text:
            (root / path).write_text(text, "utf-8")
            if text.startswith("#!"):
                (root / path).chmod(0o755)
    modules = Path(TOOL_FOLDERS[1], "node_modules")
    if project.get("node") and modules.is_dir() and not (root / "node_modules").exists():
        (root / "node_modules").symlink_to(modules)
    if afresh:
        for command in project.get("prepare", []):
            subprocess.run(["bash", "-c", command], cwd=root, env=_environment({}), check=False,
                           capture_output=True, timeout=DEADLINE)  # fmt: skip
    return root


def _many(project: Row) -> Iterator[tuple[str, str]]:
    """Files of one kind in great number: `{n}` in path and text is the number."""
    for one in project.get("many", []):
        for n in range(one.get("from", 1), one["count"] + 1):
            yield one["path"].replace("{n}", str(n)), one["text"].replace("{n}", str(n))


def _environment(extra: dict[str, str]) -> dict[str, str]:
    python, node = TOOL_FOLDERS
    folders = [
        "node_modules/.bin", f"{python}/bin", f"{node}/node_modules/.bin",
        os.path.expanduser("~/.cargo/bin"), "/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin",
        "/sbin", "/usr/games",
    ]  # fmt: skip
    base = {
        "PATH": ":".join(folders),
        "HOME": "/home/dev",
        "USER": "dev",
        "LANG": "C.UTF-8",
        "LOGNAME": "dev",
        "NO_UPDATE_NOTIFIER": "1",
        "GIT_CONFIG_GLOBAL": "/home/dev/.gitconfig",
    }
    quiet = {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    return {**base, **quiet, **_passed_on(), **extra}


def _passed_on() -> dict[str, str]:
    names = ("CARGO_HOME", "RUSTUP_HOME", "JAVA_HOME", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE")
    found = {name: os.environ[name] for name in names if name in os.environ}
    real = Path("~").expanduser()
    found.setdefault("RUSTUP_HOME", str(real / ".rustup"))
    found.setdefault("CARGO_HOME", str(real / ".cargo"))
    return found


def _run(root: Path, tool: Row, command: str, form: str) -> tuple[str, int]:
    """What the command prints, cleaned, and its exit code."""
    how = FORMS[form]
    env = _environment({**tool.get("env", {}), **how.env})
    words = ["bash", "-c", how.wrap.format(command)]
    if how.columns:
        env |= {"TERM": "xterm-256color", "COLUMNS": str(how.columns)}
        text, code = _in_terminal(words, root, env, how.columns)
    else:
        done = _to_pipe(words, root, env)
        text, code = done
    return _cleaned(text)[:MOST_CHARS], code


def _to_pipe(words: list[str], root: Path, env: dict[str, str]) -> tuple[str, int]:
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(words, cwd=root, env=env, stdin=subprocess.DEVNULL, stdout=out,
                                   stderr=subprocess.STDOUT, start_new_session=True)  # fmt: skip
        try:
            code = process.wait(DEADLINE)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            code = process.wait()
        out.seek(0)
        return out.read().decode("utf-8", "replace"), code


def _in_terminal(
    words: list[str], root: Path, env: dict[str, str], columns: int
) -> tuple[str, int]:
    """Run with a terminal of this width as its output."""
    parent, child = pty.openpty()
    subprocess.run(["stty", "cols", str(columns), "rows", "50"], stdin=child, check=False)
    process = subprocess.Popen(words, cwd=root, env=env, stdin=subprocess.DEVNULL, stdout=child,
                               stderr=child, start_new_session=True)  # fmt: skip
    os.close(child)
    pieces, end = [], time.monotonic() + DEADLINE
    while time.monotonic() < end:
        ready, _, _ = select.select([parent], [], [], 0.2)
        if ready:
            try:
                piece = os.read(parent, 65536)
            except OSError:
                break
            if not piece:
                break
            pieces.append(piece)
        elif process.poll() is not None:
            break
    if process.poll() is None:
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
    os.close(parent)
    return b"".join(pieces).decode("utf-8", "replace"), process.wait()


def _version(tool: Row) -> str:
    command = tool.get("version", "")
    if not command:
        return ""
    text, _code = _to_pipe(["bash", "-c", command], Path("/tmp"), _environment({}))
    lines = [line.strip() for line in _cleaned(text).split("\n") if line.strip()]
    return next((line for line in lines if re.search(r"\d+\.\d", line)), "")[:120]


_REPLACED = [
    ("/opt/evidence/py/lib/python3.11/site-packages", "/usr/lib/python3/site-packages"),
    ("/opt/evidence/py/bin", "/usr/bin"), ("/opt/evidence/py", "/usr"),
    (os.path.expanduser("~"), "/home/dev"),
]  # fmt: skip


def _cleaned(text: str) -> str:
    """Without paths of this machine, its name, and words of the kernel's random ids."""
    if TOOL_FOLDERS[1] in text:
        text = text.replace(f"file://{TOOL_FOLDERS[1]}", "file:///home/dev/lib")
        text = text.replace(TOOL_FOLDERS[1], "/home/dev/lib")
    for old, new in _REPLACED:
        text = text.replace(old, new)
    host = platform.node()
    return re.sub(rf"\b{re.escape(host)}\b", "devbox", text) if len(host) > 1 else text


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
