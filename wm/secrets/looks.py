"""Tell random-looking strings from names and placeholders (TR-1).

Judges one short string by counting characters. Uses no labels and no context.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from operator import ne
from string import ascii_lowercase, ascii_uppercase, digits
from typing import NamedTuple

from wm.text.patterns import Lazy
from wm.text.tables import Tables

MIN_TOKEN_CHARS = 20
"""Shorter opaque strings are too often names: they count only after a label."""

MIN_RANDOM_CHARS = 16
"""Minimum number of a token's characters in random runs."""


class SecretSpan(NamedTuple):
    """One secret: `text[start:end]`, and the kind for its label."""

    start: int
    end: int
    kind: str


def _cased(words: tuple[str, ...]) -> Iterator[str]:
    """Each word in the cases people write. Other cases occur by chance: of a thousand random
    tokens, several contain a `YoUr` or an `xXxX`."""
    for word in words:
        for written in (word, word.upper(), word.title(), word.capitalize()):
            yield written.replace(" ", "[-_ ]")


_PLACEHOLDER_WORDS = (
    "xxxx", "your", "placeholder", "redacted", "change this", "changethis",
    "change me", "changeme", "insert ", "dummy",
    "goes here", "goeshere", "example ", "my api", "my secret", "my token",
)  # fmt: skip
_NO_VALUE = r"^#<|^0x[0-9a-f]{1,16}>?$|\*\*\*|\.\.\.|•••|____|0000000000|1111111111|EXAMPLE"
_PLACEHOLDER = Lazy("|".join((_NO_VALUE, *_cased(_PLACEHOLDER_WORDS))))


def is_placeholder(body: str) -> bool:
    """True for `xxxxxxxx`, `your_token_here`, `********`, `#<Token:0x00007f>`."""
    fewest = 3 if body.isdigit() else min(4, len(body) // 2 + 1)
    return len(set(body)) < fewest or _PLACEHOLDER.is_match(body)


def _pieces(text: str) -> list[str]:
    """The alphanumeric runs of a token."""
    if text.isascii():
        return text.translate(_SEPARATORS).split()
    return "".join([char if char.isalnum() else " " for char in text]).split()


_SEPARATORS = {code: " " for code in range(128) if not chr(code).isalnum()}
_CLASSES = str.maketrans(ascii_lowercase + ascii_uppercase + digits, "a" * 26 + "A" * 26 + "0" * 10)


_NAME = Lazy(r"(?:[A-Z]?[a-z]{2,}){1,2}(?:[A-Z][a-z]{2,}){3,}")
_CHUNK = Lazy(r"[A-Z]?[a-z]{2,}|[A-Z]{3,}")
_WORD = Lazy(r"[A-Z]?[a-z]+|[A-Z]{2,}")
_CLUSTER = Lazy(r"[b-df-hj-np-tv-xz]{4}|^[^aeiouy]+$", ignore_case=True)
"""Consonants in a row: rare in words, common in random letters."""


def is_wordy(body: str) -> bool:
    """True for names joined together (`getUserById`, `my-test-value-2`, `xmlSecBnFromHex`)."""
    wordy = sum(
        len(chunk)
        for chunk in _CHUNK.findall(body)
        if len(chunk) > 2
        and _CLUSTER.search(chunk) is None
        and not (chunk.isupper() and 4 * sum(map("AEIOUY".count, chunk)) < len(chunk))
    )
    total = sum(map(str.isalnum, body))
    return total > 0 and wordy * 10 >= total * 6


def looks_random(token: str) -> bool:
    """True for a token that is not typed by hand: letters and digits in random order.

    False for hashes and UUIDs (hex), names, paths, versions and ULIDs.
    """
    if len(token) < MIN_TOKEN_CHARS or is_placeholder(token):
        return False
    bare = token.replace("-", "").replace(":", "")
    if _NAME.fits(token):
        return False
    if _is_hex(bare) or is_ulid(token):
        return False
    pieces = _pieces(token)
    if ("/" in token or "." in token) and sum(
        p.isalpha() and len(p) > 2 and _one_word(p) for p in pieces
    ) >= 2:
        return False
    if len(pieces) > 4 and len(token) < 6 * len(pieces):
        return False  # the path of a drawing, a list of numbers
    random = sum(len(piece) for piece in pieces if _random_piece(piece))
    if random < MIN_RANDOM_CHARS or random * 2 < len(token):
        return False
    return not _is_words_only(token)


def looks_mixed(word: str) -> bool:
    """True for a word in which cases and digits alternate as in a random string."""
    return any(map(_random_piece, _pieces(word)))


def has_mixed_part(word: str) -> bool:
    """True if a part between signs looks mixed and is not made of words: `maple.WVm6vyj9`. A word
    in front, as people put it before random characters, must not make the rest a name."""
    return any(_random_piece(part) and not is_wordy(part) for part in _pieces(word))


_CODE = Lazy(
    r"\\|\.\*|\(\?|[aA0]-[zZ9]|</|\)\.[a-z]{2}|[$%]\{|\{\{|[&;,|?](?:\w?[a-z]{2,}|[A-Z]{3,})="
)
"""Parts of expressions, patterns, templates and tags; random signs rarely form one."""


def is_scrambled(word: str) -> bool:
    """True for letters, digits and signs in random order, as a generator of passwords makes them,
    also if the signs have a meaning elsewhere, such as `<` or `;`, or letters alone."""
    if has_random_letters(word.rstrip("!?.,")):
        return True
    signs = {char for char in word if not char.isalnum()}
    if not (10 <= len(word) <= 64 and signs and word.isascii()) or _CODE.is_match(word):
        return False
    classes = word.translate(_CLASSES)
    changes = sum(map(ne, classes, classes[1:]))
    cased = "a" in classes and "A" in classes
    mixed = len(signs) > 3 or (cased and (len(signs) > 1 or looks_mixed(word)))
    return mixed and changes * 20 >= len(word) * 11 and not is_wordy(word)


_PAIRS: tuple[tuple[int, ...], ...] = tuple(
    tuple(map(int, row)) for row in Tables("wm.secrets").words("pairs")
)
_LETTERS = frozenset(ascii_lowercase)
FEWEST_LETTERS, FEWEST_OF_ONE_CASE = 12, 16


def has_random_letters(word: str) -> bool:
    """True for letters in random order: 978 of 1,000 random words of 16 letters in both cases, 8 of
    as many names. The mean cost of a pair tells them apart; a change of case costs 2, except that
    the words of a name in CamelCase are judged one by one."""
    size, lower = len(word), word.lower()
    if not FEWEST_LETTERS <= size <= 120 or not _LETTERS.issuperset(lower):
        return False
    if 2 * sum(abs(ord(a) - ord(b)) < 2 for a, b in pairwise(lower)) > size:
        return False  # an alphabet, or one letter again and again
    cost = _cost(lower)
    if word in (lower, word.upper()):
        return size >= FEWEST_OF_ONE_CASE and 10 * cost >= 48 * (size - 1)
    turns = sum(a.isupper() != b.isupper() for a, b in pairwise(word))
    if 10 * (cost + 2 * turns) < 54 * (size - 1):
        return False
    parts = [part.group().lower() for part in _CAMEL.finditer(word)]
    return 24 * len(parts) > 10 * size or sum(map(_cost, parts)) >= 5 * (size - len(parts))


_CAMEL = Lazy(r"[A-Z]?[a-z]+|[A-Z]")


def _cost(word: str) -> int:
    return sum(_PAIRS[ord(a) - 97][ord(b) - 97] for a, b in pairwise(word))


TERM = Lazy(
    r"IPv[46]|RFC\d{3,4}|SHA\d{1,3}|M[Dd]5|UTF\d{1,2}|Base\d\d|X509|U?[Ii]nt\d\d|Win\d\d|AES\d{3}|HTTP\d|"
    r"OAuth\d|Saml\d|R2dbc|[23]D|2FA|[Ss]ha\d{1,3}|Pbkdf2|[Pp]assword4j"
)
"""Words of names with a number in them."""


def _is_words_only(token: str) -> bool:
    """True for long names (`createOAuth2ClientCredentials`). Stricter than `is_wordy`: of 10,000
    random tokens of 24 characters `is_wordy` takes 165 for names, this one fewer than 10."""
    token = TERM.sub("Term", token)
    words = [word for word in _WORD.findall(token) if _CLUSTER.search(word) is None]
    letters = sum(map(len, words))
    numbers = "".join(char if char.isdigit() else " " for char in token).split()
    share = 90 if numbers else 75
    most = letters * 100 >= sum(map(str.isalnum, token)) * share
    return most and letters >= 3 * len(words) and len(numbers) <= 1


def _is_hex(text: str) -> bool:
    return not text.strip("0123456789abcdefABCDEF")


def is_ulid(text: str) -> bool:
    return (
        len(text) == 26
        and text[0] in "01234567"
        and not text.strip("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
    )


def _one_word(piece: str) -> bool:
    return piece.islower() or piece.isupper() or piece.istitle()


def _random_piece(piece: str) -> bool:
    """Return whether lower case, upper case and digits alternate as often as in a random string."""
    size = len(piece)
    if size < 4 or (size < 24 and _is_hex(piece)):
        return False
    classes = piece.encode("ascii", "replace").decode().translate(_CLASSES)
    changes = sum(map(ne, classes, classes[1:]))
    digits = classes.count("0")
    if not digits:
        return changes * 20 >= size * 9 and size >= 6
    groups = len(classes.replace("a", "A").replace("A", " ").split())
    cased = "a" in classes and "A" in classes
    if cased:
        return changes * 10 >= size * 3 and (groups >= 2 or size < 12 or changes * 2 >= size)
    return groups >= 2 and changes * 5 >= size
