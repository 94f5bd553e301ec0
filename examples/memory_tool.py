"""Give the memory of a workspace to Claude's memory tool, in a program of your own.

    pip install wm anthropic
    ANTHROPIC_API_KEY=… python examples/memory_tool.py /path/to/project "What do we know?"

The model sees the folder `/memories`: what you keep, a file a type, which it can read and not
change; and files of its own, which wait in `wm inbox` until you accept them.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from anthropic import Anthropic
from anthropic.lib.tools import BetaAbstractMemoryTool, ToolError

from wm.library import Library


class WorkspaceMemory(BetaAbstractMemoryTool):
    """The memory tool of the SDK, answered by `wm`: with its daemon, or on the files."""

    def __init__(self, directory: str) -> None:
        super().__init__()
        self._library = Library()
        self._directory = directory

    def execute(self, command: Any) -> str:
        fields: Mapping[str, Any] = command.model_dump(exclude_none=True)
        request = {"directory": self._directory, "command": fields}
        answer = self._library.run("memory_files", request)
        if answer["failed"]:
            raise ToolError(answer["text"])
        return str(answer["text"])

    view = create = str_replace = insert = delete = rename = execute


def main(directory: str, question: str) -> None:
    runner = Anthropic().beta.messages.tool_runner(
        model="claude-opus-5-5",
        max_tokens=2000,
        tools=[WorkspaceMemory(directory)],
        messages=[{"role": "user", "content": question}],
    )
    for block in runner.until_done().content:
        print(getattr(block, "text", ""))  # noqa: T201


if __name__ == "__main__":
    main(*sys.argv[1:3])
