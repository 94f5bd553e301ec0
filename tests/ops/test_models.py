"""Models: taken from a folder, chosen, and changed over without a pause (RC-2)."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.models import small
from tests.ops.conftest import CENTS, QUEUE, SHIP, Bench
from wm.errors import ModelUnavailable, NotFound, UserError
from wm.models.embed import EMBEDDED
from wm.models.worker import EmbedWorker
from wm.ops.search.model_choice import INSTALLED, chosen, look_at_model
from wm.ops.search.model_install import import_model, pull_model, remove_model
from wm.ops.search.search import embedding, searcher

PATIENCE_S = 60.0


@pytest.fixture
def home(files: Bench) -> Bench:
    """On files, and patient: it waits for its vectors, however busy the machine is."""
    return with_recall(files, embed_wait_s=PATIENCE_S)


def with_recall(bench: Bench, **options: object) -> Bench:
    recall = replace(bench.settings.recall, **options)  # type: ignore[arg-type]
    bench.settings = replace(bench.settings, recall=recall)
    bench.__post_init__()
    return bench


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small.write(tmp_path_factory.mktemp("models") / "harbour")


def used(bench: Bench) -> str:
    """Whose vectors answer."""
    found = bench.call("search", query="harbour").model
    return found.id if found is not None else ""


def whole(bench: Bench) -> None:
    """Wait until no text lacks a vector of the chosen model."""
    index = searcher(bench.runtime, bench.key)
    with index._lock:
        assert index._lock.wait_for(lambda: not index.waiting, PATIENCE_S)


def test_an_imported_folder_is_a_selectable_model(home: Bench, model: Path) -> None:
    made = import_model(home.runtime, model, "harbour")
    assert (made.dimension, made.origin, len(made.revision)) == (8, str(model), 16)
    assert made.files[0].name == "model.onnx"
    rows = {row.name: row for row in home.call("list_models").models}
    assert list(rows) == ["embedded", "harbour", "none"]
    assert [name for name, row in rows.items() if row.in_use] == ["embedded"]
    assert (rows["harbour"].kind, rows["harbour"].problem) == ("installed", "")
    assert Path(rows["harbour"].path).parent == home.settings.paths.home / "models"
    assert rows["harbour"].bytes == sum(file.bytes for file in made.files)
    assert rows["embedded"].dimension == 256
    assert home.call("use_model", name="harbour").chosen == "harbour"
    assert chosen(home.runtime).name == "harbour"


def test_the_next_search_uses_vectors_of_the_chosen_model(home: Bench, model: Path) -> None:
    for text in (SHIP, CENTS, QUEUE):
        home.remember(text)
    home.call("search", query="ship")
    assert used(home) == EMBEDDED
    import_model(home.runtime, model, "harbour")
    home.call("use_model", name="harbour")
    whole(home)
    assert used(home) == "harbour"
    home.call("use_model", name="none")
    assert used(home) == ""
    assert len(home.call("search", query="cents").hits) == 1
    assert home.call("list_models").waiting == 0


class DelayedWorker(EmbedWorker):
    """An embedder that begins when it is let go."""

    def __init__(self, bench: Bench) -> None:
        super().__init__(EMBEDDED, bench.settings.recall)
        self.go = threading.Event()

    def _open(self):  # type: ignore[no-untyped-def]
        self.go.wait(PATIENCE_S)
        return super()._open()


def test_old_vectors_are_used_until_the_new_ones_are_complete(home: Bench) -> None:
    home.remember(SHIP)
    home.remember("The cat sleeps on the kitchen floor all day.")
    home.call("search", query="the kitchen cat dozes")
    index, coming = searcher(home.runtime, home.key), DelayedWorker(home)
    index.use(coming)
    assert index.waiting == 2
    before = index.card
    entry = home.remember("The dog barks at the postman.")
    place = home.memory()
    found = index.search(place, "the dog and the postman", 3, _all())
    assert index.card is before
    assert entry.id in [hit.id for hit in found]
    assert index.waiting == 3
    coming.go.set()
    with index._lock:
        assert index._lock.wait_for(lambda: not index.waiting, PATIENCE_S)
    assert index._current.worker is coming
    assert index.search(place, "the kitchen cat dozes", 3, _all())


def _all():  # type: ignore[no-untyped-def]
    from wm.search.documents import Filters

    return Filters()


def test_a_model_that_cannot_be_opened_changes_nothing(home: Bench) -> None:
    home.remember(SHIP)
    home.call("search", query="ship")
    index = searcher(home.runtime, home.key)
    before = index.card
    reported = threading.Event()
    broken = EmbedWorker("/absent", home.settings.recall, troubled=lambda _why: reported.set())
    index.use(broken)
    assert reported.wait(PATIENCE_S)
    with index._lock:
        assert index._lock.wait_for(lambda: index._next is None, PATIENCE_S)
    assert index.card is before
    assert before is not None


def test_a_damaged_chosen_model_falls_back_to_the_default_with_a_message(
    home: Bench, model: Path
) -> None:
    made = import_model(home.runtime, model, "harbour")
    home.call("use_model", name="harbour")
    home.remember(SHIP)
    (home.settings.paths.home / "models/harbour/tokenizer.json").unlink()
    look_at_model(home.runtime)
    trouble = home.runtime.signals.troubles["model"]
    assert trouble.endswith("of the model harbour is gone. Search continues without it.")
    assert len(home.call("search", query="deploy").hits) == 1
    whole(home)
    assert used(home) == EMBEDDED
    row = next(r for r in home.call("list_models").models if r.name == made.name)
    assert "is gone" in row.problem
    with pytest.raises(ModelUnavailable, match="is gone"):
        home.call("use_model", name="harbour")


def test_config_toml_overrides_the_chosen_model(home: Bench, model: Path) -> None:
    with_recall(home, model=str(model))
    answer = home.call("list_models")
    assert (answer.chosen, answer.by_config) == (str(model), True)
    assert [(r.kind, r.dimension) for r in answer.models if r.in_use] == [("folder", 8)]
    with pytest.raises(UserError, match=r"config.toml sets recall.model"):
        home.call("use_model", name="embedded")


@pytest.mark.parametrize("name", ["absent", "/somewhere", ""])
def test_an_unknown_model_is_refused_with_the_installed_ones(home: Bench, name: str) -> None:
    with pytest.raises(NotFound, match="There is no model") as raised:
        home.call("use_model", name=name)
    assert "embedded, none" in raised.value.fix


@pytest.mark.parametrize("name", ["embedded", "none", "", "../x", "Big", ".x", "a/b", "x" * 70])
def test_a_name_that_cannot_be_a_folder_is_refused(home: Bench, model: Path, name: str) -> None:
    with pytest.raises(UserError, match="cannot be a model's name"):
        import_model(home.runtime, model, name)


def test_a_model_is_imported_once(home: Bench, model: Path) -> None:
    import_model(home.runtime, model, "harbour")
    with pytest.raises(UserError, match="installed already"):
        import_model(home.runtime, model, "harbour")
    assert [m.name for m in home.store.read(INSTALLED).document.models] == ["harbour"]  # type: ignore[union-attr]


def test_a_model_is_removed_with_its_files_and_can_be_imported_again(
    home: Bench, model: Path
) -> None:
    made = import_model(home.runtime, model, "harbour")
    gone = remove_model(home.runtime, "harbour")
    assert (gone.freed_bytes, gone.recorded) == (sum(f.bytes for f in made.files), True)
    assert list((home.settings.paths.home / "models").iterdir()) == []
    assert [row.name for row in home.call("list_models").models] == ["embedded", "none"]
    import_model(home.runtime, model, "harbour")
    assert home.call("use_model", name="harbour").chosen == "harbour"


def test_a_model_that_is_in_use_is_not_removed(home: Bench, model: Path) -> None:
    import_model(home.runtime, model, "harbour")
    home.call("use_model", name="harbour")
    with pytest.raises(UserError, match="is in use") as raised:
        remove_model(home.runtime, "harbour")
    assert "`wm models use embedded`" in raised.value.fix
    home.call("use_model", name="embedded")
    folder = home.settings.paths.home / "models/harbour"
    for named in ("harbour", f"{folder}", f"{folder}/", f"{folder}/../harbour"):
        with_recall(home, model=named)
        with pytest.raises(UserError, match="is in use") as raised:
            remove_model(home.runtime, "harbour")
        assert "recall.model" in raised.value.fix


def test_an_overridden_model_is_removed_and_deselected(home: Bench, model: Path) -> None:
    import_model(home.runtime, model, "harbour")
    home.call("use_model", name="harbour")
    with_recall(home, model="none")
    remove_model(home.runtime, "harbour")
    with_recall(home, model="")
    assert chosen(home.runtime).name == EMBEDDED


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("embedded", "was not installed"),
        ("none", "was not installed"),
        ("absent", "no installed model 'absent'"),
        ("../models", "no installed model"),
        ("", "no installed model"),
    ],
)
def test_a_model_that_is_not_installed_is_not_removed(home: Bench, name: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        remove_model(home.runtime, name)


def test_leftovers_of_a_killed_import_or_removal_are_removed(home: Bench, model: Path) -> None:
    (home.settings.paths.home / "models/torn").mkdir(parents=True)
    (home.settings.paths.home / "models/torn/model.onnx").write_bytes(b"12345")
    gone = remove_model(home.runtime, "torn")
    assert (gone.freed_bytes, gone.recorded) == (5, False)
    import_model(home.runtime, model, "harbour")
    shutil.rmtree(home.settings.paths.home / "models/harbour")
    gone = remove_model(home.runtime, "harbour")
    assert (gone.freed_bytes, gone.recorded) == (0, True)


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("tokenizer.json", "{}", "its tokenizer.json cannot be read"),
        ("config.json", "{}", "config.json has no hidden_size"),
        ("config.json", "[", "its configuration cannot be read"),
        ("model.onnx", "x", ""),
    ],
)
def test_a_model_that_fails_its_trial_leaves_nothing_and_is_named_by_its_folder(
    home: Bench, tmp_path: Path, file: str, text: str, said: str
) -> None:
    torn = small.write(tmp_path / "torn")
    (torn / file).write_text(text)
    with pytest.raises(ModelUnavailable) as raised:
        import_model(home.runtime, torn, "torn")
    assert f"no usable model in {torn}: {said}" in raised.value.message
    assert str(home.settings.paths.home) not in raised.value.message
    assert list((home.settings.paths.home / "models").iterdir()) == []
    assert home.call("list_models").models[1].name == "none"


def test_a_server_that_does_not_answer_leaves_nothing(home: Bench) -> None:
    with_recall(home, models_url="http://127.0.0.1:9")
    with pytest.raises(ModelUnavailable, match=r"could not be fetched from 127\.0\.0\.1"):
        pull_model(home.runtime, "minilm")
    with pytest.raises(NotFound, match="that wm can fetch"):
        pull_model(home.runtime, "harbour")
    assert list((home.settings.paths.home / "models").iterdir()) == []


def test_choosing_the_model_in_use_recomputes_nothing(home: Bench) -> None:
    home.remember(SHIP)
    home.call("search", query="ship")
    before = embedding(home.runtime)
    home.call("use_model", name="embedded")
    assert embedding(home.runtime) is before
