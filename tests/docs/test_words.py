"""One word, one thing: the glossary, and words that are not ours."""

from __future__ import annotations

import re
from functools import cache

import pytest

from tests.docs import draw, markdown
from tests.docs.pages import ROOT
from tests.test_layers import MAY_IMPORT

INSTEAD = {
    "entry": r"memory (?:item|record|node|object)s?\b",
    "evidence": r"\b(?:audit|event) (?:log|trail)s?\b",
    "inbox": r"\breview queue\b|\bmoderation\b",
    "trash": r"\brecycle bin\b|\bsoft[- ]delet",
    "previous copy": r"(?<!\.)\bspares?\b|\bbackup (?:copy|file)\b|\bprevious generation file\b",
    "unfinished write": r"\btorn (?:write|update)s?\b|\bhalf[- ]written\b",
    "vector cache": r"\b(?:embedding|vector) (?:store|database)s?\b|\bembedding caches?\b",
    "coverage": r"\bterm overlaps?\b|\bmatch ratios?\b",
    "support": r"\bvouch(?:es|ed)?\b|\bgrounding\b",
    "near duplicate": r"\blook-?alikes? entr(?:y|ies)\b|\bnear[- ]?dups?\b",
    "cut mark": r"\btruncation (?:mark|marker|notice)s?\b",
    "cache mark": r"\bcache (?:breakpoint|marker)s?\b",
    "ambient file": r"\b(?:rules|context) files?\b",
    "dispatcher": r"\bfront controllers?\b|\brequest routers?\b",
    "lock": r"\bmutex\b|\blockfile\b",
    "epoch": r"\bprompt (?:version|revision)s?\b",
    "workspace": r"\bproject key\b|\bnamespaces?\b|\btenants?\b",
    "session": r"\bchat (?:session|thread)s?\b",
    "retention strength": r"\b(?:relevance|decay) scores?\b",
    "tombstone": r"\bdeny[- ]?list\b|\bblack[- ]?list\b",
    "data folder": r"\bdata dir(?:ectory)?\b|\bstorage dir(?:ectory)?\b",
    "agent": r"\bAI assistants?\b|\bLLMs?\b",
}
"""Our word -> how others call it; only the page of sources may quote them."""

EMPTY = re.compile(r"(?:Manager|Helper|Utils?|Service|V2|(?<!Too)New)$")


def glossary() -> list[tuple[str, ...]]:
    return markdown.table("docs/glossary.md", "word", "what it means")


def test_the_glossary_is_sorted_without_duplicates() -> None:
    words = [word for word, _ in glossary()]
    assert words == sorted(set(words), key=str.lower)


@pytest.mark.parametrize("word", [word for word, _ in glossary()])
def test_a_word_of_the_glossary_is_used(word: str) -> None:
    plural = word[:-1] + "(?:y|ies)" if word.endswith("y") else word + "s?"
    assert re.search(rf"\b{plural}\b", written(), re.IGNORECASE)


@cache
def written() -> str:
    """The pages and the code, on one line."""
    pages = (markdown.text(page) for page in markdown.pages() if page != "docs/glossary.md")
    code = (path.read_text("utf-8") for path in sorted((ROOT / "wm").rglob("*.py")))
    return " ".join(" ".join((*pages, *code)).split())


@pytest.mark.parametrize("page", [p for p in markdown.pages() if p != "docs/seeds.md"])
def test_a_page_uses_words_of_the_glossary(page: str) -> None:
    prose = " ".join(markdown.parts(page)[0].split())
    wrong = {w: m.group() for w, p in INSTEAD.items() if (m := re.search(p, prose, re.IGNORECASE))}
    assert wrong == {}


def test_no_class_has_an_empty_name_such_as_manager() -> None:
    texts = (path.read_text("utf-8") for path in (ROOT / "wm").rglob("*.py"))
    named = [name for text in texts for name in re.findall(r"^ *class (\w+)", text, re.MULTILINE)]
    assert [name for name in named if EMPTY.search(name)] == []


def test_the_table_of_packages_matches_the_import_rules() -> None:
    rows = markdown.table("docs/architecture.md", "package", "what it is", "may import")
    documented = {row[0].strip("`"): set(re.findall(r"`([^`]+)`", row[2])) for row in rows}
    assert documented == {package: allowed - {package} for package, allowed in MAY_IMPORT.items()}


def test_each_walk_of_the_architecture_page_has_at_most_eight_sentences() -> None:
    page = markdown.text("docs/architecture.md")
    walks = page.split("\n## Five walks\n")[1].split("\n## ")[0].strip().split("\n\n**")
    ends = re.compile(r"\.(?:\s|$)")
    assert len(walks) == 5
    assert [walk for walk in walks if len(ends.findall(walk.split("**", 1)[-1])) > 8] == []


def test_every_message_of_an_error_says_what_to_do() -> None:
    without = [text for _, text, fix in draw.messages() if not fix]
    assert without == ["Nothing was changed: the text is the same."]
