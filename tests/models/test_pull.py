"""Fetching a model from a local server that sends correct or wrong files."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from wm.errors import ModelUnavailable
from wm.models.pinned import PINNED, Pinned, PinnedFile
from wm.models.pull import fetch

DATA = b"harbour " * 20_000
COMMIT = "5f" * 20
PATIENCE_S = 20.0


def pinned(data: bytes = DATA, name: str = "onnx/model.onnx") -> Pinned:
    file = PinnedFile(name, len(data), hashlib.sha256(data).hexdigest())
    return Pinned("some", "ferry/boats", COMMIT, "MIT", (file,))


ANSWERS = {
    "/whole": (200, DATA),
    "/other": (200, b"H" + DATA[1:]),
    "/short": (200, DATA[:-1]),
    "/long": (200, DATA + b"!"),
    "/gone": (404, b""),
}


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        base, _, rest = self.path.partition("/ferry/boats/resolve/")
        status, data = ANSWERS[base]
        assert rest == f"{COMMIT}/onnx/model.onnx"
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_args: object) -> None:
        return


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    made = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    thread = threading.Thread(target=made.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{made.server_port}"
    made.shutdown()
    thread.join()
    made.server_close()


def test_pinned_files_are_downloaded_completely_and_counted(server: str) -> None:
    model, sizes = pinned(), list[int]()
    data = b"".join(fetch(model, model.files[0], f"{server}/whole", PATIENCE_S, sizes.append))
    assert (data, sum(sizes)) == (DATA, len(DATA))


@pytest.mark.parametrize(
    ("base", "said"),
    [
        ("/other", "its digest differs"),
        ("/long", "it is longer"),
        ("/short", "ended after 159,999 of 160,000 bytes"),
        ("/gone", "answered 404 for onnx/model.onnx"),
    ],
)
def test_unpinned_content_is_discarded_with_a_message(server: str, base: str, said: str) -> None:
    model = pinned()
    with pytest.raises(ModelUnavailable, match=said) as raised:
        list(fetch(model, model.files[0], server + base, PATIENCE_S, lambda _bytes: None))
    assert "wm models import" in raised.value.fix


@pytest.mark.parametrize("base", ["http://127.0.0.1:9", "file:///etc", "http://[", "nowhere"])
def test_without_a_server_a_download_fails_at_once(base: str) -> None:
    model = pinned()
    with pytest.raises(ModelUnavailable, match="The model could not be fetched from"):
        list(fetch(model, model.files[0], base, PATIENCE_S, lambda _bytes: None))


def test_every_downloadable_model_is_pinned_to_the_byte() -> None:
    for name, model in PINNED.items():
        assert (model.name, len(model.commit)) == (name, 40)
        assert model.files[0].name.endswith(".onnx")
        assert {len(file.sha256) for file in model.files} == {64}
        assert all(file.size > 0 for file in model.files)
