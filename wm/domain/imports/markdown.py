"""Extract statements from Markdown written for agents: list items and paragraphs.

A line that ends in a colon introduces what follows ("Run before a push: `make check`"). A heading
becomes a tag, and is prefixed to an item that is too short to be understood alone. Code, tables,
quotations and check boxes are counted and skipped. Linear time; judges nothing.
"""

from __future__ import annotations

from msgspec import Struct, field

from wm.text.patterns import Lazy, words

SHORT_CHARS = 40
"""Shorter items are stored with their heading: "Indent with two spaces" means little alone."""
COLONS = (":", "：")
LEAD_CHARS = 160
"""A longer line that ends in a colon is a separate statement."""

GENERAL = words(
    "general overview notes note rules rule guidelines guideline conventions convention"
    " instructions important memory memories preferences misc readme claude agents about"
    " project index tips basics style code coding"
)
"""Headings made only of these words say nothing about the text below them."""

_LINK = Lazy(r"!?\[([^\[\]]{0,300})\]\(([^()\s]{1,500})(?: \"[^\"]{0,200}\")?\)")
_BREAK = Lazy(r"^ {0,3}(?:(?:- *){3,}|(?:\* *){3,}|(?:_ *){3,})$")
_ITEM = Lazy(r"^(\s*)(?:[-*+]|\d{1,4}[.)])(?:\s+|$)")
_BOX = Lazy(r"^\[[ xX]\]\s")
_INCLUDE = Lazy(r"^@[^\s@]+$")


class MarkdownStatement(Struct, frozen=True):
    """One statement. bare: without the prefixed heading, if there is one."""

    text: str
    line: int
    section: str = ""
    bare: str = ""


class Statements(Struct):
    """The statements of a text, in order; codes: one for each skipped part.

    about: the front matter (`type`, `description`, …), names in lower case.
    """

    statements: list[MarkdownStatement] = field(default_factory=list)
    codes: list[str] = field(default_factory=list)
    about: dict[str, str] = field(default_factory=dict)

    def within(self, most: int) -> list[MarkdownStatement]:
        """The statements of at most so many characters; the others count as skipped."""
        short = [one for one in self.statements if len(one.text) <= most]
        self.codes += ["too_long"] * (len(self.statements) - len(short))
        return short


def statements(text: str) -> Statements:
    """Split a text into statements."""
    reader = _StatementReader()
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    begin = _front_matter(lines, reader.found.about)
    for number, line in enumerate(lines[begin:], begin + 1):
        reader.read(line, number)
    reader.end_block()
    return reader.found


def _front_matter(lines: list[str], about: dict[str, str]) -> int:
    """Read the `name: value` lines between two `---`. Returns the index of the first line of the
    text."""
    if not lines or lines[0].strip() != "---":
        return 0
    for at, line in enumerate(lines[1:200], 1):
        if line.strip() in ("---", "..."):
            return at + 1
        name, colon, value = line.partition(":")
        if colon and value.strip():
            about[name.strip().lower()] = value.strip().strip("\"'")
    about.clear()
    return 0


class _StatementReader(Struct, eq=False):
    """Reads lines in order and collects blocks: list items or paragraphs."""

    found: Statements = field(default_factory=Statements)
    _block: list[str] = []
    _line: int = 0
    _indent: int | None = None
    """Indent of the item being collected; None for a paragraph."""
    _headings: list[tuple[int, str]] = []
    _leads: list[tuple[int, str]] = []
    """(indent, text) of open introductions: lines that end in a colon, and items with deeper
    items."""
    _fence: str = ""
    _comment: bool = False
    _markup: str = ""
    """The table or quotation being skipped; each is counted once."""

    def read(self, line: str, number: int) -> None:
        bare = line.strip()
        if self._fence:
            if bare.startswith(self._fence) and not bare.strip(self._fence[0]):
                self._fence = ""
            return
        line, bare = self._without_comment(line)
        if bare.startswith(("```", "~~~")):
            self.end_block()
            self.found.codes.append("code")
            self._fence = bare[: len(bare) - len(bare.lstrip(bare[0]))]
        elif not bare or self._is_break(line):
            self.end_block()
            self._markup = ""
        elif not self._is_markup(bare):
            self._gather(line, bare, number)

    @property
    def _paragraph(self) -> bool:
        return bool(self._block) and self._indent is None

    def _without_comment(self, line: str) -> tuple[str, str]:
        kept = []
        while line:
            mark = "-->" if self._comment else "<!--"
            before, found, line = line.partition(mark)
            if not self._comment:
                kept.append(before)
            if found:
                self._comment = not self._comment
        rest = "".join(kept)
        return rest, rest.strip()

    def _is_break(self, line: str) -> bool:
        """A horizontal rule. Below a paragraph, dashes make that paragraph a heading instead."""
        under = self._paragraph and not line.strip().strip("-")
        return not under and _BREAK.match(line) is not None

    def _is_markup(self, bare: str) -> bool:
        """A heading, table, quotation or link reference: it ends the block before it."""
        level = len(bare) - len(bare.lstrip("#"))
        underlined = self._paragraph and (not bare.strip("=") or not bare.strip("-"))
        table, quotation = bare.startswith("|"), bare.startswith(">")
        if underlined:
            title, self._block = " ".join(self._block), []
            self._heading(1 if bare[0] == "=" else 2, title)
        elif 1 <= level <= 6 and bare[level : level + 1] in (" ", "\t", ""):
            self.end_block()
            self._heading(level, bare[level:].strip().rstrip("#"))
        elif table or quotation or _INCLUDE.match(bare) is not None:
            self.end_block()
            code = "table" if table else "quotation" if quotation else "include"
            if code == "include" or code != self._markup:
                self.found.codes.append(code)
            self._markup = code
        else:
            self._markup = ""
            return False
        return True

    def _heading(self, level: int, title: str) -> None:
        self._leads.clear()
        while self._headings and self._headings[-1][0] >= level:
            self._headings.pop()
        self._headings.append((level, _plain(title)))

    def _gather(self, line: str, bare: str, number: int) -> None:
        item = _ITEM.match(line)
        if item is not None:
            self.end_block()
            self._indent = len(item.group(1).expandtabs(4))
            self._drop_leads(self._indent)
            bare = line[item.end() :].strip()
        elif not self._block:
            # After an empty line, indented text belongs to its item; other text does not.
            indent = len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip())
            self._drop_leads(indent or -1)
            self._indent = None
        if not self._block:
            self._line = number
        self._block.append(bare)

    def _drop_leads(self, indent: int) -> None:
        while self._leads and self._leads[-1][0] >= indent:
            self._leads.pop()

    def _leading(self, statement: str) -> list[str]:
        """The text to prefix to an item: open introductions, and the parent of a short item
        ("Indent with two spaces", then "in YAML")."""
        short = len(statement) < SHORT_CHARS
        return [
            text if text.endswith(COLONS) else f"{text.rstrip('.')}:"
            for _, text in self._leads[-2:]
            if text.endswith(COLONS) or short
        ]

    def end_block(self) -> None:
        """Finish the collected block: it becomes an introduction or a statement."""
        block, indent, self._block = self._block, self._indent, []
        statement = _plain(" ".join(block))
        if not statement:
            return
        if _BOX.match(statement) is not None:
            self.found.codes.append("todo")
        elif statement.endswith(COLONS) and len(statement) <= LEAD_CHARS:
            self._leads.append((-1 if indent is None else indent, statement))
        else:
            self._state(statement, is_item=indent is not None)
            if indent is not None and len(statement) <= LEAD_CHARS:
                self._leads.append((indent, statement))

    def _state(self, statement: str, *, is_item: bool) -> None:
        leads = self._leading(statement) if is_item else []
        statement = " ".join((*leads, statement))
        title = self._headings[-1][1] if self._headings else ""
        short = is_item and not leads and len(statement) < SHORT_CHARS
        says = not set(title.lower().split()) <= GENERAL and len(title) <= SHORT_CHARS
        # The heading is appended: as a prefix, "Style: use tabs" would look like a commit title.
        text, bare = statement, ""
        if short and says:
            text, bare = f"{statement} ({title.rstrip(':')})", statement
        self.found.statements.append(MarkdownStatement(text, self._line, title, bare))


def _plain(text: str) -> str:
    """The text without emphasis, links written out."""
    if "](" in text:
        text = _LINK.sub(_link, text)
    return " ".join(text.replace("**", "").split())


def _link(match: object) -> str:
    name, target = match.group(1).strip(), match.group(2)  # type: ignore[attr-defined]
    has_text = not target.startswith("#") and name.strip("`") != target
    return f"{name} ({target})" if name and has_text else name or target
