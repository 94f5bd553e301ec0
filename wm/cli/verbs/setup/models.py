"""`wm models list | pull | import | use | remove | test | helper`: the models that compare texts by
meaning, and the helper model.

`pull` is the only one of these that uses the network, and asks before it downloads.
"""

from __future__ import annotations

import sys
from io import StringIO
from pathlib import Path
from typing import Any

import click

from wm.cli import output
from wm.cli.context import Caller, Result, absolute, prints
from wm.cli.groups import Group
from wm.cli.options import flag, text
from wm.cli.overview import helper_use
from wm.ops.helper.asking import agree, state
from wm.ops.search import model_install
from wm.ops.search.model_choice import chosen, installed, location
from wm.ops.search.models import existing_name

COLUMN = 14
SHOWN_DIGITS = 16


@click.group("models", cls=Group, default="list")
def command() -> None:
    """Models that compare texts by meaning, for `wm search` and for agents.

    `wm models` alone lists them. Only `wm models pull` uses the network.
    """


@command.command("list", short_help="The available models, and the one in use (the default).")
@prints
def show(caller: Caller) -> Result:
    """List the available models. `*` marks the one in use."""
    return Result(caller.run("list_models", {}), _print_models)


def _print_models(answer: Any) -> None:
    for row in answer.models:
        _print_row(row)
    _print_state(answer)


def _print_row(row: Any) -> None:
    mark = "*" if row.in_use else " "
    about = "words only" if row.kind == "words" else f"{row.dimension} dimensions"
    if row.bytes:
        about += f" · {output.size(row.bytes)} · {row.token_limit} tokens a piece"
    head = f"{mark} {output.safe(row.name)}"
    if len(head) > COLUMN - 2:
        output.line(output.bold(head))
        head = ""
    output.lines(output.hang(head, about, COLUMN, mark=output.bold))
    origin = f"from {output.home_short(row.origin)}" if row.origin else ""
    if row.commit:
        origin += f" at {row.commit[:SHOWN_DIGITS]}"
    for detail in (output.home_short(row.path) if row.bytes else "", origin):
        if detail:
            output.lines(output.hang("", detail, COLUMN, output.dim))
    if row.problem:
        output.lines(output.hang("", row.problem, COLUMN, output.warn))


def _print_state(answer: Any) -> None:
    if answer.by_config:
        output.line("recall.model in config.toml names the one in use.")
    if answer.waiting:
        texts = output.count(answer.waiting, "text")
        output.line(f"{texts} still to be embedded; until then the model before answers.")
    if answer.trouble:
        output.lines(output.warn(line) for line in output.wrap(answer.trouble, output.WIDTH))


@command.command("use", short_help="Choose a model, or none.")
@click.argument("name")
@prints
def use(caller: Caller, name: str) -> Result:
    """Choose the model that compares texts: embedded, an installed model, or none.

    The model is tested first. Texts are embedded again in the background; until that is done the
    previous model is used, and search by words always works.
    """
    with caller.opened() as runtime:
        existing_name(installed(runtime), name)
        if name != "none":  # opened here, so that one that fails changes nothing
            model_install.try_model(runtime, location(runtime, name))

    def show(answer: Any) -> None:
        words_alone = "Words alone are searched from now on."
        output.line(words_alone if name == "none" else f"In use: {name}.")
        _print_state(answer)

    return Result(caller.run("use_model", {"name": name}), show)


@command.command("import", short_help="Import a model from a folder.")
@click.argument("path")
@text("--name", metavar="NAME", help="Call it NAME instead of the folder's.")
@prints
def take(caller: Caller, path: str, name: str) -> Result:
    """Copy a model's folder (ONNX file, config.json, tokenizer.json) into the data folder.

    It is tested first: it must load, and give the same vector for the same text twice. Symlinks
    are refused. The model in use does not change: `wm models use NAME` does that.
    """
    folder = Path(absolute(path))
    with caller.opened() as runtime:
        return Result(
            model_install.import_model(runtime, folder, name or folder.name.lower()),
            _print_imported,
        )


def _print_imported(model: Any) -> None:
    _print_files(model.files)
    _print_installed(model)


def _print_installed(model: Any) -> None:
    output.line(f"Installed as {model.name}: {model.dimension} dimensions.")
    output.line(f"`wm models use {model.name}` chooses it.")


@command.command("pull", short_help="Fetch a model over the network.")
@click.argument("name", default="minilm")
@flag("--yes", "-y", help="Do it without asking.")
@prints
def pull(caller: Caller, name: str, yes: bool) -> Result:
    """Fetch the model NAME (minilm) from huggingface.co, or from recall.models_url.

    The files are pinned: one commit of one repository, and the size and sha256 of each file. They
    are shown before anything is fetched. A file that differs is deleted.
    """
    model = model_install.pinned_model(name)
    files = model_install.pinned_files(model)
    report: dict[str, Any] = {
        "name": name,
        "origin": model.repository,
        "commit": model.commit,
        "license": model.license,
        "files": files,
        "model": None,
    }
    with caller.opened() as runtime:
        model_install.check_new(runtime, name)
        model_install.require_network(runtime)
        if not caller.as_json:
            output.line(f"{model.repository} ({model.license})")
            output.line(f"commit {model.commit}")
            _print_files(files)
        if not yes and not _agreed(caller, model.size):
            why = "Nothing was fetched. Use --yes to answer in advance."
            return Result(report, lambda _report: output.note(why), failed=True)
        shown = sys.stderr if sys.stderr.isatty() and not caller.as_json else StringIO()
        with click.progressbar(length=model.size, label="  fetching", file=shown) as bar:
            done = model_install.pull_model(runtime, name, bar.update)
    return Result({**report, "model": done}, lambda _report: _print_installed(done))


def _agreed(caller: Caller, size: int) -> bool:
    where = caller.settings.recall.models_url
    asked = f"Fetch {output.size(size)} from {output.safe(where)}?"
    return output.confirm(asked, aside=True)


@command.command("remove", short_help="Delete an installed model.")
@click.argument("name")
@prints
def remove(caller: Caller, name: str) -> Result:
    """Delete the model NAME, which was imported or fetched, from the data folder.

    The model in use is refused. The folder that it was imported from is not touched.
    """
    with caller.opened() as runtime:
        removed = model_install.remove_model(runtime, name)
    what = "" if removed.recorded else ", which was the rest of an unfinished import"
    size = removed.freed_bytes
    freed = f"{output.size(size)} freed" if size else "its files were gone"
    return Result(removed, f"Removed {output.safe(name)}{what}: {freed}.")


@command.command("test", short_help="Try a model: dimension, speed, memory, sanity.")
@click.argument("name", default="")
@prints
def test(caller: Caller, name: str) -> Result:
    """Embed a few sentences with the model NAME, or the one in use, in this process.

    Exit code 1 means that two sentences with the same meaning are not more similar than two with
    different meanings.
    """
    with caller.opened() as runtime:
        asked = name or chosen(runtime).name
        if "/" not in asked:
            existing_name(installed(runtime), asked)
        found = model_install.try_model(runtime, location(runtime, asked))
    return Result(found, _print_trial, failed=not found.sane)


def _print_trial(found: Any) -> None:
    memory = (
        f"{output.size(found.memory_bytes)} more in this process" if found.memory_bytes else "?"
    )
    verdict = (
        "separates similar from different texts"
        if found.sane
        else "does NOT separate similar from different texts"
    )
    rows: list[output.Row] = [
        ("model", f"{found.name} · {found.dimension} dimensions · {found.revision}"),
        ("loads in", f"{found.load_s:.2f} s"),
        ("a sentence", f"{found.short_ms:.2f} ms"),
        ("250 tokens", f"{found.long_ms:.1f} ms"),
        ("memory", memory),
        ("sanity", f"{verdict}: {found.alike:.2f} and {found.apart:.2f}"),
    ]
    output.lines(output.pairs(rows))


_SENT = (
    "Texts that paging removed, questions about them, and similar entries of memory are sent to "
    "{host}, without the secrets that wm finds in them. Its operator can read them."
)


@command.command("helper", short_help="The helper model: its use today, and what it may send.")
@flag("--yes", "-y", help="Agree to its server without being asked.")
@prints
def helper(caller: Caller, yes: bool) -> Result:
    """Show the helper model that `helper.model` in config.toml names: its server, what it used
    today, the daily cap, and what a long session would cost.

    If its server is another machine, you are asked once whether removed content and similar entries
    may be sent there. Until then it is not used.
    """
    with caller.opened() as runtime:
        found = state(runtime)
        if found.reason == "not_confirmed":
            if not caller.as_json:
                _print_helper(found)
            if not yes:
                output.note(_SENT.format(host=output.safe(found.host)))
            if not (yes or output.confirm("Send them?", aside=True)):
                output.note("It is not used: `wm models helper --yes` agrees.")
                return Result(found, lambda _found: None, failed=True)
            agree(runtime)
            found = state(runtime)
    return Result(found, _print_helper, failed=bool(found.reason) and bool(found.model))


def _print_helper(found: Any) -> None:
    if not found.model:
        output.line("No helper model: `helper.model` in config.toml names one.")
        return
    cap = f"{found.daily_tokens:,} tokens · ${found.daily_dollars:g}"
    ended = " · ".join(f"{name} {count}" for name, count in sorted(found.use.outcomes.items()))
    rows: list[output.Row] = [
        ("model", output.safe(found.model)),
        ("server", output.safe(found.host) or "this machine"),
        ("today", helper_use(found)),
        ("cap a day", cap),
        ("a session", f"about ${found.session_dollars:.2f} for 200 turns that remove much"),
        *([("calls", output.safe(ended))] if ended else []),
        *([("not used", found.problem, output.warn)] if found.problem else []),
    ]
    output.lines(output.pairs(rows))


def _print_files(files: Any) -> None:
    room = max(len(file.name) for file in files) + 2
    for file in files:
        name, size = output.padded(file.name, room), output.size(file.bytes).rjust(8)
        output.line(f"  {output.safe(name)}{size}  sha256 {file.sha256[:SHOWN_DIGITS]}…")
