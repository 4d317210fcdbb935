"""Airfoils as shapes: NACA sections, and profiles from files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from eddyline.run import run
from eddyline.world import World, WorldError
from eddyline.world.airfoils import naca

WORLD = """
format = 1
domain = { size = [1, 0.5], spacing = 0.02 }
fluid = { density = 1.0, kinematic_viscosity = 0.01, max_speed = 1.0 }
time = { end = 0.01 }
start = { velocity = [1, 0] }
output = { pictures = 0, snapshots = 0 }
[boundaries]
left = { type = "periodic" }
right = { type = "periodic" }
[bodies.foil]
"""
NACA = 'shape = "naca"\ndigits = "2412"\nnose = [0.3, 0.25]\nchord = 0.4\nangle = -10\n'


def test_a_section_has_its_thickness_and_camber() -> None:
    """NACA 0012: half thickness 0.06 at 30 % of the chord; 2412: camber 0.02 at 40 %."""
    symmetric = naca("0012", 400)
    half = np.interp(0.3, symmetric[400::-1][:, 0][::1], symmetric[400::-1][:, 1][::1])
    assert symmetric[:, 1].max() == pytest.approx(0.06, abs=1e-4) and half == pytest.approx(0.06, abs=1e-4)
    assert np.allclose(symmetric[1:400, 1], -symmetric[-1:-400:-1, 1])
    upper, lower = naca("2412", 400)[400::-1], np.concatenate([naca("2412", 400)[400:], [[1, 0]]])
    at = np.linspace(0.05, 0.95, 50)
    camber = 0.5 * (np.interp(at, upper[:, 0], upper[:, 1]) + np.interp(at, lower[:, 0], lower[:, 1]))
    assert camber.max() == pytest.approx(0.02, abs=2e-4)
    assert at[camber.argmax()] == pytest.approx(0.4, abs=0.05)


def test_a_body_is_the_polygon_of_its_section() -> None:
    body = World.from_text(WORLD + NACA).file.bodies["foil"]
    (x0, y0, _), (x1, _, _) = body.core_shape.bounds
    assert x0 == pytest.approx(0.3, abs=0.003) and x1 == pytest.approx(
        0.3 + 0.4 * np.cos(np.radians(10)), abs=1e-3
    )
    assert y0 == pytest.approx(0.25 - 0.4 * np.sin(np.radians(10)), abs=1e-3)  # the nose is up
    assert body.core_name == "polygon" and len(body.measures) == 3 * 160


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ('"2412"', '"24"', "digits"),
        ('"2412"', '"0000"', 'Write "0012"'),
        ('"2412"', '"2012"', 'Write "0012" or "2412"'),
        ("chord = 0.4", "chord = -1", "chord"),
    ],
)
def test_wrong_sections_are_refused(before: str, after: str, told: str) -> None:
    with pytest.raises(WorldError, match=r"bodies\.foil") as found:
        World.from_text(WORLD + NACA.replace(before, after))
    assert told in str(found.value)


def write_profile(path: Path, text: str | None = None) -> None:
    rows = "\n".join(f"{x:.6f},{y:.6f}" for x, y in naca("0015", 40))
    path.write_text(text if text is not None else f"# a section\nx,y\n{rows}\n")


def test_a_profile_is_read_beside_the_world_and_kept_with_the_run(tmp_path: Path) -> None:
    write_profile(tmp_path / "section.csv")
    text = WORLD + 'shape = "profile"\nfile = "section.csv"\nnose = [0.3, 0.25]\nchord = 0.4\n'
    (tmp_path / "foil.toml").write_text(text)
    done = run(
        tmp_path / "foil.toml", steps=2, out=tmp_path / "run", movie=False, report=False, progress=False
    )
    assert (tmp_path / "run" / "section.csv").read_bytes() == (tmp_path / "section.csv").read_bytes()
    (tmp_path / "section.csv").unlink()
    high = done.world.file.bodies["foil"].core_shape.bounds[1]
    assert high[1] == pytest.approx(0.25 + 0.4 * 0.075, abs=1e-3)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (None, "file not found"),
        ("x,y\n0,0\n1,1\n", "at least 8"),
        ("0,0\n1,a\n", 'line 2: "a" is not a number'),
        ("0,0,0\n", "two numbers"),
    ],
)
def test_wrong_profiles_are_refused(tmp_path: Path, text: str | None, told: str) -> None:
    if text is not None:
        write_profile(tmp_path / "section.csv", text)
    body = 'shape = "profile"\nfile = "section.csv"\nnose = [0.3, 0.25]\nchord = 0.4\n'
    with pytest.raises(WorldError) as found:
        World.from_text(WORLD + body, path=tmp_path / "foil.toml")
    assert told in str(found.value) and "bodies.foil" in str(found.value)
