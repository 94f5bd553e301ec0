"""The four agents that do not speak the Messages API: where their settings are, how they are run.

Each is pointed at the scripted upstream by its own settings for another provider; no account and no
login is needed. Every run names its session, so that a scene can continue it.
"""

from __future__ import annotations

import hashlib
import json
import re
import uuid
from collections.abc import Callable

from tests.clients.agents import Agent
from tests.clients.harness import RUN_TIMEOUT_SECONDS, Machine, Run

KEY = "dummy-key-for-the-scripted-upstream"
CODEX_MODEL = "gpt-5.1-codex"
"""A model that calls tools directly; newer ones run them inside JavaScript."""
CODEX_CONFIG = """\
model = "{model}"
model_provider = "scripted"

[model_providers.scripted]
name = "scripted"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "OPENAI_API_KEY"
request_max_retries = 0
stream_max_retries = 0

[projects."{project}"]
trust_level = "trusted"
"""


def seed(machine: Machine) -> None:
    """Give all four their settings on this machine."""
    url = machine.upstream.url
    files = {
        ".codex/config.toml": CODEX_CONFIG.format(model=CODEX_MODEL, url=url, project=machine.repo),
        ".gemini/settings.json": json.dumps(
            {
                "security": {"auth": {"selectedType": "gemini-api-key"}},
                "general": {"disableAutoUpdate": True, "enableAutoUpdate": False},
                "privacy": {"usageStatisticsEnabled": False},
                "telemetry": {"enabled": False},
            }
        ),
        ".qwen/settings.json": json.dumps(
            {
                "security": {"auth": {"selectedType": "openai"}},
                "general": {"disableAutoUpdate": True, "enableAutoUpdate": False},
                "privacy": {"usageStatisticsEnabled": False},
                "memory": {"enableManagedAutoMemory": False},
            }
        ),
        ".copilot/config.json": json.dumps({"banner": "never"}),
    }
    for name, text in files.items():
        path = machine.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    machine.environment |= {
        "OPENAI_API_KEY": KEY,
        "OPENAI_BASE_URL": f"{url}/v1",
        "OPENAI_MODEL": "scripted",
        "GEMINI_API_KEY": KEY,
        "GOOGLE_GEMINI_BASE_URL": url,
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
        "GEMINI_MODEL": "gemini-3.8-flash",
        "COPILOT_OFFLINE": "true",
        "COPILOT_PROVIDER_BASE_URL": f"{url}/v1",
        "COPILOT_PROVIDER_API_KEY": KEY,
        "COPILOT_MODEL": "gpt-4.1",
        "COPILOT_ALLOW_ALL": "true",
    }


def trust_codex(machine: Machine) -> None:
    """What Codex writes when its user looks at the hooks in the terminal and trusts them."""
    path = machine.home / ".codex" / "hooks.json"
    config = machine.home / ".codex" / "config.toml"
    state = ""
    for event, groups in json.loads(path.read_text())["hooks"].items():
        for number, group in enumerate(groups):
            for index, handler in enumerate(group["hooks"]):
                name = re.sub(r"(?<!^)([A-Z])", r"_\1", event).lower()
                hook = {"event_name": name, "hooks": [{"async": False, **handler}]}
                text = json.dumps(hook, sort_keys=True, separators=(",", ":"))
                digest = hashlib.sha256(text.encode()).hexdigest()
                state += f'\n[hooks.state."{path}:{name}:{number}:{index}"]\n'
                state += f'trusted_hash = "sha256:{digest}"\n'
    config.write_text(config.read_text().partition("\n[hooks.state")[0] + state)


def _codex(prompt: str, session: str, *, resumed: bool, model: str = CODEX_MODEL) -> list[str]:
    options = ["--json", "--skip-git-repo-check", "-m", model]
    options += ["--dangerously-bypass-approvals-and-sandbox"]
    which = ["resume", session] if resumed else []
    return ["codex", "exec", *options, *which, prompt]


def _copilot(prompt: str, session: str, **_how: object) -> list[str]:
    options = ["--allow-all-tools", "--allow-all-paths", "--disable-builtin-mcps"]
    options += ["--output-format", "json"]
    return ["copilot", "-p", prompt, "--session-id", session, *options]


def _gemini(prompt: str, session: str, *, resumed: bool) -> list[str]:
    which = "--resume" if resumed else "--session-id"
    return ["gemini", "-p", prompt, which, session, "--yolo", "--output-format", "json"]


def _qwen(prompt: str, session: str, *, resumed: bool) -> list[str]:
    which = "--resume" if resumed else "--session-id"
    return ["qwen", "-p", prompt, which, session, "--yolo", "--output-format", "json"]


def _runner(name: str, command: Callable[..., list[str]]) -> Callable[..., Run]:
    def run(
        machine: Machine,
        prompt: str,
        *,
        session: str | None = None,
        timeout: float = RUN_TIMEOUT_SECONDS,
        **how: object,
    ) -> Run:
        """One headless turn; `session` continues an earlier one."""
        named = session or str(uuid.uuid4())
        program, *words = command(prompt, named, resumed=session is not None, **how)
        # Codex chooses its own id, and says it.
        known = "" if name == "codex" else named
        path = str(machine.clients.programs / program)
        return machine.run(name, [path, *words], timeout, known)

    return run


CODEX = Agent("codex", _runner("codex", _codex), "exec_command", command_argument="cmd")
COPILOT = Agent(
    "copilot", _runner("copilot", _copilot), "bash", "view", "edit", "path", "old_str", "new_str"
)
GEMINI = Agent(
    "gemini",
    _runner("gemini", _gemini),
    "run_shell_command",
    "read_file",
    "replace",
    "file_path",
    "old_string",
    "new_string",
)
QWEN = Agent(
    "qwen",
    _runner("qwen", _qwen),
    "run_shell_command",
    "read_file",
    "edit",
    "file_path",
    "old_string",
    "new_string",
)
OTHERS = (CODEX, COPILOT, GEMINI, QWEN)
