"""Which embedding model is chosen, and whether it can be opened (RC-2).

Opens no model: only looks at a few files.
"""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from wm.errors import WmError
from wm.formats.home import InstalledModel, InstalledModels
from wm.models.embed import EMBEDDED, NONE
from wm.models.folder import embedded_info, missing_package
from wm.ops.runtime import Runtime
from wm.store.base import Ref
from wm.store.paths import MODELS

INSTALLED: Ref[InstalledModels] = Ref(InstalledModels)
TROUBLE = "model"
"""The key of this fault among the process's reported faults."""


class Chosen(Struct, frozen=True):
    """name: as users write it. location: the argument for opening it, a folder or the name itself.
    at: when it was chosen, "" if config.toml names it."""

    name: str
    location: str
    at: str = ""
    by_config: bool = False


def installed(runtime: Runtime) -> InstalledModels:
    return runtime.store.read(INSTALLED).document or InstalledModels()


def chosen(runtime: Runtime) -> Chosen:
    """The model of config.toml, else the one of `wm models use`, else the embedded one."""
    named = runtime.settings.recall.model
    if named:
        return Chosen(named, location(runtime, named), by_config=True)
    found = installed(runtime)
    return Chosen(found.in_use, location(runtime, found.in_use), found.chosen_at)


def location(runtime: Runtime, name: str) -> str:
    """The argument for opening the model of this name: the name itself or its folder."""
    if name in (EMBEDDED, NONE) or "/" in name:
        return name
    return str(folder_of(runtime, name))


def folder_of(runtime: Runtime, name: str) -> Path:
    return runtime.settings.paths.home / MODELS / name


def why_not(runtime: Runtime, found: Chosen) -> str:
    """Why the model cannot be opened, judged by its files; "" if they show no fault."""
    if found.name == NONE:
        return ""
    if found.name == EMBEDDED:
        embedded_info()
        return ""
    known = {model.name: model for model in installed(runtime).models}
    if found.name in known:
        return changed(known[found.name], Path(found.location)) or missing_package()
    if "/" not in found.name:
        return f"There is no model {found.name}; `wm models` lists the available ones."
    if not Path(found.location).is_dir():
        return f"There is no folder {found.location}."
    return missing_package()


def changed(model: InstalledModel, folder: Path) -> str:
    """A sentence about the first file that is missing or changed its size; or ""."""
    for file in model.files:
        try:
            size = (folder / file.name).lstat().st_size
        except OSError:
            return f"The file {folder / file.name} of the model {model.name} is gone."
        if size != file.bytes:
            return f"The file {folder / file.name} of the model {model.name} was changed."
    return ""


def look_at_model(runtime: Runtime) -> None:
    """Report a chosen model that cannot be opened before a search needs it."""
    runtime.signals.troubles.report(TROUBLE, trouble_of(runtime))


def trouble_of(runtime: Runtime) -> str:
    """The warning that search works without the chosen model, judged by its files; or ""."""
    try:
        return without(why_not(runtime, chosen(runtime)))
    except WmError as error:
        return without(error.message)


def without(why: str) -> str:
    """The warning for this reason, or ""."""
    return f"{why} Search continues without it." if why else ""
