"""Small documents at the top of the home folder."""

from typing import ClassVar

from pydantic import Field

from wm.formats.base import Document, Record, optional


class Alias(Record):
    """A workspace that was moved: `key` now reads and writes what `target` holds (ID-3)."""

    key: str
    target: str
    root: str = optional("")
    at: str = ""


class Aliases(Document):
    slug: ClassVar[str] = "aliases"

    version: int = 1
    aliases: tuple[Alias, ...] = ()


class AllowedDigests(Document):
    """Salted digests of texts that look like secrets and are none (TR-1)."""

    slug: ClassVar[str] = "allowed_digests"

    version: int = 1
    digests: dict[str, str] = Field(default_factory=dict)
    """digest -> when it was allowed, ISO 8601."""


class ModelFile(Record):
    """A file of a model: its name below the model's folder, and what it must be."""

    name: str
    bytes: int
    sha256: str


class InstalledModel(Record):
    """A model whose files lie in `models/<name>/`, as it was when it came (RC-2).

    origin: the folder that it was imported from, or the repository that it was pulled from;
    commit: of that repository. revision: changes whenever its vectors would.
    """

    name: str
    origin: str
    commit: str = optional("")
    revision: str
    dimension: int
    installed_at: str
    files: tuple[ModelFile, ...] = ()


class InstalledModels(Document):
    """Models that were installed, and the one that makes texts comparable. in_use: `embedded`,
    `none`, or a name below; chosen_at: when it was chosen."""

    slug: ClassVar[str] = "installed_models"

    version: int = 1
    in_use: str = "embedded"
    chosen_at: str = optional("")
    models: tuple[InstalledModel, ...] = ()
