"""Keep text that `wm` itself injected from being learned again (EX-4). Pure and linear.

Recognises injected blocks by their tags, and injected lines by their form and text. Without this,
each session would confirm what the one before was shown.
"""

from __future__ import annotations

from collections.abc import Iterable

from wm.text.letters import canonical
from wm.text.patterns import Lazy
from wm.text.scripts import is_cjk_heavy
from wm.text.tables import Tables

BLOCKS = (*Tables("wm.domain.memory", "echo_guard.toml").words("blocks"), "wm-[a-z_-]{1,40}")
"""Tag patterns of blocks that clients and `wm` add to a message; the user did not type them."""

_TAG = Lazy(rf"<(/?)({'|'.join(BLOCKS)})(?:\s[^<>]{{0,300}})?(/?)>", ignore_case=True)
_LABEL = Lazy(r"^(?:[-*•]\s+)?(?:\[\s?[Mm]?\d{0,4}\s?\]\s*)?(?:\[\s?[a-z]{3,20}\s?\]\s*)?")


def is_echo(text: str, injected: Iterable[str]) -> bool:
    """Whether `text` only repeats part of an injected text.

    Compares canonical text at word borders; a text that says more than was injected is new.
    """
    words = canonical(text[_label_end(text) :])
    if not words:
        return False
    loose = is_cjk_heavy(words)
    for block in injected:
        known = canonical(block)
        if loose and words.replace(" ", "") in known.replace(" ", ""):
            return True
        if f" {words} " in f" {known} ":
            return True
    return False


def _label_end(text: str) -> int:
    match = _LABEL.match(text[:80])
    return int(match.end()) if match is not None else 0


def without_injected(text: str) -> str:
    """The text without the blocks that clients and `wm` add (`<system-reminder>` and the like).

    A block without an end extends to the end of the text: in doubt the user did not type it.
    """
    if "<" not in text:
        return text
    kept: list[str] = []
    last = depth = 0
    name = ""
    for match in _TAG.finditer(text):
        closes, tag, empty = match.group(1), match.group(2).lower(), match.group(3)
        if depth:
            # Only the same tag name nests: a block may quote other tags.
            if tag == name and not empty:
                depth += -1 if closes else 1
                last = match.end()
            continue
        kept.append(text[last : match.start()])
        last = match.end()
        if not closes and not empty:
            depth, name = 1, tag
    return "".join(kept) + ("" if depth else text[last:])
