"""Requests and responses about the models that make texts comparable by meaning (RC-2)."""

from wm.formats.base import Record, optional
from wm.formats.home import ModelFile


class UsedModel(Record):
    """The model whose vectors are compared. revision: changes whenever its vectors would;
    token_limit: longer texts are embedded in pieces of so many tokens."""

    id: str
    revision: str
    dimension: int
    token_limit: int


class ModelRow(Record):
    """A model that can be used. kind: `embedded` (in a package), `installed` (in the data
    folder), `folder` (named by recall.model) or `words` (none). path: where it lies; origin: where
    it came from. problem: why it cannot be opened, or ""."""

    name: str
    kind: str
    in_use: bool = False
    dimension: int = 0
    revision: str = ""
    token_limit: int = 0
    bytes: int = 0
    path: str = ""
    origin: str = optional("")
    commit: str = optional("")
    installed_at: str = optional("")
    files: tuple[ModelFile, ...] = ()
    problem: str = ""


class ModelsAnswer(Record):
    """chosen: the name in force. by_config: recall.model in config.toml says so. waiting: texts
    of loaded indexes that have no vector of it yet; until then those of the model before answer.
    trouble: why another model answers in its place, or ""."""

    models: tuple[ModelRow, ...]
    chosen: str
    by_config: bool = False
    waiting: int = 0
    trouble: str = ""


class UseModelRequest(Record):
    """name: `embedded`, `none`, or an installed model."""

    name: str


class RemovedModel(Record):
    """A model that is no longer there. freed_bytes: what its files held; recorded: whether it
    was a model, and not only a folder that an import left."""

    name: str
    freed_bytes: int
    recorded: bool


class ModelTrial(Record):
    """What a model does on this machine. alike and apart: the cosines of two sentences that say
    the same and of two that do not; sane: the first is larger, and the same text gave the same
    vector of length one twice."""

    name: str
    dimension: int
    revision: str
    token_limit: int
    load_s: float
    short_ms: float
    long_ms: float
    memory_bytes: int
    alike: float
    apart: float
    sane: bool
