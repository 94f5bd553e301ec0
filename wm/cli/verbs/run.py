"""`wm run`."""

from __future__ import annotations

import asyncio
import secrets
import shutil
from pathlib import Path

import click

from wm.agents import launch
from wm.cli import output, proxies
from wm.cli.context import Caller, workspace_options
from wm.errors import UserError
from wm.proxy.origin import parse_origin
from wm.proxy.serve import run_program
from wm.settings import environment, find_agent_paths


@click.command(
    "run", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False}
)
@click.option("--upstream", metavar="URL", default="", help="Where requests go on to.")
@click.option("--record", is_flag=True, help="Keep bodies, without secrets, for `wm replay`.")
@click.option("--quiet", is_flag=True, help="Say nothing at the end.")
@click.argument("words", metavar="PROGRAM [ARGUMENT]...", nargs=-1, type=click.UNPROCESSED)
@workspace_options
def command(
    caller: Caller, upstream: str, record: bool, quiet: bool, words: tuple[str, ...]
) -> int:
    """Start an agent with a proxy of its own, which ends with it.

    `wm run claude` or `wm run -- opencode run "..."`; any program that knows ANTHROPIC_BASE_URL
    will do. Nothing is written to its settings. The exit code is that of the program.
    """
    if not words:
        raise click.UsageError("`wm run` needs a PROGRAM, such as `wm run claude`.")
    folder = Path(caller.directory)
    env = environment()
    program = shutil.which(words[0], path=env.get("PATH"))
    if program is None:
        where = "that you may run" if Path(words[0]).exists() else "on the PATH"
        raise UserError(
            f"There is no program {words[0]!r} {where}.", fix="Install it, or name its path."
        )
    settings = proxies.settings_for(caller, upstream or _named(words[0], env, folder))
    host = parse_origin(settings.upstream).host
    token = secrets.token_urlsafe(24)
    path = proxies.workspace_part(caller)

    async def serve() -> tuple[int, proxies.Seen]:
        watched = proxies.watched(caller, settings, token, port=0, record=record)
        async with watched as (proxy, seen):
            url = proxy.base_url + path
            more = launch.environment(words[0], url, env, upstream_host=host)
            code = await run_program((program, *words[1:]), {**env, **more}, folder)
        return code, seen

    code, seen = asyncio.run(serve())
    if not quiet:
        output.note(f"wm run: {proxies.summary(seen)}")
        if told := proxies.recorded(seen):
            output.note(f"wm run: {told}")
        if told := proxies.lost(seen):
            output.note(f"wm run: {told}")
    return code


def _named(program: str, env: dict[str, str], folder: Path) -> str:
    paths = find_agent_paths(env)
    named = launch.named_upstream(
        program, env, claude=paths.claude, opencode=paths.opencode, folder=folder
    )
    return named.url
