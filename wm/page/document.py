"""One HTML file in the style of the page: recaps, a replay, an audit.

Everything is in the file; its content policy allows these scripts and this style only, by digest.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from typing import Any

from wm.api.protocol import RecapAnswer
from wm.api.replay import AuditReport, ReplayReport
from wm.page.charts import replay_bill_chart, replay_tokens_chart
from wm.page.rendering import STATIC, by_day, render

STYLES = ("page.css", "vendor/uPlot.min.css")
SCRIPTS = ("vendor/uPlot.iife.min.js", "charts.js")


def recaps_document(found: RecapAnswer, folder: str) -> str:
    """What sessions did. folder: the root of their workspace."""
    days = by_day(found.recaps, "at")
    return _document("recaps.html", days=days, texts=found.texts, folder=folder)


def replay_document(report: ReplayReport, lead: str, notes: Sequence[str], ratio: float) -> str:
    """A replay. lead: what was read; notes: remarks on the figures; ratio: the bill as a share of
    the one without the policy."""
    charts = {
        "tokens_chart": replay_tokens_chart(report.turns),
        "bill_chart": replay_bill_chart(report.turns),
    }
    values = {"report": report, "lead": lead, "notes": notes, "ratio": ratio}
    return _document("replay.html", **values, **charts)


def audit_document(report: AuditReport, lead: str, notes: Sequence[str]) -> str:
    """Where the tokens of transcripts went."""
    return _document("audit.html", report=report, lead=lead, notes=notes)


def _document(template: str, **values: Any) -> str:
    styles, scripts = _texts(STYLES), _texts(SCRIPTS)
    policy = (
        f"default-src 'none'; style-src {_digests(styles)}; script-src {_digests(scripts)}; "
        "base-uri 'none'; form-action 'none'"
    )
    inside = {"styles": styles, "scripts": scripts, "policy": policy}
    return render(template, {**inside, **values})


@cache
def _texts(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple((STATIC / name).read_text("utf-8") for name in names)


def _digests(texts: Sequence[str]) -> str:
    digests = (hashlib.sha256(text.encode()).digest() for text in texts)
    return " ".join(f"'sha256-{base64.b64encode(one).decode()}'" for one in digests)
