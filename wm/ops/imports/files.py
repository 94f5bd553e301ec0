"""Find and read the files for `wm import` (CB-6).

Runs in the caller's process with the caller's rights; the daemon reads no foreign file. The
sources (`wm.domain.imports`) say where files lie, `wm.ops.imports.foreign_file` opens them. Rules:
one bad file never stops the others, and what goes to another workspace is reported.
"""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from glob import iglob
from itertools import accumulate, islice

from msgspec import Struct, field

from wm.api.imports import ImportFact, ImportSession
from wm.api.protocol import WorkspacePlace
from wm.domain.facts import Refusal
from wm.domain.imports import foreign, opencode_v2
from wm.domain.imports.foreign import ForeignFile, ForeignMemory, ImportSource, SkippedStatement
from wm.domain.imports.sources import SOURCES, as_user_statement, in_order, source_of
from wm.domain.imports.transcripts import SOURCE as TRANSCRIPTS
from wm.domain.imports.transcripts import not_forgotten
from wm.errors import UserError
from wm.ops.imports import transcript_files
from wm.ops.imports.foreign_file import UnreadableFile, open_foreign, why
from wm.settings import ForeignPaths, ImportSettings
from wm.store import identity
from wm.store.identity import shown

NAMES = tuple(SOURCES)
SKIPPED = (".git", "node_modules", ".venv", "__pycache__", ".hg", ".svn")
"""Folders that a recursive search skips."""
MAX_DEPTH = 12
_HAS_TRANSCRIPTS = (
    "The agents here keep transcripts of sessions of this project: `wm import --from transcripts "
    "--dry-run` shows what you said in them that may be worth keeping."
)


class ImportSelection(Struct, frozen=True):
    """What to import. paths: absolute; () searches the known places. source: "" for all.

    folder: the current folder. place: the workspace that receives the statements. as_user: the
    statements of the named rule files are the person's own words.
    """

    place: WorkspacePlace
    folder: str = ""
    paths: tuple[str, ...] = ()
    source: str = ""
    as_user: bool = False


class Gathered(Struct):
    """What the files contain. facts: by the folder of their workspace; "" is the current one.
    others: roots of stores that belong to other workspaces."""

    facts: dict[str, list[ImportFact]] = field(default_factory=dict)
    sessions: dict[str, list[ImportSession]] = field(default_factory=dict)
    left: list[SkippedStatement] = field(default_factory=list)
    problems: list[UnreadableFile] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)


class _Candidate(Struct, frozen=True):
    """A file to read. base: the folder that it must not lead out of, "" for a named file."""

    path: str
    source: ImportSource | None
    base: str = ""
    named: str = ""
    """The PATH argument that led to it, "" for a known place."""


def gather(
    asked: ImportSelection,
    places: ForeignPaths,
    settings: ImportSettings,
    *,
    max_chars: int,
    report: Callable[[str], None] = lambda _path: None,
) -> Gathered:
    """Read all requested files. max_chars: the longest text of an entry. report: called with each
    path before it is read."""
    chosen = [one for one in SOURCES.values() if not one.is_asked_for]
    chosen = [SOURCES[asked.source]] if asked.source else chosen
    if asked.as_user and not asked.paths and chosen != [TRANSCRIPTS]:
        raise UserError(
            "--as-user needs the files that you wrote.", fix="Name them: wm import --as-user PATH."
        )
    gathered = Gathered()
    run = _Gatherer(asked, settings, max_chars, gathered)
    if asked.paths:
        found = run.named(chosen)
    else:
        # Other workspaces are removed first, so that a limit never cuts this workspace's own files.
        found = run.of_this_workspace(_known(asked, chosen, places))
    candidates = list(islice(_once(found), settings.max_files + 1))
    if len(candidates) > settings.max_files:
        most = f"it and what follows were not read: one run reads {settings.max_files:,} files"
        gathered.problems.append(UnreadableFile(candidates.pop().path, most))
    run.read_all(candidates, report)
    run.cap()
    for facts in gathered.facts.values():
        facts[:] = map(as_user_statement, in_order(facts)) if asked.as_user else in_order(facts)
    if not (asked.paths or asked.source) and any(_known(asked, [TRANSCRIPTS], places)):
        gathered.notes.append(_HAS_TRANSCRIPTS)
    # A file name that is not UTF-8 is reported in readable form instead of stopping the run.
    gathered.problems = [UnreadableFile(shown(p.file), shown(p.why)) for p in gathered.problems]
    gathered.notes = [shown(note) for note in gathered.notes]
    gathered.files = [shown(file) for file in gathered.files]
    return gathered


def _once(candidates: Iterable[_Candidate]) -> Iterator[_Candidate]:
    """Each file once, however many paths lead to it."""
    seen: set[str] = set()
    for candidate in candidates:
        if candidate.path not in seen:
            seen.add(candidate.path)
            yield candidate


# --- where files are -------------------------------------------------------------------------


def _known(
    asked: ImportSelection, chosen: Sequence[ImportSource], places: ForeignPaths
) -> Iterator[_Candidate]:
    """Files of the current project and in the known places."""
    projects = _project_folders(asked)
    bases = {
        foreign.PROJECT: projects,
        foreign.DATA: [str(places.data)],
        foreign.CLAUDE: [str(places.claude)],
        foreign.OPENCODE: [str(places.opencode)],
    }
    for source in chosen:
        for spot in source.spots:
            for base in bases[spot.base]:
                for folder in projects if "{project}" in spot.pattern else [""]:
                    pattern = spot.pattern.replace(
                        "{project}", transcript_files.claude_name(folder)
                    )
                    found = iglob(pattern, root_dir=base, include_hidden=True)
                    for name in sorted(found):
                        yield _Candidate(os.path.join(base, name), source, base)
    if TRANSCRIPTS in chosen:
        is_here = _began_here(asked)
        agents = {"claude": places.claude, **places.others}
        for path in transcript_files.transcripts_of(agents, is_here, projects):
            yield _Candidate(str(path), TRANSCRIPTS, str(path.parent))
        database = str(places.data / transcript_files.OPENCODE_DATABASE)
        if os.path.isfile(database) and transcript_files.has_sessions(database, is_here):
            yield _Candidate(database, TRANSCRIPTS, os.path.dirname(database))


def _project_folders(asked: ImportSelection) -> list[str]:
    """The workspace's root, and the folders from the worktree's root down to the current one."""
    chain: list[str] = []
    at = os.path.realpath(asked.folder) if asked.folder else "/"
    while at != "/":
        chain.insert(0, at)
        if at == asked.place.root or os.path.lexists(os.path.join(at, ".git")):
            break
        at = os.path.dirname(at)
    else:
        chain.clear()  # outside git there is no project boundary
    return [folder for folder in dict.fromkeys((asked.place.root, *chain)) if folder]


def _keys(asked: ImportSelection) -> set[str]:
    """The keys under which this workspace may be known: another clone may share its memory."""
    return {asked.place.key, *map(identity.key_of, _project_folders(asked))}


def _began_here(asked: ImportSelection) -> Callable[[str], bool]:
    """Whether a session that was started in a folder is of this workspace: also in a subfolder and
    a linked worktree (ID-2), and in a folder of the repository that is gone now."""
    keys = _keys(asked)
    is_repository = os.path.lexists(os.path.join(asked.place.root, ".git"))

    @cache
    def is_here(began: str) -> bool:
        folder = began
        while is_repository and folder.startswith("/") and not os.path.isdir(folder):
            folder = os.path.dirname(folder)
        return bool(began) and _key(folder) in keys

    return is_here


def _parts(path: str) -> tuple[str, ...]:
    return tuple(part for part in path.split("/") if part)


# --- stores of workspaces --------------------------------------------------------------------


def _source_at(path: str) -> ImportSource | None:
    """The source of a named path: a file of lines is a transcript, of whatever agent."""
    lines = TRANSCRIPTS if path.endswith(".jsonl") else None
    return source_of(_parts(path)) or lines


def _store(path: str) -> str:
    return "/" + "/".join(opencode_v2.store_of(_parts(path)))


def _key(root: str) -> str:
    """The key of a folder's workspace; "" if the folder is gone."""
    try:
        return identity.find(root).key
    except UserError:
        return ""


# --- reading ---------------------------------------------------------------------------------


def _stores_by_path(candidates: Iterable[_Candidate]) -> dict[str, set[str]]:
    stores: dict[str, set[str]] = {}
    for candidate in candidates:
        if candidate.source is not None and candidate.source.grouped:
            stores.setdefault(candidate.named, set()).add(_store(candidate.path))
    return stores


def _memory(source: ImportSource, file: ForeignFile) -> ForeignMemory | UnreadableFile:
    """What a source finds in a file; its refusal as a clause behind the file's name."""
    found = source.parse(file)
    if isinstance(found, Refusal):
        return UnreadableFile(file.path, found.message[:1].lower() + found.message[1:].rstrip("."))
    return found


# --- one run ---------------------------------------------------------------------------------


class _Gatherer(Struct):
    """One run, with what it gathered so far."""

    asked: ImportSelection
    settings: ImportSettings
    max_chars: int
    gathered: Gathered

    def _problem(self, file: str, why: str) -> None:
        self.gathered.problems.append(UnreadableFile(file, why))

    def named(self, chosen: Sequence[ImportSource]) -> Iterator[_Candidate]:
        """Files that were named, and files of a source below named folders."""
        only = chosen[0] if self.asked.source else None
        for path in self.asked.paths:
            try:
                mode = os.lstat(path).st_mode
            except (OSError, ValueError) as error:
                self._problem(path, why(error))
                continue
            if not stat.S_ISDIR(mode):
                yield _Candidate(path, only or _source_at(path), named=path)
                continue
            before = len(self.gathered.problems)
            found = False
            for file in self._walk(path):
                source = _source_at(file)
                if source is not None and source in chosen:
                    found = True
                    yield _Candidate(file, source, path, named=path)
            if not found and len(self.gathered.problems) == before:
                self._problem(path, "nothing to import was found in it")

    def _walk(self, folder: str) -> Iterator[str]:
        """Files below a folder, in order. Links to folders are not followed."""
        looked_at = 0
        top = folder.rstrip("/").count("/")

        def failed(error: OSError) -> None:
            self._problem(str(error.filename), why(error))

        for at, folders, files in os.walk(folder, onerror=failed):
            deep = at.count("/") - top >= MAX_DEPTH
            folders[:] = [] if deep else sorted(set(folders) - set(SKIPPED))
            looked_at += len(folders) + len(files)
            if looked_at > self.settings.max_looked_at:
                limit = f"{self.settings.max_looked_at:,}"
                self._problem(folder, f"it holds more than {limit} names; name a folder below it")
                return
            yield from (os.path.join(at, name) for name in sorted(files))

    def of_this_workspace(self, candidates: Iterable[_Candidate]) -> Iterator[_Candidate]:
        """Drop stores of other workspaces; they are only counted."""
        keys = _keys(self.asked)
        mine: dict[str, bool] = {}
        for candidate in candidates:
            if candidate.source is None or not candidate.source.grouped:
                yield candidate
                continue
            store = _store(candidate.path)
            if store not in mine:
                named = os.path.basename(store) in keys
                root = "" if named else self._root_of(store)
                mine[store] = named or (bool(root) and _key(root) in keys)
                if root and not mine[store]:
                    self.gathered.others.append(root)
            if mine[store]:
                yield candidate

    def _root_of(self, store: str) -> str:
        """The folder that a store says it belongs to; "" if it does not say."""
        for name in (opencode_v2.MEMORY, opencode_v2.JOURNAL):
            file = open_foreign(
                os.path.join(store, name),
                "",
                self.settings.max_file_bytes,
                json_wanted=True,
                max_chars=0,
            )
            if isinstance(file, ForeignFile):
                parsed = opencode_v2.parse(file)
                if isinstance(parsed, ForeignMemory) and parsed.root:
                    return parsed.root
        return ""

    def read_all(self, candidates: Sequence[_Candidate], report: Callable[[str], None]) -> None:
        real = {os.path.realpath(c.path): c.path for c in candidates if not os.path.islink(c.path)}
        roots: dict[str, str] = {}
        parsed: list[tuple[_Candidate, ForeignMemory]] = []
        for candidate in candidates:
            report(candidate.path)
            target = real.get(os.path.realpath(candidate.path))
            if target is not None and target != candidate.path:
                self.gathered.notes.append(
                    f"{candidate.path} is a link to {target}, which is read once."
                )
                continue
            found = self._read(candidate)
            if isinstance(found, UnreadableFile):
                self.gathered.problems.append(found)
                continue
            self.gathered.files.append(candidate.path)
            self.gathered.left += found.left
            parsed.append((candidate, found))
            if found.root:
                roots.setdefault(_store(candidate.path), found.root)
        stores = _stores_by_path(candidate for candidate, _ in parsed)
        for candidate, found in parsed:
            alone = len(stores.get(candidate.named, ())) < 2
            where = "" if alone or not candidate.named else self._owner(candidate, roots)
            if where is not None:
                self.gathered.facts.setdefault(where, []).extend(found.facts)
                self.gathered.sessions.setdefault(where, []).extend(found.sessions)
        self._forget([one for _, found in parsed for one in found.forgettings])

    def _forget(self, forgettings: Sequence[foreign.Forgetting]) -> None:
        """Leave out what a later session asked to forget."""
        for where, facts in self.gathered.facts.items():
            kept = not_forgotten(facts, forgettings)
            gone = Counter(fact.file for fact in facts) - Counter(fact.file for fact in kept)
            self._leave("forgotten", gone)
            self.gathered.facts[where] = kept

    def _owner(self, candidate: _Candidate, roots: dict[str, str]) -> str | None:
        """The folder whose workspace receives a file of a multi-workspace store: "" for the current
        one, None if unknown."""
        if candidate.source is None or not candidate.source.grouped:
            return ""
        store = _store(candidate.path)
        root = roots.get(store, "")
        if not root and os.path.basename(store) in (self.asked.place.key,):
            return ""
        if root and os.path.isdir(root):
            return "" if _key(root) == self.asked.place.key else root
        gone = f"its folder {root} is gone" if root else "it does not name its folder"
        why = f"{gone}; from the folder it belongs to, `wm import {store}` takes it"
        if all(problem.file != store for problem in self.gathered.problems):
            self._problem(store, why)
        return None

    def _read(self, candidate: _Candidate) -> ForeignMemory | UnreadableFile:
        if candidate.path.endswith(transcript_files.OPENCODE_DATABASE):
            said = transcript_files.from_database(
                candidate.path, _began_here(self.asked), self.max_chars
            )
            return said if isinstance(said, UnreadableFile) else _memory(TRANSCRIPTS, said)
        source = candidate.source
        as_json = source.json if source is not None else candidate.path.endswith(".json")
        file = open_foreign(
            candidate.path,
            candidate.base,
            max(self.settings.max_file_bytes, source.max_bytes if source is not None else 0),
            json_wanted=as_json,
            max_chars=self.max_chars,
        )
        if isinstance(file, UnreadableFile):
            return file
        if source is None:
            source = source_of(_parts(file.path), file.value)
            if source is None and not as_json:
                source = SOURCES["instructions"]
            if source is None:
                return UnreadableFile(file.path, "its format is unknown; name it with --from")
        return _memory(source, file)

    def cap(self) -> None:
        """Apply the limit of one run. The files are ordered, so the weakest are cut."""
        for where, sessions in self.gathered.sessions.items():
            by_time = sorted(sessions, key=lambda one: one.at)
            newest = {one.session_id: one.at for one in by_time}
            ranked = sorted(newest, key=lambda name: (newest[name], name), reverse=True)
            taken = set(ranked[: self.settings.max_sessions])
            old = [one.file for one in sessions if one.session_id not in taken]
            self.gathered.left += [SkippedStatement(file, "old_session") for file in old]
            self.gathered.sessions[where] = [one for one in sessions if one.session_id in taken]
        for where, facts in self.gathered.facts.items():
            sizes = accumulate(len(f.text) + len(f.bare) + len(f.rationale) for f in facts)
            few = zip(facts[: self.settings.max_facts], sizes, strict=False)
            kept = [fact for fact, size in few if size <= self.settings.max_chars]
            self._leave("too_many", Counter(fact.file for fact in facts[len(kept) :]))
            self.gathered.facts[where] = kept

    def _leave(self, code: str, counts: Mapping[str, int]) -> None:
        """Report statements that are not imported. counts: their number by file."""
        left = (SkippedStatement(file, code, count) for file, count in counts.items())
        self.gathered.left += left
