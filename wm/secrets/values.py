"""Judge a candidate value: a secret, or a reference, name, measure or plain word (TR-1).

`labels` and `lines` find the places; this module reads and judges one value. Prose about secrets,
`$TOKEN`, `os.environ[...]`, types and placeholders are not secrets.
"""

# ruff: noqa: E501  Long patterns.
from __future__ import annotations

from wm.secrets.formats import TABLES
from wm.secrets.looks import (
    TERM,
    SecretSpan,
    has_mixed_part,
    is_scrambled,
    is_wordy,
    looks_mixed,
    looks_random,
)
from wm.text.patterns import Lazy, escaped

BEHIND = 400
"""Characters after a label in which its value must begin and end."""


def kind_of(value: str) -> str:
    """The kind of a value, wherever it is found, so that one secret always gets one label."""
    return "token" if looks_random(value) else "credential"


def span_of(start: int, value: str) -> SecretSpan:
    return SecretSpan(start, start + len(value), kind_of(value))


_CLOSING = frozenset("\"'`")
_BARE_END = frozenset(" \t\n\r\x1b\"'`<>，。、；：！？）】」』《》")
_LIST_FOLLOWS = Lazy(r"[,;&|]\s{0,3}(?:[\w.\[\]\"'-]{1,60}\s?[=:]|$|\s)")


def read_value(rest: str, at: int) -> tuple[int, str, bool]:
    """The offset of the value that begins at `at`, the value, and whether it is quoted."""
    quote = _ESCAPED_QUOTE.end(rest[at : at + 20])
    if quote > 0:
        # JSON inside JSON: the same escaped quote ends the value.
        end = rest.find(rest[at : at + quote], at + quote)
        return (at + quote, rest[at + quote : end], True) if end > 0 else (at, "", False)
    at += max(0, _LITERAL.end(rest[at : at + 40]) - 1)
    if rest.startswith(_CDATA, at):
        value = rest[at + len(_CDATA) :].split("]]>", 1)[0]
        return at + len(_CDATA), value, True
    value, quoted = _plain_value(rest, at)
    return at + quoted, value, quoted


_CDATA = "<![CDATA["
_LITERAL = Lazy(
    r"(?:[brufnBRUFN]{1,2}#{0,2}|string\(\d+\) |\$|"
    r"(?:Some|\[\]byte|\w{0,12}[Ss]tring(?:::from)?|Buffer\.from|\w{0,12}Secret(?:Str|Value)?(?:::new)?)\()[\"']"
)
"""The prefix of a string in Python, Rust, C++, SQL or a shell, in a dump of PHP, and the call that
only changes its type: `Some("…")`, `[]byte("…")`."""


_ESCAPED_QUOTE = Lazy(r"\\+[\"']")


def _plain_value(rest: str, at: int) -> tuple[str, bool]:
    first = rest[at : at + 1]
    if first in _CLOSING:
        end = rest.find(first, at + 1)
        line = rest.find("\n", at + 1)
        if end > at + 1 and (line < 0 or end < line):
            return rest[at + 1 : end], True
        if end == at + 1:
            return "", False
        # The quote is not closed in this line: read the value after it as unquoted.
        return _plain_value(" " + rest[at + 1 :], 1)[0], True
    end, size = at, len(rest)
    while end < size and (char := rest[end]) not in _BARE_END and char <= _LAST_BEFORE_CJK:
        if char in ",;&|" and _LIST_FOLLOWS.end(rest[end : end + 70]) >= 0:
            break
        end += 1
    if rest[end : end + 1] in _SIGNS_IN_PASSWORDS:
        word = rest[at : at + max(0, _UP_TO_SPACE.end(rest[at : at + 80]))].rstrip(".,;")
        if len(word) > end - at and is_scrambled(word):
            return word, False
    value = rest[at:end] if rest.startswith("...", end - 3) else rest[at:end].rstrip(".,;:)]}")
    if value.endswith(("**", "__")) or (value[:1] == value[-1:] and value[:1] in "*_~"):
        value = value.rstrip("*_~")  # Markdown, not part of the value
    return value.split("\\n")[0], False


_SIGNS_IN_PASSWORDS = frozenset("<>,;&|")
"""Signs that end a value, unless they are in a generated password (`is_scrambled`)."""
_UP_TO_SPACE = Lazy(r"[!#-&(-_a-~]*")
"""A word in ASCII without quotes."""
_LAST_BEFORE_CJK = "\u2e80"


def is_name(value: str) -> bool:
    """True for ASCII letters only."""
    return value.isascii() and value.isalpha()


UNIT = Lazy(r"[ -]?[A-Za-z\p{Han}\p{Hangul}\p{Katakana}%]")
_NAMED_PLACES = TABLES.words("named_places")
_REFERENCE = Lazy(
    r"\$\{?[A-Za-z_{(][\w.:{(}) -]*\}?\)?|\$\(.*|\$\{\S*|\$\d+|\{\{.*|\{[\w.]*\}?.*|<[^>]*>?.*|%[sdq({].*|%\d{1,2}(?:\W.*)?|\[.*|\(.*|#\{.*|@\w+@.*|"
    rf"(?:{'|'.join(map(escaped, _NAMED_PLACES))})\S*|"
    r"&[a-z]{2,6};.*|@[A-Za-z_]+|!Ref\b.*|!Sub\b.*|!secret\b.*|\\.*|/\S*|\.{1,2}/\S*|~/\S*|https?://.*|"
    r"[A-Z]<.*|new\s.*|await\s.*|function\b.*|lambda\b.*|return\b.*|[&*][\w.]+|[=<>!].*|\|.*|>-?"
)
_REFERENCE_STARTS = (
    *"${<%[(#@!\\/.~&*=>|", "B<", "C<", "F<", "I<", "L<", *_NAMED_PLACES, "http", "new", "await", "function", "lambda", "return",
)  # fmt: skip


def names_place(value: str) -> bool:
    """True for the place of a secret: a variable, a call, a path, an address."""
    return value.startswith(_REFERENCE_STARTS) and _REFERENCE.fits(value)


_CONSTANT = Lazy(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*_(?:KEY|SECRET|TOKEN|PASSWORD)")
"""`R2_SECRET_ACCESS_KEY` behind a label: the name of a variable."""
_DOTTED = Lazy(r"[A-Za-z_]\w*(?:(?:\.|::|->|\?\.)[A-Za-z_]\w*)+")


def is_reference(value: str, quoted: bool, behind: str) -> bool:
    """True for a reference to a secret: variables, calls, paths, types."""
    if is_scrambled(value):
        return False
    if value.startswith((").", ".$")) and _BEHIND_STRING.match(value) is not None:
        return True
    if quoted:
        # A quoted "!…" or "#…" is text, no YAML tag and no comment.
        named = value.startswith(("!Ref", "!Sub", "#{")) or value[0] not in "!#=>&*|(@["
        return named and names_place(value)
    if names_place(value) or _CONSTANT.fits(value):
        return True
    dotted = any(join in value for join in (".", "::", "->")) and _DOTTED.fits(value)
    named = is_wordy(value) or not any(c.isdigit() for c in value)
    if dotted and named and not has_mixed_part(value):
        return True
    if _INDEXED.fits(value) or (_NEXT_KEY.fits(value) and is_wordy(value)):
        return True
    call = value.find("(")
    return (call > 0 and _DOTTED_OR_NAME.fits(value[:call])) or (
        behind[len(value) : len(value) + 1] == "(" or value.endswith("()")
    )


_BEHIND_STRING = Lazy(
    r"\)\.[a-z]+(?:[A-Z][a-z]+)*(?:[(;,)]|$)|\.\$[a-z]+(?:_?[A-Za-z][a-z]+)*(?:[\[\].;,)-]|$)"
)
"""Code that goes on behind a string: `input("Password: ").strip()`, `"password=".$row["p"]`. A
password of random characters may begin with the same two."""
_INDEXED = Lazy(
    r"[$]?(?:[a-z]+(?:[A-Z][a-z]+)*|[A-Z]+)(?:[_.](?:[a-z]+|[A-Z]+))*"
    r"(?:[\[{][$%]?(?:[a-z_]{0,24}|-?\d{0,3}(?::-?\d{0,3})?)\]?)+|.*\["
)
"""`auth[2`, `passwords{$name`: an element, without the bracket that ends it. Of a password of random
characters hardly any has a name before the bracket, and a name or a number behind it."""
_NEXT_KEY = Lazy(r"[A-Za-z]+=")
"""`password= scope=`: no value, and another key."""
_DOTTED_OR_NAME = Lazy(r"[A-Za-z_][\w.:]*!?")
_CODE_NAME = Lazy(
    r"[a-z]+(?:[_.-][a-z]+)+|(?:[A-Z]+|[a-z]+)(?:_(?:[A-Z]+|[a-z]+))+|[a-z]+(?:[A-Z][a-z]+)+"
)


def is_code_name(value: str) -> bool:
    """True for an identifier: `access_token`, `currentPassword`, `PASSWORD_FIELD`."""
    phrase = _PHRASE.fits(value) and PLAIN_WORDS.isdisjoint(value.split("-"))
    return _CODE_NAME.fits(value) and not (phrase or _LETTER_GROUPS.fits(value))


def is_plain_number(value: str, family: str) -> bool:
    """True for numbers, sizes, times and versions; not for six or more digits of a password."""
    if value.isdigit():
        return len(value) < (6 if family == "password" else 4 if family == "short" else 99)
    return is_measure(value)


_MEASURE = Lazy(
    r"[~^<>=≥≤+-]{0,2}v?\d+(?:(?:\.\.|[.,:/-])\d+)*(?:\s?[a-zA-Z%]{1,4}|x|th|st|nd|rd)?[+-]?"
    r"|\d{4}-\d\d-\d\d(?:[T ].*)?|0x[0-9a-fA-F]{1,16}"
)
_MEASURE_STARTS = tuple("~^<>=≥≤+-v0123456789")


def is_measure(value: str) -> bool:
    """True for a number with or without a unit, a date, a version."""
    return value.startswith(_MEASURE_STARTS) and _MEASURE.fits(value)


_ALGORITHM = Lazy(
    r"(?:argon2(?:id|i|d)?|bcrypt|scrypt|scram-.*|pbkdf2|sha-?\d{1,3}(?:[-/]\d{3})?|md5|hmac(?:-sha\d+)?|(?:cram|digest)-md5|[hrep]s(?:256|384|512)|"
    r"ed25519|x25519|aes-?\d*(?:-[a-z0-9]+)*|rsa-?\d*|base\d\d|utf-?\d+(?:-?[lb]e)?|oauth-?\d?(?:\.0)?|http/?\d?(?:\.\d)?|"
    r"1password|o365|m365|auth0|gpt-?[\w.-]+|k8s|i18n|l10n|s3|ec2|ipv[46]|mp[34]|h264|p256|secp256[kr]1|"
    r"latin-?\d|iso-?8859-\d+|cp\d+|python\d?(?:\.\d+)?|node\d*|web3|log4j|neo4j|x509|pkcs\d+|rfc\d+|saml2?|oidc|ldap3?|level\d|step\d|"
    r"v\d+(?:[.-][\w-]{1,12})*|q[1-4]|utc[+-]\d+|iso\d+|cve-[\d-]+|[a-z]+-\d{1,3}\.\d.*)",
    ignore_case=True,
)
_SYMBOLS = frozenset("!@#$%^&*+~=?§€|")
_FILE = Lazy(r"[\w./@-]*\.(?:[a-z]{1,4}\d?|json|yaml|toml|html|lock|local|example)|\S+/\S+/\S*")


def is_file(value: str) -> bool:
    """True for a file name or a path."""
    return ("." in value or "/" in value) and _FILE.fits(value) and not looks_mixed(value)


_NAME = Lazy(r"\(?[A-Za-z]+(?:_[A-Za-z]+)*")
"""What a measure belongs to: `(cost=0.00..35.50`. A value with other signs is a password."""


def fits_strictly(value: str, family: str) -> bool:
    """Return whether a value is clearly a secret even without a sign between it and its label."""
    bold = "**" in value
    bare = value.replace("**", "").rstrip("!?.,:" if bold else "!?.,")
    if " " in value or not 6 <= len(value) <= 250 or _ALGORITHM.fits(bare):
        return False
    if is_scrambled(value):
        return True
    name, _, number = bare.rpartition("=")
    if (is_measure(number) and (not name or _NAME.fits(name))) or is_file(bare):
        return False
    digits = sum(c.isdigit() for c in bare)
    letters = sum(c.isalpha() for c in bare)
    if family in ("password", "short"):
        signed = digits > 0 or any(c in _SYMBOLS for c in bare)
        telling = signed or _LETTER_GROUPS.fits(bare) or has_mixed_part(bare)
        return telling and letters > 1 and not _is_name(bare)
    if digits == 0 or letters < 2 or len(value) < 8:
        return False
    return not is_wordy(bare) or _KEY_GROUPS.fits(bare) or any(c in "!#$%^&*" for c in value)


_LETTER_GROUPS = Lazy(r"(?:[a-z]{4}-){3}[a-z]{4}")
"""A password for one app, as Apple and Google make them."""
_PHRASE = Lazy(r"(?:[a-z]{3,10}-){3,7}[a-z]{3,10}")
"""A pass phrase behind its label; names of so many words are rare there."""
_KEY_GROUPS = Lazy(r"(?:[0-9A-Z]{4,8}-){2,9}[0-9A-Z]{4,8}")
_ISSUE = Lazy(
    r"[A-Z]{2,6}-\d{1,6}|[a-z]{0,8}#\d+|[a-z]+\[\d+\]|\w+=\S*|[a-z]+\d{0,2}_[a-z_]+\d?|[@~][a-z]+(?:_[a-z]+)+|.*(?:\.\*|\$\{).*|\w+\(\S*|[*_].*"
)


def _is_name(bare: str) -> bool:
    """True for the number of an issue, and for names in code: `OAuth2AuthorizationContext`."""
    return _ISSUE.fits(bare) or (TERM.is_match(bare) and is_wordy(bare))


def fits_prose(value: str) -> bool:
    """Return whether a value after "is" or a colon is a secret; less strict than `fits_strictly`."""
    bare = value.rstrip("!?.,")
    if is_scrambled(value):
        return True
    if _ALGORITHM.fits(bare) or is_measure(bare) or is_file(bare):
        return bare.isdigit() and len(bare) >= 6
    if any(c.isdigit() for c in bare):
        return not _is_name(bare) and (any(c.isalpha() for c in bare) or len(bare) >= 6)
    if any(c in _SYMBOLS for c in bare) and len(bare) >= 6:
        return (bare[0] not in _SYMBOLS or len(bare) >= 8) and not _is_name(bare)
    if not bare.isalpha() and has_mixed_part(bare):
        return True
    return (
        bare[1:] != bare[1:].lower()
        and not bare.isupper()
        and not is_code_name(bare)
        and (bare.isalpha() and len(bare) >= 8)
        and not _TYPE_NAME.fits(bare)
    )


_TYPE_NAME = Lazy(
    r"(?:[A-Z]+[a-z]+){3,}[A-Z]*|(?:[A-Z]+[a-z]+)+(?:Credentials?|Token|Secret|Key|Str)"
)
"""`AwsCredentialIdentity`, `URLPatternComponentResult`: types in code."""


_VERBAL = ("ed", "ing", "ly", "ing.", "able", "ible")
_SENTENCE_WORDS = frozenset(TABLES.words("sentence"))


def is_sentence(value: str) -> bool:
    """True for words to be read, such as a message about passwords; not for a pass phrase."""
    words = value.lower().split()
    read = any(word in _SENTENCE_WORDS or word.endswith(_VERBAL) for word in words)
    title = value[-1] in ".?…" or not value.isascii()
    return len(words) > 1 and (read or (title and not any(map(str.isdigit, value))))


def line_ends(after: str) -> bool:
    return after.lstrip(" \t\"'`")[:1] in ("", "\n", ",", ";", "\r", "}")


PLAIN_WORDS = frozenset(TABLES.words("plain"))
