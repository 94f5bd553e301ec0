"""Wrong words: a full sentence, the fix, the documented exit code; with --json an object."""

from __future__ import annotations

import json
import shlex

import click
import pytest

from tests.cli.terminal import Terminal
from tests.docs.schemas import validate_printed
from wm.cli.app import ALSO, VERBS, commands

SESSIONS = "`wm session list` lists the sessions with their ids."
LISTS = "`wm inspect --all` lists every entry with its id."

MISTAKES: tuple[tuple[str, int, str, str], ...] = (
    (
        "learn pause --until friday",
        2,
        "`wm learn` has no option --until. --for TIME ends a pause, `wm learn resume` ends it at "
        "once.",
        "`wm learn --help` shows how.",
    ),
    (
        "remember --ttl 5 x",
        2,
        "`wm remember` has no option --ttl. An entry has no end date; `wm forget ID` removes it.",
        "`wm remember --help` shows how.",
    ),
    ("frobnicate", 2, "`wm` has no verb 'frobnicate'.", "`wm --help` shows how."),
    ("undo ''", 1, "The id is empty.", "`wm undo --list` shows every act with its id."),
    ("workspace mv '' .", 1, "The path is empty.", "Name a folder, or `.` for this one."),
    ("workspace mv . ''", 1, "The path is empty.", "Name a folder, or `.` for this one."),
    ("-C '' status", 2, "-C: it is empty.", "`wm --help` shows how."),
    ("status --workspace ''", 2, "--workspace: it is empty.", "`wm status --help` shows how."),
    ("output ''", 1, "The id is empty.", "The shortened output contains the handle."),
    (
        "serach x",
        2,
        "`wm` has no verb 'serach'. Did you mean `wm search`?",
        "`wm --help` shows how.",
    ),
    ("bogus", 2, "`wm` has no verb 'bogus'.", "`wm --help` shows how."),
    ("statu", 2, "`wm` has no verb 'statu'. Did you mean `wm status`?", "`wm --help` shows how."),
    ("stats", 2, "`wm` has no verb 'stats'. Did you mean `wm status`?", "`wm --help` shows how."),
    (
        "unpin m_1",
        2,
        "`wm` has no verb 'unpin'. Did you mean `wm pin --off`?",
        "`wm --help` shows how.",
    ),
    ("lgos", 2, "`wm` has no verb 'lgos'. Did you mean `wm logs`?", "`wm --help` shows how."),
    (
        "rember x",
        2,
        "`wm` has no verb 'rember'. Did you mean `wm remember`?",
        "`wm --help` shows how.",
    ),
    ("insp", 2, "`wm` has no verb 'insp'. Did you mean `wm inspect`?", "`wm --help` shows how."),
    (
        "delete m_1",
        2,
        "`wm` has no verb 'delete'. Did you mean `wm forget`?",
        "`wm --help` shows how.",
    ),
    (
        "version",
        2,
        "`wm` has no verb 'version'. Did you mean `wm --version`?",
        "`wm --help` shows how.",
    ),
    (
        "inbox bogus",
        2,
        "`wm inbox` has no verb 'bogus'. It has accept, edit, list, reject, review.",
        "`wm inbox --help` shows how.",
    ),
    (
        "fsck repiar",
        2,
        "`wm fsck` has no verb 'repiar'. Did you mean `wm fsck repair`?",
        "`wm fsck --help` shows how.",
    ),
    (
        "inspect --typo",
        2,
        "`wm inspect` has no option --typo. Did you mean --type?",
        "`wm inspect --help` shows how.",
    ),
    (
        "inspect --type rumour",
        2,
        "--type: 'rumour' is not one of 'feedback', 'decision', 'project', 'reference'.",
        "`wm inspect --help` shows how.",
    ),
    ("inspect -C", 2, "The option -C requires an argument.", "`wm inspect --help` shows how."),
    (
        "-C state inspect --until",
        2,
        "`wm inspect` has no option --until. Did you mean `wm search --until`?",
        "`wm inspect --help` shows how.",
    ),
    (
        "-C state search --until",
        2,
        "The option --until requires an argument.",
        "`wm search --help` shows how.",
    ),
    (
        "session core -C",
        2,
        "The option -C requires an argument.",
        "`wm session core --help` shows how.",
    ),
    (
        "edit m_1 --importance low",
        2,
        "`wm edit` has no option --importance. Did you mean `wm importance`, "
        "or `wm remember --importance`?",
        "`wm edit --help` shows how.",
    ),
    (
        "remember 'We moor at pier one.' --pin",
        2,
        "`wm remember` has no option --pin. Did you mean `wm pin`?",
        "`wm remember --help` shows how.",
    ),
    (
        "inspect --delete m_1",
        2,
        "`wm inspect` has no option --delete. Did you mean `wm forget`?",
        "`wm inspect --help` shows how.",
    ),
    (
        "setup --undo",
        2,
        "`wm setup` has no option --undo. Did you mean `wm unsetup`?",
        "`wm setup --help` shows how.",
    ),
    (
        "daemon --background",
        2,
        "`wm daemon` has no option --background. Did you mean `wm up`?",
        "`wm daemon --help` shows how.",
    ),
    (
        "workspace --list",
        2,
        "`wm workspace list` has no option --list. Did you mean `wm workspace list`?",
        "`wm workspace list --help` shows how.",
    ),
    (
        "session --delete x",
        2,
        "`wm session list` has no option --delete. Did you mean `wm session delete`?",
        "`wm session list --help` shows how.",
    ),
    (
        "session --session x core show",
        2,
        "`wm session list` has no option --session.",
        "`wm session list --help` shows how.",
    ),
    (
        "edit m_1 --tag ferry",
        2,
        "`wm edit` has no option --tag. Did you mean `wm remember --tag`, or `wm search --tag`?",
        "`wm edit --help` shows how.",
    ),
    (
        "search ferry --status active",
        2,
        "`wm search` has no option --status. Did you mean `wm status`, or `wm inspect --status`?",
        "`wm search --help` shows how.",
    ),
    ("pin m_1 --on", 2, "`wm pin` has no option --on.", "`wm pin --help` shows how."),
    (
        "pin m_1 --unpin",
        2,
        "`wm pin` has no option --unpin. Did you mean `wm pin --off`?",
        "`wm pin --help` shows how.",
    ),
    (
        "forget m_1 --force",
        2,
        "`wm forget` has no option --force.",
        "`wm forget --help` shows how.",
    ),
    (
        "edit m_1 --remove",
        2,
        "`wm edit` has no option --remove. Did you mean `wm forget`?",
        "`wm edit --help` shows how.",
    ),
    (
        "-n 3 search x",
        2,
        "`wm` has no option -n. It comes after the verb.",
        "`wm --help` shows how.",
    ),
    ("-v", 2, "`wm` has no option -v. Did you mean -V?", "`wm --help` shows how."),
    ("--verbose status", 2, "`wm` has no option --verbose.", "`wm --help` shows how."),
    (
        "inspect -C . --workspace ab",
        2,
        "Give either -C DIR or --workspace KEY.",
        "`wm inspect --help` shows how.",
    ),
    (
        "-C . inspect --workspace abababab",  # short ones may be the beginning of a real key
        1,
        "The workspace key 'abababab' is not known.",
        "`wm workspace list` shows all keys.",
    ),
    (
        "status extra",
        2,
        "`wm status` takes no further argument: 'extra'.",
        "`wm status --help` shows how.",
    ),
    (
        "session -C . 'core show'",
        2,
        "`wm session list` takes no further arguments: 'core show'.",
        "`wm session list --help` shows how.",
    ),
    (
        "session list core show",
        2,
        "`wm session list` takes no further arguments: 'core show'.",
        "`wm session list --help` shows how.",
    ),
    (
        "inbox -C . harbour",
        2,
        "`wm inbox list` takes no further argument: 'harbour'.",
        "`wm inbox list --help` shows how.",
    ),
    (
        "config set memory.learn off",
        2,
        "`wm config` has no verb 'set'. Write the option into config.toml: `wm config show` shows "
        "the file.",
        "`wm config --help` shows how.",
    ),
    *(
        (
            f"config {words}",
            2,
            f"`wm config` has no verb '{words.partition(' ')[0]}'. Write the option into "
            "config.toml: `wm config show` shows the file.",
            "`wm config --help` shows how.",
        )
        for words in ("edit", "unset memory.learn", "memory.learn=off")
    ),
    (
        "remember -m 'We moor at pier one.'",
        2,
        "`wm remember` has no option -m. TEXT needs no option; after -- it may begin with -.",
        "`wm remember --help` shows how.",
    ),
    ("run --port 3", 2, "`wm run` has no option --port.", "`wm run --help` shows how."),
    (
        "run 'sh -c true'",
        1,
        "There is no program 'sh -c true' on the PATH.",
        "Put no quotation marks around a program and its arguments.",
    ),
    (
        "team add",
        2,
        "`wm team` has no verb 'add'. It has leave, list.",
        "`wm team --help` shows how.",
    ),
    (
        "search --limit 0 deploy",
        2,
        "--limit: 0 is not between 1 and 100.",
        "`wm search --help` shows how.",
    ),
    (
        "pin a b c",
        2,
        "`wm pin` takes no further arguments: 'b c'. It takes one ID at a time.",
        "`wm pin --help` shows how.",
    ),
    (
        "forget a b",
        2,
        "`wm forget` takes no further argument: 'b'. It takes one ID at a time.",
        "`wm forget --help` shows how.",
    ),
    *(
        (
            f"logs {option}",
            2,
            f"`wm logs` has no option {option}. `tail -f` follows daemon.log, in the folder that "
            "`wm status` shows.",
            "`wm logs --help` shows how.",
        )
        for option in ("-f", "--follow")
    ),
    (
        "undo make ship",
        2,
        "`wm undo` takes no further argument: 'ship'. It takes one ACT at a time.",
        "`wm undo --help` shows how.",
    ),
    (
        "inbox reject",
        2,
        "Give an ID, or choose with --all, --type, --source or --session.",
        "`wm inbox reject --help` shows how.",
    ),
    ("pin", 2, "`wm pin` needs ID.", "`wm inspect` shows every id; `wm pin --help` shows how."),
    ("why", 2, "`wm why` needs ID|TEXT.", "`wm why --help` shows how."),
    (
        "objects show nonsense",
        1,
        "'nonsense' is not the id of a step: that is `o_` and hexadecimal digits.",
        "`wm objects` lists the stored steps with their ids.",
    ),
    ("objects purge", 1, "Name what to delete.", "Give --session ID, or --all for this workspace."),
    (
        "objects show o_abc123",
        1,
        "There is no stored content 'o_abc123' in {repo}.",
        "`wm objects` lists what is stored there; -C FOLDER asks for another project. The content "
        "of sessions that were deleted, purged, or idle for 30 days is gone: read the file, or run "
        "the command, again.",
    ),
    (
        "output nonsense",
        1,
        "There is no tool output 'nonsense' in {repo}.",
        "A handle is `t_` and hexadecimal digits; the line that marks a cut names it. Old outputs "
        "and those of deleted sessions are deleted: run the command again.",
    ),
    ("search", 2, "`wm search` needs WORDS.", "`wm search --help` shows how."),
    (
        "importance m_1234",
        2,
        "`wm importance` needs LEVEL: low, normal or high.",
        "`wm importance --help` shows how.",
    ),
    (
        "importance m_1234 huge",
        2,
        "LEVEL: 'huge' is not one of 'low', 'normal', 'high'.",
        "`wm importance --help` shows how.",
    ),
    ("logs -n 0", 2, "--limit: 0 is less than 1.", "`wm logs --help` shows how."),
    (
        "inbox accept",
        2,
        "Give an ID, or choose with --all, --type, --source or --session.",
        "`wm inbox accept --help` shows how.",
    ),
    (
        "completion tcsh",
        2,
        "SHELL: 'tcsh' is not one of 'bash', 'zsh', 'fish'.",
        "`wm completion --help` shows how.",
    ),
    ("show m_ffff", 1, "There is no entry 'm_ffff' in {repo}.", LISTS),
    ("show ''", 1, "The id is empty.", LISTS),
    ("session show ''", 1, "The id is empty.", SESSIONS),
    ("forget m_", 1, "There is no entry 'm_' in {repo}.", LISTS),
    (
        "forget 'make ship'",
        1,
        "There is no entry 'make ship' in {repo}.",
        "`wm inspect --all` lists every entry with its id; `wm search make ship` finds entries by "
        "words.",
    ),
    ("open --port ten", 2, "--port: 'ten' is not a whole number.", "`wm open --help` shows how."),
    ("forget '../../x'", 1, "There is no entry '../../x' in {repo}.", LISTS),
    ("pin m_ffff", 1, "There is no entry 'm_ffff' in {repo}.", LISTS),
    ("edit m_ffff text", 1, "There is no entry 'm_ffff' in {repo}.", LISTS),
    ("inbox accept m_ffff", 1, "There is no entry 'm_ffff' in {repo}.", LISTS),
    ("inbox reject m_ffff", 1, "There is no entry 'm_ffff' in {repo}.", LISTS),
    (
        "restore m_ffff",
        1,
        "There is no 'm_ffff' in the trash of {repo}.",
        "`wm forget --list` lists the trash.",
    ),
    ("forget", 2, "`wm forget` needs an ID, or --list.", "`wm forget --help` shows how."),
    (
        "forget --list m_1",
        2,
        "--list takes neither an ID nor a reason.",
        "`wm forget --help` shows how.",
    ),
    (
        "undo",
        1,
        "Nothing that a person did in {repo} is left to undo.",
        "`wm undo --list` shows every act.",
    ),
    (
        "undo e_none",
        1,
        "There is no act 'e_none' in {repo}.",
        "`wm undo --list` shows every act with its id.",
    ),
    ("undo --limit 3", 2, "--limit needs --list.", "`wm undo --help` shows how."),
    (
        "undo --list --dry-run",
        2,
        "--list takes no other argument than --limit.",
        "`wm undo --help` shows how.",
    ),
    ("undo m_1 --since 1h", 2, "Give either ACT or --since.", "`wm undo --help` shows how."),
    ("show", 2, "`wm show` needs an ID, or --history.", "`wm show --help` shows how."),
    ("show m_1 -n 3", 2, "--limit and --before need --history.", "`wm show --help` shows how."),
    ("why --type decision x", 2, "--type needs --not.", "`wm why --help` shows how."),
    ("why-not", 2, "`wm why-not` needs TEXT.", "`wm why-not --help` shows how."),
    ("why-not ...", 1, "There is no text to ask about.", '`wm why --not "the text"`.'),
    ("history m_ffff", 1, "Nothing is known about 'm_ffff' in {repo}.", LISTS),
    (
        "history --before e_none",
        1,
        "There is no record 'e_none' to start after.",
        "Omit --before to start with the newest one.",
    ),
    (
        "diag statsu",
        2,
        "`wm diag` has no verb 'statsu'. Did you mean `wm diag status`?",
        "`wm diag --help` shows how.",
    ),
    (
        "diag rejected --since soon",
        1,
        "'soon' is not a time.",
        "Give one of: 90m, 2h, 3d, 1w, 6 months, yesterday, last week, 2026-11-21, or "
        "2026-11-21T14:30Z.",
    ),
    ("diag explain m_ffff", 1, "There is no entry 'm_ffff' in {repo}.", LISTS),
    (
        "diag trace nope",
        1,
        "There is no session 'nope' here.",
        "`wm session list` shows the sessions.",
    ),
    ("diag revert", 2, "`wm diag revert` needs EVENT|ID.", "`wm diag revert --help` shows how."),
    (
        "remember 'We moor at pier one.' --anchor pier.py",
        1,
        "There is no text file pier.py in this project, or it is too large.",
        "Write it as path, path:symbol or path:12-40.",
    ),
    (
        "why ' '",
        1,
        "The request names no entry and no text.",
        '`wm why ID`, or `wm why "the text"`.',
    ),
    (
        "show m_3f",
        1,
        "There is no entry 'm_3f' in {repo}.",
        "`wm inspect --all` lists every entry with its id; give at least 4 digits.",
    ),
    (
        "config get recall.model",
        2,
        "`wm config` has no verb 'get'. Did you mean `wm config show`?",
        "`wm config --help` shows how.",
    ),
    (
        "config memry",
        2,
        "`wm config` has no verb 'memry'. Did you mean `wm config memory`?",
        "`wm config --help` shows how.",
    ),
    (
        "why of all things",
        1,
        "Nothing is known about 'of all things' in {repo}.",
        "`wm search` finds entries by their words; `wm why --not` says what keeps a text out.",
    ),
    (
        "session delete nope",
        1,
        "There is no session 'nope' in {repo}.",
        "`wm session list` shows all sessions of this workspace.",
    ),
    (
        "session show nope",
        1,
        "There is no session 'nope' in {repo}.",
        "`wm session list` shows all sessions of this workspace.",
    ),
    (
        "remember",
        2,
        '`wm remember` needs TEXT; "-" reads it from standard input.',
        "`wm remember --help` shows how.",
    ),
    ("remember ' '", 1, "There is no text to remember.", "Say what to keep."),
    ("remember -", 1, "There is no text to remember.", "Say what to keep."),
    ("search ' '", 1, "There is nothing to search for.", "Give some words."),
    (
        "inspect -C nowhere",
        1,
        "There is no folder {repo}/nowhere.",
        "For a checkout that was moved: wm workspace mv OLD NEW.",
    ),
    (
        "inspect -C .git/HEAD",
        1,
        "{repo}/.git/HEAD is not a folder.",
        "Name the folder that contains it.",
    ),
    (
        "inspect -C /",
        1,
        "The root of the file system cannot be a workspace.",
        "Change into the folder of a project, or name one with -C.",
    ),
    (
        "inspect --workspace 0123",
        1,
        "The workspace key '0123' is not known.",
        "`wm workspace list` shows all keys.",
    ),
    (
        "workspace mv nowhere missing",
        1,
        "There is no folder {repo}/missing.",
        "NEW is the folder where the checkout is now.",
    ),
    (
        "export -o .git/HEAD",
        1,
        ".git/HEAD already exists; nothing was changed.",
        "Name another file.",
    ),
    (
        "export -o nowhere/x.json",
        1,
        "nowhere/x.json cannot be written: No such file or directory.",
        "Name a file in a folder that you may write to.",
    ),
)
"""Command line, exit code, sentence, fix."""


FIRST_TRIES: tuple[tuple[str, str], ...] = (
    ("init", "wm setup"),
    ("upgrade", "wm setup"),
    ("store x", "wm remember"),
    ("memory", "wm inspect"),
    ("clear", "wm forget"),
    ("reset", "wm forget"),
    ("update m_1 x", "wm edit"),
    ("restart", "wm up"),
    ("serve", "wm daemon"),
    ("ui", "wm open"),
    ("ps", "wm status"),
    ("add x", "wm remember"),
    ("list", "wm inspect"),
    ("ls", "wm inspect"),
    ("rm m_1", "wm forget"),
    ("find x", "wm search"),
    ("start", "wm up"),
    ("stop", "wm down"),
    ("install", "wm setup"),
    ("uninstall", "wm unsetup"),
    ("config get memory.learn", "wm config show"),
    ("config memory.learn", "wm config memory"),
    ("export backup.json", "--output backup.json"),
    ("fsck --fix", "wm fsck repair"),
    ("doctor --fix", "wm fsck repair"),
    ("remember --global x", "wm remember --user"),
    ("setup claude", "--agent claude-code"),
    ("setup codex", "--agent codex"),
    ("inspect decision", "--type decision"),
    ("inspect deploy", "wm search deploy"),
    ("wm inspect", "wm inspect"),
    ("'$' wm remember 'We moor here.'", "wm remember 'We moor here.'"),
    ("% status", "wm status"),
    ("learn on", "wm learn active"),
    ("learn status", "wm learn"),
    ("learn pause 2h", "--for 2h"),
    ("learn pause 2 hours", "--for '2 hours'"),
    ("setup --agent claude", "claude-code"),
    ("inspect --type decisions", "decision"),
    ("config show memory.learn", "memory"),
    ("models fetch potion", "wm models pull"),
    ("recap --days 7", "wm recap --since 7d"),
    ("sync --remote origin", "wm sync REMOTE"),
    ("share --list", "wm share"),
    ("tag m_1 ferry", "wm remember --tag"),
    ("remember --scope user x", "wm remember --user"),
    ("status -v", "wm doctor"),
    ("login", "wm setup"),
    ("recall deploy", "wm search"),
    ("tags", "wm search --tag"),
    ("-help", "--help"),
    ("status -json", "--json"),
    ("-version", "--version"),
    ("recap yesterday", "--since yesterday"),
    ("recap last week", "--since 'last week'"),
    ("recap 3", "--last 3"),
    ("inbox accept all", "wm inbox accept --all"),
    ("inbox reject all", "wm inbox reject --all"),
    ("inbox m_3f9a", "wm inbox accept m_3f9a"),
    ("m_3f9a", "wm show m_3f9a"),
    ("objects o_3f9a", "wm objects show o_3f9a"),
    ("undo last", "wm undo"),
    ("setup -n", "--dry-run"),
    ("remember -u x", "--user"),
    ("inspect -f", "--full"),
    ("man", "wm help"),
    ("importance high m_3f9a", "wm importance ID high"),
)
"""What a newcomer types, knowing other programs; what wm suggests."""


@pytest.mark.parametrize(("line", "meant"), FIRST_TRIES)
def test_what_a_newcomer_tries_is_answered_with_the_command(
    terminal: Terminal, line: str, meant: str
) -> None:
    said = terminal.wm(*shlex.split(line))
    assert said.code == 2
    assert any(f"Did you mean {word}?" in said.sentences for word in (meant, f"`{meant}`"))


@pytest.mark.parametrize(("line", "code", "sentence", "fix"), MISTAKES)
def test_a_mistake_is_answered_with_a_sentence_and_the_fix(
    terminal: Terminal, line: str, code: int, sentence: str, fix: str
) -> None:
    said = terminal.wm(*shlex.split(line))
    sentence = sentence.format(repo=terminal.repo)
    assert (said.code, said.sentences, said.out) == (code, f"wm: {sentence} {fix}", "")
    too_long = [one for one in said.err.splitlines() if len(one) > 80 and " " in one[4:]]
    assert too_long == []


JSON_MISTAKES: tuple[tuple[str, int, str], ...] = (
    ("show m_ffff --json", 1, "not_found"),
    ("show --json", 2, "usage"),
    ("frobnicate --json", 2, "usage"),
    ("--json search x", 2, "usage"),
    ("inspect -C / --json", 1, "user_error"),
    ("export -o .git/HEAD --json", 1, "user_error"),
)


@pytest.mark.parametrize(("line", "code", "kind"), JSON_MISTAKES)
def test_with_json_a_problem_is_an_object_on_stdout(
    terminal: Terminal, line: str, code: int, kind: str
) -> None:
    said = terminal.wm(*shlex.split(line))
    validate_printed("problem", said.json)
    assert (said.json["type"], said.json["exitCode"], said.code) == (kind, code, code)
    assert said.err == ""


def test_an_argument_after_two_dashes_is_not_an_option(terminal: Terminal) -> None:
    said = terminal.wm("show", "--", "--json")
    assert said.sentences.startswith("wm: There is no entry '--json' in ")


def test_mistakes_are_answered_the_same_through_the_daemon(home_with_daemon: Terminal) -> None:
    user = home_with_daemon.at("mistakes")
    wrong = []
    for line, code, sentence, fix in MISTAKES:
        said = user.wm(*shlex.split(line))
        expected = f"wm: {sentence.format(repo=user.repo)} {fix}"
        if (said.code, said.sentences) != (code, expected):
            wrong.append((line, said))
    assert wrong == []


def test_a_forgotten_entry_is_reported_as_forgotten(user: Terminal) -> None:
    entry = user.remember("We deploy with `make ship`.")
    assert user.wm("forget", entry[:8]).code == 0
    for verb in (("forget",), ("pin",), ("edit", "--type", "project")):
        said = user.wm(*verb, entry)
        assert (said.code, said.err) == (
            1,
            f"wm: {entry} was forgotten.\n    `wm undo {entry}` brings it back.\n",
        )
    assert "It is in the trash" in user.wm("show", entry).out
    assert user.wm("restore", entry[:8]).code == 0
    assert user.wm("pin", entry).out == f"{entry} is pinned.\n"


def test_an_id_is_found_as_a_sentence_or_a_table_shows_it(user: Terminal) -> None:
    entry = user.remember("We deploy with `make ship`.")
    for shown in (f"{entry},", f"{entry[:10]}…", entry.upper(), f"{entry[2:10]}:"):
        assert user.wm("show", shown).code == 0, shown
    assert user.wm("pin", f"{entry}.").out == f"{entry} is pinned.\n"


HARD_TEXTS: tuple[tuple[str, str], ...] = (
    ("We always use\nred \x1b[31mpaint\x1b[0m for boats.", r"red \x1b[31mpaint\x1b[0m for boats."),
    ("We always use \u202edeb\u202c for boats.", r"We always use \u202edeb\u202c for boats."),
    ("Wir nutzen größere Fähren — immer: 日本語 ⛴", "Wir nutzen größere Fähren — immer: 日本語 ⛴"),
    ("We use bytes \udcff that are no text.", "We use bytes \ufffd that are no text."),
)


@pytest.mark.parametrize(("text", "shown"), HARD_TEXTS)
def test_a_text_with_control_characters_is_stored_and_does_not_reach_the_terminal(
    user: Terminal, text: str, shown: str
) -> None:
    said = user.wm("remember", text)
    assert said.code == 0
    for verb in (("inspect",), ("show", said.out.split()[2])):
        printed = user.wm(*verb).out
        assert shown in printed
        assert "\x1b" not in printed
        assert "\u202e" not in printed
    document = user.wm("inspect", "--json").out
    assert "\u202e" not in document
    (view,) = json.loads(document)["entries"]
    assert view["entry"]["text"] == text.replace("\udcff", "\ufffd")


def test_a_too_long_text_waits_and_is_shown_shortened(user: Terminal) -> None:
    text = ("We use long words here. " * 90)[:2001]
    said = user.wm("remember", text)
    assert said.code == 0
    assert "because it is longer than an entry may be." in " ".join(said.out.split())
    assert len(user.wm("inbox").out.splitlines()) < 12


def test_that_before_the_fact_is_not_part_of_it(user: Terminal) -> None:
    assert user.wm("remember", "that", "we", "test", "with", "tox").code == 0
    entry = user.wm("search", "tox", "--json").json["hits"][0]["entry"]
    assert entry["text"] == "we test with tox"


def test_text_comes_from_standard_input(user: Terminal) -> None:
    assert user.wm("remember", "-", stdin="We test with tox.\n").code == 0
    entry = user.wm("search", "tox", "--json").json["hits"][0]["entry"]
    assert entry["text"] == "We test with tox."
    assert user.wm("edit", entry["id"], "-", stdin="We test with nox.").code == 0
    assert user.wm("search", "nox").code == 0


def test_an_internal_bug_is_exit_code_3_with_a_log(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    from wm.cli.verbs.setup import daemon

    def broken(**_options: object) -> int:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(daemon.logs, "callback", broken)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    said = terminal.wm("logs")
    assert said.code == 3
    assert said.err.startswith("wm: This is a bug in wm, not something you did.\n")
    log = said.sentences.partition("the log ")[2].partition(";")[0]
    with open(log, encoding="utf-8") as file:
        text = file.read()
    assert "verb: logs" in text
    assert text.rstrip().endswith("ZeroDivisionError")
    said = terminal.wm("logs", "--json")
    assert (said.code, said.json["type"], said.json["exitCode"]) == (3, "bug", 3)


def test_common_wrong_verbs_lead_to_the_right_verb() -> None:
    for word, line in ALSO.items():
        first, *rest = line.split()
        assert word not in VERBS
        assert first.startswith("--") or first in VERBS, line
        if rest:
            command = commands()[first]
            options = [
                name for param in command.params for name in param.opts + param.secondary_opts
            ]
            verbs = command.commands if isinstance(command, click.Group) else ()
            assert rest[0] in (options if rest[0].startswith("-") else verbs), line


def test_long_sentences_wrap_at_80_columns_without_breaking_paths(terminal: Terminal) -> None:
    folder = "/nowhere/" + "x" * 90
    said = terminal.wm("-C", folder, "inspect")
    assert said.code == 1
    assert folder in said.err
    printed = terminal.wm("why-not", "x", "--type", "rumour").err.splitlines()
    assert len(printed) >= 3
    assert max(map(len, printed)) <= 80
    assert all(line.startswith("    ") for line in printed[1:])


def test_a_missing_named_folder_fails_status(user: Terminal) -> None:
    said = user.wm("-C", "/nonexistent", "status")
    assert said.code == 1
    assert "There is no folder /nonexistent." in said.out
    answer = user.wm("status", "-C", "/nonexistent", "--json")
    assert (answer.code, answer.json["trouble"]) == (1, "There is no folder /nonexistent.")


def test_status_and_doctor_work_with_a_broken_config_and_name_its_fault(terminal: Terminal) -> None:
    config = terminal.home / ".config" / "wm" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("[memory]\nrendered_entreis = 3\n")
    status = terminal.wm("status")
    assert status.code == 1
    assert "memory      0 entries" in status.out
    assert "has no option 'rendered_entreis'" in " ".join(status.out.split())
    assert "rendered_entreis" in terminal.wm("status", "--json").json["config"]
    doctor = terminal.wm("doctor", "--no-proof", "--json")
    assert doctor.code == 1
    [check] = [check for check in doctor.json["checks"] if check["name"] == "config"]
    assert (check["verdict"], "Options are" in check["fix"]) == ("error", True)
    config.write_text("")
    assert terminal.wm("status", "--json").json["config"] == ""


def test_an_accepted_entry_is_confirmed_like_a_rejected_one(user: Terminal) -> None:
    waiting = user.remember("hm")
    assert user.wm("inbox", "accept", waiting).out.startswith(f"Accepted {waiting}; ")
