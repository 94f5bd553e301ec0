"""The door: every secret is hidden, and nothing else is touched (TR-1)."""

import random
import string

import pytest

from tests.secrets.secret_cases import HIDDEN, OPEN
from wm.secrets.redact import Redactor

SEED = 4711
ALNUM = string.ascii_letters + string.digits
REDACTOR = Redactor(lambda secret: f"{len(secret):012x}")
WORDS = ("Otter", "Kranich", "Lagune", "Marder", "Ribera", "Jacaranda")


def tail(dice: random.Random, length: int, of: str = ALNUM) -> str:
    while True:
        made = "".join(dice.choice(of) for _ in range(length))
        if any(map(str.isdigit, made)) and any(map(str.isalpha, made)):
            return made


def parts(dice: random.Random) -> dict[str, str]:
    word, other = dice.sample(WORDS, 2)
    return {
        "p": f"{word}{other}{dice.randint(100, 9999)}{dice.choice('!#-_')}",
        "w": f"{word.lower()}{dice.randint(10, 99)}",
        "x": tail(dice, 16),
        "h": tail(dice, 32, "0123456789abcdef"),
        "a": tail(dice, 40),
        **{f"t{n}": tail(dice, n) for n in (20, 24, 35, 36, 93)},
    }


def made_for(template: str, turn: int = 0) -> tuple[str, str]:
    """A text, and the secret in it: the same ones whatever ran before."""
    made = parts(random.Random(f"{SEED} {turn} {template}"))
    text = template.format(**made)
    secret = next((value for key, value in made.items() if "{" + key + "}" in template), "")
    return text, secret or next(w for w in ("48213907", "JBSWY3DPEHPK3PXP") if w in text)


@pytest.mark.parametrize("template", HIDDEN)
def test_every_secret_case_is_redacted(template: str) -> None:
    for turn in range(5):
        text, secret = made_for(template, turn)
        assert secret not in REDACTOR.text(text)


@pytest.mark.parametrize("text", OPEN)
def test_text_without_secrets_is_unchanged(text: str) -> None:
    assert REDACTOR.text(text) == text


@pytest.mark.parametrize("template", HIDDEN)
def test_redaction_is_idempotent(template: str) -> None:
    once = REDACTOR.text(made_for(template)[0])
    assert REDACTOR.text(once) == once


def test_a_password_of_letters_before_another_argument_is_redacted() -> None:
    assert "lagunemarder" not in REDACTOR.text("mysqldump --password lagunemarder shop")
