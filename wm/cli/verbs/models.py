"""`wm models list | pull | import | use | remove | test`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from wm.cli import output
from wm.cli.context import Caller, absolute, json_option, workspace_options
from wm.cli.groups import Group
from wm.ops.local import open_runtime
from wm.ops.runtime import Runtime

COLUMN = 14
SHOWN_DIGITS = 16


@click.group("models", cls=Group, default="list")
def command() -> None:
    """Models that make texts comparable by meaning, for `wm search` and for agents.

    `wm models` alone lists them. Only `wm models pull` touches the network.
    """


@command.command("list", short_help="What is there, and which one is in use (the default).")
@json_option
@workspace_options
def show(caller: Caller, as_json: bool) -> int:
    """List the models that are there. `*` stands before the one in use."""
    answer: Any = caller.run("list_models", {})
    if as_json:
        output.as_json(answer)
        return 0
    for row in answer.models:
        _print_row(row)
    _print_state(answer)
    return 0


def _print_row(row: Any) -> None:
    mark = "*" if row.in_use else " "
    about = "words only" if row.kind == "words" else f"{row.dimension} dimensions"
    if row.bytes:
        about += f" · {output.size(row.bytes)} · {row.token_limit} tokens a piece"
    head = f"{mark} {output.safe(row.name)}"
    if len(head) > COLUMN - 2:
        output.line(output.bold(head))
        head = ""
    first, *rest = output.hang(head, about, COLUMN)
    output.lines([output.bold(first[:COLUMN]) + first[COLUMN:], *rest])
    origin = f"from {output.home_short(row.origin)}" if row.origin else ""
    if row.commit:
        origin += f" at {row.commit[:SHOWN_DIGITS]}"
    for said in (output.home_short(row.path) if row.bytes else "", origin):
        if said:
            output.lines(output.hang("", said, COLUMN, output.dim))
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
@json_option
@workspace_options
def use(caller: Caller, name: str, as_json: bool) -> int:
    """Choose what makes texts comparable: embedded, an installed model, or none.

    The model is tried first. Texts are embedded anew in the background; until that is done the
    model before answers, and words always do.
    """
    with _runtime(caller) as runtime:
        _try_first(runtime, name)
    answer: Any = caller.run("use_model", {"name": name})
    if as_json:
        output.as_json(answer)
        return 0
    told = "Words alone are searched from now on." if name == "none" else f"In use: {name}."
    output.line(told)
    _print_state(answer)
    return 0


def _try_first(runtime: Runtime, name: str) -> None:
    """Open the model here, so that one that fails changes nothing."""
    from wm.ops.chosen_model import installed, location
    from wm.ops.models import known_name, try_model

    known_name(installed(runtime), name)
    if name != "none":
        try_model(runtime, location(runtime, name))


@command.command("import", short_help="Take a model from a folder.")
@click.argument("path")
@click.option("--name", default="", metavar="NAME", help="Call it NAME instead of the folder's.")
@json_option
@workspace_options
def take(caller: Caller, path: str, name: str, as_json: bool) -> int:
    """Copy a model's folder (ONNX file, config.json, tokenizer.json) into the data folder.

    It is tried first: it must load, and give the same vector for the same text twice. Symlinks
    are refused. Nothing is chosen by it: `wm models use NAME` does that.
    """
    from wm.ops.models import import_model

    folder = Path(absolute(path))
    with _runtime(caller) as runtime:
        model = import_model(runtime, folder, name or folder.name.lower())
    if as_json:
        output.as_json(model)
        return 0
    _print_files(model.files)
    output.line(f"Installed as {model.name}: {model.dimension} dimensions.")
    output.line(f"`wm models use {model.name}` chooses it.")
    return 0


@command.command("pull", short_help="Fetch a model over the network.")
@click.argument("name", default="minilm")
@click.option("--yes", "-y", is_flag=True, help="Do it without asking.")
@json_option
@workspace_options
def pull(caller: Caller, name: str, yes: bool, as_json: bool) -> int:
    """Fetch the model NAME (minilm) from huggingface.co, or from recall.models_url.

    What may come is pinned: one commit of one repository, and of each file its size and sha256.
    They are shown before anything is fetched. A file that differs is thrown away.
    """
    from wm.cli.models import PullReport
    from wm.ops.models import check_new, pinned_files, pinned_model, pull_model

    model = pinned_model(name)
    files = pinned_files(model)
    report = PullReport(
        name=name, origin=model.repository, commit=model.commit, license=model.license, files=files
    )
    with _runtime(caller) as runtime:
        check_new(runtime, name)
        if not as_json:
            output.line(f"{model.repository} ({model.license})")
            output.line(f"commit {model.commit}")
            _print_files(files)
        if not yes and not _agreed(caller, model.size):
            if as_json:
                output.as_json(report)
            else:
                output.note("Nothing was fetched. Use --yes where nobody can answer.")
            return 1
        with _bar(model.size, quiet=as_json) as tell:
            done = pull_model(runtime, name, tell)
    if as_json:
        output.as_json(report.model_copy(update={"model": done}))
        return 0
    output.line(f"Installed as {name}: {done.dimension} dimensions.")
    output.line(f"`wm models use {name}` chooses it.")
    return 0


def _agreed(caller: Caller, size: int) -> bool:
    where = caller.settings.recall.models_url
    asked = f"Fetch {output.size(size)} from {output.safe(where)}?"
    return output.agreed(asked, aside=True)


@contextmanager
def _bar(size: int, *, quiet: bool) -> Iterator[Callable[[int], None]]:
    """A progress bar on stderr, where a person looks."""
    if quiet or not sys.stderr.isatty():
        yield lambda _bytes: None
        return
    with click.progressbar(length=size, label="  fetching", file=sys.stderr) as bar:
        yield bar.update


@command.command("remove", short_help="Delete an installed model.")
@click.argument("name")
@json_option
@workspace_options
def remove(caller: Caller, name: str, as_json: bool) -> int:
    """Delete the model NAME, which was imported or fetched, from the data folder.

    One that is in use is refused. Where it came from is not touched.
    """
    from wm.ops.models import remove_model

    with _runtime(caller) as runtime:
        gone = remove_model(runtime, name)
    if as_json:
        output.as_json(gone)
        return 0
    what = "" if gone.recorded else ", which was the rest of an unfinished import"
    freed = f"{output.size(gone.freed_bytes)} freed" if gone.freed_bytes else "its files were gone"
    output.line(f"Removed {output.safe(name)}{what}: {freed}.")
    return 0


@command.command("test", short_help="Try a model: dimension, speed, memory, sanity.")
@click.argument("name", default="")
@json_option
@workspace_options
def test(caller: Caller, name: str, as_json: bool) -> int:
    """Embed a few sentences with the model NAME, or the one in use, in this process.

    Exit code 1 means that it does not find two sentences that say the same more alike than two
    that do not.
    """
    from wm.ops.chosen_model import chosen, installed, location
    from wm.ops.models import known_name, try_model

    with _runtime(caller) as runtime:
        asked = name or chosen(runtime).name
        if "/" not in asked:
            known_name(installed(runtime), asked)
        found = try_model(runtime, location(runtime, asked))
    code = 0 if found.sane else 1
    if as_json:
        output.as_json(found)
        return code
    memory = (
        f"{output.size(found.memory_bytes)} more in this process" if found.memory_bytes else "?"
    )
    verdict = "tells alike from different" if found.sane else "does NOT tell alike from different"
    output.lines(
        output.pairs(
            [
                ("model", f"{found.name} · {found.dimension} dimensions · {found.revision}"),
                ("loads in", f"{found.load_s:.2f} s"),
                ("a sentence", f"{found.short_ms:.2f} ms"),
                ("250 tokens", f"{found.long_ms:.1f} ms"),
                ("memory", memory),
                ("sanity", f"{verdict}: {found.alike:.2f} and {found.apart:.2f}"),
            ]
        )
    )
    return code


def _print_files(files: Any) -> None:
    room = max(len(file.name) for file in files) + 2
    for file in files:
        name, size = output.padded(file.name, room), output.size(file.bytes).rjust(8)
        output.line(f"  {output.safe(name)}{size}  sha256 {file.sha256[:SHOWN_DIGITS]}…")


@contextmanager
def _runtime(caller: Caller) -> Iterator[Runtime]:
    """The data folder, in this process: models are read, copied and tried with its rights."""
    runtime = open_runtime(caller.settings)
    try:
        yield runtime
    finally:
        runtime.store.close()
