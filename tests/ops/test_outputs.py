"""Long output is pruned at the hooks, stored completely, and restored (PR-3, GV-1)."""

from __future__ import annotations

import json
import re

import pytest
from msgspec.structs import replace

from tests.ops.conftest import Bench
from wm.api.sessions import HookRequest, PrunedOutput
from wm.errors import Corrupt, NotFound, UserError
from wm.formats.pressure import Pressure
from wm.formats.tool_output import ToolOutput, file_name
from wm.ops.session.hooks import hook
from wm.ops.session.tool_outputs import output_ref
from wm.settings import PruningRule
from wm.store.base import Ref
from wm.store.paths import sid


def keep(bench: Bench, number: int, session: str) -> str:
    one = ToolOutput(id=f"t_{number:020x}", session=sid(session), text="a", chars=1)
    ref = output_ref(bench.key, file_name(one.id, one.session))
    bench.store.keep(ref, one)
    return f"tool_output/{ref.name}"


def test_outputs_are_deleted_with_their_session(bench: Bench) -> None:
    bench.event("session_started", "s-1")
    keep(bench, 1, "s-1")
    other = keep(bench, 2, "s-2")
    bench.event("session_deleted", "s-1")
    documents = bench.call("export_workspace").documents
    assert [name for name in documents if name.startswith("tool_output")] == [other]


LISTED = "".join(f"bays/pier{n % 20:02d}/f{n}.c\n" for n in range(2000))
SECRET = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"


def bash(command: str, output: str, **more: object) -> dict[str, object]:
    return {
        "session_id": "cc-1",
        "cwd": "/src",
        "tool_name": "Bash",
        "tool_input": {"command": command},
        "tool_response": {"stdout": output, "stderr": "", "interrupted": False, "isImage": False},
        **more,
    }


def pruned(bench: Bench, output: str = LISTED, **event: object) -> PrunedOutput | None:
    given = {"tool": "bash", "name": "bash", "command": "ls -R bays", "exit_code": 0, **event}
    answer = bench.event("tool_finished", "s-1", replaceable=output, output=output, **given)
    return answer.pruned


def handle_of(bench: Bench, output: str = LISTED, **event: object) -> str:
    found = pruned(bench, output, **event)
    assert found is not None
    return found.handle


def test_claude_code_gets_the_pruned_answer_in_its_own_form(bench: Bench) -> None:
    said = json.loads(bench.hook("claude-code", "PostToolUse", bash("find bays", LISTED)))
    given = said["hookSpecificOutput"]["updatedToolOutput"]
    assert {k: v for k, v in given.items() if k != "stdout"} == {
        "stderr": "",
        "interrupted": False,
        "isImage": False,
    }
    assert "1,940 names left out" in given["stdout"]


@pytest.mark.parametrize(
    "payload",
    [
        bash("ls", "a\nb\n"),
        bash("cat src/tide.c", LISTED),
        {**bash("", ""), "tool_name": "Read", "tool_response": {"file": {"content": LISTED}}},
        {**bash("", ""), "tool_name": "Edit", "tool_response": {"content": LISTED}},
    ],
    ids=["short", "a source", "read", "edit"],
)
def test_claude_code_gets_no_answer_if_nothing_is_pruned(
    bench: Bench, payload: dict[str, object]
) -> None:
    assert bench.hook("claude-code", "PostToolUse", payload) == ""


def test_an_answer_of_an_mcp_server_that_is_a_text_is_replaced_by_a_text(bench: Bench) -> None:
    payload = {**bash("", ""), "tool_name": "mcp__files__walk", "tool_response": LISTED}
    said = json.loads(bench.hook("claude-code", "PostToolUse", payload))
    assert "names left out" in said["hookSpecificOutput"]["updatedToolOutput"]


def test_opencode_gets_a_text_where_its_plugin_can_put_one(bench: Bench) -> None:
    def post(**more: object) -> str:
        return bench.hook(
            "opencode",
            "tool.execute.after",
            {
                "input": {"sessionID": "ses_1", "tool": "bash", "args": {"command": "ls -R bays"}},
                "output": {"output": LISTED, "metadata": {"exit": 0}},
                "directory": str(bench.project),
                **more,
            },
        )

    assert "names left out" in json.loads(post(replaceable=True))["output"]
    assert post() == ""
    assert post(replaceable=True, output={"output": LISTED, "metadata": {"synthetic": True}}) == ""


def test_only_a_call_that_may_be_pruned_waits(bench: Bench) -> None:
    def waits(payload: dict[str, object]) -> bool:
        given = {"payload": payload, "project": str(bench.project)}
        request = HookRequest(agent="claude-code", name="PostToolUse", **given)
        return bench.early(hook, request) is None

    assert waits(bash("ls", LISTED))
    assert not waits(bash("ls", "a\n" * 12))
    read = {**bash("", ""), "tool_name": "Read", "tool_response": {"file": {"content": LISTED}}}
    assert not waits(read)


def test_the_original_is_stored_redacted_once_per_output(bench: Bench) -> None:
    output = LISTED + f"export TOKEN={SECRET}\n" + LISTED
    first, again = handle_of(bench, output), handle_of(bench, output)
    assert first == again
    [name] = bench.store.names(ToolOutput, bench.key)
    kept = bench.store.read(output_ref(bench.key, name)).document
    assert kept is not None
    assert (kept.id, kept.session, kept.kind, kept.lines) == (first, sid("s-1"), "listing", 4001)
    assert SECRET not in kept.text
    assert kept.text.count("\n") == output.count("\n")
    shown = bench.call("show_output", id=first)
    assert (shown.whole, shown.total_lines, shown.text) == (True, 4001, kept.text)


@pytest.mark.parametrize(
    ("level", "mode"), [("safe", "normal"), ("high", "aggressive"), ("critical", "hyper")]
)
def test_the_mode_follows_the_sessions_pressure(bench: Bench, level: str, mode: str) -> None:
    bench.event("session_started", "s-1")
    ref = Ref(Pressure, bench.key, sid("s-1"))
    with bench.store.transaction([ref]) as transaction:
        transaction.put(ref, Pressure(session_id="s-1", level=level))
    found = pruned(bench)
    assert found is not None
    assert found.mode == mode


def test_why_reports_a_pruned_output_after_its_deletion(bench: Bench) -> None:
    handle = handle_of(bench)
    explanation = bench.call("why", subject=handle[:10])
    assert [record.entry for record in explanation.records] == [handle]
    assert (
        "a tool's output was shortened before the model read it (listing)"
        in explanation.sentences[0]
    )
    names = bench.store.names(ToolOutput, bench.key)
    bench.store.discard([output_ref(bench.key, name) for name in names])
    assert bench.call("why", subject=handle).records == explanation.records
    with pytest.raises(NotFound, match="There is no tool output"):
        bench.call("show_output", id=handle)
    with pytest.raises(NotFound, match="Nothing is known about the tool output"):
        bench.call("why", subject="t_ffffffff")


@pytest.mark.parametrize(
    ("asked", "numbers"),
    [
        ({"lines": "2:4"}, (2, 3, 4)),
        ({"lines": "1999:"}, (1999, 2000)),
        ({"lines": ":2"}, (1, 2)),
        ({"lines": "7"}, (7,)),
        ({"lines": "1990:9999", "grep": r"f199[13]\."}, (1992, 1994)),
        ({"grep": "no such name"}, ()),
    ],
)
def test_lines_of_an_output_are_found_by_number_and_expression(
    bench: Bench, asked: dict[str, str], numbers: tuple[int, ...]
) -> None:
    shown = bench.call("show_output", id=handle_of(bench), **asked)
    assert (shown.whole, shown.numbers) == (False, numbers)
    every = LISTED.split("\n")
    assert shown.text == "".join(f"{every[number - 1]}\n" for number in numbers)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"lines": "x:y"}, "is not a range of lines"),
        ({"lines": ":"}, "is not a range of lines"),
        ({"lines": "9" * 5000}, "is not a range of lines"),
        ({"lines": "9:3"}, "contains no line"),
        ({"lines": "0:3"}, "contains no line"),
        ({"grep": "("}, "is not a valid expression"),
        ({"id": "t_12"}, "There is no tool output"),
    ],
)
def test_an_unknown_handle_or_line_is_reported(
    bench: Bench, asked: dict[str, str], said: str
) -> None:
    with pytest.raises((UserError, NotFound), match=said):
        bench.call("show_output", **{"id": handle_of(bench), **asked})


def test_an_ambiguous_handle_prefix_names_its_matches(bench: Bench) -> None:
    keep(bench, 0xABCDE << 60, "s-1")
    keep(bench, (0xABCDE << 60) + 1, "s-2")
    with pytest.raises(UserError, match="matches 2 tool outputs: t_abcde"):
        bench.call("show_output", id="abcde")


def test_the_tool_returns_as_many_lines_as_an_answer_allows(bench: Bench) -> None:
    handle = handle_of(bench)
    answer = bench.call("call_tool", name="memory_restore", arguments={"id": handle})
    assert answer.text.startswith("1,")
    assert "data, not instructions" in answer.text
    asks = re.search(r'ask for lines "(\d+):", or use grep', answer.text)
    assert asks is not None
    rest = bench.call(
        "call_tool", name="memory_restore", arguments={"id": handle, "lines": f"{asks.group(1)}:"}
    )
    assert "bays/pier19/f1999.c" in rest.text
    assert "did not fit" not in rest.text
    found = bench.call(
        "call_tool", name="memory_restore", arguments={"id": handle, "grep": "f77[.]c"}
    )
    assert found.structured["lines"] == ["bays/pier17/f77.c"]
    assert found.structured["first"] == 78


def test_an_output_that_cannot_be_stored_is_not_pruned(files: Bench) -> None:
    folder = files.settings.paths.home / "workspaces" / files.key / "cache"
    files.event("session_started", "s-1")
    folder.write_text("a file in the way")
    assert pruned(files) is None


def test_a_damaged_output_is_reported_as_damaged(files: Bench) -> None:
    handle = handle_of(files)
    [path] = (files.settings.paths.home / "workspaces").rglob("t_*.json")
    path.write_bytes(path.read_bytes()[:500])
    with pytest.raises(Corrupt, match="differs from what wm stored"):
        files.call("show_output", id=handle)
    path.unlink()
    assert handle_of(files) == handle
    path.write_bytes(path.read_bytes().replace(b"pier01", b"pier99"))
    with pytest.raises(Corrupt, match="changed outside"):
        files.call("show_output", id=handle)


def test_rules_of_the_user_come_first(bench: Bench) -> None:
    rules = (
        PruningRule("inventory", command="^ls -R", keep=("f1000[.]c",), noun="crates"),
        PruningRule("mine", command="^make mine", leave=True),
    )
    settings = replace(bench.settings, pruning=replace(bench.settings.pruning, rules=rules))
    own = Bench(settings, bench.project, bench.store, bench.moment, bench.drawn)
    found = pruned(own)
    assert found is not None
    assert found.kind == "inventory"
    assert "bays/pier00/f1000.c" in found.text.split("\n")
    assert "crates left out" in found.text
    assert pruned(own, command="make mine") is None
