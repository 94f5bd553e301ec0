"""Sections of lines that share the space of one block (HS-3, CB-4).

Whole lines only, and a fair share for each section, however long the lines of the others.
Contains no wording.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field


class Rendered(Struct, frozen=True):
    """A rendered block. text: "" if there is nothing to show.

    shown: number of shown items of each section. omitted: names of those left out,
    for example `file:<path>`, `error:<fingerprint>`, `decision:<n>`, `memory:<id>`.
    """

    text: str
    shown: Mapping[str, int] = field(default_factory=dict)
    omitted: tuple[str, ...] = ()


class SectionItem(Struct, frozen=True):
    name: str
    line: str


class PromptSection(Struct, frozen=True):
    """items: those that may be shown, best first; beyond: names of those over the cap."""

    word: str
    heading: str
    items: tuple[SectionItem, ...]
    beyond: tuple[str, ...] = ()


def choose(sections: tuple[PromptSection, ...], room: int) -> dict[str, list[SectionItem]]:
    """Fill the space fairly: the section that used least is next with its next line.

    A line that does not fit is skipped and the section's next one is tried.
    """
    chosen: dict[str, list[SectionItem]] = {section.word: [] for section in sections}
    used = {section.word: 0 for section in sections}
    waiting = {section.word: list(reversed(section.items)) for section in sections}
    headings = {section.word: len(section.heading) + 1 for section in sections}
    while any(waiting.values()):
        word = min((w for w in waiting if waiting[w]), key=lambda w: used[w])
        item = waiting[word].pop()
        cost = len(item.line) + 1 + (0 if chosen[word] else headings[word])
        if cost <= room:
            room -= cost
            used[word] += cost
            chosen[word].append(item)
    return chosen


def lines_of(
    sections: tuple[PromptSection, ...], chosen: Mapping[str, list[SectionItem]]
) -> list[str]:
    """The chosen lines, each section's below its heading."""
    lines: list[str] = []
    for section in sections:
        if chosen[section.word]:
            lines += [section.heading, *(item.line for item in chosen[section.word])]
    return lines


def left_out(
    sections: tuple[PromptSection, ...], chosen: Mapping[str, list[SectionItem]]
) -> tuple[str, ...]:
    """Names of the items that were not chosen."""
    return tuple(
        name
        for section in sections
        for name in (
            *(i.name for i in section.items if i not in chosen[section.word]),
            *section.beyond,
        )
    )
