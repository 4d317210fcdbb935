"""Options of the solver sph: the places where one stands, and the scheme that takes it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from eddyline import _core
from eddyline.world import World, WorldError
from eddyline.world.sph_options import OnlyFor, SphOptions

ROOT = Path(__file__).resolve().parents[2]
PLACES = {
    "core/world/world.hpp": "the field with its default",
    "core/world/method_options.hpp": "the row in the table of options",
    "python/eddyline/world/sph_options.py": "the key with its bounds and one sentence",
}
DAM = (ROOT / "worlds" / "dam_break.toml").read_text(encoding="utf-8")


def sources() -> list[Path]:
    """Files that could list options: the world of the core, its bindings, and the world of the package."""
    package = ROOT / "python" / "eddyline"
    return [
        *(ROOT / "core" / "world").glob("*.[hc]pp"), package / "bindings" / "world.cpp",
        *(package / "world").glob("*.py"), package / "solvers" / "sph.py",
    ]  # fmt: skip


def declared(path: Path) -> set[str]:
    """The options that a file declares or lists. Defaults of some kinds of fluid are values, not lists."""
    text = path.read_text(encoding="utf-8")
    return {
        name
        for name in _core.Method.OPTIONS
        if re.search(rf'^ *(?:bool|double) {name}\b|"{name}"(?!:)|^ +{name}: ', text, re.MULTILINE)
    }


def test_the_table_has_all_numbers_of_the_method() -> None:
    keys = set(SphOptions.model_fields) - {"name", "scheme", "precision"}
    assert sorted(_core.Method.OPTIONS) == sorted(keys)


def test_an_option_stands_in_three_places() -> None:
    """A check of one option names it; three in a file are a list."""
    lists = {str(path.relative_to(ROOT)): names for path in sources() if len(names := declared(path)) >= 3}
    assert sorted(lists) == sorted(PLACES)
    for place, names in lists.items():
        assert sorted(names) == sorted(_core.Method.OPTIONS), f"{place}: {PLACES[place]}"


def test_stubs_list_no_options() -> None:
    stubs = (ROOT / "python" / "eddyline" / "_core.pyi").read_text(encoding="utf-8")
    method = stubs.split("\nclass Method:\n")[1].split("\nclass ")[0]
    assert not [name for name in _core.Method.OPTIONS if re.search(rf"\b{name}\b", method)]


@pytest.mark.parametrize("name", _core.Method.OPTIONS)
def test_the_scheme_of_an_option_takes_it_and_the_other_refuses_it(name: str) -> None:
    only = [mark.scheme for mark in SphOptions.model_fields[name].metadata if isinstance(mark, OnlyFor)]
    value = True if name == "shifting" else 1.5 if name == "smoothing_ratio" else 0.05
    for scheme in ("delta", "classic"):
        overrides = {"method.scheme": scheme, f"method.{name}": value}
        if only in ([], [scheme]):
            try:
                world = World.from_text(DAM, overrides=overrides)
            except WorldError as error:  # other checks, such as those of gases, may refuse the value
                assert "requires scheme" not in str(error)
            else:
                assert getattr(world.core.method, name) == value
        else:
            with pytest.raises(WorldError, match=rf'has {name}, which requires scheme = "{only[0]}"'):
                World.from_text(DAM, overrides=overrides)
