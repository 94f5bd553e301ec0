"""No secret reaches the disk, on any path into it (TR-1)."""

from __future__ import annotations

import json

from tests.ops.conftest import SHIP, Bench
from wm.store import paths

# Put together here, so that no scanner of this repository takes it for a real one.
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
PASSWORD = "Tr0ub4dor" + "&3xPq9"


def leaks(bench: Bench) -> list[str]:
    """Files of the home that hold the secret, names included."""
    bench.store.flush()
    found = []
    for path in bench.settings.paths.home.rglob("*"):
        content = str(path).encode() + (path.read_bytes() if path.is_file() else b"")
        if SECRET.encode() in content or PASSWORD.encode() in content:
            found.append(path.name)
    return found


def test_no_secret_reaches_the_disk_on_any_path(files: Bench) -> None:
    session = {"session_id": "cc-1", "cwd": str(files.project)}
    files.hook("claude-code", "SessionStart", {**session, "source": "startup"})
    files.hook(
        "claude-code",
        "UserPromptSubmit",
        {**session, "prompt": f"Remember that the deploy token is {SECRET} for the shop."},
    )
    files.hook(
        "claude-code",
        "UserPromptSubmit",
        {**session, "prompt": f"Don't remember the token {SECRET} please."},
    )
    bash = {"tool_name": "Bash", "tool_input": {"command": f"TOKEN={SECRET} pytest tests"}}
    error = f"Exit code 1\nFAILED tests/test_a.py::test_b - AssertionError: {SECRET}\n"
    files.hook("claude-code", "PostToolUseFailure", {**session, **bash, "error": error})
    read = {"tool_name": "Read", "tool_input": {"file_path": f"/tmp/{SECRET}/a.py"}}
    files.hook("claude-code", "PostToolUse", {**session, **read, "tool_response": {}})
    files.hook(
        "claude-code",
        "Stop",
        {**session, "last_assistant_message": f"We decided to use {SECRET} for the registry."},
    )
    kept = files.remember(
        SHIP, rationale=f"password: {PASSWORD}", tags=[SECRET], session=f"s-{SECRET}"
    )
    files.call("edit_entry", id=kept.id, text=f"We deploy with the password: {PASSWORD} always.")
    files.call("edit_entry", id=kept.id, rationale=f"token {SECRET}")
    files.call("forget_entry", id=kept.id, reason=f"it named {SECRET}")
    files.hook("claude-code", "PreCompact", {**session, "trigger": "auto"})
    files.hook("claude-code", "SessionStart", {**session, "source": "compact"})
    lines = f"Memory candidates:\n- [project] The registry token is {SECRET}.\n- oops {SECRET}"
    files.hook("claude-code", "PostCompact", {**session, "compact_summary": lines})
    files.hook("claude-code", "SessionEnd", {**session, "reason": "exit"})
    child = {"kind": "session_started", "parent_session": f"p-{SECRET}"}
    files.call("record_event", session_id="s-2", agent=f"agent {SECRET}", event=child)
    assert leaks(files) == []
    assert "[secret:" in json.dumps(files.call("export_workspace").model_dump(mode="json"))


def test_a_secret_in_an_outside_edit_is_redacted_on_acceptance(files: Bench) -> None:
    files.remember(SHIP)
    path = files.settings.paths.home / paths.workspace_folder(files.key) / "workspace-memory.json"
    text = path.read_text("utf-8")
    path.write_text(text.replace("make ship", f"make ship TOKEN={SECRET}"), "utf-8")
    assert files.call("notice_outside").waiting == 1
    assert leaks(files) == []
    assert "[secret:" in files.texts("inbox")[0]


def test_why_finds_a_text_with_a_redacted_secret(files: Bench) -> None:
    text = f"The deploy token is {SECRET} for the shop."
    answer = files.call("remember", text=text)
    assert answer.outcome == "inbox"
    assert files.call("why", subject=text).entry.id == answer.entry.id


def test_a_token_in_the_name_of_a_session_or_a_branch_does_not_reach_the_disk(files: Bench) -> None:
    for part in ("objects", "refs"):
        (files.project / ".git" / part).mkdir(parents=True)
    (files.project / ".git" / "HEAD").write_text(f"ref: refs/heads/feature/{SECRET}\n")
    session = {"session_id": f"s-{SECRET}", "cwd": str(files.project)}
    files.hook("claude-code", "SessionStart", {**session, "source": "startup"})
    files.hook("claude-code", "UserPromptSubmit", {**session, "prompt": f"Remember: {SHIP}"})
    files.prompt(f"s-{SECRET}")
    files.event("compaction_started", session=f"s-{SECRET}")
    kept = files.remember("The service listens on port 8443 here.", branch_only=True)
    assert kept.scope.startswith("branch:feature/[secret:")
    assert leaks(files) == []
    shown = files.call("show_session", session_id=f"s-{SECRET}").state
    assert shown.session_id.startswith("s-[secret:")
    assert shown.epoch_number == 1
    assert sorted(files.texts()) == [kept.text, SHIP]
    plain = files.call("show_session", session_id=shown.session_id).state
    assert plain == shown, "the label names the same session"


def test_paging_stores_no_secret_in_the_place_of_a_name_a_model_or_a_kind(files: Bench) -> None:
    """A token of no known format has no label there, and a key that only its label gives away was
    listed again among the identifiers of its text."""
    token, key = "q8Zr2LxV0mWt5KcY" + "7bNd3PfS9hJg", "4fd90c71ab3e68d2" + "950e7b1cf3a84d26"
    part = {"id": "f_1", "kind": token, "text": f"X-Auth-Token: {key}\nRetryBudget is 3"}
    step = {"id": "o_1", "type": "plan", "tokens": 9, "parts": [part]}
    files.call(
        "append_paging",
        session_id="s-1",
        objects=[{**step, "names": [key, "RetryBudget", "OfAnotherText"]}],
        records=[{"kind": "sent", "request": "r_1", "policy": "safe", "model": token}],
        durable=True,
    )
    (kept,) = files.runtime.store.objects(files.key, paths.sid("s-1"))
    assert kept.names == ("RetryBudget", "OfAnotherText")
    files.store.flush()
    stored = [path for path in files.settings.paths.home.rglob("*") if path.is_file()]
    assert not any(text.encode() in path.read_bytes() for path in stored for text in (token, key))


def test_a_broken_document_with_a_secret_is_kept_redacted(files: Bench) -> None:
    files.remember(SHIP)
    folder = files.settings.paths.home / paths.workspace_folder(files.key)
    path = folder / "workspace-memory.json"
    path.write_text('{"entries": ["password: ' + PASSWORD, "utf-8")
    files.remember("Prices are stored in cents.")
    assert leaks(files) == []
    assert files.texts() == [SHIP, "Prices are stored in cents."]
