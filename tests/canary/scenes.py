"""What a canary run does: every verb, route, hook, tool and import, and the ways they fail.

Verbs come from the command line's own tree, routes and use cases from their tables, hooks from
the adapters, tools from the table of tools: what is added to one of them is driven from then on.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from tests.canary import payloads
from tests.canary.fields import SENSIBLE, SENTENCE, Filler
from tests.canary.stage import Stage
from tests.canary.tokens import Mint
from tests.canary.traffic import Driver, Upstream
from wm.agents import claude_hooks, hook_client
from wm.agents.hook_lines import WmCommand, line, script_text
from wm.api.tools import TOOLS
from wm.cli.app import commands
from wm.daemon.routes import ROUTES, Route, compose
from wm.ops.catalogue import OPERATIONS
from wm.settings import HookSettings

Scene = Callable[[Stage], None]

ENDLESS = {("daemon",): "the daemon of the other scenes runs by it"}
"""Verbs that are not run by the walk over the verbs, and why."""

SERVES = frozenset({("proxy",), ("open",)})
"""Verbs that serve until they are stopped, unless their arguments are wrong."""

STOPS = frozenset({"down", "up"})
"""Not while a traced daemon serves: they would end it, or start one that is not traced."""


# --- what everything else speaks of ----------------------------------------------------


def seed(stage: Stage) -> None:
    """A repository on a branch with a token in its name, with files that tell secrets."""
    branch = f"feature/{stage.mint.name('branch name', known=True)}"
    stage.git("init", "-q", "-b", branch)
    for name in ("AGENTS.md", "CLAUDE.md", "MEMORY.md"):
        lines = (
            f"- We deploy with {stage.mint.text(f'{name} line')} on Mondays." for _ in range(4)
        )
        text = "\n".join(("# Rules", "", *lines, stage.mint.block(name)))
        stage.plant(stage.repo / name, text + "\n")
    stage.plant(
        stage.repo / "src" / f"{stage.mint.name('file name')}.py", "def f():\n    return 1\n"
    )
    stage.git("add", ".")
    stage.git("commit", "-q", "-m", f"Use {stage.mint.text('commit message')}")
    stage.wm("remember", SENTENCE)
    stage.wm("remember", "The ferry service listens on port 8443.", "--branch-only")


def known(stage: Stage) -> dict[str, Any]:
    """Values of the fields that must name something that exists."""
    found = json.loads(stage.wm("inspect", "--all", "--json").data)["entries"]
    entry = str(found[0]["entry"]["id"])
    return {
        "directory": str(stage.repo),
        "id": entry,
        "old": str(stage.repo),
        "new": str(stage.repo),
    }


# --- verbs -----------------------------------------------------------------------------


def verbs() -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command line of the tree."""
    for name, command in commands().items():
        yield from _leaves((name,), command)


def _leaves(
    path: tuple[str, ...], command: click.Command
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    if not isinstance(command, click.Group):
        yield path, command
        return
    ctx = click.Context(command)
    for name in command.list_commands(ctx):
        below = command.get_command(ctx, name)
        assert below is not None
        yield from _leaves((*path, name), below)


def every_verb(stage: Stage, *, with_daemon: bool) -> None:
    entry = known(stage)["id"]
    for path, command in verbs():
        if path in ENDLESS or (with_daemon and path[0] in STOPS):
            continue
        for words in command_lines(path, command, stage.mint, entry):
            environment = {f"WM_{path[0].upper()}_TOKEN": stage.mint.name("environment value")}
            stage.wm(*words, stdin=_line(stage.mint, path), env=environment, serves=path in SERVES)


def _line(mint: Mint, path: tuple[str, ...]) -> bytes:
    where = f"stdin of {' '.join(path)}"
    payload = json.dumps({"cwd": mint.name(where), **mint.member(where)})
    return f"{mint.text(where)}\n{payload}".encode()


def command_lines(
    path: tuple[str, ...], command: click.Command, mint: Mint, entry: str
) -> Iterator[list[str]]:
    """The verb with canaries for all arguments, for each option, and with what does not fit."""
    where = "wm " + " ".join(path)
    arguments = [p for p in command.params if isinstance(p, click.Argument)]
    options = [p for p in command.params if isinstance(p, click.Option)]
    flags = [max(p.opts, key=len) for p in options if p.is_flag]
    yes = [flag for flag in flags if flag in ("--yes", "--json")]

    def said(wild: bool) -> list[str]:
        words = []
        for one in arguments:
            plain = _plain(one, entry)
            words.append(mint.text(f"{where} {one.name}") if wild or not plain else plain)
        return words

    yield [*path, *said(wild=True), *yes]
    yield [*path, *said(wild=False), *(flag for flag in yes if flag != "--json")]
    for option in options:
        if not option.is_flag:
            value = mint.text(f"{where} {option.opts[0]}")
            yield [*path, max(option.opts, key=len), value, *said(wild=False)]
    for flag in flags:
        yield [*path, flag, *said(wild=True)]
    yield [*path, f"--{mint.name(f'{where} option')}", *said(wild=True)]
    yield [*path, *(mint.name(f"{where} extra") for _ in range(4))]


def _plain(argument: click.Argument, entry: str) -> str:
    """A value that fits, "" where any text does."""
    if isinstance(argument.type, click.Choice):
        return str(argument.type.choices[0])
    return entry if argument.name in ("entry_id", "entry_ids") else ""


# --- the socket ------------------------------------------------------------------------


def every_route(stage: Stage) -> None:
    filled = known(stage)
    for route in ROUTES:
        if route.control:
            if route.operation != "shutdown":
                _control(stage, route)
            continue
        if route.operation == "hook":
            continue  # `every_hook` has payloads that mean something
        filler = Filler(stage.mint, f"{route.method} {route.path}", filled)
        for fields in filler.requests(OPERATIONS[route.operation].request):
            target, body = compose(route, fields)
            stage.http(route.method, target, body)
        _misfits(stage, route, filled)


def _control(stage: Stage, route: Route) -> None:
    name = stage.mint.name(f"query of {route.path}")
    if route.operation == "changes":
        head = f"GET {route.path}?workspace={name} HTTP/1.1\r\nHost: wm\r\n"
        stage.talk(f"{head}Last-Event-ID: {name}\r\n\r\n".encode())
        return
    stage.http(route.method, f"{route.path}?x={name}", headers={"x-token": name})


def _misfits(stage: Stage, route: Route, filled: dict[str, Any]) -> None:
    """Wrong types, unknown fields, no JSON, twice the same name, a wrong method, headers."""
    mint, where = stage.mint, f"{route.method} {route.path}"
    fields = {name: filled.get(name, SENSIBLE.get(name, SENTENCE)) for name in route.parameters}
    target, _ = compose(route, {**fields, **({route.takes: {}} if route.takes else {})})
    directory = str(stage.repo)
    for field in OPERATIONS[route.operation].request.model_fields:
        wrong = {"directory": directory, field: [mint.member(f"{where}: wrong type of {field}")]}
        stage.http(route.method, target, wrong)
    stage.http(route.method, target, {"directory": directory, **mint.member(f"{where}: unknown")})
    stage.http(route.method, target, raw=f'{{"text": "{mint.text(where)}'.encode())
    twice = f'{{"text": "{mint.name(where)}", "text": "{mint.name(where)}"}}'
    stage.http(route.method, target, raw=twice.encode())
    stage.http(route.method, f"{target}?{mint.name(where)}={mint.name(where)}")
    headers = {"authorization": f"Bearer {mint.name(where)}", "x-wm-project": mint.name(where)}
    stage.http(route.method, target, {"directory": directory}, headers=headers)
    stage.http("PUT", target, {"text": mint.text(where)})


def broken_requests(stage: Stage) -> None:
    mint = stage.mint
    stage.http("GET", f"/v1/{mint.name('unknown path')}")
    stage.http("POST", f"/v1/hooks/{mint.name('unknown agent')}/Stop", {})
    stage.http("POST", "/v1/entries", raw=b'{"text": "' + _large(mint) + b'"}')
    stage.http("POST", "/v1/entries", {"directory": f"/{mint.name('unknown folder')}", "text": "x"})
    stage.talk(f"{mint.name('method')} / HTTP/1.1\r\n\r\n".encode())
    stage.talk(f"GET / HTTP/1.1\r\n{mint.name('header')}\r\n\r\n".encode())
    stage.talk(
        f"POST /v1/entries HTTP/1.1\r\nContent-Length: {mint.name('length')}\r\n\r\n".encode()
    )
    cut = 'POST /v1/entries HTTP/1.1\r\nHost: wm\r\nContent-Length: 900\r\n\r\n{"text": "'
    stage.talk((cut + mint.text("a body that breaks off")).encode())


def _large(mint: Mint) -> bytes:
    return (mint.text("a body that is too large") + " ").encode() * 300_000


# --- agents ----------------------------------------------------------------------------


def every_hook(stage: Stage) -> None:
    """On the daemon's socket."""
    for event, payload in payloads.claude(stage.mint):
        given = {"cwd": str(stage.repo), **payload}
        stage.http("POST", f"/v1/hooks/claude-code/{event}", given)
    for agent, event, payload in payloads.others(stage.mint):
        stage.http("POST", f"/v1/hooks/{agent}/{event}", {"cwd": str(stage.repo), **payload})
    for name, body in payloads.opencode_posts(stage.mint, str(stage.repo)):
        stage.http("POST", f"/v1/hooks/opencode/{name}", body)
    for agent in ("claude-code", "opencode"):
        for wrong in ([stage.mint.text("hook list")], stage.mint.text("hook text"), {}):
            stage.http("POST", f"/v1/hooks/{agent}/{stage.mint.name('hook name')}", wrong)
    line = {"cwd": str(stage.repo), "session_id": payloads.SESSION, **stage.mint.member("status")}
    stage.http("POST", "/v1/hooks/claude-code/statusline", line)


def hooks_on_files(stage: Stage, *, every: int = 4) -> None:
    """By the hook client without a daemon: a process for each, so not for all of them."""
    rows = [("claude-code", *row) for row in payloads.claude(stage.mint)]
    rows += [("opencode", *row) for row in payloads.opencode_posts(stage.mint, str(stage.repo))]
    rows += payloads.others(stage.mint)
    for number, (agent, event, payload) in enumerate(rows):
        if number % every == 0 or "Tool" not in event:
            given = json.dumps({"cwd": str(stage.repo), **payload}).encode()
            stage.wm("hook", agent, event, hook_client.LIBRARY, stdin=given)
    broken = stage.mint.text("a payload that is no JSON").encode()
    stage.wm("hook", "claude-code", "Stop", hook_client.LIBRARY, stdin=broken)
    unknown = stage.mint.name("name of a hook")
    stage.wm("hook", "claude-code", unknown, hook_client.LIBRARY, stdin=b"{}")
    stage.wm("hook", stage.mint.name("name of an agent"), "Stop", hook_client.LIBRARY, stdin=b"{}")
    gone = {"session_id": "s", "cwd": f"/{stage.mint.name('a folder that is not there')}"}
    stage.wm("hook", "claude-code", "Stop", hook_client.LIBRARY, stdin=json.dumps(gone).encode())


def hook_lines(stage: Stage) -> None:
    """The shell lines in Claude Code's settings."""
    package = Path(claude_hooks.__file__).parents[1]
    script = stage.repo / "hook.sh"
    command = WmCommand(script, sys.executable, str(package))
    script.write_text(script_text(command, HookSettings()))
    for row in claude_hooks.HOOKS:
        text = line(str(script), claude_hooks.AGENT, row.event, row.fallback)
        for number, (event, payload) in enumerate(payloads.claude(stage.mint)):
            if event == row.event and number % 40 in (0, 1):
                project = {"CLAUDE_PROJECT_DIR": str(stage.repo)}
                given = json.dumps({"cwd": str(stage.repo), **payload}).encode()
                stage.run(["sh", "-c", text], place=f"line of {event}", stdin=given, env=project)


def every_tool(stage: Stage) -> None:
    """The MCP server, asked for every tool and for what it does not know."""
    mint = stage.mint
    opening = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {}}
    opening["clientInfo"] = {"name": mint.name("name of a client"), "version": "1"}
    lines: list[str] = [_rpc(1, "initialize", opening), _rpc(None, "notifications/initialized", {})]
    lines.append(_rpc(2, "tools/list", {}))
    for tool in TOOLS:
        for name in (None, *tool.arguments):
            given: dict[str, Any] = {
                one: mint.text(f"tool {tool.name}: {one}") if name in (None, one) else SENTENCE
                for one in tool.arguments
            }
            lines.append(_rpc(len(lines), "tools/call", {"name": tool.name, "arguments": given}))
        wrong = mint.member(f"tool {tool.name}: unknown")
        lines.append(_rpc(len(lines), "tools/call", {"name": tool.name, "arguments": wrong}))
    lines.append(_rpc(mint.name("id of a call"), "tools/call", {"name": mint.name("tool name")}))
    lines.append(_rpc(99, mint.name("method"), mint.member("parameters")))
    lines.append(f'{{"jsonrpc": {mint.text("no JSON")}')
    environment = {
        "CLAUDE_CODE_SESSION_ID": payloads.SESSION,
        "CLAUDE_PROJECT_DIR": str(stage.repo),
    }
    stage.wm("mcp", stdin="\n".join((*lines, "")).encode(), env=environment)


def _rpc(number: object, method: str, parameters: object) -> str:
    head: dict[str, object] = {"jsonrpc": "2.0", "method": method, "params": parameters}
    return json.dumps(head if number is None else {**head, "id": number})


def memory_tool(stage: Stage) -> None:
    """The provider's memory tool."""
    mint = stage.mint
    path = f"/memories/{mint.name('memory tool: path', known=True)}.md"
    for command in (
        {"command": "view", "path": path},
        {"command": "create", "path": "/memories/notes.md", "file_text": mint.text("file_text")},
        {"command": "create", "path": path, "file_text": f"{mint.text('x')}\n{mint.block('y')}"},
        {"command": "str_replace", "path": "/memories/notes.md", "old_str": mint.text("old_str"),
         "new_str": mint.text("new_str")},
        {"command": "insert", "path": "/memories/notes.md", "insert_line": 0,
         "insert_text": mint.text("insert_text")},
        {"command": "rename", "old_path": "/memories/notes.md", "new_path": path},
        {"command": "delete", "path": path},
        {"command": mint.name("memory tool: command"), **mint.member("memory tool")},
    ):  # fmt: skip
        for session in ("", payloads.SESSION):
            target = f"/v1/memories?directory={stage.repo}&session={session}"
            stage.http("POST", target, command)


# --- files of others -------------------------------------------------------------------


def imports(stage: Stage) -> None:
    """Stores of the older plugins, broken ones, instructions, and transcripts of agents."""
    for number, lines in enumerate(_stores(stage.mint, stage.repo)):
        path = stage.plant(stage.home / f"import-{number}.json", lines)
        for source in ("opencode-v1", "opencode-v2", "wm-export", "instructions", "transcripts"):
            stage.wm("import", "--from", source, str(path))
        stage.wm("import", "--dry-run", str(path), "--json")
    stage.wm("import")
    stage.wm("import", "--from", "transcripts", "--as-user")
    stage.wm("import", str(stage.home / f"{stage.mint.name('file to import')}.md"))


def _stores(mint: Mint, root: Path) -> Iterator[str]:
    entries = [
        {
            "id": mint.name("import: id"),
            "type": kind,
            "text": f"We release with {mint.text('import: text')} each week.",
            "rationale": mint.text("import: rationale"),
            "source": "compaction",
            "status": "active",
            "tags": [mint.name("import: tag")],
            "createdAt": "2026-10-01T10:00:00.000Z",
            **mint.member("import: entry"),
        }
        for kind in ("decision", "project", "feedback", "reference")
    ]
    yield json.dumps({"version": 2, "workspace": {"root": str(root)}, "entries": entries})
    yield json.dumps({"version": 1, "memories": entries, "entries": entries})
    yield json.dumps({"entries": [mint.text("import: wrong")], mint.name("import: key"): 1})
    yield "{" + mint.text("import: broken")
    yield "\n".join(map(json.dumps, _transcript(mint)))
    yield "# Notes\n\n" + "\n".join(f"- {mint.text('import: line')}" for _ in range(30))


def _transcript(mint: Mint) -> Iterator[dict[str, Any]]:
    """What a user and a model said, each with a secret, alone on a line and in a sentence."""
    secret = mint.text("import: said")
    for kind in ("user", "assistant"):
        for words in (
            f"Remember: we always deploy with {secret} here",
            f"Never use {mint.text('import: ban')} in this repo",
            f"Remember: the password of the staging host is\n{mint.text('import: below')}",
            f"<private>Always use {mint.text('import: private')}.\nNever ask.</private>",
        ):
            message = {"role": kind, "content": words}
            name = mint.name("import: session of a transcript")
            yield {"type": kind, "sessionId": name, "message": message}


# --- what goes wrong -------------------------------------------------------------------


def edits_by_hand(stage: Stage) -> None:
    """An editor writes a secret into the memory; then the file is broken with one in it."""
    (path,) = stage.data.glob("workspaces/*/workspace-memory.json")
    text = path.read_text("utf-8")
    stage.plant(path, text.replace("make ship", f"make ship {stage.mint.text('edit by hand')}"))
    stage.wm("inspect", "--all")
    stage.wm("status")
    stage.wm("remember", "The canal opens at six in the morning.")
    stage.wm("inbox", "list", "--json")
    stage.wm("inbox", "accept", "--outside")
    stage.wm("fsck")
    stage.planted.discard(str(path))


def broken_documents(stage: Stage) -> None:
    for path in sorted(stage.data.glob("workspaces/*/*.json")):
        stage.plant(path, '{"entries": ["' + stage.mint.text(f"broken {path.name}"))
        stage.wm("inspect")
        stage.wm("remember", "The canal closes at ten in the evening.")
        stage.wm("fsck", "--json")
        stage.wm("fsck", "repair")
        stage.wm("diag", "health", "--json")


def broken_config(stage: Stage) -> None:
    path = stage.home / ".config" / "wm" / "config.toml"
    begin = len(stage.mint.made)
    for text in (
        f'[store]\nlock_wait_s = "{stage.mint.name("option value")}"\n',
        f"[{stage.mint.name('option section')}]\nx = 1\n",
        f"[store\n{stage.mint.text('broken config')}\n",
    ):
        stage.plant(path, text)
        for words in (
            ["status"],
            ["remember", SENTENCE],
            ["doctor"],
            ["up", "--quiet"],
            ["config"],
        ):
            stage.wm(*words)
        given = json.dumps({"session_id": "s", "cwd": str(stage.repo)}).encode()
        stage.wm("hook", "claude-code", "Stop", hook_client.LIBRARY, stdin=given)
        stage.wm("down")
    stage.public.update(range(begin, len(stage.mint.made)))
    path.unlink()


def full_disk(stage: Stage) -> None:
    """No file may grow: what a full disk does to each write."""
    for words in (
        ["remember", f"The build needs {stage.mint.text('full disk')}"],
        ["export", "--to", str(stage.home / "full.json")],
        ["search", stage.mint.text("full disk")],
        ["hook", "claude-code", "UserPromptSubmit", hook_client.LIBRARY],
    ):
        asked = {
            "session_id": "s",
            "cwd": str(stage.repo),
            "prompt": payloads._asked(stage.mint, "full"),
        }
        limited = ["sh", "-c", 'ulimit -f 0; exec "$@"', "sh", sys.executable, "-P", "-m", "wm"]
        stage.run(
            [*limited, *words], place=f"full disk: {words[0]}", stdin=json.dumps(asked).encode()
        )


BROKEN = """
import sys
from msgspec import structs
from wm.ops.catalogue import OPERATIONS
from wm.settings import HookSettings

def broken(work, request):
    raise ValueError(f"cannot take {request!r}")

for name in ("search", "remember", "hook", "why", "record_event"):
    structs.force_setattr(OPERATIONS[name], "run", broken)
from wm.cli.main import main

main(sys.argv[1:])
"""
"""`wm` with a bug in it whose message quotes all that it was given."""


def bugs(stage: Stage) -> None:
    program = [sys.executable, "-P", "-c", BROKEN]
    mint = stage.mint
    for words in (["search"], ["remember"], ["why"], ["remember", "--json"]):
        stage.run([*program, *words, mint.text(f"bug in {words[0]}")], place=f"bug in {words[0]}")
    payload = {"session_id": "s", "cwd": str(stage.repo), "prompt": mint.text("bug in a hook")}
    words = ["hook", "claude-code", "UserPromptSubmit", hook_client.LIBRARY]
    stage.run([*program, *words], place="bug in a hook", stdin=json.dumps(payload).encode())


def bugs_of_the_daemon(stage: Stage) -> None:
    program = [sys.executable, "-P", "-c", BROKEN, "daemon"]
    mint = stage.mint
    with stage.daemon(program):
        for name in ("UserPromptSubmit", "PostToolUse", "Stop"):
            payload = {
                "session_id": mint.name("bug: session id", known=True),
                "cwd": str(stage.repo),
                "prompt": mint.text("bug: prompt"),
                "tool_name": "Bash",
                "tool_input": {"command": mint.text("bug: command")},
                "tool_response": {"stdout": mint.text("bug: output")},
                "last_assistant_message": mint.text("bug: message"),
            }
            stage.http("POST", f"/v1/hooks/claude-code/{name}", payload)
        body = {"directory": str(stage.repo), "text": mint.text("bug: text")}
        stage.http("POST", "/v1/entries", body)
        stage.http("GET", f"/v1/search?directory={stage.repo}&query={mint.name('bug: query')}")
        stage.wm("logs")
        stage.wm("search", mint.text("bug: search"))


def looks_back(stage: Stage) -> None:
    """All that reads what was kept, without anything new."""
    for words in (
        ["inspect", "--all", "--json"], ["history", "--limit", "1000", "--json"], ["why", SENTENCE],
        ["session", "list", "--json"], ["diag", "rejected", "--limit", "1000", "--json"],
        ["diag", "commands", "--json"], ["diag", "quality", "--json"],
        ["diag", "trace", "canary-1"],
        ["session", "show", "canary-1", "--json"], ["forget", "--list", "--json"],
        ["export", "--json"], ["logs", "-n", "1000"], ["doctor", "--no-proof"], ["gc"], ["fsck"],
        ["export", "--to", str(stage.home / "export.json")], ["undo", "--list", "--json"],
    ):  # fmt: skip
        stage.wm(*words)


def with_daemon(*scenes: Scene) -> Scene:
    def play(stage: Stage) -> None:
        with stage.daemon():
            for scene in scenes:
                scene(stage)

    return play


def verbs_on_files(stage: Stage) -> None:
    every_verb(stage, with_daemon=False)
    stage.wm("down")


def verbs_on_the_socket(stage: Stage) -> None:
    every_verb(stage, with_daemon=True)


PASSED = 500
"""Requests through each of the two proxies of the scene."""


def proxied(stage: Stage) -> None:
    """Traffic of every kind through a recording proxy that is asked to end, and through one that
    is killed, which had lost its upstream before."""
    with Upstream() as upstream:
        driver = Driver(stage.mint, stage.repo, upstream)
        with stage.proxy(upstream.url) as (base_url, _process):
            driver.drive(base_url, PASSED)
        with stage.proxy(upstream.url) as (base_url, process):
            driver.drive(base_url, PASSED // 2)
            upstream.__exit__()
            driver.drive(base_url, PASSED // 2)
            os.kill(process.pid, signal.SIGKILL)


SCENES: dict[str, Sequence[Scene]] = {
    "the proxy": (seed, with_daemon(proxied), proxied, looks_back),
    "the daemon": (
        seed,
        with_daemon(every_route, broken_requests, every_hook, memory_tool, every_tool, hook_lines),
        with_daemon(imports, edits_by_hand, broken_documents),
        looks_back,
    ),
    "verbs through the daemon": (seed, with_daemon(verbs_on_the_socket), looks_back),
    "verbs on the files": (seed, verbs_on_files, looks_back),
    "hooks on the files": (seed, hooks_on_files, hook_lines, every_tool, imports, looks_back),
    "what goes wrong": (
        seed, edits_by_hand, broken_documents, broken_config, full_disk, bugs, bugs_of_the_daemon,
        looks_back,
    ),
}  # fmt: skip
"""Each on a machine of its own."""
