"""`wm budget`: what it prints, and its exit codes (CT-4)."""

from __future__ import annotations

from tests.cli.terminal import Terminal


def fill(user: Terminal) -> None:
    days = (f"### 2026-01-{n + 1:02} Step\n- {'w' * 3000}\n" for n in range(28))
    (user.repo / "AGENTS.md").write_text("# Agents\n\n" + "".join(days))


def test_a_project_within_its_budgets_has_no_findings(user: Terminal) -> None:
    assert user.wm("budget").out == "The project has no instruction files.\n"
    (user.repo / "CLAUDE.md").write_text("Be brief.\n")
    said = user.wm("budget")
    assert (said.code, said.out) == (0, " fine  CLAUDE.md       1 line · 10 bytes\n")
    assert user.wm("budget", "prune").out == "The project has no AGENTS.md.\n"


def test_findings_are_named_and_give_exit_code_1(user: Terminal) -> None:
    (user.repo / "AGENTS.md").write_text("### 2026-01-01\n" + "- a\n" * 6)
    said = user.wm("budget", "check")
    assert said.code == 1
    assert " ".join(said.out.split()) == (
        "over AGENTS.md 7 lines · 39 bytes · 1 dated entry, 0 lines of other text "
        "line 1 The entry of 2026-01-01 has 6 top-level bullets; the limit is 5. "
        "→ Shorten it, or put details below the bullets that they belong to."
    )


def test_findings_with_one_remedy_have_it_once(user: Terminal) -> None:
    bullets = "- a\n" * 6
    days = (f"### 2026-01-{n + 1:02}\n{bullets}" for n in range(20))
    (user.repo / "AGENTS.md").write_text("".join(days))
    said = " ".join(user.wm("budget", "check").out.split())
    assert said.count("has 6 top-level bullets") == 20
    assert said.count("→ Shorten it") == 1
    assert said.endswith("→ Shorten it, or put details below the bullets that they belong to.")


def test_an_unreadable_file_is_not_reported_as_empty(user: Terminal) -> None:
    (user.repo / "CLAUDE.md").mkdir()
    said = user.wm("budget", "check")
    assert (said.code, said.out.splitlines()[0].split(None, 2)) == (
        1,
        ["fault", "CLAUDE.md", "not read"],
    )


def test_the_dry_run_prints_the_same_plan_as_the_run(user: Terminal) -> None:
    fill(user)
    planned = user.wm("budget", "prune", "--dry-run")
    assert not (user.repo / "AGENTS.archive.md").exists()
    done = user.wm("budget", "prune")
    assert (planned.code, done.code) == (0, 0)
    assert planned.out.replace("Would move", "Moved").split() == done.out.split()
    assert "Moved 8 entries of AGENTS.md to AGENTS.archive.md: " in " ".join(done.out.split())
    assert "2026-01-01 Step · 3,023 bytes" in done.out
    assert "nothing has to move" in user.wm("budget", "prune").out


def test_a_file_outside_the_project_is_refused(user: Terminal) -> None:
    said = user.wm("budget", "check", "/etc/passwd")
    assert said.code == 1
    assert "/etc/passwd is outside the project" in said.sentences
