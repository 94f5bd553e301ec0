"""`python -m tests.ops.mutations [EVENTS]`: damaged text through the use cases of a session.

Messages and tool outputs of the repository are cut, joined, repeated, reversed and mixed with odd
characters, and arrive as messages, answers, outputs, summaries and questions. A rule that fails at
a text loses the message that has it. `one SEED` repeats a session.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from functools import cache
from random import Random

from tests.bench.fit_stated import MESSAGES, marked
from tests.bench.story_set import Diary
from tests.corpus import rows
from wm.errors import UserError

EVENTS_OF_SESSION = 30
MAX_CHARS = 20_000
ODD = (
    "\0", "\u202e", "\ud7ff", "\U0001f468\u200d\U0001f469", "\u0301" * 50, "\r", "\x1b[31m",
    "\x85", "```", '"', "'", "`", "{", "}", "[", "\\", "\\u", "$(", "\t" * 9, "  \n" * 30, "。",
    "、", "؟", "İ", "ı", "ß", "ﬁ", "1e309", "9" * 400, "%s", "../..", "<private>", "</private>",
    "<system-reminder>", "/remember ", "remember: ", "not t' ", "# ", "|", "~", "\u2028", "\ufeff",
    "\ufffd", " ... ", "l'",
)  # fmt: skip
COMMANDS = ("pytest -q", "npm test", "make", "cat notes.txt", "cargo build 2>&1 | tail -5", "")


@cache
def texts() -> Sequence[str]:
    outputs = (row["output"][:4000] for row in rows.read() if row.get("output"))
    return [*(row["text"] for row in marked(MESSAGES)), *outputs]


def damaged(draw: Random) -> str:
    text = draw.choice(texts())
    for _ in range(draw.randrange(5)):
        text = _changed(draw, text)[:MAX_CHARS]
    return text


def _changed(draw: Random, text: str) -> str:
    start, end = sorted(draw.randrange(len(text) + 1) for _ in range(2))
    head, part, tail = text[:start], text[start:end], text[end:]
    match draw.randrange(8):
        case 0:
            return head + draw.choice(ODD) + part + tail
        case 1:
            return head + tail
        case 2:
            return head + draw.choice(texts())[: draw.randrange(400)] + part + tail
        case 3:
            return head + part * draw.randrange(1, 4) + tail
        case 4:
            words = text.split(" ")
            return " ".join(draw.sample(words, len(words)))
        case 5:
            return text.replace(" ", draw.choice(("\n", "\u3000", "\xa0", "", "\t")), 9)
        case 6:
            return text.swapcase()
        case _:
            return text[::-1]


def run(seed: int) -> None:
    """One session. Raises what a rule raises."""
    draw, diary = Random(seed), Diary()
    diary.event("s", "session_started", source=draw.choice(("startup", "resume", "compact")))
    for _ in range(EVENTS_OF_SESSION):
        diary.now += timedelta(minutes=draw.randrange(1, 5000))
        text = damaged(draw)
        match draw.randrange(8):
            case 0 | 1 | 2:
                diary.event("s", "user_prompt", text=text)
            case 3:
                diary.event("s", "assistant_text", text=text)
            case 4:
                command, code = draw.choice(COMMANDS), draw.choice((0, 1, 2, None))
                ran = {"tool": "Bash", "command": command or text[:200], "exit_code": code}
                diary.event("s", "tool_finished", output=text, **ran)
            case 5:
                summary = f"Memory candidates:\n- [decision] {text}"
                diary.event("s", "compaction_finished", summary=summary)
            case 6:
                with suppress(UserError):  # a question without a word
                    diary.ask(text[: draw.randrange(1, 500)] or "x")
            case _:
                diary.prompt("s")


def main(argv: Sequence[str]) -> int:
    if argv[:1] == ["one"]:
        run(int(argv[1]))
        return 0
    events = int(argv[0]) if argv else 100_000
    for seed in range(events // EVENTS_OF_SESSION):
        try:
            run(seed)
        except Exception:
            print(f"python -m tests.ops.mutations one {seed}")
            raise
    print(f"{events} events")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
