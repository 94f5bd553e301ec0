"""What narrows a search, asked for at the socket of a real daemon (RC-1, IF-1, IF-4)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.cli.terminal import repository
from tests.daemon.process import started
from tests.socket_http import OnSocket
from wm.settings import Settings, daemon_environment

HARBOUR = "The shop ships from the harbour."
CENTS = "The shop counts prices in cents."
POOL = "The shop pools its connections."

# filter -> what is left
NARROWED: tuple[tuple[dict[str, str], set[str]], ...] = (
    ({}, {HARBOUR, CENTS, POOL}),
    ({"type": "decision"}, {CENTS}),
    ({"tag": "sea"}, {HARBOUR}),
    ({"path": "src"}, {POOL}),
    ({"path": "src/db.py"}, {POOL}),
    ({"scope": "branch:main"}, {POOL}),
    ({"scope": "workspace"}, {HARBOUR, CENTS}),
    ({"session": "ses-1"}, {CENTS}),
    ({"origin": "user"}, {HARBOUR, CENTS, POOL}),
    ({"origin": "import"}, set()),
    ({"since": "last week"}, {HARBOUR, CENTS, POOL}),
    ({"since": "2999-01-01"}, set()),
    ({"until": "yesterday"}, set()),
    ({"until": "2999-01-01", "tag": "sea"}, {HARBOUR}),
)
NAMED = [" ".join(f"{name}={value}" for name, value in asked.items()) for asked, _ in NARROWED]
WRONG = (
    ({"type": "decison"}, "`type` is 'decison'"),
    ({"origin": "me"}, "`origin` is 'me'"),
    ({"scope": "main"}, "`scope` is 'main'"),
    ({"since": "soon"}, "`since` is 'soon'"),
    ({"until": "2x"}, "`until` is '2x'"),
    ({"since": "1d", "until": "2d"}, "No time is between"),
    ({"path": "/etc"}, "is outside"),
)


@dataclass(frozen=True)
class Shop:
    """A daemon that knows three things of one project."""

    settings: Settings
    project: Path

    def http(self, method: str, target: str, body: Any = None) -> tuple[int, str, Any]:
        data = None if body is None else json.dumps(body)
        headers = {"content-type": "application/json"} if data else {}
        with closing(OnSocket(self.settings.paths.socket)) as link:
            link.request(method, target, data, headers)
            answer = link.getresponse()
            return answer.status, answer.headers["content-type"], json.loads(answer.read())

    def search(self, **filters: str) -> tuple[int, str, Any]:
        asked = {"directory": str(self.project), "query": "shop", **filters}
        return self.http("GET", f"/v1/search?{urlencode(asked)}")

    def tool(self, **filters: str) -> tuple[int, str, Any]:
        only = " ".join(f'{name}:"{value}"' for name, value in filters.items())
        where = urlencode({"directory": str(self.project)})
        body = {"query": "shop", "only": only}
        return self.http("POST", f"/v1/tools/memory_query?{where}", body)

    def keep(self, text: str, **fields: Any) -> None:
        body = {"directory": str(self.project), "text": text, **fields}
        status, _, answer = self.http("POST", "/v1/entries", body)
        assert status == 200, answer
        assert answer["outcome"] == "promoted", answer


@pytest.fixture(scope="module")
def shop() -> Iterator[Shop]:
    with TemporaryDirectory(prefix="wm-", ignore_cleanup_errors=True) as folder:
        environment = {**daemon_environment(), "HOME": folder, "WM_SOCKET": f"{folder}/s"}
        project = Path(folder, "shop")
        (project / "src").mkdir(parents=True)
        (project / "src/db.py").write_text("pool = 1\n")
        repository(project)
        with started(environment) as settings:
            made = Shop(settings, project)
            made.keep(HARBOUR, tags=["sea"])
            made.keep(CENTS, type="decision", session="ses-1")
            made.keep(POOL, anchors=["src/db.py"], branch_only=True)
            yield made


@pytest.mark.parametrize(("filters", "left"), NARROWED, ids=NAMED)
def test_each_filter_narrows_a_search(shop: Shop, filters: dict[str, str], left: set[str]) -> None:
    status, _, found = shop.search(**filters)
    assert status == 200
    assert {hit["entry"]["text"] for hit in found["hits"]} == left
    assert found["searched"] == len(left)


@pytest.mark.parametrize(("filters", "left"), NARROWED, ids=NAMED)
def test_each_filter_narrows_the_tool_of_a_model(
    shop: Shop, filters: dict[str, str], left: set[str]
) -> None:
    status, _, answer = shop.tool(**filters)
    assert status == 200
    assert {hit["text"] for hit in answer["structured"]["hits"]} == left


@pytest.mark.parametrize("way", ["search", "tool"])
@pytest.mark.parametrize(("filters", "said"), WRONG, ids=str)
def test_an_impossible_filter_is_refused_with_the_fix(
    shop: Shop, way: str, filters: dict[str, str], said: str
) -> None:
    status, kind, answer = getattr(shop, way)(**filters)
    assert (status, kind) == (400, "application/problem+json")
    assert (answer["type"], answer["status"]) == ("user_error", 400)
    assert said in answer["detail"]
    assert answer["fix"]


@pytest.mark.parametrize(
    ("target", "named", "known"),
    [
        ("/v1/search?query=shop&tags=sea", "tags", ", tag, type, until, workspace."),
        ("/v1/entries?dirctory=/x", "dirctory", "directory, "),
        ("/v1/changes?workspce=x", "workspce", "It has lastEventId, workspace."),
        ("/v1/status?verbose=1", "verbose", "It takes none."),
        ("/metrics?name=x", "name", "It takes none."),
    ],
)
def test_a_misspelled_parameter_is_refused(shop: Shop, target: str, named: str, known: str) -> None:
    status, kind, answer = shop.http("GET", target)
    assert (status, kind, answer["type"]) == (400, "application/problem+json", "unknown_parameter")
    assert f"has no query parameter {named!r}." in answer["detail"]
    assert known in answer["fix"]


@pytest.mark.parametrize(("limit", "code"), [("many", 422), ("0", 400)])
def test_an_invalid_limit_is_refused(shop: Shop, limit: str, code: int) -> None:
    status, kind, answer = shop.search(limit=limit)
    assert (status, kind) == (code, "application/problem+json")
    assert "limit" in answer["detail"]
