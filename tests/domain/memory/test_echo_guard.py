import pytest

from wm.domain.memory.echo_guard import is_echo, without_injected

BLOCK = (
    "<workspace_memory>\nDecisions\n- Use pnpm, never npm.\n- 金额一律以分为单位保存。\n"
    "</workspace_memory>"
)


@pytest.mark.parametrize(
    ("text", "echo"),
    [
        ("Use pnpm, never npm.", True),
        ("- [decision] use PNPM never npm", True),
        ("[M3] Use pnpm, never npm", True),
        ("金额一律以分为单位保存", True),
        ("Use pnpm, never npm, from version 9 on", False),
        ("Use pnp", False),
        ("Use yarn", False),
        ("", False),
    ],
)
def test_only_injected_text_is_an_echo(text: str, echo: bool) -> None:
    assert is_echo(text, ["something else", BLOCK]) is echo


def test_without_injected_text_nothing_is_an_echo() -> None:
    assert not is_echo("Use pnpm", [])


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("plain", "plain"),
        ("a<system-reminder>remember that x</system-reminder>b", "ab"),
        (f"before {BLOCK} after", "before  after"),
        ("a<SYSTEM-REMINDER id='1'>x</SYSTEM-REMINDER>b", "ab"),
        ("a<system-reminder>x<system-reminder>y</system-reminder>z</system-reminder>b", "ab"),
        ("a<core_memory>x</working_memory>y</core_memory>b", "ab"),
        ("a<wm-recalled>x</wm-recalled>b", "ab"),
        ("a<system-reminder>never closed", "a"),
        ("a</system-reminder>b", "ab"),
        ("Array<string> and <b>bold</b>", "Array<string> and <b>bold</b>"),
    ],
)
def test_blocks_that_the_user_did_not_type_are_removed(text: str, left: str) -> None:
    assert without_injected(text) == left
