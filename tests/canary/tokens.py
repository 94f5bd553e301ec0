"""Canary secrets: made when the run begins, in many shapes, each used in one place only.

A canary has the text that is put somewhere and the strings in it that must never be written.
Shapes without blanks and slashes also fit where only a name does: a path, a branch, an id.
"""

from __future__ import annotations

import base64
import json
import random
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from urllib.parse import quote

ALPHANUMERIC = string.ascii_letters + string.digits


@dataclass(frozen=True)
class Canary:
    """text: what is put somewhere. secrets: what of it must not be found anywhere. place: where it
    was put."""

    number: int
    shape: str
    place: str
    text: str
    secrets: tuple[str, ...]


Draw = random.Random


def _mixed(draw: Draw, length: int) -> str:
    """Letters of both cases and digits, some of each."""
    head = [draw.choice(kind) for kind in (string.ascii_lowercase, string.ascii_uppercase)]
    head += draw.choices(string.digits, k=3)
    text = [*head, *draw.choices(ALPHANUMERIC, k=length - len(head))]
    draw.shuffle(text)
    return "".join(text)


def _upper(draw: Draw, length: int) -> str:
    return "".join(draw.choices(string.ascii_uppercase + "234567", k=length))


def _hex(draw: Draw, length: int) -> str:
    return "".join(draw.choices("0123456789abcdef", k=length))


def _password(draw: Draw) -> str:
    return f"{_mixed(draw, 9)}{draw.choice('!%&*')}{draw.randrange(100, 999)}x"


def _part(draw: Draw, value: object) -> str:
    raw = json.dumps(value, separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def _jwt(draw: Draw) -> str:
    head = _part(draw, {"alg": "HS256", "typ": "JWT"})
    claims = _part(draw, {"sub": _mixed(draw, 12), "iat": draw.randrange(10**9)})
    return f"{head}.{claims}.{_mixed(draw, 43)}"


TOKENS: dict[str, Callable[[Draw], str]] = {
    "github": lambda draw: "ghp_" + _mixed(draw, 36),
    "github_fine": lambda draw: f"github_pat_{_mixed(draw, 22)}_{_mixed(draw, 59)}",
    "anthropic": lambda draw: f"sk-ant-api03-{_mixed(draw, 93)}AA",
    "openai": lambda draw: f"sk-proj-{_mixed(draw, 48)}",
    "aws_id": lambda draw: "AKIA" + _upper(draw, 16),
    "slack": lambda draw: f"xoxb-{draw.randrange(10**11, 10**12)}-{_mixed(draw, 24)}",
    "google": lambda draw: "AIza" + _mixed(draw, 35),
    "gitlab": lambda draw: "glpat-" + _mixed(draw, 20),
    "npm": lambda draw: "npm_" + _mixed(draw, 36),
    "stripe": lambda draw: "sk_live_" + _mixed(draw, 24),
    "pypi": lambda draw: "pypi-AgEIcHlwaS5vcmc" + _mixed(draw, 60),
    "hugging": lambda draw: "hf_" + _mixed(draw, 34),
    "jwt": _jwt,
    "opaque": lambda draw: _mixed(draw, 40),
}
"""Whole tokens: no blank, no slash."""

LABELLED: dict[str, str] = {
    "english": "password: {p}",
    "english_prose": "The password is {p}",
    "shell": "export DB_PASSWORD={p}",
    "json": '"password": "{p}"',
    "yaml": "api_key: {m}",
    "toml": 'client_secret = "{m}"',
    "german": "Das Passwort lautet {p}",
    "french": "mot de passe : {p}",
    "spanish": "contraseña: {p}",
    "portuguese": "A senha é {p}",
    "chinese": "密码：{p}",
    "japanese": "パスワード：{p}",
    "korean": "비밀번호: {p}",
    "bearer": "Authorization: Bearer {m}",
    "basic": "curl -u dana:{p} https://erp.example.org/api",
    "header": "X-Auth-Token: {h}",
    "cookie": "Cookie: sessionid={m}",
    "url": "https://dana:{m}@git.example.org/shop.git",
    "database": "postgresql://shop:{m}@db1:5432/shop",
    "query": "https://api.example.org/v1?access_token={m}",
    "mysql": "mysql -h db1 -u root -p{p} shop",
    "npmrc": "//registry.example.org/:_authToken={m}",
}
"""Values that a label gives away."""


class Mint:
    """Makes canaries, each with another shape than the one before, and remembers them."""

    def __init__(self, seed: int) -> None:
        self._draw = random.Random(seed)
        self.made: list[Canary] = []

    def name(self, place: str, *, known: bool = False) -> str:
        """A token by itself. known: of a form that its issuer publishes, for names
        of which others are random too."""
        shapes = tuple(name for name in TOKENS if not known or name not in ("opaque", "jwt"))
        shape = shapes[len(self.made) % len(shapes)]
        token = TOKENS[shape](self._draw)
        return self._keep(shape, place, token, (token,))

    def text(self, place: str) -> str:
        """A line with a secret in it."""
        shapes = (*TOKENS, *LABELLED)
        shape = shapes[len(self.made) % len(shapes)]
        if shape in TOKENS:
            token = TOKENS[shape](self._draw)
            return self._keep(shape, place, f"The deploy job needs {token} today", (token,))
        words = {"p": _password(self._draw), "m": _mixed(self._draw, 24), "h": _hex(self._draw, 32)}
        form = LABELLED[shape]
        secret = next(words[key] for key in words if f"{{{key}}}" in form)
        return self._keep(shape, place, form.format(**words), (secret,))

    def block(self, place: str) -> str:
        """A private key."""
        lines = [_mixed(self._draw, 64) for _ in range(4)]
        kind = "RSA PRIVATE" + " KEY"
        text = "\n".join((f"-----BEGIN {kind}-----", *lines, f"-----END {kind}-----"))
        return self._keep("private_key", place, text, tuple(lines))

    def member(self, place: str) -> dict[str, object]:
        """A JSON object whose key gives its value away, and one that is a key itself."""
        weak = _password(self._draw)
        key = "ghp_" + _mixed(self._draw, 36)
        self._keep("member", place, weak, (weak,))
        self._keep("key", place, key, (key,))
        return {"password": weak, key: "value", "nested": [{"token": self.name(place)}]}

    def _keep(self, shape: str, place: str, text: str, secrets: tuple[str, ...]) -> str:
        self.made.append(Canary(len(self.made), shape, place, text, secrets))
        return text


def forms(secret: str) -> Iterator[tuple[str, bytes]]:
    """How a secret may be written in a file: by the name of the form, its bytes."""
    raw = secret.encode()
    yield "raw", raw
    for name, text in (
        ("json", json.dumps(secret)[1:-1]),
        ("url", quote(secret, safe="")),
        ("hex", raw.hex()),
    ):
        if text.encode() != raw:
            yield name, text.encode()
    for shift in range(3):
        # Where it begins within three bytes decides which letters base64 gives it.
        for alphabet in (base64.b64encode, base64.urlsafe_b64encode):
            coded = alphabet(b"\0" * shift + raw)
            first = (0, 2, 3)[shift]
            yield "base64", coded[first : len(coded) - 4]
