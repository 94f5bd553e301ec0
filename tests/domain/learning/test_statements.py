"""Todos and notes that a message states, in eight languages (CB-2)."""

from __future__ import annotations

import pytest

from wm.domain.learning import statements
from wm.domain.learning.statements import Stated, stated_in

CASES = [
    ("TODO: write the migration guide", [("todo", "write the migration guide")]),
    ("- [ ] rename the flag\n- [x] bump the version", [
        ("todo", "rename the flag"), ("done", "bump the version")]),
    ("Please don't forget to update the changelog", [("todo", "update the changelog")]),
    ("we still need to rotate the keys", [("todo", "rotate the keys")]),
    ("**Next step:** wire the retry queue", [("todo", "wire the retry queue")]),
    ("Done: the migration guide", [("done", "the migration guide")]),
    ("Root cause: the cache key lacks the locale", [("note", "the cache key lacks the locale")]),
    ("Aufgabe: Logs nach Größe drehen", [("todo", "Logs nach Größe drehen")]),
    ("Wir müssen noch die Tests umbenennen", [("todo", "die Tests umbenennen")]),
    ("Tarea pendiente: revisar los permisos", [("todo", "revisar los permisos")]),
    ("No olvides actualizar la guía", [("todo", "actualizar la guía")]),
    ("À faire : écrire les tests", [("todo", "écrire les tests")]),
    ("Il reste à valider le schéma", [("todo", "valider le schéma")]),
    ("A fazer: rever os limites", [("todo", "rever os limites")]),
    ("待办：更新部署脚本的路径", [("todo", "更新部署脚本的路径")]),
    ("やること：設定ファイルを移す", [("todo", "設定ファイルを移す")]),
    ("할 일: 설정 파일을 옮기기", [("todo", "설정 파일을 옮기기")]),
    ("重要：端口从9000开始分配", [("note", "端口从9000开始分配")]),
    # lines that state nothing
    ("What is still to do: nothing much?", []),
    ("the todo app needs a button", []),
    ("```\nTODO: in code\n```", []),
    ("> TODO: somebody else's", []),
    ("2026-11-21 12:00:01 INFO todo: logged line", []),
    ("TODO: x", []),
    ("TODO: " + "long " * 60, []),
]  # fmt: skip


@pytest.mark.parametrize(("message", "found"), CASES)
def test_a_labelled_line_is_found(message: str, found: list[tuple[str, str]]) -> None:
    assert [tuple(one) for one in stated_in(message, 200)] == found


def test_lines_that_state_nothing_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    of_line = statements._stated

    def counted(line: str) -> Stated | None:
        read.append(line)
        return of_line(line)

    monkeypatch.setattr(statements, "_stated", counted)
    message = "ok\n\n  **TODO:** rename the tests\n" + "\n the todo list\n" * 5_000
    assert [one.text for one in stated_in(message, 200)] == ["rename the tests"]
    assert len(read) == 1


def test_a_long_list_is_a_separate_document() -> None:
    document = "\n".join(f"- [ ] step number {number}" for number in range(20))
    assert len(stated_in(document, 200)) == 5
