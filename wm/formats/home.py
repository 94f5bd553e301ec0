"""Documents of the data folder that belong to no workspace: aliases of moved workspaces, allowed
digests of texts that look like secrets, installed models.
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
