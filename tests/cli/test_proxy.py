"""`wm proxy` and `wm run`, as processes, in front of a small upstream of the test."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.cli.terminal import Terminal
from tests.docs.schemas import validate_printed
from wm.api.protocol import PagingTotals
from wm.cli.proxies import paged
from wm.daemon.client import Client
from wm.store import identity

ROOT = Path(__file__).resolve().parents[2]

OFF = ("--policy", "off")
"""Without a policy no daemon is started."""
QUIET = ("run", "--quiet", *OFF)
NOWHERE = ("--upstream", "http://127.0.0.1:9")


class Service(ThreadingHTTPServer):
    """Answers every request with what it received."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answering)
        self.requests: list[tuple[str, dict[str, str], bytes]] = []
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Answering(BaseHTTPRequestHandler):
    server: Service
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.requests.append((self.path, headers, body))
        answer = json.dumps({"usage": {"input_tokens": 12, "cache_read_input_tokens": 30}})
        self.send_response(200)
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer.encode())

    def log_message(self, *_words: object) -> None:
        """Tests are quiet."""


@pytest.fixture
def service() -> Iterator[Service]:
    made = Service()
    yield made
    made.shutdown()
    made.server_close()


def start(user: Terminal, *words: str, **env: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "wm", *words],
        env={**user.env, "PYTHONPATH": str(ROOT), **env},
        cwd=user.repo,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


POST = """
import os, sys
from urllib.request import Request, urlopen
_, body, *headers = sys.argv
url = os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages"
print(urlopen(Request(url, body.encode(), dict(zip(headers[::2], headers[1::2])))).read().decode())
"""


def posts(body: dict[str, Any], headers: Mapping[str, str] = MappingProxyType({})) -> str:
    """A shell command that sends a request by the agent's setting; not every machine has curl."""
    flat = [part for header in headers.items() for part in header]
    return shlex.join([sys.executable, "-c", POST, json.dumps(body), *flat])


def done(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=30)
    return process.returncode, out, err


def post(base_url: str, body: bytes = b"{}") -> tuple[int, bytes]:
    parts = urlsplit(base_url)
    with closing(HTTPConnection(parts.netloc, timeout=10)) as connection:
        connection.request("POST", f"{parts.path}/v1/messages", body)
        answer = connection.getresponse()
        return answer.status, answer.read()


def test_a_proxy_serves_until_it_is_stopped(terminal: Terminal, service: Service) -> None:
    process = start(terminal, "proxy", *OFF, "--port", "0", "--upstream", service.url, "--json")
    assert process.stdout is not None
    printed = json.loads("".join(iter(process.stdout.readline, "}\n")) + "}")
    validate_printed("proxy", printed)
    status, answer = post(printed["baseUrl"], b'{"model": "m"}')
    assert (status, b"usage" in answer) == (200, True)
    assert service.requests[0][0] == "/v1/messages"
    assert service.requests[0][2] == b'{"model": "m"}'
    process.send_signal(signal.SIGTERM)
    code, _, err = done(process)
    assert (code, err) == (0, "wm proxy: 1 request; 42 tokens read, 30 of them from the cache.\n")
    with pytest.raises(ConnectionRefusedError):
        post(printed["baseUrl"])


def test_the_address_is_the_same_after_a_restart_and_requires_the_token(
    terminal: Terminal, service: Service
) -> None:
    urls = []
    for _ in range(2):
        process = start(terminal, "proxy", *OFF, "--port", "0", "--upstream", service.url, "--json")
        assert process.stdout is not None
        printed = json.loads("".join(iter(process.stdout.readline, "}\n")) + "}")
        urls.append(printed["baseUrl"].partition("/t/")[2])
        assert post(f"http://127.0.0.1:{printed['port']}/t/{'0' * 32}")[0] == 403
        process.send_signal(signal.SIGINT)
        assert done(process)[0] == 0
    assert urls[0] == urls[1]
    assert service.requests == []


def test_a_port_in_use_is_reported(terminal: Terminal, service: Service) -> None:
    said = terminal.wm("proxy", "--port", str(service.server_port), "--upstream", service.url)
    assert said.code == 1
    assert f"cannot listen on 127.0.0.1:{service.server_port}" in said.sentences
    assert "--port" in said.sentences


def test_a_program_runs_behind_its_own_proxy_and_its_exit_code_is_returned(
    terminal: Terminal, service: Service
) -> None:
    script = f"{posts({})} && exit 7"
    code, out, err = done(
        start(terminal, "run", *OFF, "--upstream", service.url, "sh", "-c", script)
    )
    assert code == 7
    assert '"input_tokens": 12' in out
    assert err == "wm run: 1 request; 42 tokens read, 30 of them from the cache.\n"
    assert service.requests[0][0] == "/v1/messages"


def test_options_after_the_program_belong_to_the_program(terminal: Terminal) -> None:
    line = (*QUIET, *NOWHERE, "--", "echo", "--json", "-C", "x")
    assert done(start(terminal, *line)) == (0, "--json -C x\n", "")


def test_the_upstream_of_the_environment_is_kept(terminal: Terminal, service: Service) -> None:
    line = (*QUIET, "sh", "-c", posts({}))
    code, _, _ = done(start(terminal, *line, ANTHROPIC_BASE_URL=service.url))
    assert code == 0
    assert len(service.requests) == 1


def test_stopping_wm_run_stops_the_program(terminal: Terminal, service: Service) -> None:
    script = 'trap "echo ended; exit 5" TERM; echo up; while :; do sleep 0.05; done'
    process = start(terminal, *QUIET, "--upstream", service.url, "sh", "-c", script)
    assert process.stdout is not None
    assert process.stdout.readline() == "up\n"
    process.send_signal(signal.SIGTERM)
    assert done(process) == (5, "ended\n", "")


def test_a_killed_program_gives_the_shell_exit_code(terminal: Terminal) -> None:
    line = (*QUIET, *NOWHERE, "sh", "-c", "kill -9 $$")
    assert done(start(terminal, *line))[0] == 128 + signal.SIGKILL


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("run",), 2, "needs a PROGRAM"),
        (("run", "--upstream", "http://127.0.0.1:9", "no-such-program"), 1, "no program"),
        (("run", "--upstream", "http://api.example", "sh"), 1, "without encryption"),
        (("run", "--upstream", "nonsense", "sh"), 1, "not an http or https URL"),
        (("proxy", "--upstream", "ftp://x"), 1, "not an http or https URL"),
        (("proxy", "--port", "70000"), 2, "--port"),
    ],
)
def test_an_impossible_request_is_a_one_sentence_error(
    terminal: Terminal, words: tuple[str, ...], code: int, says: str
) -> None:
    said = terminal.wm(*words)
    assert said.code == code
    assert says in said.sentences
    assert os.path.exists(terminal.repo)


def test_exchanges_are_stored_by_the_daemon_and_shown(
    home_with_daemon: Terminal, service: Service
) -> None:
    user = home_with_daemon.at("passing")
    event = {"kind": "session_started", "source": "startup"}
    whose = {"directory": str(user.repo), "sessionId": "s-77", "agent": "claude-code"}
    with Client(user.settings()) as client:
        client.call("record_event", {**whose, "event": event})
    body = {
        "model": "claude-opus-5-5",
        "tools": [{"name": "Bash"}],
        "messages": [{"role": "user", "content": "hello"}],
    }
    script = posts(body, {"X-Claude-Code-Session-Id": "s-77"})
    code, _, err = done(start(user, "run", "--upstream", service.url, "sh", "-c", script))
    assert (code, "1 request;" in err) == (0, True)
    key = identity.key_of(str(user.repo))
    where = f"/workspaces/{key}/objects, so that what is removed can be restored."
    assert "Paging policy safe: the steps of sessions are kept" in " ".join(err.split())
    assert where in " ".join(err.split())
    shown = user.wm("session", "show", "s-77", "--json").json
    assert shown["passed"] | {"lastAt": ""} == {
        "exchanges": 1,
        "failed": 0,
        "read": 42,
        "cached": 30,
        "written": 0,
        "lastAt": "",
    }
    pressure = shown["pressure"]
    assert (pressure["source"], pressure["basis"], pressure["used"]) == ("proxy", "tokens", 42)
    said = user.wm("session", "show", "s-77").out
    assert "proxy        1 exchange · 42 tokens read (71 % from the cache) · 0 written" in said


def test_without_a_daemon_it_is_said_what_a_later_one_stores(
    terminal: Terminal, service: Service
) -> None:
    (terminal.data / "run").parent.mkdir(parents=True)
    (terminal.data / "run").write_text("in the way of the socket")
    code, _, err = done(start(terminal, "run", "--upstream", service.url, "true"))
    printed = " ".join(err.split())
    assert code == 0
    assert printed.startswith(
        "Paging policy safe: the steps of sessions are kept, without secrets,"
    )
    later = "Nothing is removed from requests until the daemon runs: it does not start."
    assert f"stores nothing. {later} `wm doctor` says why." in printed


def test_the_first_bodies_of_a_folder_are_recorded_and_replayed(
    home_with_daemon: Terminal, service: Service
) -> None:
    """Nothing of the workspace is stored yet, and the request names no folder."""
    user = home_with_daemon.at("unheard")
    body = {"model": "m", "messages": [{"role": "user", "content": "hello"}]}
    script = posts(body, {"X-Session-Id": "s-78"})
    line = ("run", "--record", "--upstream", service.url, "sh", "-c", script)
    code, _, err = done(start(user, *line))
    folder = f"{user.data}/workspaces/{identity.key_of(str(user.repo))}/recordings"
    assert (code, "1 exchange recorded without secrets in" in " ".join(err.split())) == (0, True)
    assert user.wm("replay", folder).out.startswith("policy none · 1 request of 1 conversation")


def test_a_program_that_ignores_the_proxy_is_reported(terminal: Terminal) -> None:
    code, _, err = done(start(terminal, "run", *OFF, *NOWHERE, "true"))
    assert (code, err) == (
        0,
        "wm run: 0 requests; only programs that read ANTHROPIC_BASE_URL use the proxy.\n",
    )


def test_the_last_lines_say_what_memory_adds_and_what_paging_did_in_all_conversations() -> None:
    counts = {"requests": 3, "removed": 1200, "cuts": 1, "faults": 2, "misses": 1, "added": 700}
    one = PagingTotals(session="", saved=2e5, spent=1e4, fault_cost=5e4, added_cost=3e3, **counts)
    assert paged([one, one], "balanced") == (
        "memory itself adds: 1,400 tokens of tools and texts, $0.0060 so far",
        "policy balanced · 6 requests · saved $0.4000, spent $0.0200, 4 needed again ($0.1000), "
        "2 cache misses · 2 cuts · 2,400 tokens fewer at the end. Estimated; `wm objects` has the "
        "details.",
    )
    gone = one.model_copy(update={"removed": 0, "added": 0})
    assert "saved $0.2000, spent $0.0100" in paged([gone], "safe")[1], "also after a compaction"
    assert paged([PagingTotals(session="", requests=3)], "safe") == ("", "")
    for uncut, says in (("policy", ""), ("price", "so far"), ("credit", "saved so far")):
        assert says in paged([PagingTotals(session="", requests=3, uncut=uncut)], "tight")[1]
    young = PagingTotals(session="", requests=2, uncut="young")
    assert " · 1 cut · " in paged([young, one], "tight")[1], "the newest request has one"
    assert "1 cut; no new one: nothing in the last request" in paged([one, young], "tight")[1]
    assert paged([], "safe") == ()
