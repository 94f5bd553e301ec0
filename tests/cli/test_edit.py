"""`wm edit` with an editor, and without one."""

from __future__ import annotations

import re

from tests.cli.terminal import Said, Terminal

ONE = "We deploy with `make ship`."


def editor(user: Terminal, script: str) -> dict[str, str]:
    """An EDITOR that is a shell script; $1 is the file."""
    program = user.home / "bin" / "editor"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return {"EDITOR": str(program)}


def edited(user: Terminal, script: str, *words: str) -> Said:
    return user.wm("edit", user.remember(ONE), *words, env=editor(user, script))


def test_the_editor_gets_the_text_and_its_result_is_stored(user: Terminal) -> None:
    said = edited(user, """sed -i 's/ship/sail/' "$1" """)
    assert said.code == 0
    assert said.out.startswith("  We deploy with `make sail`.\n")
    assert user.wm("search", "sail").code == 0


def test_an_editor_that_changes_nothing_changes_nothing(user: Terminal) -> None:
    said = edited(user, ":")
    assert (said.code, said.err) == (1, "wm: Nothing was changed: the text is the same.\n")


def test_an_empty_result_is_refused(user: Terminal) -> None:
    said = edited(user, """: > "$1" """)
    assert said.code == 1
    assert said.err.startswith("wm: An entry needs a text.")


def test_a_failing_editor_is_named(user: Terminal) -> None:
    said = edited(user, "exit 3")
    assert said.code == 1
    assert said.sentences.startswith("wm: The editor failed: ")
    assert said.sentences.endswith("Editing failed. Set EDITOR to one that runs.")


def test_without_editor_and_terminal_the_alternatives_are_named(user: Terminal) -> None:
    said = user.wm("edit", user.remember(ONE))
    assert (said.code, said.err) == (
        1,
        "wm: There is no terminal to open an editor in.\n"
        "    Give the new text, or - to read it from standard input, or set EDITOR.\n",
    )


def test_options_alone_open_no_editor(user: Terminal) -> None:
    said = edited(user, "exit 3", "--type", "project", "--rationale", "It checks.")
    assert said.code == 0
    assert "  type     project\n" in said.out
    assert "  because  It checks.\n" in said.out


def test_a_secret_typed_into_the_editor_is_not_stored(user: Terminal) -> None:
    secret = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
    said = edited(user, f"""echo 'The CI token is {secret}' > "$1" """)
    assert secret not in said.out
    kept = [path for path in user.data.rglob("*.json") if secret in path.read_text()]
    assert kept == []


def test_an_empty_text_is_refused_and_opens_no_editor(user: Terminal) -> None:
    said = edited(user, "exit 3", "")
    assert said.code == 1
    assert said.err.startswith("wm: An entry needs a text.")


def test_a_waiting_edit_names_the_verb_that_accepts_it(user: Terminal) -> None:
    said = user.wm("edit", user.remember(ONE), "All 40 tests pass now.")
    assert said.code == 0
    assert "status    waits in the inbox: it describes progress, not a lasting fact" in said.out
    printed = " ".join(said.out.split())
    assert (
        "The new text waits in the inbox, because it describes progress, not a lasting fact."
        in printed
    )
    assert "replaces m_" in printed


def test_an_id_of_the_memory_for_all_projects_works_in_every_folder(user: Terminal) -> None:
    mine = user.remember("The staging port is 8080.", "--user")
    assert "in all your projects" in user.wm("show", mine).out
    undone = user.wm("undo", mine)
    assert undone.code == 0
    assert f"There is no entry '{mine}'" in user.wm("pin", mine).err


def test_the_commands_that_remember_user_prints_work_where_they_are_read(
    terminal: Terminal,
) -> None:
    terminal.remember("We deploy with `make ship`.")
    old = terminal.remember("The staging port is 8080.", "--user")
    said = " ".join(terminal.wm("remember", "--user", "The staging port is 9090 now.").out.split())
    new = re.findall(r"Remembered as (m_\w+)", said)[0]
    assert f"it replaces “The staging port is 8080”. `wm undo {new}` restores it." in said
    assert f"{old} is active again" in " ".join(terminal.wm("undo", new).out.split())
    assert f"`wm undo {old}` undoes it." in " ".join(terminal.wm("forget", old).out.split())
    assert terminal.wm("undo", old).code == 0


def test_a_workspace_that_is_named_is_the_only_one(terminal: Terminal) -> None:
    terminal.remember("We deploy with `make ship`.")
    mine = terminal.remember("The staging port is 8080.", "--user")
    key = terminal.wm("status", "--json").json["workspace"]["key"]
    assert "There is no entry" in terminal.wm("forget", mine, "--workspace", key).err
