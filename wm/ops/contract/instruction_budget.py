"""Check a project's instruction files, and prune AGENTS.md to its archive (CT-4).

The files belong to the user: they are read and replaced through `store.project`, only on request.
The archive is on disk before an entry leaves the file, so that an interrupted run leaves an entry
twice, never nowhere; the next run does not archive it again.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from wm.api.instruction_budget import (
    BudgetAnswer,
    BudgetFile,
    BudgetFinding,
    BudgetRequest,
    MovedEntry,
    PruneAnswer,
    PrunedFile,
    PruneRequest,
)
from wm.domain.contract import instruction_budget
from wm.domain.contract.instruction_budget import finding
from wm.domain.facts import Detail, Fact
from wm.errors import Conflict, UserError
from wm.formats.base import Document
from wm.ops.contract.contract_file import contract_queue, record_ref
from wm.ops.contract.project_files import project_of
from wm.ops.operation import Operation, Work
from wm.ops.place import locate
from wm.ops.runtime import Runtime
from wm.store.base import Ref
from wm.store.identity import shown
from wm.store.project import ProjectFile, Trouble

ARCHIVE = "AGENTS.archive.md"

NAMES = (
    instruction_budget.MILESTONES,
    "CLAUDE.md",
    "CLAUDE.local.md",
    ".claude/CLAUDE.md",
    "GEMINI.md",
    ".github/copilot-instructions.md",
    ".cursorrules",
)
"""Instruction files of the known agents, relative to the project's root."""

FOLDERS = (
    (".opencode/instructions", ".md"),
    (".claude/rules", ".md"),
    (".github/instructions", ".md"),
    (".cursor/rules", ".mdc"),
)
"""Folders in which every file is an instruction file."""

MOST_FILES = 500
MAX_BYTES = 16 * 1024 * 1024


class _InstructionFile(Struct, frozen=True):
    """path: as named in the project. real: with links resolved, "" if it leads out of the project.
    rules: the name whose limits apply. twice: the file was already found under another name."""

    path: str
    real: str
    rules: str
    twice: bool = False

    @property
    def link(self) -> str:
        return self.real if self.real != self.path else ""


# --- finding them ------------------------------------------------------------------------------


def _root(request: BudgetRequest, runtime: Runtime) -> str:
    return project_of(locate(runtime, request), request.directory, marker=".git")


def _files(root: str, request: BudgetRequest) -> list[_InstructionFile]:
    named = [_inside(root, request.directory, file) for file in request.files]
    found: list[_InstructionFile] = []
    seen: set[str] = set()
    for path in dict.fromkeys(named or _usual(root)):
        real = os.path.relpath(os.path.realpath(os.path.join(root, path)), root)
        real = "" if real.startswith("..") else real
        bases = {os.path.basename(path), os.path.basename(real)}
        rules = (
            instruction_budget.MILESTONES
            if instruction_budget.MILESTONES in bases
            else os.path.basename(path)
        )
        found.append(_InstructionFile(path, real, rules, twice=bool(real) and real in seen))
        seen.add(real)
    return found


def _inside(root: str, directory: str, file: str) -> str:
    """The path, in the project, of a file that the user named. Raises UserError."""
    folder, name = os.path.split(os.path.join(directory or root, file))
    path = os.path.relpath(os.path.join(os.path.realpath(folder), name), root)
    if path.startswith("..") or name in ("", ".", ".."):
        raise UserError.of("budget.outside_project", file=shown(file), root=shown(root))
    if not os.path.lexists(os.path.join(root, path)):
        raise UserError.of("budget.no_file", path=shown(path), root=shown(root))
    return path


def _usual(root: str) -> Iterator[str]:
    for name in NAMES:
        if os.path.lexists(os.path.join(root, name)):
            yield name
    for folder, ending in FOLDERS:
        try:
            names = sorted(os.listdir(os.path.join(root, folder)))[:MOST_FILES]
        except OSError:
            continue
        yield from (f"{folder}/{name}" for name in names if name.endswith(ending))


def _project_file(root: str, path: str) -> ProjectFile:
    folder, name = os.path.split(path)
    return ProjectFile(root, folder, name)


def _read(root: str, found: _InstructionFile) -> bytes | BudgetFinding:
    """The bytes of the file, or the finding that says why it cannot be read."""
    if not found.real:
        return finding("outside")
    try:
        raw = _project_file(root, found.real).read(MAX_BYTES)
    except Trouble as trouble:
        fix = "Replace it by a regular file."
        return BudgetFinding(code=trouble.kind, message=trouble.message, fix=fix)
    if raw is None:
        return finding("broken_link")
    return raw if len(raw) <= MAX_BYTES else finding("too_large", limit=MAX_BYTES)


# --- looking ---------------------------------------------------------------------------------


def _check(work: Work, request: BudgetRequest) -> BudgetAnswer:
    root = _root(request, work.runtime)
    files = tuple(_looked_at(work, root, found) for found in _files(root, request))
    within = not any(file.findings for file in files)
    return BudgetAnswer(root=shown(root), within=within, files=files)


def _looked_at(work: Work, root: str, found: _InstructionFile) -> BudgetFile:
    name, link = shown(found.path), shown(found.link)
    raw = _read(root, found)
    if isinstance(raw, BudgetFinding):
        return BudgetFile(file=name, link=link, findings=(raw,))
    outline = instruction_budget.outline(raw)
    findings = instruction_budget.findings(found.rules, raw, work.settings.budget)
    return BudgetFile(
        file=name,
        link=link,
        bytes=len(raw),
        lines=outline.lines,
        standing_lines=outline.standing_lines,
        entries=len(outline.entries),
        findings=() if found.twice else findings,
    )


# --- pruning ---------------------------------------------------------------------------------


def _prune(work: Work, request: PruneRequest) -> PruneAnswer:
    root = _root(request, work.runtime)
    files = [
        f for f in _files(root, request) if f.rules == instruction_budget.MILESTONES and not f.twice
    ]
    if request.files and not files:
        raise UserError.of("budget.no_archive", file=instruction_budget.MILESTONES)
    done = tuple(_pruned(work, request, root, found) for found in files)
    return PruneAnswer(
        root=shown(root),
        within=not any(file.findings for file in done),
        dry_run=request.dry_run,
        files=done,
    )


def _pruned(work: Work, request: PruneRequest, root: str, found: _InstructionFile) -> PrunedFile:
    archive = _project_file(root, os.path.join(os.path.dirname(found.real), ARCHIVE))
    raw = _read(root, found)
    if isinstance(raw, BudgetFinding):
        return _answer(found, archive, b"", b"", findings=(raw,))
    plan = instruction_budget.plan(raw, work.settings.budget)
    file = _project_file(root, found.real)
    before = archive.read(MAX_BYTES)
    after = instruction_budget.archived(before, plan.blocks, raw)
    refusal = _unwritable(file, archive) if plan.moved else None
    if max(len(before or b""), len(after)) > MAX_BYTES:
        refusal = finding("archive_full", archive=ARCHIVE, limit=MAX_BYTES)
    if refusal is not None:
        return _answer(found, archive, raw, raw, findings=(refusal,))
    findings = instruction_budget.left_over(plan.rest, work.settings.budget)
    answer = _answer(found, archive, raw, plan.rest, plan.moved, findings)
    if plan.moved and not request.dry_run:
        _write(archive, after, before)
        _write(file, plan.rest, raw)
        _note(work, request, answer)
    return answer


def _answer(
    found: _InstructionFile,
    archive: ProjectFile,
    before: bytes,
    after: bytes,
    moved: Sequence[instruction_budget.Entry] = (),
    findings: tuple[BudgetFinding, ...] = (),
) -> PrunedFile:
    return PrunedFile(
        file=shown(found.path),
        archive=shown(os.path.join(archive.folder, ARCHIVE)),
        bytes_before=len(before),
        bytes_after=len(after),
        moved=tuple(
            MovedEntry(title=entry.title, line=entry.line, bytes=entry.end - entry.begin)
            for entry in moved
        ),
        findings=findings,
    )


def _unwritable(*files: ProjectFile) -> BudgetFinding | None:
    """A file that its owner may not write is not replaced, even if its folder is writable."""
    for file in files:
        if file.exists and not Path(file.path).stat().st_mode & 0o200:
            return finding("read_only", path=shown(file.path), name=file.name)
    return None


def _write(file: ProjectFile, data: bytes, over: bytes | None) -> None:
    if data == over:
        return
    if not file.replace(data, over=over):
        raise Conflict.of("budget.changed_meanwhile", path=shown(file.path))


def _note(work: Work, request: PruneRequest, file: PrunedFile) -> None:
    details: dict[str, Detail] = {
        "file": file.file,
        "archive": file.archive,
        "moved": len(file.moved),
        "bytesBefore": file.bytes_before,
        "bytesAfter": file.bytes_after,
    }
    fact = Fact("budget_pruned", "user", "changed", details=details)
    work.at(locate(work.runtime, request)).log([fact])


def _prune_refs(runtime: Runtime, request: PruneRequest) -> Sequence[Ref[Document]]:
    """Two concurrent prunes are excluded by the lock; a dry run takes none."""
    return () if request.dry_run else (record_ref(locate(runtime, request).key),)


check_budget = Operation("check_budget", BudgetRequest, BudgetAnswer, _check)
prune_budget = Operation(
    "prune_budget", PruneRequest, PruneAnswer, _prune, _prune_refs, contract_queue
)
