"""Import, fetch, try and remove embedding models (RC-2).

It runs in the caller's process with the caller's rights: files of a folder the caller names, and
the network. `wm.ops.search.models` lists and chooses, which the daemon does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path

from wm.api.models import ModelTrial, RemovedModel
from wm.domain.times import iso
from wm.errors import ModelUnavailable, NotFound, UserError
from wm.formats.home import InstalledModel, InstalledModels, ModelFile
from wm.models.embed import EMBEDDED, NONE
from wm.models.folder import ModelInfo, info_of, missing_package, sources
from wm.models.pinned import PINNED, Pinned
from wm.models.pull import fetch
from wm.ops.runtime import Runtime
from wm.ops.search.model_choice import INSTALLED, folder_of, installed, location
from wm.ops.search.models import KINDS
from wm.store.model_files import Part, Staging, remove, sweep

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}", re.ASCII)


def import_model(runtime: Runtime, folder: Path, name: str) -> InstalledModel:
    """Copy a model folder into the data folder and try it there. Raises UserError for a folder
    without a model, ModelUnavailable for a model that does not work."""
    check_new(runtime, name)
    found = sources(folder, runtime.settings.recall.max_model_bytes)
    parts = ((source.name, source.chunks()) for source in found)
    return _install(runtime, name, parts, origin=str(folder))


def pinned_model(name: str) -> Pinned:
    """The fetchable model of this name. Raises NotFound."""
    model = PINNED.get(name)
    if model is None:
        raise NotFound.of("model.cannot_fetch", name=name, names=", ".join(PINNED))
    return model


def pinned_files(model: Pinned) -> tuple[ModelFile, ...]:
    return tuple(ModelFile(name=f.name, bytes=f.size, sha256=f.sha256) for f in model.files)


def pull_model(
    runtime: Runtime, name: str, progress: Callable[[int], None] = lambda _bytes: None
) -> InstalledModel:
    """Fetch a pinned model. progress: called with the bytes received. Raises NotFound,
    ModelUnavailable."""
    model, recall = pinned_model(name), runtime.settings.recall
    check_new(runtime, name)
    require_network(runtime)
    parts = (
        (file.name, fetch(model, file, recall.models_url, recall.pull_wait_s, progress))
        for file in model.files
    )
    return _install(runtime, name, parts, origin=model.repository, commit=model.commit)


def require_network(runtime: Runtime) -> None:
    """Raises UserError if config.toml is unreadable: it may name another server, or forbid the
    network."""
    error = runtime.settings.config_error
    if error is not None:
        raise UserError(f"Nothing is fetched: {error.message}", fix=error.fix)


def check_new(runtime: Runtime, name: str) -> None:
    """Raises UserError unless a model may be installed under this name, ModelUnavailable if a
    package is missing."""
    if not _NAME.fullmatch(name) or name in (EMBEDDED, NONE) or name.endswith(".tmp"):
        raise UserError.of("model.bad_name", name=name)
    for model in installed(runtime).models:
        if model.name == name and folder_of(runtime, name).is_dir():
            raise UserError.of("model.installed_already", name=name, origin=model.origin)
    missing = missing_package()
    if missing:
        raise ModelUnavailable(missing, fix="Until then search uses the embedded model.")


def _install(
    runtime: Runtime, name: str, parts: Iterable[Part], *, origin: str, commit: str = ""
) -> InstalledModel:
    store = runtime.store
    sweep(store, runtime.now().timestamp())
    with Staging(store, name) as staging:
        files = staging.fill(parts)
        found = _tried(runtime, staging.path, files[0], origin)
        model = InstalledModel(
            name=name,
            origin=runtime.redacted_path(origin),
            commit=commit,
            revision=found.revision,
            dimension=found.dimension,
            installed_at=iso(runtime.now()),
            files=files,
        )
        staging.keep()
    with store.transaction([INSTALLED]) as transaction:
        known = transaction.read(INSTALLED).document or InstalledModels()
        others = tuple(other for other in known.models if other.name != name)
        transaction.put(INSTALLED, known.model_copy(update={"models": (*others, model)}))
    return model


def _tried(runtime: Runtime, folder: Path, onnx: ModelFile, origin: str) -> ModelInfo:
    """Describe and try the copied model. Raises ModelUnavailable with the original folder in the
    message, because the copy is deleted then."""
    try:
        found = info_of(folder, onnx.name, onnx.sha256)
        try_model(runtime, str(folder))
    except ModelUnavailable as error:
        message = error.message.replace(str(folder), origin)
        raise ModelUnavailable(message, fix="Nothing was installed.") from error
    return found


def remove_model(runtime: Runtime, name: str) -> RemovedModel:
    """Remove a model's record, then its files. Raises NotFound, and UserError for a model that is
    in use or was not installed. Without the record the files are no longer a model, so files left
    by a kill can be removed under the same name."""
    store = runtime.store
    if name in KINDS:
        raise UserError.of("model.not_installed", name=name)
    with store.transaction([INSTALLED]) as transaction:
        known = transaction.read(INSTALLED).document or InstalledModels()
        others = tuple(model for model in known.models if model.name != name)
        recorded = len(others) < len(known.models)
        is_there = bool(_NAME.fullmatch(name)) and folder_of(runtime, name).is_dir()
        if not recorded and not is_there:
            names = ", ".join(model.name for model in known.models)
            raise NotFound(
                f"There is no installed model {name!r}.",
                fix=f"Installed: {names}." if names else "None is installed.",
            )
        _refuse_in_use(runtime, known, name)
        if recorded:
            chosen_one = EMBEDDED if known.in_use == name else known.in_use
            update = {"models": others, "in_use": chosen_one}
            transaction.put(INSTALLED, known.model_copy(update=update))
    return RemovedModel(name=name, freed_bytes=remove(store, name) or 0, recorded=recorded)


def _refuse_in_use(runtime: Runtime, known: InstalledModels, name: str) -> None:
    named = runtime.settings.recall.model
    in_use = Path(location(runtime, named or known.in_use))
    if in_use.resolve() != folder_of(runtime, name).resolve():
        return
    first = "Remove recall.model from config.toml" if named else "Choose another one"
    then = "" if named else " (`wm models use embedded`)"
    raise UserError.of("model.in_use", name=name, first=first, then=then)


def try_model(runtime: Runtime, name: str) -> ModelTrial:
    """Open a model and embed a few texts, in this process. Raises ModelUnavailable."""
    from wm.models.trial import trial

    found = trial(name, runtime.settings.recall)
    return ModelTrial(
        name=found.card.id,
        dimension=found.card.dimension,
        revision=found.card.revision,
        token_limit=found.card.token_limit,
        load_s=round(found.load_s, 3),
        short_ms=round(found.short_ms, 3),
        long_ms=round(found.long_ms, 3),
        memory_bytes=found.memory_bytes,
        alike=round(found.alike, 4),
        apart=round(found.apart, 4),
        sane=found.sane,
    )
