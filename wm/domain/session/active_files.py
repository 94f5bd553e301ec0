"""Rank the files that the agent works on (HS-1).

Keeps a short list ordered by action and number of touches. Opens no
file. It protects two rules: reading a file never hides that it was edited, and a
file touched now is always in the list afterwards, however high the others score.
"""

from __future__ import annotations

from datetime import datetime

from wm.domain.session.file_paths import normalised_path
from wm.domain.times import iso
from wm.formats.events import ToolFinished
from wm.formats.session_state import ACTIONS, ActiveFile
from wm.settings import SessionSettings


def score(file: ActiveFile, settings: SessionSettings) -> int:
    """Return the weight of the strongest action on the file, plus its touches."""
    return settings.action_weights.get(file.action, 0) + settings.mention_weight * file.count


def touch(
    files: tuple[ActiveFile, ...],
    event: ToolFinished,
    *,
    root: str,
    now: datetime,
    settings: SessionSettings,
) -> tuple[ActiveFile, ...]:
    """Return the list after a tool call, best first, at most `kept_files`.

    A call that threw touched nothing.
    """
    if event.failed or event.tool not in ACTIONS:
        return files
    named = (normalised_path(path, root=root, cwd=event.cwd) for path in event.paths)
    touched = tuple(dict.fromkeys(path for path in named if path))[: settings.kept_files]
    if not touched:
        return files
    known = {file.path: file for file in files}
    moment = iso(now)
    for path in touched:
        known[path] = _touched(known.get(path), path, event.tool, moment, settings)
    return _select(list(known.values()), touched, settings)


def _select(
    files: list[ActiveFile], touched: tuple[str, ...], settings: SessionSettings
) -> tuple[ActiveFile, ...]:
    """Keep the files of this call, the newest, and the best of the others.

    Without places for the newest, twenty edited files would exclude every newly read one,
    or two files read in turns would displace each other before their counts can grow.
    """
    newest = sorted(files, key=lambda f: (f.path in touched, f.last_seen_at), reverse=True)
    sure = {f.path for f in newest[: max(len(touched), settings.recent_files)]}
    rest = _ranked([f for f in files if f.path not in sure], settings)
    stay = rest[: max(0, settings.kept_files - len(sure))]
    placed = [f for f in files if f.path in sure][: settings.kept_files]
    return tuple(_ranked(placed + stay, settings))


def shown(files: tuple[ActiveFile, ...], settings: SessionSettings) -> tuple[ActiveFile, ...]:
    """Return the files that a snapshot may show, best first."""
    return tuple(_ranked(list(files), settings)[: settings.shown_files])


def _touched(
    file: ActiveFile | None, path: str, action: str, moment: str, settings: SessionSettings
) -> ActiveFile:
    if file is None:
        return ActiveFile(path=path, action=action, count=1, last_seen_at=moment)
    weights = settings.action_weights
    stronger = weights.get(action, 0) > weights.get(file.action, 0)
    return file.model_copy(
        update={
            "action": action if stronger else file.action,
            "count": file.count + 1,
            "last_seen_at": moment,
        }
    )


def _ranked(files: list[ActiveFile], settings: SessionSettings) -> list[ActiveFile]:
    """Sort by score, then newest, then path: the same list always gives the same order."""
    by_path = sorted(files, key=lambda f: f.path)
    newest_first = sorted(by_path, key=lambda f: f.last_seen_at, reverse=True)
    return sorted(newest_first, key=lambda f: -score(f, settings))
