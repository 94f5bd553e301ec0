"""Requests and responses about models: for similarity of meaning (RC-2), and the helper (HM-1).

They name models by their folder's name; the files are described by `wm.formats.home`.
"""

from pydantic import Field

from wm.formats.base import Record, optional
from wm.formats.home import HelperUse, ModelFile


class UsedModel(Record):
    """The model whose vectors are compared. revision: changes whenever its vectors would;
    token_limit: longer texts are embedded in pieces of this many tokens."""

    id: str
    revision: str
    dimension: int
    token_limit: int


class ModelRow(Record):
    """A model that can be used. kind: `embedded` (in a package), `installed` (in the data
    folder), `folder` (named by recall.model) or `words` (none). path: its files; origin: its
    source. problem: why it cannot be opened, or ""."""

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
    """chosen: the name in force. by_config: recall.model in config.toml sets it. waiting: number of
    texts of loaded indexes without a vector of it; until then the previous model's vectors are
    used. trouble: why another model is used instead, or ""."""

    models: tuple[ModelRow, ...]
    chosen: str
    by_config: bool = False
    waiting: int = 0
    trouble: str = ""


class UseModelRequest(Record):
    """name: `embedded`, `none`, or an installed model."""

    name: str


class RemovedModel(Record):
    """A deleted model. freed_bytes: the size of its files; recorded: whether it was an installed
    model, or only a folder that an import left behind."""

    name: str
    freed_bytes: int
    recorded: bool


class ModelTrial(Record):
    """A test of a model on this machine. alike and apart: the cosines of two sentences with the
    same meaning and of two with different meanings; sane: alike is larger, and embedding the same
    text twice gave the same vector of length one."""

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


class HelperState(Record):
    """The helper model. model: as config.toml names it, "" for none. host: of its server, "" for
    this machine. reason, problem: why it is not asked, as a code and a sentence; "" if it is. use:
    today's. session_dollars: an estimate for a session of 200 turns."""

    model: str
    host: str = ""
    reason: str = ""
    problem: str = ""
    use: HelperUse = Field(default_factory=HelperUse)
    daily_tokens: int = 0
    daily_dollars: float = 0.0
    session_dollars: float = 0.0
