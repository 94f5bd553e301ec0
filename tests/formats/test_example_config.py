"""The configuration that the project ships as an example is one that it would accept."""

from __future__ import annotations

import tomllib
from pathlib import Path

from wm.settings import Settings, apply_config, find_paths

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "config.toml"


def test_the_example_configuration_is_accepted_and_sets_its_options(tmp_path: Path) -> None:
    settings = Settings(paths=find_paths({"HOME": str(tmp_path)}))
    data = tomllib.loads(EXAMPLE.read_text("utf-8"))
    changed = apply_config(settings, data, where=str(EXAMPLE))
    assert changed.memory.rendered_entries == 20
    assert changed.memory.type_caps["reference"] == 3
    assert changed.memory.type_caps["decision"] == settings.memory.type_caps["decision"]
    assert changed.daemon.idle_exit_s == 1800
    assert changed.pruning.rules[0].keep == ("^TOTAL", "missing")
