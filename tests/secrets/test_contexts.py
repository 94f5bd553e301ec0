"""Secrets in the places where tools, files and people put them, and texts that hold none (TR-1).

The places stand in `contexts.txt`; the values are made at run time. The harmless texts are the
definitions and paragraphs of Python's own library: real text that speaks of keys and passwords.
"""

from __future__ import annotations

import base64
import random
import re
import string
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from tests.secrets.test_secret_cases import ALNUM, REDACTOR, WORDS, tail

CONTEXTS = Path(__file__).parent / "contexts.txt"
LEAST_FOUND = 0.99
MOST_CHANGED = 0.005
TURNS = 4
HEX = "0123456789abcdef"


def password(dice: random.Random) -> str:
    word, other = dice.sample(WORDS, 2)
    made = dice.choice((
        f"{word}{other}{dice.randint(100, 9999)}{dice.choice('!#_')}",
        tail(dice, 14, ALNUM + "!#%_-"),
        f"{word}-{other}-{dice.randint(10, 99)}",
        f"{word.lower()}{dice.randint(10, 9999)}{dice.choice('!?$')}",
    ))  # fmt: skip
    return made if made[0].isalnum() and made[-1] not in "-." else f"K{made}x"


def values(dice: random.Random) -> dict[str, str]:
    made = password(dice)
    hexes = tail(dice, 32, HEX)
    groups = (hexes[:8], hexes[8:12], hexes[12:16], hexes[16:20], hexes[20:])
    weak = "".join(dice.sample(WORDS, 2)).lower()
    return {
        "p": made,
        "l": "".join(dice.choices(string.ascii_letters, k=20)),
        "w": dice.choice((weak, str(dice.randint(10**7, 10**8 - 1)))),
        "a": tail(dice, dice.choice((32, 36, 40, 43))),
        "h": tail(dice, 32, HEX),
        "h8": tail(dice, 8, HEX),
        "t20": tail(dice, 20),
        "k": base64.b64encode(dice.randbytes(32)).decode(),
        "b": base64.b64encode(f"dana:{made}".encode()).decode(),
        "u": "-".join(groups),
    }


def contexts() -> list[str]:
    lines = CONTEXTS.read_text("utf-8").split("\n")
    return [line.replace("\\n", "\n") for line in lines if line and not line.startswith("# ")]


def leaks(secret: str, text: str) -> bool:
    """Whole, or 12 characters of a long one."""
    starts = range(len(secret) - 11) if len(secret) >= 24 else ()
    return secret in text or any(secret[i : i + 12] in text for i in starts)


def test_secrets_are_found_where_people_put_them() -> None:
    missed: list[str] = []
    count = 0
    for template in contexts():
        used = set(re.findall(r"\{([a-z0-9]+)\}", template.replace("{{", "").replace("}}", "")))
        for turn in range(TURNS):
            made = values(random.Random(f"{turn} {template}"))
            text = template.format(**made)
            secrets = [made[name] for name in used] or re.findall(r"4839\d+", text)
            kept = REDACTOR.text(text)
            count += len(secrets)
            missed += [text for secret in secrets if leaks(secret, kept)]
    assert len(missed) <= (1 - LEAST_FOUND) * count, missed


def harmless() -> Iterator[str]:
    """Paragraphs of the standard library, every file of it that is not a test."""
    library = Path(sysconfig.get_path("stdlib"))
    for path in sorted(library.rglob("*.py")):
        parts = path.relative_to(library).parts
        if {"test", "tests", "site-packages", "dist-packages", "idlelib"} & set(parts):
            continue
        text = path.read_text("utf-8", "replace")
        blocks = re.split(r"\n\s*\n", text)
        yield from (
            block for block in blocks[:: max(1, len(blocks) // 6)] if 20 < len(block) < 3000
        )


def test_harmless_texts_are_unchanged() -> None:
    texts = list(harmless())
    changed = [text for text in texts if REDACTOR.text(text) != text]
    assert len(texts) >= 1000
    assert len(changed) <= MOST_CHANGED * len(texts), changed


SIGNS = "!@#$%^&*()-_=+[]{}|;:,.<>?/~"
WRITTEN = (
    "password: {}", "password={}", "DB_PASSWORD={}", 'password = "{}"', "Passwort: {}", "密码：{}",
    "the password is {}", "pass: {}\nuser: dana", "mysql -u root -p'{}'", "> pass: {}\n> thanks",
    "curl -u dana:'{}' https://shop.example", "define('DB_PASSWORD', '{}');", "- **Password:** {}",
    "<password>{}</password>", "htpasswd -bB users dana '{}'",
)  # fmt: skip


def test_no_part_of_a_password_with_any_signs_is_shown() -> None:
    dice = random.Random(11)
    shown = []
    for turn in range(600):
        made = dice.choice(ALNUM) + tail(dice, dice.randint(13, 22), ALNUM + SIGNS)
        form = WRITTEN[turn % len(WRITTEN)]
        if "<" in form:
            made = made.translate(str.maketrans("<>&", "(+="))
        kept = REDACTOR.text(form.format(made))
        shown += [form.format(made) for at in range(len(made) - 6) if made[at : at + 7] in kept][:1]
    assert len(shown) <= 6, shown


def test_recovery_codes_below_one_another_are_found() -> None:
    text = "Your recovery codes:\n8d5e2-e4dd4\nc92d6-f5519\n71b0a-99e3c\nKeep them safe."
    assert not re.search(r"\d[0-9a-f]{4}-", REDACTOR.text(text).replace("[secret:", ""))
