"""List and choose embedding models (RC-2).

The daemon chooses, because it has the vectors in memory. `wm.ops.search.model_install` does the
rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from wm.api.models import ModelRow, ModelsAnswer, UseModelRequest
from wm.api.protocol import NoRequest
from wm.errors import ModelUnavailable, NotFound, UserError
from wm.formats.home import InstalledModel, InstalledModels
from wm.models.embed import EMBEDDED, NONE
from wm.models.folder import embedded_info, read_info
from wm.ops.operation import Operation, Work, home_queue
from wm.ops.runtime import Runtime
from wm.ops.search import model_choice
from wm.ops.search.search import embedding

KINDS = {EMBEDDED: "embedded", NONE: "words"}


# --- list ----------------------------------------------------------------------------------


def _list(work: Work, _request: NoRequest) -> ModelsAnswer:
    return listed(
        work.runtime, model_choice.chosen(work.runtime), model_choice.installed(work.runtime)
    )


def listed(runtime: Runtime, now: model_choice.Chosen, known: InstalledModels) -> ModelsAnswer:
    """Every model that search can use: the built-in one, the installed ones, and none."""
    names = [EMBEDDED, *(model.name for model in known.models), NONE]
    if now.name not in names:
        names.append(now.name)
    rows = {model.name: model for model in known.models}
    waiting = sum(index.waiting for index in runtime.caches.indexes.values())
    return ModelsAnswer(
        models=tuple(_row(runtime, name, now, rows) for name in names),
        chosen=now.name,
        by_config=now.by_config,
        waiting=waiting,
        trouble=runtime.signals.troubles.get(model_choice.TROUBLE, ""),
    )


def _row(
    runtime: Runtime, name: str, now: model_choice.Chosen, known: Mapping[str, InstalledModel]
) -> ModelRow:
    model = known.get(name)
    limit = runtime.settings.recall.piece_tokens
    common = {"name": name, "in_use": name == now.name}
    place = model_choice.location(runtime, name)
    try:
        problem = model_choice.why_not(runtime, model_choice.Chosen(name, place))
        if name == NONE:
            return ModelRow(kind="words", **common)
        if model is not None:
            return ModelRow(
                kind="installed",
                dimension=model.dimension,
                revision=model.revision,
                token_limit=limit,
                bytes=sum(file.bytes for file in model.files),
                path=place,
                origin=model.origin,
                commit=model.commit,
                installed_at=model.installed_at,
                files=model.files,
                problem=problem,
                **common,
            )
        found = embedded_info() if name == EMBEDDED else read_info(Path(place))
    except ModelUnavailable as error:
        kind = KINDS.get(name, "folder")
        return ModelRow(kind=kind, path=place, problem=error.message, **common)
    file = Path(found.file) if name == EMBEDDED else Path(place) / found.file
    return ModelRow(
        kind=KINDS.get(name, "folder"),
        dimension=found.dimension,
        revision=found.revision,
        token_limit=limit,
        bytes=file.stat().st_size,
        path=str(file if name == EMBEDDED else place),
        problem=problem,
        **common,
    )


# --- choose ----------------------------------------------------------------------------------


def _use(work: Work, request: UseModelRequest) -> ModelsAnswer:
    runtime, known = work.runtime, work.read(model_choice.INSTALLED).document or InstalledModels()
    if runtime.settings.recall.model:
        raise UserError.of("model.set_in_config", model=runtime.settings.recall.model)
    name = existing_name(known, request.name)
    now = model_choice.Chosen(name, model_choice.location(runtime, name), work.moment)
    why = model_choice.why_not(runtime, now)
    if why:
        raise ModelUnavailable(why, fix="Nothing was changed.")
    if name == known.in_use and model_choice.TROUBLE not in runtime.signals.troubles:
        return listed(runtime, model_choice.chosen(runtime), known)
    known = known.model_copy(update={"in_use": name, "chosen_at": work.moment})
    work.put(model_choice.INSTALLED, known)
    work.notify(InstalledModels.slug)
    work.effects.later.append((embed_anew, NoRequest()))
    runtime.signals.troubles.report(model_choice.TROUBLE, "")
    return listed(runtime, now, known)


def existing_name(known: InstalledModels, name: str) -> str:
    """The name, if such a model exists. Raises NotFound."""
    names = [EMBEDDED, NONE, *(model.name for model in known.models)]
    if name not in names:
        raise NotFound.of("model.unknown", name=name, names=", ".join(names))
    return name


def _reembed(work: Work, _request: NoRequest) -> ModelsAnswer:
    """Switch all indexes in memory to the chosen model, in the background."""
    runtime = work.runtime
    for index in runtime.caches.indexes.values():
        index.use(embedding(runtime))
    return listed(runtime, model_choice.chosen(runtime), model_choice.installed(runtime))


list_models = Operation("list_models", NoRequest, ModelsAnswer, _list)
use_model = Operation(
    "use_model",
    UseModelRequest,
    ModelsAnswer,
    _use,
    # Declared: a second run would open the model again.
    lambda _runtime, _request: (model_choice.INSTALLED,),
    home_queue,
)
embed_anew = Operation("embed_anew", NoRequest, ModelsAnswer, _reembed)
