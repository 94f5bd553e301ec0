"""What the tests of the way to the upstream share."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest


@pytest.fixture(scope="package")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a key and a certificate for api.example, its own authority."""
    if not shutil.which("openssl"):
        pytest.skip("openssl makes the keys")
    folder = tmp_path_factory.mktemp("tls")
    words = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
    made = [*words.split(), "-subj", "/CN=api.example", "-addext", "subjectAltName=DNS:api.example"]
    subprocess.run(
        [*made, "-keyout", folder / "key.pem", "-out", folder / "cert.pem"],
        check=True,
        capture_output=True,
    )
    return folder
