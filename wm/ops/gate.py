"""Ask the gate (EX-3): the one place that tells it what the user set and allowed.

Says what speaks against a text. What becomes of it is the caller's decision.
"""

from __future__ import annotations

from wm.domain.workspace import quality
from wm.domain.workspace.quality import Verdict
from wm.ops.runtime import Runtime


def judge(runtime: Runtime, text: str, *, type: str, source: str) -> Verdict:
    """The verdict on one redacted text. source: explicit, manual or compaction."""
    return quality.judge(
        text,
        type=type,
        source=source,
        settings=runtime.settings.gate,
        max_chars=runtime.settings.memory.max_text_chars,
        redactor=runtime.redactor,
    )
