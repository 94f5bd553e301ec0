"""What holds for every output, whatever it is made of (PR-2, PR-3)."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from wm.domain.pruning.lines import EDGE, OutputLines
from wm.domain.pruning.modes import Mode, measure_of
from wm.domain.pruning.prune import MARK, prune
from wm.domain.pruning.telling_lines import errors
from wm.domain.pruning.tool_call import PrunableCall
from wm.settings import PruningSettings

SETTINGS = PruningSettings()
HANDLE = "t_" + "0" * 20

PIECES = (
    "src/berth.py", "2026-05-01 07:00:11 INFO tide 4", "ERROR: no rope", "Traceback (most recent",
    "    at f (x.js:1:2)", "FAILED tests/a.py::b", "", " ", "same", "{", "}", '  "a": 1,',
    "diff --git a/x b/x", "+new", "-old", "@@ -1 +1 @@", "├── a", "\x1b[31mred error\x1b[0m",
    "a\rb", "12", "200", "é✓ ok", "3 passed in 1s", "\ud800", "[wm: 3 lines left out]", "\t",
)  # fmt: skip
COMMANDS = ("", "ls", "make", "pytest", "git diff", "cat x.log", "npm test", "rg x", "curl x")

line = st.one_of(
    st.sampled_from(PIECES), st.text(st.characters(exclude_characters="\n"), max_size=20)
)
outputs = st.lists(st.tuples(line, st.integers(1, 40)), max_size=30).map(
    lambda runs: "\n".join(text for text, times in runs for _ in range(times))
)


@settings(max_examples=150, deadline=None)
@given(outputs, st.sampled_from(COMMANDS), st.sampled_from(Mode), st.booleans())
def test_a_result_is_shorter_and_consists_of_output_lines(
    output: str, command: str, mode: Mode, ends: bool
) -> None:
    output = output + "\n" * ends
    pruned = prune(PrunableCall("bash", "bash", command, output), mode, SETTINGS)
    count = output.count("\n") + (not output.endswith("\n"))
    if count <= measure_of(mode, SETTINGS).threshold:
        assert pruned is None
    if pruned is None:
        return
    text = pruned.text(HANDLE)
    assert len(text) < len(output)
    assert text.endswith("\n") == output.endswith("\n")
    given_lines = iter(output.split("\n"))
    kept = [one for one in text.split("\n") if not one.startswith(MARK)]
    # In order, each a line of the output.
    assert all(one in given_lines for one in kept)
    again = prune(PrunableCall("bash", "bash", command, text), Mode.HYPER, SETTINGS)
    assert again is None


@settings(max_examples=100, deadline=None)
@given(outputs, st.sampled_from(("", "make", "pytest", "cat x.log")), st.sampled_from(Mode))
def test_lines_that_look_like_errors_survive_or_one_of_their_shape_does(
    output: str, command: str, mode: Mode
) -> None:
    pruned = prune(PrunableCall("bash", "bash", command, output), mode, SETTINGS)
    if pruned is None or pruned.kind in ("listing", "tree", "diff", "json", "grep", "table"):
        return
    lines = OutputLines(output)
    kept = set(pruned.text(HANDLE).split("\n"))
    shapes = {lines.shapes[i] for i in range(len(lines)) if lines.lines[i] in kept}
    assert all(lines.shapes[index] in shapes for index in errors(lines))


def test_a_very_long_output_keeps_both_ends_and_an_error_in_the_middle() -> None:
    words = [f"step {'abcdefghij'[n % 10] * (n % 7 + 1)} done in {n} ms" for n in range(90_000)]
    words[45_000] = "fatal: the crane tipped over"
    words[45_001] = "    at lift (crane.js:4:1)"
    output = "\n".join(words)
    pruned = prune(PrunableCall("bash", "bash", "./work.sh", output), Mode.NORMAL, SETTINGS)
    assert pruned is not None
    left = pruned.text(HANDLE).split("\n")
    assert {words[0], words[45_000], words[45_001], words[-1]} <= set(left)
    assert pruned.lines == 90_000 > 3 * EDGE
    assert len(left) <= 70
