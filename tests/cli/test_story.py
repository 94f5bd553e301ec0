"""Every verb on its happy path, on the files and through the daemon: the same words."""

from __future__ import annotations

import re
import shlex

from tests.cli.terminal import Terminal

STORY: tuple[tuple[str, int, str], ...] = (
    (
        "inspect",
        0,
        """\
        ~/…/ferry · branch main
          workspace   KEY
          memory      0 entries
          in prompts  0 of at most 28 entries · 0 of 3,600 characters

          Nothing is remembered here yet. Say “remember that …” to an agent, or:
          wm remember "we deploy with make ship"
          wm import --from transcripts --dry-run   (your words in earlier sessions)
        """,
    ),
    ("inbox", 0, "The inbox is empty."),
    ("session", 0, "No agent had a session here yet."),
    (
        "remember 'We deploy with `make ship`.' --type decision --tag deploy "
        "--rationale 'It runs the checks.'",
        0,
        """\
        Remembered as m_1 (decision).
          We deploy with `make ship`.
        """,
    ),
    (
        "remember 'we deploy with `make ship`' --type decision",
        0,
        """\
        Known already, as m_1; it is too soon to count as seen again.
          We deploy with `make ship`.
        """,
    ),
    (
        "remember 'The API lives in services/ferry.' --type project --importance low --branch",
        0,
        """\
        Remembered as m_2 (project, only on branch main).
          The API lives in services/ferry.
        """,
    ),
    (
        "remember hm",
        0,
        """\
        It waits in the inbox as m_3, because it is too short to be
        understood later.
          hm
        wm inbox accept m_3 · wm edit m_3 "better text"
        """,
    ),
    (
        "inbox",
        0,
        """\
          m_3         2.50  hm
                            you asked for it · it is too short to be understood later

        wm inbox accept ID · wm inbox reject ID · wm inbox edit ID "better text"
        """,
    ),
    ("inbox reject m_3", 0, "Rejected m_3; `wm undo m_3` undoes it."),
    ("pin m_2", 0, "m_2 is pinned."),
    ("pin m_2 --off", 0, "m_2 is no longer pinned."),
    ("importance m_1 high", 0, "m_1 has high importance."),
    (
        "edit m_2 The API lives in services/dock.",
        0,
        """\
          The API lives in services/dock.

          id       m_2
          type     project
          status   active
          from     you asked for it · low importance · only on branch main
          created  TIME UTC
        """,
    ),
    (
        "show m_1",
        0,
        """\
          We deploy with `make ship`.

          id       m_1
          type     decision
          status   active
          from     you asked for it · high importance
          created  TIME UTC
          because  It runs the checks.
          tags     deploy
        """,
    ),
    (
        "search deploy",
        0,
        """\
          m_1         We deploy with `make ship`.
                      decision · words deploy
        """,
    ),
    ("search zebra", 1, "Nothing fits, in 2 entries."),
    ("search deploy --type project", 1, "Nothing fits, in 1 entry that passes the filters."),
    ("search deploy --tag sail", 1, "No entry passes these filters."),
    (
        "inspect",
        0,
        """\
        ~/…/ferry · branch main
          workspace   KEY
          memory      2 entries
          in prompts  2 of at most 28 entries · CHARS of 3,600 characters

        decision
          m_1         7.50  We deploy with `make ship`.
                            you asked for it · high importance

        project
          m_2         1.75  The API lives in services/dock.
                            you asked for it · low importance · only on branch main

        The number is the strength: type × source × importance, halved every 45 days,
        more slowly for what was seen again. Prompts show the strongest; nothing is
        deleted because it is weak.
        """,
    ),
    (
        "forget m_2 --reason moved",
        0,
        "Forgot “The API lives in services/dock”; `wm undo m_2` undoes it.",
    ),
    (
        "why m_2",
        0,
        """\
          The API lives in services/dock.

          id       m_2
          type     project
          status   in the trash
          from     you asked for it · low importance · only on branch main
          created  TIME UTC

          You asked for it on DAY.
          TIME  kept
          TIME  edited (pinned)
          TIME  edited (pinned)
          TIME  edited (text)
          TIME  forgotten, moved to the trash
        """,
    ),
    (
        "restore m_2",
        0,
        """\
        Restored.
          The API lives in services/dock.

          id       m_2
          type     project
          status   active
          from     you asked for it · low importance · only on branch main
          created  TIME UTC
        """,
    ),
    (
        "why We deploy with make ship",
        0,
        """\
          We deploy with `make ship`.

          id        m_1
          type      decision
          status    active
          from      you asked for it · high importance
          created   TIME UTC
          because   It runs the checks.
          tags      deploy
          strength  7.50 · prompts show it

          You asked for it on DAY.
          TIME  kept
          TIME  recurred; counted with the entry that already says so (too
                            soon to count as seen again)
          TIME  edited (user importance)
        """,
    ),
    ("fsck", 0, "The documents are sound; `wm fsck --deep` reads logs and everything else too."),
    ("fsck --deep", 0, "All files are sound."),
)
"""Command line, exit code, what is printed. Ids are numbered as they appear."""


def test_every_verb_prints_the_same_text_with_and_without_a_daemon(user: Terminal) -> None:
    ids: list[str] = []
    wrong = {}
    for line, code, printed in STORY:
        said = user.wm(*(known(word, ids) for word in shlex.split(line)))
        result = (plain(said.out, user, ids), said.err, said.code)
        if result != (re.sub(r"(?m)^ {8}", "", printed).strip("\n"), "", code):
            wrong[line] = result
    assert wrong == {}


def known(word: str, ids: list[str]) -> str:
    number = re.fullmatch(r"m_(\d)", word)
    return ids[int(number[1]) - 1] if number else word


def plain(out: str, user: Terminal, ids: list[str]) -> str:
    """Output with what differs from run to run replaced."""
    for found in re.findall(r"m_[0-9a-f]{20}", out):
        if found not in ids:
            ids.append(found)
    for number, full in enumerate(ids, start=1):
        out = out.replace(full, f"m_{number}")
        out = out.replace(f"{full[:10]}  ", f"{f'm_{number}':12}")
        out = out.replace(full[:10], f"m_{number}")
    out = re.sub(r"~/\S*ferry", "~/…/ferry", out)
    out = re.sub(r"(workspace   )[0-9a-f]{16}", r"\1KEY", out)
    out = re.sub(r"[1-9]\d*( of 3,600)", r"CHARS\1", out)
    out = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d", "TIME", out)
    out = re.sub(r"on \d{4}-\d\d-\d\d", "on DAY", out)
    return out.strip("\n")
