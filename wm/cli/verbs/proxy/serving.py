"""`wm proxy` and `wm run`: forward the Messages API, for every agent or for one.

`wm run` ends with its program and returns its exit code. Neither changes an agent's settings.
"""

from __future__ import annotations

import asyncio
import secrets
import shutil
from pathlib import Path

import click

from wm.agents import launch
from wm.cli import output, proxies
from wm.cli.context import Caller, json_option, workspace_options
from wm.cli.options import choice, flag, number, text
from wm.errors import UserError
from wm.proxy.origin import parse_origin
from wm.proxy.serve import Running, run_program, until_signalled
from wm.settings import environment, find_agent_paths
from wm.settings.proxy import POLICIES

upstream_option = text("--upstream", metavar="URL", help="Where requests are forwarded to.")
policy_option = choice("--policy", POLICIES, help="What is removed from requests.")
record_option = flag("--record", help="Keep bodies, without secrets, for `wm replay`.")


@click.command("proxy")
@number(
    "--port",
    most=65535,
    help="Port on the loopback; 0: a free one. Without it, proxy.port of config.toml.",
)
@upstream_option
@policy_option
@record_option
@json_option
@workspace_options
def proxy(
    caller: Caller, port: int | None, upstream: str, policy: str, record: bool, as_json: bool
) -> int:
    """Forward the Messages API, in the foreground, until SIGTERM or Ctrl-C.

    All your agents may use the printed URL; it stays the same after a restart. The policy decides
    what is removed from requests; with off every byte is forwarded as it comes. `wm run` gives one
    agent a proxy of its own.
    """
    settings = proxies.settings_for(caller, upstream)
    token = proxies.lasting_token(caller)
    number = settings.port if port is None else port

    async def serve() -> proxies.ProxyRecords:
        watched = proxies.watched(
            caller, settings, token, port=number, policy=policy, record=record
        )
        async with watched as (running, records):
            _print_address(running, settings.upstream, as_json=as_json)
            await until_signalled()
        return records

    records = asyncio.run(serve())
    proxies.print_end("wm proxy", records)
    return 0


def _print_address(running: Running, upstream: str, *, as_json: bool) -> None:
    if as_json:
        output.as_json({"baseUrl": running.base_url, "port": running.port, "upstream": upstream})
    else:
        output.line(f"wm proxy passes on to {output.safe(upstream)} from")
        output.line(f"  {running.base_url}")
        output.line("Claude Code and SDKs: set ANTHROPIC_BASE_URL to it. OpenCode: set")
        output.line("provider.anthropic.options.baseURL to it with /v1 behind. Ctrl-C ends it.")
    output.flush()


@click.command(
    "run", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False}
)
@upstream_option
@policy_option
@record_option
@flag("--quiet", help="Say nothing at the end.")
@click.argument("words", metavar="PROGRAM [ARGUMENT]...", nargs=-1, type=click.UNPROCESSED)
@workspace_options
def run(
    caller: Caller, upstream: str, policy: str, record: bool, quiet: bool, words: tuple[str, ...]
) -> int:
    """Start an agent with a proxy of its own, which ends with it.

    `wm run claude` or `wm run -- opencode run "..."`; works for any program that reads
    ANTHROPIC_BASE_URL. Its settings are not changed. The exit code is that of the program.
    """
    if not words:
        raise click.UsageError("`wm run` needs a PROGRAM, such as `wm run claude`.")
    if words[0].startswith("-"):
        raise click.UsageError(f"`wm run` has no option {words[0]}.")
    folder = Path(caller.directory)
    env = environment()
    program = shutil.which(words[0], path=env.get("PATH"))
    if program is None:
        where = "that you may run" if Path(words[0]).exists() else "on the PATH"
        fix = "Install it, or name its path."
        if " " in words[0]:
            fix = "Put no quotation marks around a program and its arguments."
        raise UserError(f"There is no program {words[0]!r} {where}.", fix=fix)
    if not upstream:
        paths = find_agent_paths(env)
        upstream = launch.configured_upstream(
            words[0], env, claude=paths.claude, opencode=paths.opencode, folder=folder
        )
    settings = proxies.settings_for(caller, upstream)
    host = parse_origin(settings.upstream).host
    token = secrets.token_urlsafe(24)
    key = proxies.workspace_key(caller)

    async def serve() -> tuple[int, proxies.ProxyRecords]:
        watched = proxies.watched(
            caller, settings, token, port=0, policy=policy, record=record, workspace=key
        )
        async with watched as (running, records):
            url = running.base_url + (f"/w/{key}" if key else "")
            more = launch.environment(words[0], url, env, upstream_host=host)
            code = await run_program((program, *words[1:]), {**env, **more}, folder)
        return code, records

    code, records = asyncio.run(serve())
    if not quiet:
        proxies.print_end("wm run", records)
    return code
