"""Pressure averaged over a sensor: on floors and walls, wet and half dry, and where a patch may lie."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from test_flows import run_of

from eddyline.world import World, WorldError

POOL = """format = 1
[domain]
size = SIZE
spacing = SPACING
gravity = GRAVITY
[fluid]
density = 1000.0
kinematic_viscosity = 1e-6
max_speed = 2.0
[regions.water]
shape = SHAPE
min = LOW
max = HIGH
pressure = "hydrostatic"
[boundaries]
top = { type = "open" }
[output]
series = 20
[time]
end = END
"""
FLAT = {
    "SIZE": "[0.4, 0.5]", "SPACING": "0.02", "GRAVITY": "[0, -9.81]", "SHAPE": '"rectangle"', "LOW": "[0, 0]",
    "HIGH": "[0.4, 0.4]", "END": "0.4",
}  # fmt: skip
DEEP = {
    "SIZE": "[0.3, 0.36, 0.3]", "SPACING": "0.03", "GRAVITY": "[0, -9.81, 0]", "SHAPE": '"box"',
    "LOW": "[0, 0, 0]", "HIGH": "[0.3, 0.3, 0.3]", "END": "0.15",
}  # fmt: skip


def pool(values: dict[str, str], *patches: str) -> World:
    text = POOL
    for key, value in values.items():
        text = text.replace(f"= {key}\n", f"= {value}\n")
    for number, patch in enumerate(patches):
        text += f'[observe.patch_{number}]\ntype = "patch"\n{patch}\n'
    return World.from_text(text)


@pytest.mark.parametrize(
    ("values", "patches", "depths"),
    [
        (
            FLAT,
            (
                "position = [0.2, 0]\ndiameter = 0.1",
                "position = [0.4, 0.15]\ndiameter = 0.16",
                "position = [0.2, 0.2]\nnormal = [2, 2]\ndiameter = 0.1",
            ),
            (0.4, 0.25, 0.2),
        ),
        (
            DEEP,
            (
                "position = [0.15, 0, 0.15]\ndiameter = 0.12",
                "position = [0, 0.12, 0.15]\ndiameter = 0.15",
            ),
            (0.3, 0.18),
        ),
    ],
    ids=["2D", "3D"],
)
def test_patches_under_still_water_read_the_mean_of_what_rests_on_them(
    tmp_path: Path, values: dict[str, str], patches: tuple[str, ...], depths: tuple[float, ...]
):
    run = run_of(pool(values, *patches), tmp_path / "run")
    for number, depth in enumerate(depths):
        series = run.series(f"patch_{number}")
        assert list(series.columns) == ["time", "pressure", "wet_share"]
        assert (series["wet_share"] == 1).all()
        late = series["pressure"][series["time"] > 0.5 * series["time"].iloc[-1]]
        assert late.mean() == pytest.approx(9810 * depth, rel=0.015)


def test_the_dry_part_of_a_patch_counts_as_no_pressure(tmp_path: Path):
    run = run_of(pool(FLAT | {"END": "0.1"}, "position = [0, 0.4]\ndiameter = 0.16"), tmp_path / "run")
    series = run.series("patch_0")
    assert np.allclose(series["wet_share"], 0.5, atol=0.07)
    assert series["pressure"].iloc[-1] == pytest.approx(0.5 * 0.5 * 9810 * 0.08, rel=0.25)


@pytest.mark.parametrize(
    ("patch", "line"),
    [
        ("position = [0.2, 0.1]\ndiameter = 0.1", "observe.patch_0.normal is missing; position = [0.2, 0.1]"),
        ("position = [0, 0]\ndiameter = 0.1", "does not lie on exactly one side of the domain. Add normal"),
        ("position = [0.2, 0]\ndiameter = 0.5", "diameter = 0.5; the patch extends beyond the domain"),
        ("position = [0.2, 0]\nnormal = [0, 0]\ndiameter = 0.1", "has a normal of length 0"),
        ("position = [0.2, 0.6]\nnormal = [0, 1]\ndiameter = 0.1", "is outside the domain"),
        ("position = [0.1, 0.2]\nnormal = [0, 1]\ndiameter = 0.1", "the patch extends into bodies.post at"),
    ],
)
def test_a_patch_that_cannot_be_sampled_is_reported(patch: str, line: str):
    post = '\n[bodies.post]\nshape = "rectangle"\nmin = [0.12, 0]\nmax = [0.3, 0.3]'
    with pytest.raises(WorldError, match=line.replace("[", r"\[").replace(".", r"\.")):
        pool(FLAT, patch + (post if "post" in line else ""))
