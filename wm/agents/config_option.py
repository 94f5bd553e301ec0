"""The user's answer about learning, as one line of config.toml: add, recognise, remove (EX-7).

Pure. The file belongs to the user; every other byte stays. A line that setup wrote ends with a
mark, so that unsetup removes that line and no other.
"""

from __future__ import annotations

import re
from typing import Any

from wm.agents.parts import SettingsPart, parse_toml
from wm.errors import UserError

MARK = "# chosen in wm setup"
SECTION, NAME = "memory", "learn"

_HEADER = re.compile(r"^[ \t]*\[[ \t]*memory[ \t]*\][ \t]*(?:#.*)?$", re.MULTILINE)
_NEXT = re.compile(r"^[ \t]*\[", re.MULTILINE)
_LINE = re.compile(r"^[ \t]*learn[ \t]*=.*(?:\n|\Z)", re.MULTILINE)
_OURS = re.compile(rf"^[ \t]*learn[ \t]*=.*{re.escape(MARK)}[ \t]*(?:\n|\Z)", re.MULTILINE)


class LearnOption(SettingsPart, frozen=True, kw_only=True):
    """mode: the value to set; "" accepts whatever the file says."""

    mode: str = ""

    def is_ours(self, raw: bytes) -> bool:
        return _OURS.search(raw.decode("utf-8", "replace")) is not None

    def is_current(self, raw: bytes) -> bool:
        found = value(parse_toml(self.path, raw.decode("utf-8", "replace")))
        return found == self.mode if self.mode else found is not None

    def added_to(self, raw: bytes | None) -> bytes:
        text = (raw or b"").decode("utf-8", "replace")
        before = parse_toml(self.path, text)
        changed = _with_line(text, f'{NAME} = "{self.mode}"  {MARK}\n')
        wanted = {**before, SECTION: {**before.get(SECTION, {}), NAME: self.mode}}
        if parse_toml(self.path, changed) != wanted:
            raise UserError.of(
                "learn_option.cannot_extend",
                path=self.path,
                name=NAME,
                mode=self.mode,
                section=SECTION,
            )
        return changed.encode()

    def without(self, raw: bytes, original: bytes | None) -> bytes | None:
        text = _OURS.sub("", raw.decode("utf-8", "replace"))
        if original is None and not parse_toml(self.path, text).get(SECTION, True):
            text = _HEADER.sub("", text)
        return text.encode() if text.strip() or original is not None else None


def value(parsed: dict[str, Any]) -> object:
    """What a parsed config.toml says about learning; None: nothing."""
    section = parsed.get(SECTION)
    return section.get(NAME) if isinstance(section, dict) else None


def _with_line(text: str, line: str) -> str:
    header = _HEADER.search(text)
    if header is None:
        gap = "" if not text or text.endswith("\n") else "\n"
        return f"{text}{gap}{chr(10) if text else ''}[{SECTION}]\n{line}"
    begin = min(header.end() + 1, len(text))
    after = _NEXT.search(text, begin)
    end = after.start() if after is not None else len(text)
    body = text[begin:end]
    known = _LINE.search(body)
    body = body[: known.start()] + line + body[known.end() :] if known else line + body
    gap = "" if text[:begin].endswith("\n") else "\n"
    return text[:begin] + gap + body + text[end:]
