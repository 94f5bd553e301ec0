"""`wm proxy`."""

from __future__ import annotations

import asyncio

import click

from wm.cli import output, proxies
from wm.cli.context import Caller, json_option, workspace_options
from wm.cli.proxies import Seen
from wm.proxy.serve import Running, until_told


@click.command("proxy")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=None,
    help="Port on the loopback; 0: a free one. Without it, proxy.port of config.toml.",
)
@click.option("--upstream", metavar="URL", default="", help="Where requests go on to.")
@click.option("--record", is_flag=True, help="Keep bodies, without secrets, for `wm replay`.")
@json_option
@workspace_options
def command(caller: Caller, port: int | None, upstream: str, record: bool, as_json: bool) -> int:
    """Pass the Messages API through, in the foreground, until SIGTERM or Ctrl-C.

    Every agent of yours may use the printed URL; it stays the same after a restart. Requests and
    answers go on byte for byte. `wm run` gives one agent a proxy of its own.
    """
    settings = proxies.settings_for(caller, upstream)
    token = proxies.lasting_token(caller)
    number = settings.port if port is None else port

    async def serve() -> Seen:
        watched = proxies.watched(caller, settings, token, port=number, record=record)
        async with watched as (proxy, seen):
            _tell(proxy, settings.upstream, as_json=as_json)
            await until_told()
        return seen

    seen = asyncio.run(serve())
    output.note(f"wm proxy: {proxies.summary(seen)}")
    if told := proxies.recorded(seen):
        output.note(f"wm proxy: {told}")
    if told := proxies.lost(seen):
        output.note(f"wm proxy: {told}")
    return 0


def _tell(proxy: Running, upstream: str, *, as_json: bool) -> None:
    if as_json:
        output.as_json({"baseUrl": proxy.base_url, "port": proxy.port, "upstream": upstream})
    else:
        output.line(f"wm proxy passes on to {output.safe(upstream)} from")
        output.line(f"  {proxy.base_url}")
        output.line("Claude Code and SDKs: set ANTHROPIC_BASE_URL to it. OpenCode: set")
        output.line("provider.anthropic.options.baseURL to it with /v1 behind. Ctrl-C ends it.")
    output.flush()
