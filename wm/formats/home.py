"""Documents of the data folder that belong to no workspace: aliases of moved workspaces, allowed
digests of texts that look like secrets, installed models, the use of the helper model.
"""

from typing import ClassVar

from pydantic import Field

from wm.formats.base import Document, Record, optional


class Alias(Record):
    """A workspace that was moved: requests for `key` use the files of `target` (ID-3)."""

    key: str
    target: str
    root: str = optional("")
    at: str = ""


class Aliases(Document):
    slug: ClassVar[str] = "aliases"

    aliases: tuple[Alias, ...] = ()


class AllowedDigests(Document):
    """Salted digests of texts that look like secrets and are not (TR-1)."""

    slug: ClassVar[str] = "allowed_digests"

    digests: dict[str, str] = Field(default_factory=dict)
    """digest -> when it was allowed, ISO 8601."""


class ModelFile(Record):
    """A file of a model: its name below the model's folder, and its expected size and digest."""

    name: str
    bytes: int
    sha256: str


class InstalledModel(Record):
    """A model whose files are in `models/<name>/`, as described at installation (RC-2).

    origin: the folder that it was imported from, or the repository that it was pulled from;
    commit: the commit of that repository. revision: changes whenever the model's vectors would.
    """

    name: str
    origin: str
    commit: str = optional("")
    revision: str
    dimension: int
    installed_at: str
    files: tuple[ModelFile, ...] = ()


class InstalledModels(Document):
    """The installed models, and the model in use for similarity of meaning. in_use: `embedded`,
    `none`, or the name of an installed model; chosen_at: when it was chosen."""

    slug: ClassVar[str] = "installed_models"

    in_use: str = "embedded"
    chosen_at: str = optional("")
    models: tuple[InstalledModel, ...] = ()


class HelperUse(Document):
    """What the helper model used on one day (UTC), and the server that the user agreed to (HM-1).

    host: without a port; agreed_at: when the user agreed that removed content goes there. tokens
    and dollars contain calls in progress, at most what they may cost. outcomes: how the calls
    ended, by reason code; `ok` for an answer.
    """

    slug: ClassVar[str] = "helper_use"

    host: str = optional("")
    agreed_at: str = optional("")
    day: str = ""
    calls: int = 0
    tokens: int = 0
    dollars: float = 0.0
    outcomes: dict[str, int] = Field(default_factory=dict)
