"""Find secrets by their label (TR-1): "the password is …" and `API_KEY=…` in some twenty languages.

Finds the label and the sign or verb that joins it to a value; `values` judges the value. Prose
about secrets ("password policy", "auth: middleware") stays unchanged. Each match reads a bounded
window, so the complete scan is linear (TR-5).
"""

# ruff: noqa: E501, S105  Rows of a table; names of families of labels.
from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from wm.secrets import looks, values
from wm.secrets.formats import TABLES, VENDORS
from wm.text.patterns import Lazy, without_case

MAX_WORDS = 11
"""Maximum number of words between a label and its verb: "the password for the demo tenant of Ana is
…"."""


PASSWORD = (
    r"pass(?:wor[dt]|wd|[ -]?phrase|code)|kennwort|losungswort|contrase[ñn]a|senha|palavra[- ]passe|"
    r"(?:mots?|phrase) de passe|frase de (?:contrase[ñn]a|paso)|frase[- ]senha|парольн\w{2,3} фраз\w{1,2}|\bmdp\b|pwd|密码|密碼|口令|暗号|パスワード|暗証番号|合言葉|비밀번호|비번|패스워드|암호|"
    r"парол(?:ем|ей|[ьяеюаиі])|лозинк[аеу]|wachtwoord|lösenord(?:et)?|adgangskoden?|passord(?:et)?|salas(?:ana|õna)(?:lla|n|ksi)?(?: on)?|\bhesl(?:o|em|om|a|u)\b|jelsz(?:ó|av)[a-z]{0,3}|kata laluan|lykilorð(?:ið)?|\bgeslo\b|\blozink[aeou]\b|slaptažod(?:is|į|žio)|κωδικός|סיסמה|كلمة (?:ال)?(?:مرور|سر)|पासवर्ड|รหัสผ่าน|kata sandi|has[łl](?:o|em|a|u)\b|\bparola(?:sı|\b)|\bparol[ăe]|\bsifre(?:si)?\b|şifre(?:si)?|mật khẩu|"
    r"requirepass|masterauth|authtok|pre-?shared[ _-]key|(?:wi-?fi|wlan|wpa[23]?|wep|network security)[ _-]key|wlan[ -]schl[üu]ssel"
)
SECRET = (
    r"secret|[a-z]_salt\b|geheimnis|segredo|secreto|credentials?|credenciais|credenciales|identifiants|"
    r"zugangsdaten|シークレット|시크릿|密钥|密鑰|秘钥|秘鑰|秘密鍵|비밀키"
)
TOKEN = (
    r"token|токен|jeton|令牌|トークン|토큰|"
    r"(?:api|access|auth|account|sign(?:ing|ature)|(?:en|de)cryption|encrypt|validation|master|license|licence|private|secret|"
    r"shared|storage|service|deploy|app|client|session|user|admin|webhook|hmac|jwt|aes|rsa|"
    r"recovery|backup|activation|product|serial|integration|ingest|insert|routing|subscription|"
    r"primary|secondary|root|server|consumer|write|read)[ _.-]?keys?|"
    r"\bcl[ée]s?(?: d'?(?:api|acc[eè]s)| secr[eè]te| priv[ée]e)|\bclave(?: de (?:api|acceso)| secreta)?|"
    r"\bchave(?: (?:de|da) (?:api|acesso)| secreta)?|(?:api|zugangs|geheim)[- ]?schl[üu]ssel|"
    r"api[ -]?キー|アクセスキー|api ?키|액세스 ?키|licen[cs]e code|"
    r"api[- ]?sleutel|chiave api|klucz(?:em)? api|ключ api|api anahtarı|khóa api|"
    r"\b[th]?otp|\w{1,12}otp(?:\b|_)|2fa|mfa|seed"
)
_SHORT = r"\bpass\b|[_.-]pass\b|PASS\b|[a-z]Pass\b|-[a-z]{1,12}pass\b|\bpw\b|[_-]pw\b|[a-z]PW\b|\b(?:bind|root|user|db|ldap|admin)pw\b|\bpin kodu|\bpins?\b|\bpin-?code|пин-?код|\bauth\b|_auth\b|\bPW\b|(?:\b|_)psk\b|_PSK\b|\bmagic link|\bone[- ]time codes?|\b(?:recovery|backup|scratch|emergency) codes?|\bverification code|\b(?:door|gate|alarm|safe|entry|unlock|access|security) code"
_VENDOR = "|".join(name.replace("-", r"\-") for name in sorted(VENDORS, key=len, reverse=True))
_FAMILIES = {
    "password": Lazy(PASSWORD, ignore_case=True),
    "token": Lazy(TOKEN, ignore_case=True),
    "secret": Lazy(SECRET, ignore_case=True),
    "short": Lazy(_SHORT, ignore_case=True),
    "vendor": Lazy(rf"\b(?:{_VENDOR})", ignore_case=True),
}
_KEY = Lazy("|".join(family.text for family in _FAMILIES.values()), ignore_case=True)
KEY_HINT = f"(?i){_KEY.text}"
"""A text without a match has no labelled secret."""


@lru_cache(maxsize=512)
def _family_of(key: str) -> str:
    """The first family whose pattern matches a key found by `_KEY`.

    Folds case first: re2 reads an old long s as an s, but not as a letter at a word boundary. So
    `_KEY` finds `paſſ` in "paſſed", and no family would match it alone.
    """
    plain = without_case(key)
    return next(name for name, pattern in _FAMILIES.items() if pattern.fits(plain))


_SUFFIX = Lazy(r"[0-9A-Za-z_]*(?:[.-][0-9A-Za-z_]+){0,3}")
_SUFFIX_PARTS = Lazy(r"[A-Z]+(?:[a-z0-9]*)|[a-z]+|[0-9]+")
_ABOUT = frozenset(TABLES.words("about"))

_CLOSES = frozenset("\"'`])}\\")
_SPACES = frozenset(" \t\n\f\r")
_BLANKS = frozenset(" \t")
_PASSED = ("===", "==", "!==", "!=", ",", "(", ";")
"""Signs of a value that is compared, or passed on with its name: `password == "…"`, `set("api_key", "…")`."""
_SIGNS = ("=>", ":=", "?=", *_PASSED, "=", "->", "→", "::", "?:", ":-", ":?", ":", ">")
_TYPED = Lazy(
    r"[\"'`]?\s?:\s?(?:Final|ClassVar|Optional|str|string|String|&'?(?:static )?str|SecretStr|char\s?\*|bytes)"
    r"(?:\[[A-Za-z, |]{1,30}\])?(?:\s?\|\s?(?:None|null|undefined))?\s{0,4}=\s{0,4}"
)
_XML_VALUE = Lazy(
    r"[\"'],?\s{0,4}(?:value|default)\s?=\s?|:?</\w{1,20}>\s{0,20}<(?:string|value|data|td|dd)>(?:<code>)?|>\s{0,20}<value>",
    ignore_case=True,
)
"""`key="Password" value=`, `"--password", default=`, `<key>Password</key> <string>`."""
_VALUE = Lazy("value|default", ignore_case=True)
_NAMED_VALUE = Lazy(r"[\"']?,?\s{0,40}[\"']?(?:Parameter)?[Vv]alue[\"']?\s?:[ \t]{0,4}")
_BLOCK = Lazy(r"[|>][+-]?\d?[+-]?[ \t]*\n[ \t]+")
"""The head of a YAML block scalar."""
_BELOW = Lazy(
    r"[\"'`]?\s?(?:\{\s*|:\s*\n\s+|:\s?\{\s*)(?:[^{}\n]{0,200}\n\s+){0,5}[\"']?(?:default|value)[\"']?\s*[:=]\s*",
    ignore_case=True,
)
"""`variable "db_password" { … default = `, and the same in YAML."""
_PROSE = Lazy(
    r"(?:,? which)?(?:[^.;!?:=：，。,\"'`\n]|\.\w){0,120}?,?(?:[ \t]?[:：]|[ \t][—–]|[ \t]{1,3}(?:(?:is|was|has been|wurde|werd|est|è|был) (?:\S{3,14} )?(?:from|to|von|van|de|da|auf|naar|с)|is|was|are|=|ist|war|lautet|heißt|est|était|es|era|é|è|foi|será|là|jest|to jest|är|er|je|este|yra|adalah|ialah|هي|c'est|"
    r"has been set to|set to|to|equals|became|reads|from|(?:geändert|cambi\S{1,4}|chang\S{1,3}|alterad[ao]|mud\S{1,3}|zmienion[oey]|измен\S{1,4}) (?:von|de|z|с)|was)[ \t]?:?)(?: (?:now|still|currently|again|jetzt|noch|immer noch|ahora|todavía|aún|agora|ainda|toujours))?\s{1,4}",
    ignore_case=True,
)
_CJK = Lazy(
    r"[^\x00-\x7f]{0,4}?(?:是|为|為|は|：|:|는|은|이|가|를|을|が|を|的值是|设为|改为了?|改成了?|設為)\s{0,3}[:：]?\s{0,3}"
)
_OPENS = Lazy(r"[\"']?[ \t]{1,3}[(\[]?(?:(?:was|war|era|était):? )?|[(（「『【]")


_CONNECTS = frozenset(" \t\"'`])}=:>|-?\\(,")


_STOPS = frozenset("/;!<%&+*#@\n")
"""Characters directly after a key that mean no value follows."""


def labelled(text: str) -> Iterator[looks.SecretSpan]:
    end = 0
    for key_start, key_end in _KEY.spans(text):
        if key_end <= end or (
            text[key_end : key_end + 1] in _STOPS and not _has_value_below(text, key_end)
        ):
            continue
        span = _value_of(text, key_start, key_end)
        while span is not None:
            end = span.end
            yield span
            span = _changed_to(text, end) or _next_in_list(text, span)


_CHANGE = Lazy(
    r"[&|;,!]?[\"'`]?[)\]]?(?:,? (?:to|auf|zu|a|à|in|na|naar|para|por|par|with|durch|con|now|and now) "
    r"|,? ?(?:->|=>|→) ?|[;,.] (?:the |das |le |la |el |o |a )?(?:new(?: one| password)?|neue|nuev[oa]|nouveau|nov[oa]) (?:is|ist|lautet|es|est|é) )(?:now )?[\"'`]?"
)


def _changed_to(text: str, at: int) -> looks.SecretSpan | None:
    """The new value behind an old one: "from X to Y", `X -> Y`."""
    start = at + max(0, _CHANGE.end(text[at : at + 40]))
    value = (
        text[start : start + values.BEHIND].split("\n", 1)[0].split(" ", 1)[0].strip("\"'`.,;)]")
    )
    strict = (
        start > at and values.fits_strictly(value, "password") and not values.names_place(value)
    )
    return values.span_of(start, value) if strict and not looks.is_placeholder(value) else None


_IN_LIST = Lazy(r"(?:[\[({,]|(?:^|\n)[ \t]*-)\s*[\"']?$|\n[ \t]*$|(?:odes:|\d) $")
_NEXT_ITEM = Lazy(r"[\"']?(?:,\s{0,20}|[ \t]*\n[ \t]{0,20}-[ \t]{1,4}|\n[ \t]{0,20}| )[\"']?")
"""Between two items of a list in brackets or in lines; recovery codes have no sign before them."""


def _next_in_list(text: str, span: looks.SecretSpan) -> looks.SecretSpan | None:
    """The secret behind another one in a list."""
    start = span.end + max(0, _NEXT_ITEM.end(text[span.end : span.end + 60]))
    if start == span.end or _IN_LIST.search(text[max(0, span.start - 40) : span.start]) is None:
        return None
    _, value, _ = values.read_value(text[start - 1 : start + values.BEHIND], 1)
    value = value.rstrip("\"'")
    after = text[start + len(value) : start + len(value) + 4].lstrip("\"' ")[:1]
    bare = not text[span.end : start].strip()
    is_code = bare and value.isdigit()
    ends = is_code or after in ("", "\n")
    alike = not bare or (len(value) == span.end - span.start and ends)
    is_listed = after not in (":", "=") and (is_code or values.fits_strictly(value, "password"))
    listed = alike and is_listed and not looks.is_placeholder(value)
    return values.span_of(start, value) if listed else None


def _value_of(text: str, key_start: int, key_end: int) -> looks.SecretSpan | None:
    """The secret that the key at this offset labels, or None."""
    key = text[key_start:key_end]
    family = _family_of(key)
    if _is_no_label(text, key_start, key):
        return None
    tail = _tail(text, key_end)
    if not _names_a_value(tail) or (key.lower() == "auth" and tail.startswith(".")):
        return None
    at = key_end + len(tail)
    joined = text[at : at + 1] in _CONNECTS or not text[at : at + 1].isascii()
    if not joined and not _has_value_below(text, at):
        return None
    rest = text[at : at + values.BEHIND]
    before = text[max(0, key_start - 40) : key_start]
    place = _Place(rest, family, before, key + tail)
    for judge in (_assigned, _described, _followed):
        value = judge(place)
        if value is not None and (key.lower() != "seed" or len(value[1]) >= SHORTEST_SEED):
            return values.span_of(at + value[0], value[1])
    return None


SHORTEST_SEED = 16
"""Characters of a seed of keys; shorter ones make a run of tests repeatable."""
_BEFORE_KEY = Lazy(r"[\w.:/-]*$")
_NO_SECRETS = TABLES.words("no_secrets")
"""Words before `token` that make it a place in a list, or the name of a request."""
_PARSED = frozenset(("unexpected", "expected", "illegal", "next"))
"""Words before the `token` that a parser read."""
_VERB_AFTER = frozenset(TABLES.words("pass_is_verb"))
"""Words after which `pass` is a verb."""
_ROUNDS = frozenset(("in first", "in second", "in third", "in final"))
_PLAIN = Lazy(r"^: [\"'`][a-z_]{1,24}[\"'`](?:\W|$)")
"""`different in second pass: "start"`: an assembler quotes a label, not a password."""
_TIMES = TABLES.words("passes")
"""`one-pass`, `low-pass`, `-bypass`: no label."""


_KEY_ID = Lazy(r"^ (?:ID )?(?:0x)?[0-9A-Fa-f]{8,40}\b")
"""How gpg names a key: `using RSA key 3C9F0B7A51D2E846`."""


def _is_no_label(text: str, at: int, key: str) -> bool:
    """True for `nextToken`, the `secret:` of an ARN, the `PASS:` of a test runner, and letters of a
    hash or of other random text, such as the `2fa` of `9d2fa3cc`."""
    if _is_of_random_text(text, at, at + len(key)):
        return True
    before = text[max(0, at - 120) : at]
    found = _BEFORE_KEY.search(before)
    word = found.group() if found is not None else ""
    if key.lower() == "token" and word.lower().rstrip("_-.").endswith(_NO_SECRETS):
        return True
    words = before[: len(before) - len(word)].lower().split()[-2:]
    said = words[-1:]
    if key.lower() == "token" and not word and said and said[0] in _PARSED:
        return True
    if key.lower() == "rsa key" and said == ["using"]:
        return _KEY_ID.is_match(text[at + len(key) : at + len(key) + 60])
    if key.lower() == "pass" and not word and said and said[0] in _VERB_AFTER:
        return True
    in_round = key == "pass" and not word and " ".join(words) in _ROUNDS
    if in_round and _PLAIN.match(text[at + 4 : at + 40]):
        return True
    if key.upper() == "PASS" and before.endswith("--- "):
        return True
    whole = (word + key).lower()
    if whole.endswith("pass") and whole[:-4].rstrip("-").endswith(_TIMES):
        return True
    return word.startswith("arn:")


_LETTERS_BEFORE, _LETTERS_BEHIND = Lazy(r"[0-9A-Za-z]*$"), Lazy(r"[0-9A-Za-z]*")
_HEX = frozenset("0123456789abcdefABCDEF")


def _is_of_random_text(text: str, start: int, end: int) -> bool:
    """Only within a run of letters and digits: behind a `/` the key may be one of a URL, whose path
    may be random, and a label too few shows a secret."""
    if _HEX.issuperset(text[start:end]):
        return bool(_HEX.intersection(text[max(0, start - 1) : start] + text[end : end + 1]))
    before = _LETTERS_BEFORE.search(text[max(0, start - 80) : start])
    first = start - (len(before.group()) if before is not None else 0)
    last = end + max(0, _LETTERS_BEHIND.end(text[end : end + 80]))
    run = text[first:last]
    return len(run) > end - start and (looks.looks_random(run) or looks.is_ulid(run))


def _tail(text: str, key_end: int) -> str:
    """The rest of the identifier after the keyword: `_BASE64` of `TOKEN_BASE64`."""
    first, last = text[key_end : key_end + 1], text[key_end - 1]
    if not (first.isalnum() or first in "_.-") or not first.isascii() or not last.isascii():
        return ""
    window = text[key_end : key_end + 60]
    return window[: max(0, _SUFFIX.end(window))]


@lru_cache(maxsize=512)
def _names_a_value(tail: str) -> bool:
    """Return whether an identifier with this tail still names a secret value."""
    if not tail:
        return True
    if tail[0].islower() and tail.split("_")[0].split("-")[0].split(".")[0] not in (
        "s", "key", "keys", "base", "token", "secret", "value", "id",
    ):  # fmt: skip
        return False
    parts = [part.lower() for part in _SUFFIX_PARTS.findall(tail)]
    return not any(part in _ABOUT for part in parts)


_Value = tuple[int, str]
"""Offset of a value after its key, and the value."""


class _Place(NamedTuple):
    """A key in the text, with the text after and before it."""

    rest: str
    family: str
    before: str
    key: str


def _assigned(place: _Place) -> _Value | None:
    """`key = value`, `key: value`, `"key": "value"`, `<key>value<`, `key="…" value="…"`."""
    rest, family, before, key = place
    sign, end = _sign(rest, before)
    if not sign:
        return None
    start, value, quoted = values.read_value(rest, end)
    if value and not quoted and (other := _FALLBACK.match(rest[end : end + 160])) is not None:
        start, value, quoted = end + other.start(1), other.group(1), True
        return (start, value) if values.fits_strictly(value, "password") else None
    if not value or values.is_reference(value, quoted, rest[end:]) or _BETWEEN_QUOTES.fits(value):
        return None
    loose = sign in _PASSED or (rest[0] in _CLOSES and _IN_PHRASE.is_match(before))
    if loose and not (quoted and "\n" not in rest[:end] and values.fits_strictly(value, family)):
        return None
    if sign == ">" and rest[start + len(value) :].lstrip(" \t\r\n.,;:)]}")[:1] != "<":
        return None
    tight = sign in ("=", ":-") and end == len(sign)
    if "\n" in rest[:end] and not (quoted or values.fits_strictly(value, family)):
        return None
    if _FIELD.fits(value.strip("\"'")) or value.lower().strip("\"'") == key.lower():
        return None
    ok = _assigned_ok(value, place, quoted, tight, rest[start + len(value) :])
    return (start, value) if ok else None


_FIELD = Lazy(rf"(?:token|secret|pass|pw|{PASSWORD})\d?", ignore_case=True)
"""The label itself as its value: the name of a field, in any language."""
_IN_PHRASE = Lazy(r"[\"'][^\"'\n]*\s[^\"'\n]*$")
"""A key of several words, such as the text of a page that is the key of its translation."""
_BETWEEN_QUOTES = Lazy(r"(?:[;,)+]| \+) .*| .*[ ,(]")
"""The text between two quoted ones: `"password:"; send "…"`, `"TOKEN=" in line, "…"`."""
_FALLBACK = Lazy(r"[\w.$:\[\]()\"']{2,80} (?:\?\?|\|\||or|\?:) [\"']([^\"'\n]{6,})[\"']")
"""`process.env.PW ?? "…"`: the value of a reference that is empty."""


def _sign(rest: str, before: str) -> tuple[str, int]:
    """The sign between a key and its value, "" for none, and the offset of the value."""
    end = -1
    if ":" in rest[:3] and "=" in rest[:80]:
        end = _TYPED.end(rest)
    if end < 0 and (rest[:3].startswith(("</", ":</", ">")) or _VALUE.is_match(rest[:12])):
        end = _XML_VALUE.end(rest)
    named = before.lower()
    if end < 0 and ("name" in named or "key" in named) and "value" in rest[:48].lower():
        end = _NAMED_VALUE.end(rest)
    if end < 0:
        end = _BELOW.end(rest)
    if end >= 0:
        return "=", end + max(0, _BLOCK.end(rest[end : end + 80]))
    at = _run(rest, _run(rest, _run(rest, 0, _CLOSES, 12), _BLANKS, 40), _SPACES, 12)
    sign = next((sign for sign in _SIGNS if rest.startswith(sign, at)), "")
    if sign in (":-", ":?") and "${" not in before[-60:]:
        sign = ":"  # the value begins with the second sign
    if sign in ("", ":?") or (sign == ">" and "<" not in before):
        return "", 0
    end = _run(rest, _run(rest, at + len(sign), _BLANKS, 40), _SPACES, 6)
    if rest.startswith("\\\n", end):
        end = _run(rest, end + 2, _SPACES, 12)  # the line goes on below
    block = _BLOCK.end(rest[end : end + 80]) if sign == ":" else -1
    if block >= 0:
        return "=", end + block
    if rest[end : end + 1] == "\n":
        end = _run(rest, end + 1, _SPACES, 12)
    item = sign == ":" and rest.startswith("- ", end) and "\n" in rest[:end]
    return sign, end + 2 if item else end


def _has_value_below(text: str, at: int) -> bool:
    """True for `- name: ADMIN_PASSWORD` with `value: …` in the next line, as in container
    manifests, and for `<key>Password</key>` before an element with the value."""
    below = text[at : at + 48]
    if below.startswith(("</", ":</")):
        return _XML_VALUE.end(below) >= 0
    return below.startswith("\n") and below.lstrip(" \n").startswith(("value:", "value :"))


def _run(text: str, at: int, letters: frozenset[str], most: int) -> int:
    """The end of a run of these letters, of at most `most`."""
    end = min(len(text), at + most)
    while at < end and text[at] in letters:
        at += 1
    return at


def _is_plain(value: str) -> bool:
    """True for words of a program or to be read; a password has a letter or digit of ASCII."""
    plain = value.lower() in values.PLAIN_WORDS or not any(map(str.isascii, value))
    return plain or looks.is_placeholder(value) or values.is_sentence(value)


def _assigned_ok(value: str, place: _Place, quoted: bool, tight: bool, after: str) -> bool:
    """Judge an assigned value. tight: `key=value` without a space, as in environment files."""
    family, key = place.family, place.key
    if _is_plain(value):
        return False
    if looks.is_scrambled(value):
        return True
    if family == "vendor":
        return _vendor_value(value)
    if values.is_plain_number(value, family):
        return False
    if family == "short" and key.lower().endswith("auth"):
        if key.isupper() and tight:
            return values.fits_strictly(value.rpartition(":")[2], "password")
        return len(value) >= 16 and any(c.isdigit() for c in value) and not looks.is_wordy(value)
    if family == "short" and _is_number_key(key):
        return _is_code(value, key, after)
    if family in ("password", "short"):
        return _is_assigned_password(value, quoted, tight, after)
    upper = key.isupper() and tight
    if len(value) < (6 if upper or family == "secret" else 8):
        return False
    secret = family == "secret" or "secret" in key.lower()
    if upper or (secret and quoted):
        return not values.is_code_name(value)
    return values.fits_strictly(value, family) or (
        len(value) >= 16 and not looks.is_wordy(value) and " " not in value
    )


def _is_assigned_password(value: str, quoted: bool, tight: bool, after: str) -> bool:
    """Arguments as for `_assigned_ok`. A password may be any word, so that where it is neither
    quoted nor tight it must not read like prose."""
    if len(value) < 4:
        return False
    if not (quoted or tight):
        is_last_word = value.isalpha() and value.islower() and values.line_ends(after)
        return not values.is_name(value) and (values.fits_prose(value) or is_last_word)
    if values.is_file(value) and looks.is_wordy(value):
        return False
    is_title = value.isalpha() and not value.islower() and after[:1] == " " and not quoted
    if is_title and after[1:2].isalpha():
        return False
    return not values.is_code_name(value) or any(c.isdigit() for c in value)


def _is_number_key(key: str) -> bool:
    """`PIN`, `door code`: keys whose values are digits."""
    name = key.lower()
    return "pin" in name or "пин" in name or name.endswith((" code", " codes"))


def _is_code(value: str, key: str, after: str) -> bool:
    """True for a PIN, and for one of the codes that replace a lost device."""
    digits = value.isdigit() and 4 <= len(value) <= 8
    has_unit = values.UNIT.end(after) >= 0 and not after.startswith(_COPULAS)
    return (digits and not has_unit) or (
        key.endswith("odes") and values.fits_strictly(value, "token")
    )


_OPAQUE = Lazy(r"[0-9A-Za-z_+/=:.~%|-]{12,250}")


def _vendor_value(value: str) -> bool:
    """True for a token-like value after the name of a service: ids of 15 digits, hex, base 36."""
    if not _OPAQUE.fits(value):
        return False
    digits = sum(c.isdigit() for c in value)
    whole = sum(c.isalnum() for c in value) >= len(value) - 1 or len(value) >= 26
    if not whole or digits < 2 or values.is_file(value):
        return False
    return not looks.is_wordy(value) or turns(value) >= 4


def turns(value: str) -> int:
    """Number of changes between digits and other characters."""
    kinds = [c.isdigit() for c in value]
    return sum(a != b for a, b in pairwise(kinds))


_COPULAS = (
    "입니다",
    "이에요",
    "예요",
    "이야",
    *(f" {word} " for word in ("and", "und", "et", "y", "e", "i", "и")),
)
"""Korean ends of a sentence, and conjunctions, which follow a number like a unit."""


def _described(place: _Place) -> _Value | None:
    """`the password for the demo tenant is …`, `密码是 …`, `パスワードは「…」です`."""
    rest, family, _, key = place
    if family == "vendor" or (family == "short" and "auth" in key.lower()):
        return None
    end = _CJK.end(rest[:40]) if not rest[:1].isascii() or not key[-1:].isascii() else -1
    cjk = end >= 0
    if not cjk:
        end = _PROSE.end(rest[:160])
    if end < 0 or rest.count(" ", 0, end) > MAX_WORDS:
        return None
    start, value, quoted = values.read_value(rest, end)
    if len(value) < 4 or values.is_reference(value, quoted, rest[end:]) or _is_plain(value):
        return None
    after = rest[start + len(value) :]
    if values.is_plain_number(value, family):
        return None
    if rest[0] == ")" and values.is_name(value):
        return None  # `(key: ApiToken): Session`, a signature
    is_pin = family == "short" and _is_number_key(key)
    if family in ("password", "secret") or (cjk and not is_pin):
        ok = values.fits_prose(value) or (quoted and " " not in value and not looks.is_wordy(value))
    elif family == "short":
        named = key.lower().endswith(("pass", "pw", "psk"))
        ok = (
            _is_code(value, key, after)
            if is_pin
            else named and values.fits_strictly(value, "password")
        )
    else:
        ok = values.fits_strictly(value, family)
    return (start, value) if ok else None


_SENTENCE_CONTINUES = Lazy(r" {1,9}[A-Za-z]")
"""What follows a word that is not the value of an option: `--private-key because …`."""


def _is_option(place: _Place) -> bool:
    """True for a key that is an option of a command: `--password`, `-p`."""
    word = place.before.rsplit(" ", 1)[-1]
    return "--" in word or (place.key.startswith("-") and not word[-1:].isalnum())


def _followed(place: _Place) -> _Value | None:
    """`password …`, `--password …`, `with password "…"`: a value directly after the key."""
    rest, family, _, key = place
    end = _OPENS.end(rest)
    if end <= 0 and rest[:1] == '"' and not key.isascii():
        end = 0  # Brackets of quotation directly behind a Chinese or Japanese word.
    elif end <= 0 or (rest[0] == "(" and key.isascii()):
        return None
    start, value, quoted = values.read_value(rest, end)
    if len(value) < 4 or values.is_reference(value, quoted, rest[end:]) or _is_plain(value):
        return None
    if end > 0 and rest[0] in "\"'" and not (quoted and values.fits_strictly(value, family)):
        return None
    if value.startswith("-"):
        return None
    return (
        (start, value) if _followed_ok(value, place, quoted, rest[start + len(value) :]) else None
    )


def _followed_ok(value: str, place: _Place, quoted: bool, after: str) -> bool:
    """Judge a value that follows its key without a sign."""
    _, family, _, key = place
    if _is_option(place):
        continues = _SENTENCE_CONTINUES.end(after) >= 0
        in_sentence = family != "password" and continues  # "--password swordfish shop"
        is_word = values.is_name(value) and (len(value) <= 5 or value.isupper() or in_sentence)
        return not is_word and not values.is_plain_number(value, family)
    if key.lower() in ("requirepass", "masterauth"):
        return True
    if family == "short" and key.lower() == "auth":
        # The command of Redis and of mail servers; "auth" alone is the middleware.
        return key == "AUTH" and values.fits_strictly(value, "password")
    if family == "short" and _is_number_key(key):
        return _is_code(value, key, after)
    if family == "short" and not key.lower().endswith(("pass", "pw", "psk")):
        return False
    is_quoted_word = quoted and " " not in value and any(c.isdigit() for c in value)
    return is_quoted_word or values.fits_strictly(value, family)
