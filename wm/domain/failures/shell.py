"""Parse a shell command: statements, chains, pipes, words (HS-2).

A one-pass scanner, not a shell: it expands and runs nothing. Constructs it cannot read (loops,
conditions, functions) are marked, and then a success proves nothing.
"""

from __future__ import annotations

from msgspec import Struct

from wm.text import patterns

MAX_COMMAND_CHARS = 20_000
MAX_NESTING = 3
MAX_STEPS = 200
"""A longer chain is read up to here, and then a success proves nothing."""

RESERVED = patterns.words(
    "for while until if case select function do done then else elif fi esac in coproc"
)
OPENERS = frozenset(("do", "then", "else", "elif", "if", "while", "until", "time", "!"))
"""Words before a command that are not part of it."""


class Pipeline(Struct, frozen=True):
    """One pipeline of a chain.

    before: the operator before it: "" (first), "&&", "||", ";" or "&", or the "then" or "else" that
    it follows. pipe: the words of each of its commands. negated: it began with `!`. detached: it
    runs in the background. fed: it reads what the parentheses before it print.
    """

    before: str
    pipe: tuple[tuple[str, ...], ...]
    negated: bool = False
    detached: bool = False
    depth: int = 0
    fed: bool = False


class Script(Struct, frozen=True):
    """The steps in order. loose: there are loops or conditions, so the order proves nothing."""

    steps: tuple[Pipeline, ...]
    loose: bool = False


class _Reading(Struct):
    """A command line as far as it was read: the complete steps, and the open one."""

    steps: list[Pipeline] = []
    before: str = ""
    pipe: list[tuple[str, ...]] = []
    words: list[str] = []
    negated: bool = False
    fed: bool = False
    depth: int = 0
    loose: bool = False

    def word(self, text: str) -> None:
        if not self.words and not self.pipe and text == "!":
            self.negated = True
            return
        if not self.words and text in RESERVED:
            self.loose = True
            if text in ("then", "else"):
                self.before = text
            if text in OPENERS:
                return
        self.words.append(text)

    def operator(self, text: str) -> None:
        if text == "|":
            self._end_command()
            if not self.pipe:  # A pipe hides the result of what is in parentheses.
                self.before, self.fed = ";", True
        elif text == "(":
            self.depth += 1
        elif text == ")":
            # What follows the parenthesis has its own operator.
            if self.words or self.pipe:
                self.end_step("")
            self.depth = max(0, self.depth - 1)
        elif text in "{}":
            self._end_command()
        else:
            self.end_step(text)

    def _end_command(self) -> None:
        if self.words:
            self.pipe.append(tuple(self.words))
        self.words = []

    def end_step(self, operator: str) -> None:
        self._end_command()
        if self.pipe:
            made = (self.before, tuple(self.pipe), self.negated, operator == "&", self.depth)
            self.steps.append(Pipeline(*made, self.fed))
            self.before = operator
        elif operator and not self.before:
            self.before = operator if self.steps else ""
        self.pipe, self.negated, self.fed = [], False, False


def read(command: str) -> Script:
    """Parse a command line into steps."""
    made = _Reading()
    for kind, text in _tokens(command[:MAX_COMMAND_CHARS]):
        (made.word if kind == "word" else made.operator)(text)
    made.end_step("")
    steps = made.steps
    return Script(tuple(steps[:MAX_STEPS]), made.loose or len(steps) > MAX_STEPS)


_APART = frozenset(("", " ", "\t", "\n", ";"))
"""What follows a brace that is a word of its own."""
Token = tuple[str, str]


def _tokens(text: str) -> list[Token]:
    """Words and operators, without redirections, comments and the bodies of here-documents."""
    tokens: list[Token] = []
    word: list[str] | None = None
    heredocs: list[str] = []
    i, n = 0, len(text)

    def flush() -> None:
        nonlocal word
        if word is not None:
            tokens.append(("word", "".join(word)))
        word = None

    while i < n:
        char = text[i]
        piece, end = _piece(text, i)
        if end > i:
            if piece is not None:
                word = word if word is not None else []
                word.append(piece)
            i = end
        elif char == "#" and word is None:
            end = text.find("\n", i)
            i = n if end < 0 else end
        elif char == "\n":
            flush()
            tokens.append(("op", ";"))
            i += 1
            for mark in heredocs:
                i = _after_heredoc(text, i, mark)
            heredocs = []
        elif char in " \t\r":
            flush()
            i += 1
        elif char in "<>" or (char == "&" and text[i : i + 2] == "&>"):
            if word is not None and "".join(word).isdigit():
                word = None
            flush()
            i = _after_redirection(text, i, heredocs)
        elif char in "&|;":
            flush()
            operator = text[i : i + 2] if text[i : i + 2] in ("&&", "||", ";;", "|&") else char
            tokens.append(("op", {";;": ";", "|&": "|"}.get(operator, operator)))
            i += len(operator)
        elif char in "()" or (char in "{}" and word is None and text[i + 1 : i + 2] in _APART):
            flush()
            tokens.append(("op", char))
            i += 1
        else:
            word = word if word is not None else []
            word.append(char)
            i += 1
    flush()
    return tokens


def _piece(text: str, i: int) -> tuple[str | None, int]:
    """An escape, quotation or substitution at `i`: the text it adds to the word, and its end.

    The end is `i` if none begins there; an escaped line end adds nothing.
    """
    char = text[i]
    if char == "\\" and i + 1 < len(text):
        return (None if text[i + 1] == "\n" else text[i + 1]), i + 2
    if char in "'\"`":
        return _quoted(text, i)
    if text.startswith("$(", i):
        end = _closing(text, i + 1)
        return text[i:end], end
    return None, i


def _quoted(text: str, start: int) -> tuple[str, int]:
    """The text inside a quote, and the index after it; an open quote runs to the end."""
    quote, out, i = text[start], [], start + 1
    while i < len(text) and text[i] != quote:
        if text[i] == "\\" and quote == '"' and i + 1 < len(text):
            i += 1
        out.append(text[i])
        i += 1
    return "".join(out), i + 1


def _closing(text: str, start: int) -> int:
    """The index after the parenthesis that closes the one at `start`."""
    depth, i = 0, start
    while i < len(text):
        if text[i] in "'\"":
            _inner, i = _quoted(text, i)
            continue
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        i += 1
        if depth == 0:
            return i
    return len(text)


def _after_redirection(text: str, i: int, heredocs: list[str]) -> int:
    """The index after `> file`, `2>&1`, `<<EOF`, `<<< word`."""
    begin = i
    while i < len(text) and text[i] in "<>&|-" and i - begin < 3:
        i += 1
    operator = text[begin:i]
    while i < len(text) and text[i] in " \t":
        i += 1
    start = i
    while i < len(text) and text[i] not in " \t\n;|&()<>":
        i = _quoted(text, i)[1] if text[i] in "'\"" else i + 1
    if operator.startswith("<<") and not operator.startswith("<<<"):
        heredocs.append(text[start:i].strip("'\"\\"))
    return i


def _after_heredoc(text: str, i: int, mark: str) -> int:
    while i < len(text):
        end = text.find("\n", i)
        line = text[i:] if end < 0 else text[i:end]
        i = len(text) if end < 0 else end + 1
        if line.strip() == mark:
            break
    return i
