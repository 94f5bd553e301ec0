import pytest

from wm.domain.learning.statements import decisions_in

STATED = [
    ("We decided to use NATS instead of Kafka.", "We decided to use NATS instead of Kafka."),
    ("Decision: keep argon2id for hashes", "keep argon2id for hashes"),
    ("- **Decision:** all money in integer cents", "all money in integer cents"),
    ("So, we agreed to drop Python 3.9.", "So, we agreed to drop Python 3.9."),
    ("Entscheidung: Tabellen heißen im Singular", "Tabellen heißen im Singular"),
    ("Hemos decidido usar céntimos enteros.", "Hemos decidido usar céntimos enteros."),
    ("Décision : garder PostgreSQL en production", "garder PostgreSQL en production"),
    ("我们决定使用 pnpm 而不是 npm。", "我们决定使用 pnpm 而不是 npm。"),
    (
        "ジョブキューは PostgreSQL を使うことにしました。",
        "ジョブキューは PostgreSQL を使うことにしました。",
    ),
    ("웹소켓 대신 SSE를 사용하기로 결정했다.", "웹소켓 대신 SSE를 사용하기로 결정했다."),
]


@pytest.mark.parametrize(("text", "decision"), STATED)
def test_a_stated_decision_is_found_completely(text: str, decision: str) -> None:
    assert decisions_in(f"Some words first.\n{text}\nAnd after.") == (decision,)


@pytest.mark.parametrize(
    "text",
    [
        "I decided to look at the file next",
        "The team said we decided to use NATS",
        "> We decided to use NATS",
        "```\nDecision: drop all the tests\n```",
        "Decision: still to be decided next week",
        "We decided to use NATS, didn't we?",
        "Decision: short",
        "We could decide to use NATS",
        "",
    ],
)
def test_wishes_quotes_and_open_points_are_not_decisions(text: str) -> None:
    assert decisions_in(text) == ()


def test_the_same_decision_counts_once() -> None:
    assert len(decisions_in("Decision: use pnpm everywhere\nDecision: Use pnpm everywhere.")) == 1
