"""Secrets that something beside them gives away (TR-1): labels, headers, URLs, commands.

"The password is …" and `API_KEY=…` in eight languages, Authorization and Cookie headers,
credentials in URLs and connection strings, password options of commands, seed phrases,
Kubernetes secrets. Prose about secrets ("password policy", "auth: middleware"), references
(`$TOKEN`, `os.environ[...]`), types and placeholders stay as they are. Each hit looks at a
bounded window, so the whole is linear (TR-5).
"""

# ruff: noqa: E501, S105  Rows of a table; names of families of labels.
from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from wm.domain.patterns import Lazy, Pattern, words
from wm.domain.secret_formats import VENDORS
from wm.domain.secret_looks import Span, is_placeholder, is_wordy, looks_random

BEHIND = 400
"""Characters behind a label in which its value must begin and end."""

MAX_WORDS = 11
"""Words between a label and its verb: "the password for the demo tenant of Ana is …"."""


def labelled(text: str) -> Iterator[Span]:
    """Every value that its surroundings name as a secret. May overlap; the caller merges."""
    yield from _by_key(text)
    if "://" in text or "jdbc:" in text:
        yield from _in_urls(text)
    if _LINE_HINT.search(text) is not None:
        for mode, pattern in _LINES:
            yield from _groups(text, mode, pattern)
    if "ookie" in text or "COOKIE" in text:
        yield from _cookies(text)
    if "kind" in text and "Secret" in text:
        yield from _kubernetes(text)


def kind_of(value: str) -> str:
    """One word per value, wherever it is found, so that one secret keeps one label."""
    return "token" if looks_random(value) else "credential"


def _span(start: int, value: str) -> Span:
    return Span(start, start + len(value), kind_of(value))


# --- keys --------------------------------------------------------------------------------------

_PASSWORD = (
    r"pass(?:wor[dt]|wd|phrase|code)|kennwort|losungswort|contrase[ñn]a|senha|palavra[- ]passe|"
    r"mots? de passe|\bmdp\b|pwd|密码|密碼|口令|暗号|パスワード|暗証番号|合言葉|비밀번호|비번|패스워드|암호|"
    r"пароль|requirepass|masterauth"
)
_SECRET = (
    r"secret|geheimnis|segredo|secreto|credentials?|credenciais|credenciales|identifiants|"
    r"zugangsdaten|シークレット|시크릿|密钥|密鑰|秘钥|秘鑰|秘密鍵|비밀키"
)
_TOKEN = (
    r"token|jeton|令牌|トークン|토큰|"
    r"(?:api|access|auth|account|signing|encryption|encrypt|master|license|licence|private|secret|"
    r"shared|storage|service|deploy|app|client|session|user|admin|webhook|hmac|jwt|aes|rsa|"
    r"recovery|backup|activation|product|serial|integration|ingest|insert|subscription|"
    r"primary|secondary|root|server|consumer|write|read)[ _.-]?keys?|"
    r"\bcl[ée]s?(?: d'?(?:api|acc[eè]s)| secr[eè]te| priv[ée]e)|\bclave(?: de (?:api|acceso)| secreta)?|"
    r"\bchave(?: (?:de|da) (?:api|acesso)| secreta)?|(?:api|zugangs|geheim)[- ]?schl[üu]ssel|"
    r"api[ -]?キー|アクセスキー|api ?키|액세스 ?키|recovery codes?|backup codes?|licen[cs]e code|"
    r"one[- ]time code|otp|totp|2fa|mfa|seed"
)
_SHORT = r"\bpass\b|[_.-]pass\b|PASS\b|[a-z]Pass\b|\bpw\b|[_-]pw\b|\bpins?\b|\bpin-?code|\bauth\b|_auth\b|\bPW\b|\bpsk\b|\bmagic link"
_VENDOR = "|".join(name.replace("-", r"\-") for name in sorted(VENDORS, key=len, reverse=True))
_KEY = Lazy(
    rf"({_PASSWORD})|({_TOKEN})|({_SECRET})|({_SHORT})"
    rf"|\b({_VENDOR})",
    ignore_case=True,
)
_FAMILIES = ("password", "token", "secret", "short", "vendor")

_SUFFIX = Lazy(r"[0-9A-Za-z_]*(?:[.-][0-9A-Za-z_]+){0,3}")
_SUFFIX_PARTS = Lazy(r"[A-Z]+(?:[a-z0-9]*)|[a-z]+|[0-9]+")
_ABOUT = words(
    "min max length len count counts hash hashed hashes hasher digest policy field fields id "
    "ids name names type types expiry expires expired expiration expire exp ttl changed "
    "change reset resets url uri file files path dir store storage manager provider providers "
    "validator validators validation rules rule regex pattern required enabled disabled "
    "bucket limit limits size header headers index izer izers ization ize ary aries ed less "
    "holder placeholder hint label labels input strength prefix suffix format env var ref "
    "refs arn version schema class form page prompt endpoint scheme issuer audience at by "
    "list handler service client error errors exception middleware callback function func fn "
    "request response flow screen dialog button check checker generator rotation refresh "
    "stream budget usage budget cost price window confirmation confirm attempts algorithm alg "
    "encoder salt rounds iterations s3 in on of for santa ring rotated info status state "
    "source sources mode model parser lexer kind map set array object property attribute "
    "column table migration test tests fixture fixtures spec md py ts js tsx go rs java rb "
    "yml yaml json toml txt html css"
)

_ASSIGN = Lazy(r"[\"'`\])}]{0,3}\s{0,12}(=>|:=|\?=|===?|=|->|→|:{1,2}|>)\s{0,6}(?:\n\s{0,12})?")
_TYPED = Lazy(
    r"[\"'`]?\s?:\s?(?:Final|ClassVar|Optional|str|string|String|&'?(?:static )?str|SecretStr|char\s?\*|bytes)"
    r"(?:\[[A-Za-z, |]{1,30}\])?(?:\s?\|\s?(?:None|null|undefined))?\s{0,4}=\s{0,4}"
)
_XML_VALUE = Lazy(r"[\"']\s{0,4}value\s?=\s?")
_PROSE = Lazy(
    r"[^.;!?:=：，。,\"'`\n]{0,120}?(?:[ \t]?[:：]|[ \t]{1,3}(?:is|was|are|=|ist|war|lautet|heißt|est|était|es|era|é|foi|será|"
    r"has been set to|set to|to|equals|became|reads)[ \t]?:?)\s{1,4}",
    ignore_case=True,
)
_CJK = Lazy(
    r"[^\x00-\x7f]{0,4}?(?:是|为|為|は|：|:|는|은|이|가|를|을|が|を|的值是|设为|改为|改成|設為)\s{0,3}[:：]?\s{0,3}"
)
_SPACE = Lazy(r"[ \t]{1,3}")


_CONNECTS = frozenset(" \t\"'`])}=:>|-?\\")


_STOPS = frozenset("/,;!(<%&+*#@\n")
"""What no value follows: right behind a key they end the thought."""


def _by_key(text: str) -> Iterator[Span]:
    end = 0
    for match in _KEY.finditer(text):
        if match.end() <= end:
            continue
        span = _value_of(text, match)
        if span is not None:
            end = span.end
            yield span


def _value_of(text: str, match: Pattern) -> Span | None:
    """The secret that the key at `match` names, if any."""
    family = next(f for f, found in zip(_FAMILIES, match.groups(), strict=True) if found)
    key_end = match.end()
    if text[key_end : key_end + 1] in _STOPS:
        return None
    suffix = _SUFFIX.match(text[key_end : key_end + 60])
    tail = suffix.group() if suffix is not None and match.group()[-1].isascii() else ""
    if tail.startswith((".", "-")) and not text[key_end - 1].isalnum():
        tail = ""
    if not _names_a_value(tail, family):
        return None
    at = key_end + len(tail)
    if text[at : at + 1] not in _CONNECTS and text[at : at + 1].isascii():
        return None
    rest = text[at : at + BEHIND]
    before = text[max(0, match.start() - 40) : match.start()]
    place = _Place(rest, family, before, match.group() + tail)
    for judge in (_assigned, _described, _followed):
        value = judge(place)
        if value is not None:
            return _span(at + value[0], value[1])
    return None


def _names_a_value(tail: str, family: str) -> bool:
    """Does what follows the keyword inside its identifier keep it the name of a value?"""
    if not tail:
        return True
    if family == "vendor":
        return not tail[0].islower() or tail.startswith(("key", "token", "secret", "api"))
    if tail[0].islower() and tail.split("_")[0].split("-")[0].split(".")[0] not in (
        "s", "key", "keys", "base", "token", "secret", "value", "id",
    ):  # fmt: skip
        return False
    parts = [part.lower() for part in _SUFFIX_PARTS.findall(tail)]
    return not any(part in _ABOUT for part in parts)


_Value = tuple[int, str]
"""Where a value begins behind its key, and the value."""


class _Place(NamedTuple):
    """A key in the text: what stands behind it and before it, and what kind of key it is."""

    rest: str
    family: str
    before: str
    key: str


def _assigned(place: _Place) -> _Value | None:
    """`key = value`, `key: value`, `"key": "value"`, `<key>value<`, `key="…" value="…"`."""
    rest, family, before, key = place
    found = _TYPED.match(rest) or _XML_VALUE.match(rest)
    sign = "="
    if found is None:
        found = _ASSIGN.match(rest)
        if found is None:
            return None
        sign = found.group(1)
        if sign == ">" and "<" not in before[-30:]:
            return None
        if sign in ("==", "===", "!="):
            return None
    value, quoted = _read(rest, found.end(), assigned=sign)
    if not value or _is_reference(value, quoted, rest[found.end() :]):
        return None
    tight = sign == "=" and found.end() == 1
    if "\n" in found.group() and not (quoted or _strict(value, family)):
        return None
    if value.lower().strip("\"'") in (key.lower(), "password", "token", "secret", "pass", "pw"):
        return None
    start = found.end() + (1 if quoted else 0)
    ok = _assigned_ok(value, place, quoted, tight, rest[start + len(value) :])
    return (start, value) if ok else None


def _assigned_ok(value: str, place: _Place, quoted: bool, tight: bool, after: str) -> bool:
    """tight: `key=value` without a space, as in environment files."""
    family, key = place.family, place.key
    if value.lower() in _PLAIN_WORDS or is_placeholder(value):
        return False
    if family == "vendor":
        return _vendor_value(value)
    if _is_plain_number(value, family):
        return False
    if family == "short" and key.lower().endswith("auth"):
        return len(value) >= 16 and any(c.isdigit() for c in value) and not is_wordy(value)
    if family == "short" and "pin" in key.lower():
        return value.isdigit() and 4 <= len(value) <= 8 and not _UNIT.match(after)
    if family in ("password", "short"):
        if len(value) < 4 or (_NAME.fullmatch(value) and not (quoted or tight)):
            return False
        if quoted or tight:
            return not _is_code_name(value) or any(c.isdigit() for c in value)
        return _prose(value) or (value.isalpha() and value.islower() and _line_ends(after))
    upper = key.isupper() and tight
    if len(value) < (6 if upper or family == "secret" else 8):
        return False
    if upper or (family == "secret" and quoted):
        return not _is_code_name(value)
    return _strict(value, family) or (len(value) >= 16 and not is_wordy(value) and " " not in value)


_OPAQUE = Lazy(r"[0-9A-Za-z_+/=:.~%|-]{12,250}")


def _vendor_value(value: str) -> bool:
    """A token-like value behind the name of a service: ids of 15 digits, hex, base 36."""
    if _OPAQUE.fullmatch(value) is None:
        return False
    digits = sum(c.isdigit() for c in value)
    if digits == len(value):
        return digits >= 15
    whole = sum(c.isalnum() for c in value) >= len(value) - 1 or len(value) >= 26
    if not whole or digits < 2 or _FILE.fullmatch(value):
        return False
    return not is_wordy(value) or _turns(value) >= 4


def _turns(value: str) -> int:
    """How often a letter follows a digit or the other way round."""
    kinds = [c.isdigit() for c in value]
    return sum(a != b for a, b in pairwise(kinds))


def _described(place: _Place) -> _Value | None:
    """`the password for the demo tenant is …`, `密码是 …`, `パスワードは「…」です`."""
    rest, family, _, key = place
    if family == "vendor" or (family == "short" and "auth" in key.lower()):
        return None
    found = _CJK.match(rest[:40]) if not rest[:1].isascii() or not key[-1:].isascii() else None
    cjk = found is not None
    found = found or _PROSE.match(rest[:160])
    if found is None or found.group().count(" ") > MAX_WORDS:
        return None
    value, quoted = _read(rest, found.end(), assigned="")
    if len(value) < 4 or _is_reference(value, quoted, rest[found.end() :]) or is_placeholder(value):
        return None
    start = found.end() + (1 if quoted else 0)
    after = rest[start + len(value) :]
    if _is_plain_number(value, family) or value.lower() in _PLAIN_WORDS:
        return None
    if family in ("password", "secret") or cjk:
        ok = _prose(value) or (quoted and " " not in value and not is_wordy(value))
    elif family == "short":
        is_pin = "pin" in key.lower()
        ok = (
            (value.isdigit() and 4 <= len(value) <= 8 and not _UNIT.match(after))
            if is_pin
            else (key.lower() in ("pass", "pw", "psk") and _strict(value, "password"))
        )
    else:
        ok = _strict(value, family)
    return (start, value) if ok else None


def _followed(place: _Place) -> _Value | None:
    """`password …`, `--password …`, `with password "…"`: a value right behind the key."""
    rest, family, before, key = place
    found = _SPACE.match(rest)
    if found is None or family == "vendor":
        return None
    value, quoted = _read(rest, found.end(), assigned="")
    if len(value) < 4 or _is_reference(value, quoted, rest[found.end() :]) or is_placeholder(value):
        return None
    start = found.end() + (1 if quoted else 0)
    option = (
        before.rstrip("abcdefghijklmnopqrstuvwxyz-_.").endswith((" ", "\n", "'", '"'))
        and ("--" in before[-24:].split(" ")[-1])
    ) or before.endswith("--")
    if value.lower() in _PLAIN_WORDS or value.startswith("-"):
        return None
    if option:
        return (start, value) if _NAME.fullmatch(value) is None or len(value) > 5 else None
    if key.lower() in ("requirepass", "masterauth"):
        return (start, value)
    if family == "short" and key.lower() == "auth":
        return None
    if family == "short" and key.lower().lstrip("_.-") not in ("pass", "pw", "psk"):
        return None
    quoted_word = quoted and " " not in value and any(c.isdigit() for c in value)
    ok = quoted_word or _strict(value, "password" if family == "short" else family)
    return (start, value) if ok else None


# --- values ------------------------------------------------------------------------------------

_CLOSING = frozenset("\"'`")
_BARE_END = frozenset(" \t\n\r\"'`<>，。、；：！？）】」』《》")
_LIST_FOLLOWS = Lazy(r"[,;&|]\s{0,3}(?:[\w.\[\]\"'-]{1,60}\s?[=:]|$|\s)")


def _read(rest: str, at: int, *, assigned: str) -> tuple[str, bool]:
    """The value that begins at `at`, and whether it stood in quotes."""
    first = rest[at : at + 1]
    if first == "\\" and rest[at + 1 : at + 2] in ('"', "'"):
        end = rest.find("\\", at + 2)
        return (rest[at + 1 : end], False) if end > 0 else ("", False)
    if first in _CLOSING:
        end = rest.find(first, at + 1)
        line = rest.find("\n", at + 1)
        if end > at + 1 and (line < 0 or end < line):
            return rest[at + 1 : end], True
        if end == at + 1:
            return "", False
        # A quote that is not closed in this line: the value is what follows it.
        return _read(" " + rest[at + 1 :], 1, assigned=assigned)[0], True
    end = at
    while end < len(rest) and rest[end] not in _BARE_END and not _is_prose_letter(rest[end]):
        if rest[end] in ",;&|" and _LIST_FOLLOWS.match(rest[end : end + 70]):
            break
        end += 1
    value = rest[at:end].rstrip(".,;:)]}")
    if value.endswith(("**", "__")) or (value[:1] == value[-1:] and value[:1] in "*_~"):
        value = value.rstrip("*_~")  # Markdown, not a part of it
    if assigned == ":" and value.endswith("\\n"):
        value = value[:-2]
    return value.split("\\n")[0], False


def _is_prose_letter(char: str) -> bool:
    return char > "\u2e80"


_NAME = Lazy(r"[A-Za-z]+")
_UNIT = Lazy(r"[ -]?[A-Za-z\p{Han}\p{Hangul}\p{Katakana}%]")
_REFERENCE = Lazy(
    r"\$\{?[A-Za-z_{(][\w.:{(}) -]*\}?\)?|\$\(.*|\$\d+|\{\{.*|\{[\w.]*\}?.*|<[^>]*>?.*|%[sdq({].*|\[.*|\(.*|#\{.*|@\w+@.*|"
    r"(?:process\.env|os\.environ|os\.getenv|env\.|ENV\[|secrets\.|vars\.|var\.|local\.|module\.|"
    r"self\.|this\.|cls\.|config\.|settings\.|options\.|args\.|params\.|props\.|ctx\.|req\.|"
    r"request\.|data\.|import\.meta|getenv|keyring\.|vault[:.]|op://|arn:|ssm:|file:|env:|"
    r"window\.|document\.|state\.|user\.|input\.|form\.|body\.|event\.|opts\.|cfg\.)\S*|"
    r"!Ref\b.*|!Sub\b.*|!secret\b.*|\\.*|/\S*|\.{1,2}/\S*|~/\S*|https?://.*|"
    r"new\s.*|await\s.*|function\b.*|lambda\b.*|return\b.*|[&*]\w+|[=<>!].*|\|.*|>-?"
)
_DOTTED = Lazy(r"[A-Za-z_]\w*(?:(?:\.|::|->|\?\.)[A-Za-z_]\w*)+")


def _is_reference(value: str, quoted: bool, behind: str) -> bool:
    """Names the place of a secret, not the secret: variables, calls, paths, types."""
    if _REFERENCE.fullmatch(value):
        return True
    if quoted:
        return False
    if _DOTTED.fullmatch(value) and (is_wordy(value) or not any(c.isdigit() for c in value)):
        return True
    call = value.find("(")
    return (call > 0 and _DOTTED_OR_NAME.fullmatch(value[:call]) is not None) or (
        behind[len(value) : len(value) + 1] == "(" or value.endswith("()")
    )


_DOTTED_OR_NAME = Lazy(r"[A-Za-z_][\w.:]*!?")
_CODE_NAME = Lazy(r"[a-z]+(?:[_.-][a-z]+)+|[A-Z]+(?:_[A-Z]+)+|[a-z]+(?:[A-Z][a-z]+)+")


def _is_code_name(value: str) -> bool:
    """`access_token`, `currentPassword`, `PASSWORD_FIELD`: the name of something."""
    return _CODE_NAME.fullmatch(value) is not None


def _is_plain_number(value: str, family: str) -> bool:
    """Numbers, sizes, times and versions; six digits and more behind a password are one."""
    if value.isdigit():
        return len(value) < (6 if family == "password" else 4 if family == "short" else 99)
    return _MEASURE.fullmatch(value) is not None


_MEASURE = Lazy(
    r"[~<>=≥≤+-]{0,2}v?\d+(?:[.,:/-]\d+)*(?:\s?[a-zA-Z%]{1,4}|x|th|st|nd|rd)?[+-]?"
    r"|\d{4}-\d\d-\d\d(?:[T ].*)?|0x[0-9a-fA-F]{1,8}"
)
_ALGORITHM = Lazy(
    r"(?:argon2(?:id|i|d)?|bcrypt|scrypt|pbkdf2|sha-?\d{1,3}(?:[-/]\d{3})?|md5|hmac(?:-sha\d+)?|[hrep]s(?:256|384|512)|"
    r"ed25519|x25519|aes-?\d*(?:-[a-z0-9]+)*|rsa-?\d*|base\d\d|utf-?\d+|oauth-?\d?(?:\.0)?|http/?\d?|"
    r"1password|o365|m365|auth0|gpt-?[\w.-]+|k8s|i18n|l10n|s3|ec2|ipv[46]|mp[34]|h264|p256|secp256[kr]1|"
    r"python\d?(?:\.\d+)?|node\d*|web3|log4j|neo4j|x509|pkcs\d+|rfc\d+|saml2?|oidc|ldap3?|level\d|step\d|"
    r"v\d[\w.-]*|q[1-4]|utc[+-]\d+|iso\d+|cve-[\d-]+|[a-z]+-\d{1,3}\.\d.*)",
    ignore_case=True,
)
_SYMBOLS = frozenset("!@#$%^&*+~=?§€|")
_FILE = Lazy(r"[\w./@-]*\.(?:[a-z]{1,4}\d?|json|yaml|toml|html|lock|local|example)|\S+/\S+/\S*")


def _strict(value: str, family: str) -> bool:
    """Would a person call this a secret without any sign between it and its label?"""
    bare = value.rstrip("!?.,")
    if " " in value or not 6 <= len(value) <= 250 or _ALGORITHM.fullmatch(bare):
        return False
    if _MEASURE.fullmatch(bare) or _FILE.fullmatch(bare):
        return False
    digits = sum(c.isdigit() for c in bare)
    letters = sum(c.isalpha() for c in bare)
    if family == "password":
        telling = digits > 0 or any(c in _SYMBOLS for c in bare)
        return telling and letters > 1 and not _ISSUE.fullmatch(bare)
    if digits == 0 or letters < 2 or len(value) < 8:
        return False
    return not is_wordy(bare) or _KEY_GROUPS.fullmatch(bare) is not None


_KEY_GROUPS = Lazy(r"(?:[0-9A-Z]{4,8}-){2,9}[0-9A-Z]{4,8}")
_ISSUE = Lazy(r"[A-Z]{2,6}-\d{1,6}|#\d+|[a-z]+\[\d+\]|\w+=\S*|[a-z]+_[a-z_]+\d?|\w+\(\S*|[*_].*")


def _prose(value: str) -> bool:
    """The same behind "is" or a colon: a little less is enough."""
    bare = value.rstrip("!?.,")
    if _ALGORITHM.fullmatch(bare) or _MEASURE.fullmatch(bare) or _FILE.fullmatch(bare):
        return bare.isdigit() and len(bare) >= 6
    if any(c.isdigit() for c in bare):
        return not _ISSUE.fullmatch(bare) and (any(c.isalpha() for c in bare) or len(bare) >= 6)
    if any(c in _SYMBOLS for c in bare) and len(bare) >= 6:
        return bare[0] not in _SYMBOLS or len(bare) >= 8
    return (
        bare[1:] != bare[1:].lower()
        and not bare.isupper()
        and not _is_code_name(bare)
        and (bare.isalpha() and len(bare) >= 8)
    )


def _line_ends(after: str) -> bool:
    return after.lstrip(" \t\"'`")[:1] in ("", "\n", ",", ";", "\r", "}")


_PLAIN_WORDS = words(
    "include omit same-origin obrigatória obrigatório obligatoire obligatoria obligatorio requerida requise "
    "erforderlich pflicht nécessaire necesaria incorrecta incorreta falsch ungültig invalide inválida "
    "null none nil true false undefined yes no on off string str text bytes int integer "
    "number bool boolean any object required optional hidden masked empty unset missing "
    "invalid wrong incorrect correct expired valid unknown unchanged default varchar char "
    "uuid password passwords token tokens secret secrets key keys prompt input stdin env "
    "vault keychain keyring enabled disabled auto automatic manual basic bearer digest "
    "mandatory forbidden ignored todo tbd n/a na pending login logout reset change changed "
    "rotated here there below above public private read write readonly admin user username "
    "email file type name value google github microsoft apple okta middleware jwt oauth "
    "oauth2 saml ldap sso session cookie header headers query body form field fields policy "
    "field: only never always must should generated random stored encrypted hashed plaintext "
    "plain redacted"
)


# --- whole lines ---------------------------------------------------------------------------------

_LINES: tuple[tuple[str, Lazy], ...] = (
    # Authorization: Basic …, Bearer …, Token …, or the bare value; other headers
    ("token", Lazy(
        r"(?:proxy-)?authorization[\"'`]?\s?[:=,]\s?[\"'`]?(?:(?:basic|bearer|token|apikey|api-key|key|digest|negotiate|"
        r"ssws|genie_?key|splunk|bot|oauth)\s+)?(?:username=\"[^\"]{0,60}\", ?)?([0-9A-Za-z_.~+/=:%-]{8,})",
        ignore_case=True,
        )),
    ("token", Lazy(r"\b(?:bearer|basic)\s{1,3}([0-9A-Za-z_.~+/=-]{16,})", ignore_case=True)),
    ("token", Lazy(
        r"\b(?:x-)?(?:[a-z0-9]{1,20}-){0,4}(?:api-?key|token|secret|access-?key|auth-?key|signature)[\"'`]?\s?[:=,]\s?"
        r"[\"'`]?([0-9A-Za-z_.~+/=-]{12,})",
        ignore_case=True,
        )),
    # options of commands
    ("any", Lazy(r"\b(?:mysql|mysqldump|mysqladmin|mariadb|mariadb-dump)\b[^\n|]*?\s-p([^\s'\"-][^\s'\"]{2,})")),
    ("any", Lazy(r"\bsshpass\s+-p\s?['\"]?([^\s'\"]{3,})")),
    ("any", Lazy(r"\b(?:docker|podman|helm|az|oc|npm|skopeo|crane|vsce)\b[^\n|]*?\blogin\b[^\n|]*?\s-[pP]\s{1,3}['\"]?([^\s'\"$<{-][^\s'\"]{5,})")),
    ("any", Lazy(r"\b(?:curl|wget|http|https|xh)\b[^\n|]*?\s(?:-u|--user|-a|--auth|--proxy-user)[ =]?['\"]?[^\s:'\"/]*:([^\s'\"$<{@][^\s'\"@]{2,})")),
    ("any", Lazy(r"-pass(?:in|out)?\s+pass:([^\s'\"$<{]{3,})")),
    ("any", Lazy(r"\bredis-cli\b[^\n|]*?\s-a\s+['\"]?([^\s'\"$<{]{4,})")),
    ("any", Lazy(r"\b(?:ldapsearch|ldapadd|ldapmodify)\b[^\n|]*?\s-w\s+['\"]?([^\s'\"$<{]{4,})")),
    ("any", Lazy(r"\b(?:7z|7za|unzip|zip|rar)\b[^\n|]*?\s-[pP]\s?([^\s'\"$<{-][^\s'\"]{3,})")),
    ("any", Lazy(r"\bhtpasswd\s+-\w*b\w*\s+\S{1,}\s+\S{1,60}\s+['\"]?([^\s'\"$<{]{4,})")),
    ("any", Lazy(r"\becho\s+(?:-n\s+)?['\"]?([^\s'\"|$<{][^\s'\"|]{3,})['\"]?\s?\|\s?sudo\s+-\w*S")),
    ("any", Lazy(r"(?:identified by|with password|password for [\w.@-]{1,60} to)\s{1,3}['\"]([^'\"\n]{3,})['\"]", ignore_case=True)),
    ("any", Lazy(r"\bnet use\b[^\n]*?/user:\S{1,60}\s+([^\s/]{4,})", ignore_case=True)),
    # files with fixed columns, connection strings
    ("digit", Lazy(r"^[\w-]*[\w*.-]*\.?[\w*.-]+:(?:\d{4,5}|\*):[A-Za-z_*][\w*-]{0,60}:[A-Za-z_*][\w*.@-]{0,60}:([^\s:]{6,})$", multi_line=True)),
    ("any", Lazy(r"jdbc:oracle:\w{2,6}:[\w$#]{1,60}/([^\s@/'\"]{3,})@")),
    ("any", Lazy(r"\b(?:sqlplus|imp|exp|expdp|impdp|rman target)\s+[\w$#]{1,60}/([^\s@/'\"]{3,})@")),
    ("token", Lazy(r"otpauth://[^\s?]{1,}\?(?:[^\s&]{1,}&){0,5}secret=([A-Za-z2-7=]{12,})")),
    # phrases, parameters of URLs, single fields of known files
    ("phrase", Lazy(r"(?:seed|recovery|mnemonic|backup|wallet)\s?(?:phrase|words|mnemonic)?[^\n:=]{0,60}?[:=]\s{0,3}[\"']?((?:[a-z]{3,8}[ ,]{1,2}){11,24}[a-z]{3,8})\b", ignore_case=True)),
    ("phrase", Lazy(r"(?:助记词|助記詞|シードフレーズ|니모닉)[^\n:：=]{0,20}[:：=]\s{0,3}((?:[a-z]{3,8}[ ,]{1,2}){11,24}[a-z]{3,8})\b")),
    ("token", Lazy(r"[?&;](?:key|sig|signature|code|auth|sid|session|sessionid|jwt|apikey|hmac|ticket)=([0-9A-Za-z_.~%+/-]{12,})", ignore_case=True)),
    ("token", Lazy(r"\b(?:2fa|totp|otp|mfa|authenticator)\b[^\n:=]{0,30}[:=\s]\s{0,3}((?:[A-Z2-7]{4}[ -]?){4,16})\b", ignore_case=True)),
    ("token", Lazy(r"\"auth\"\s?:\s?\"([0-9A-Za-z+/]{12,}={0,2})\"")),
    ("token", Lazy(r"\b(?:client-key-data|client-certificate-key)\s?:\s?\"?([0-9A-Za-z+/]{20,}={0,2})")),
    ("token", Lazy(r"_(?:auth|authToken|password)\s?=\s?\"?([0-9A-Za-z+/_=.-]{8,})")),
    ("words", Lazy(r"\b(?:password|passphrase)[^\n:=\"'.]{0,40}?\b(?:is|:)\s{1,2}[\"']?((?:[a-z]{3,12} ){3,7}[a-z]{3,12})[\"']?$", ignore_case=True, multi_line=True)),
)  # fmt: skip


_LINE_HINT = Lazy(
    r"authori[sz]ation|bearer|basic |api-?key|-token|-secret|access-?key|auth-?key|signature|"
    r"\b(?:mysql|mariadb)|sshpass|\s-p|\s-u|--user|--auth|--proxy-user|\"auth\"|_auth|-pass|redis-cli|"
    r"\bldap|zip |7z |rar |htpasswd|sudo|identified|/user:|:\d{4}|:\*:|jdbc|sqlplus|pdp |imp |exp |rman|"
    r"seed|recovery|mnemonic|backup|wallet|助记词|助記詞|シードフレーズ|니모닉|[?&;][a-z]{2,10}=|2fa|otp|mfa|"
    r"_password|certificate-key|key-data|password|passphrase",
    ignore_case=True,
)
"""One search tells whether any of the patterns above is worth a try."""


def _groups(text: str, mode: str, pattern: Lazy) -> Iterator[Span]:
    for match in pattern.finditer(text):
        value = match.group(1).rstrip(".,;")
        start = match.start(1)
        if len(value) < 3 or is_placeholder(value) or value.lower() in _PLAIN_WORDS:
            continue
        if _is_reference(value, False, text[start : start + len(value) + 2]):
            continue
        if _fits(mode, value):
            yield _span(start, value)


_VERBAL = ("ed", "ing", "ly", "ing.", "able", "ible")
_SENTENCE_WORDS = words(
    "the and not for with from into than then that this these those they them their there here when where which "
    "while who whom whose will would shall should must may might can could has have had been being are was were "
    "does did done get gets got set sets put let use uses only also too very more most less least much many any "
    "all some each every other another such same own just still even ever never always often again once twice "
    "but yet nor either neither both after before until since during over under above below between about "
    "against through without within its his her our your out off per via too long short weak strong wrong "
    "valid required optional known kept sent stored read written hash hashes salt policy field login user users "
    "admin server client database file files config vault keychain manager minimum maximum least characters "
    "letters digits symbols upper lower case same different new old changed default empty blank part make makes "
    "check checks need needs take takes come comes goes keep keeps give gives plain text secret token key"
)


def _fits(mode: str, value: str) -> bool:
    """any, phrase: the place alone says it. digit: a word is none. token: names are none.

    words: a pass phrase of plain words; a sentence about passwords is none.
    """
    if mode in ("any", "phrase"):
        return True
    if mode == "words":
        return not any(w in _SENTENCE_WORDS or w.endswith(_VERBAL) for w in value.split())
    if mode == "digit":
        return _strict(value, "password")
    if any(c.isdigit() for c in value):
        return looks_random(value) or not is_wordy(value)
    return not is_wordy(value) and not value.islower()


# --- URLs ----------------------------------------------------------------------------------------

_URL_STOP = Lazy(r"[\s/\"'`<>\\?#]")


def _in_urls(text: str) -> Iterator[Span]:
    """`scheme://user:secret@host`, `scheme://:secret@host`, `scheme://token@host`."""
    at = text.find("://")
    while at >= 0:
        start = at + 3
        window = text[start : start + BEHIND]
        stop = _URL_STOP.search(window)
        authority = window[: stop.start()] if stop is not None else window
        sign = authority.rfind("@")
        if sign < 0 and stop is not None and stop.group() in "/?#":
            authority, sign = _odd_authority(window)
        if sign > 0:
            yield from _user_info(authority[:sign], start)
        at = text.find("://", start)


def _odd_authority(window: str) -> tuple[str, int]:
    """An authority whose password holds a slash or a question mark that should be escaped."""
    colon, sign = window.find(":", 0, 80), window.find("@", 0, 160)
    whole = window[:sign]
    if not 0 < colon < sign or any(c in whole for c in " \n\t\"'`<>") or whole[colon + 1].isdigit():
        return window, -1
    return (window, sign) if "." not in whole[:colon] else (window, -1)


def _user_info(info: str, start: int) -> Iterator[Span]:
    user, colon, secret = info.partition(":")
    if not colon:
        if looks_random(user) or (len(user) >= 32 and not is_wordy(user)):
            yield _span(start, user)
        return
    if len(secret) < 2 or is_placeholder(secret) or _REFERENCE.fullmatch(secret):
        return
    if secret.lower() not in ("password", "pass", "pwd", "secret", "passwd", "pw"):
        yield _span(start + len(user) + 1, secret)


# --- cookies and Kubernetes ----------------------------------------------------------------------

_COOKIE = Lazy(r"\b(?:set-)?cookie[\"']?\s?[:=]\s?[\"']?([^\n\"']{8,})", ignore_case=True)
_COOKIE_NAME = Lazy(
    r"sess|sid|auth|token|jwt|csrf|xsrf|login|remember|secret|key|id$|user", ignore_case=True
)
_ATTRIBUTES = words("path domain expires max-age samesite httponly secure priority")


def _cookies(text: str) -> Iterator[Span]:
    for match in _COOKIE.finditer(text):
        at = match.start(1)
        for pair in match.group(1).split(";"):
            name, sign, value = pair.partition("=")
            start = at + len(name) + 1
            at += len(pair) + 1
            bare = value.strip()
            if not sign or name.strip().lower() in _ATTRIBUTES or len(bare) < 8:
                continue
            if is_placeholder(bare) or _REFERENCE.fullmatch(bare):
                continue
            named = _COOKIE_NAME.search(name) is not None and any(c.isdigit() for c in bare)
            if named or (len(bare) >= 20 and not is_wordy(bare)):
                yield _span(start + len(value) - len(value.lstrip()), bare)


_SECRET_KIND = Lazy(r"^\s{0,20}[\"']?kind[\"']?\s?:\s?[\"']?Secret\b", multi_line=True)
_DATA_BEGIN = Lazy(r"^(\s{0,20})[\"']?(?:data|stringData)[\"']?\s?:\s?\{?\s{0,4}$", multi_line=True)
_DATA_LINE = Lazy(
    r"^(\s+)[\"']?[\w.-]{1,}[\"']?\s?:\s{1,4}[\"']?([^\s\"'|>{}][^\"'\n]{3,}?)[\"']?,?\s*$"
)


def _kubernetes(text: str) -> Iterator[Span]:
    """Every value under `data:` of a Secret."""
    if _SECRET_KIND.search(text) is None:
        return
    end = 0
    for match in _DATA_BEGIN.finditer(text):
        at = max(match.end() + 1, end)
        while at < len(text):
            stop = text.find("\n", at)
            stop = len(text) if stop < 0 else stop
            line = _DATA_LINE.match(text[at:stop])
            if line is None or len(line.group(1)) <= len(match.group(1).strip("\n")):
                break
            value = line.group(2)
            if not is_placeholder(value) and not _REFERENCE.fullmatch(value):
                yield _span(at + line.start(2), value)
            at = stop + 1
        end = at
