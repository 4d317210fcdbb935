"""Pictures, movies and charts: sizes, colours, what they carry."""

from __future__ import annotations

import re
import resource
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd
import pytest
import small_worlds
from matplotlib.axes import Axes
from numpy.typing import NDArray
from PIL import Image

import eddyline
from eddyline import _core
from eddyline.plot import charts as charts_module
from eddyline.plot import colors, metadata, movie, oblique, references
from eddyline.plot.chart import Chart, line, thin
from eddyline.plot.frame import FramePainter, Resampler, filled_at_gaps, fitting, time_digits
from eddyline.plot.ranks import message_chart, share_chart
from eddyline.plot.scene import Scene
from eddyline.run import Run
from eddyline.run.pictures import RunPictures, charts
from eddyline.run.report import report_html
from eddyline.stream.corrupt import CorruptFileError
from eddyline.stream.frames import (
    COVER_ONE,
    SOLID,
    TOP,
    Codes,
    CoverCodes,
    Frame,
    FrameFiles,
    FrameStore,
    Known,
    Picture,
)

WORLDS = Path(__file__).resolve().parents[2] / "worlds"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("runs")
    return eddyline.run(small_worlds.write(folder), out=folder / "run", progress=False, threads=1)


@pytest.fixture(scope="module")
def run3d(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("runs")
    world = small_worlds.write(folder, small_worlds.BOX)
    return eddyline.run(world, out=folder / "run", progress=False, threads=1)


def test_frames_are_kept_to_16_bits() -> None:
    values = np.linspace(-3, 5, 600, dtype=np.float32).reshape(20, 30)
    values[3, 4] = np.nan
    solid = np.zeros(values.shape, dtype=bool)
    solid[0, 0] = True
    values[0, 0] = np.nan
    kept = Codes.of(Known.of(values, solid))
    assert len(kept.codes) == values.size - 1  # what is empty has none
    back = kept.raster()
    assert np.array_equal(np.isnan(back), np.isnan(values)) and np.array_equal(kept.solid(), solid)
    assert np.nanmax(np.abs(back - values)) <= 0.51 * 8 / 65534
    assert np.isnan(Codes.of(Known.of(np.full((2, 2), np.nan, np.float32))).raster()).all()


@pytest.mark.parametrize("shape", [(0, 3), (1, 1), (3, 21), (8, 8), (9, 64), (40, 33)])
@pytest.mark.parametrize("share", [0.0, 0.4, 1.0])
def test_codes_are_those_that_numpy_finds(shape: tuple[int, int], share: float) -> None:
    random = np.random.default_rng(5)
    values = (1e-20 * random.standard_normal(shape)).astype(np.float32)
    values[random.random(shape) >= share] = np.nan
    values[random.random(shape) < 0.1 * share] = np.inf
    known = np.isfinite(values)
    solid = ~known & (random.random(shape) < 0.5)
    for mask in (None, solid):
        kept = Codes.of(Known.of(values, mask))
        found = values[known].astype(np.float64)
        codes = np.full(shape, SOLID, dtype=np.uint16)
        if len(found):
            codes[known] = np.rint((found - found.min()) / ((np.ptp(found) / TOP) or 1.0))
        has_code = known if mask is None else known | solid
        assert np.array_equal(kept.known, np.packbits(has_code.reshape(-1)))
        assert np.array_equal(kept.codes, codes[has_code])
    cover = np.clip(np.where(known, values * 1e20, np.nan), 0.0, 1.0).astype(np.float32)
    kept_cover = CoverCodes.of(Known.of(cover))
    assert np.array_equal(kept_cover.known, np.packbits(known.reshape(-1)))
    assert np.array_equal(kept_cover.codes, np.rint(COVER_ONE * cover[known]).astype(np.uint8))


def test_frames_are_read_as_they_were_written(tmp_path: Path) -> None:
    values = np.linspace(0, 1, 35, dtype=np.float32).reshape(5, 7)  # 35 bits: not whole bytes
    half, nothing = values.copy(), np.full_like(values, np.nan)
    half[:, 3:] = np.nan
    cover = np.where(values < 0.4, 0, values)
    rasters = {"speed": half, "pressure": nothing, "velocity_x": values + 1}
    with FrameFiles(tmp_path) as files:
        files.append(Picture(0.25, 7, (0, 0), (2, 1), {"speed": Known.of(values)}, {}))
        assert FrameStore(tmp_path).quantities == ["speed"]  # at once
        known_rasters = {name: Known.of(raster) for name, raster in rasters.items()}
        some_cover = Known.of(cover)
        files.append(Picture(0.5, 12, (0, 0), (2, 1), known_rasters, {"speed": "m/s"}, cover=some_cover))
    store = FrameStore(tmp_path)
    assert FrameStore(tmp_path).quantities == ["speed"] and store.read(0, "speed").cover is None
    with pytest.raises(KeyError):
        store.read(1, "cover")
    assert [(row["step"], row["time"]) for row in store.index] == [(7, 0.25), (12, 0.5)]
    np.testing.assert_allclose(store.read(0, "speed").values, values, atol=1e-4)
    for name, raster in rasters.items():
        frame = store.read(-1, name)
        assert frame.upper == (2, 1) and frame.solid is None and frame.step == 12
        np.testing.assert_allclose(frame.values, raster, atol=1e-4)
        assert frame.cover is not None
        np.testing.assert_allclose(frame.cover, cover, atol=0.002)
    with (tmp_path / "frames.npy").open("rb") as file:  # as the module tells its readers
        np.load(file)
        speed = np.load(file)[()]["speed"]
    known = np.unpackbits(speed["known"], count=speed["shape"].prod()).astype(bool)
    np.testing.assert_allclose(
        speed["offset"] + speed["scale"] * speed["code"], half[:, :3].ravel(), atol=1e-4
    )
    assert speed["units"] == "m/s" and np.array_equal(known.reshape(speed["shape"]), np.isfinite(half))
    whole = (tmp_path / "frames.npy").read_bytes()
    shape = np.array([5, 7], dtype="<i4").tobytes()
    for damaged in (b"", whole[:-1], whole.replace(shape, np.array([5, 7 << 20], dtype="<i4").tobytes())):
        (tmp_path / "frames.npy").write_bytes(damaged)
        with pytest.raises(CorruptFileError, match=r"frames\.npy: damaged"):
            store.read(1, "speed")


@contextmanager
def room_for(size: int) -> Iterator[None]:
    """No file grows beyond so many bytes: what is written of the rest is the part that fits."""
    before, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (before, most))


def test_threads_that_paint_read_frames_one_after_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """NumPy parses headers by `ast`, which breaks in two threads at once (CPython 3.11)."""
    with FrameFiles(tmp_path) as files:
        files.append(Picture(0, 0, (0, 0), (2, 1), {"speed": Known.of(np.ones((4, 8), np.float32))}, {}))
    store, inside, most = FrameStore(tmp_path), [0], [0]
    load = np.lib.format.read_array_header_1_0

    def slow_load(*arguments: object, **options: object) -> object:
        inside[0] += 1
        most[0] = max(most[0], inside[0])
        time.sleep(0.01)
        inside[0] -= 1
        return load(*arguments, **options)

    monkeypatch.setattr(np.lib.format, "read_array_header_1_0", slow_load)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda k: store.read(0, "speed"), range(8)))
    assert most == [1]


def test_only_whole_frames_count(tmp_path: Path) -> None:
    pictures = [
        Picture(k / 4, k, (0, 0), (2, 1), {"speed": Known.of(np.full((2, 3 + k), k, np.float32))}, {})
        for k in range(4)
    ]

    def told() -> list[float]:
        store = FrameStore(tmp_path)
        return [float(store.read(k, "speed").values[0, -1]) for k in range(len(store))]

    with FrameFiles(tmp_path) as files:
        for picture in pictures[:3]:
            files.append(picture)
    with (tmp_path / "frames.npy").open("ab") as frames, (tmp_path / "frames.index").open("ab") as index:
        frames.write(b"half a frame, when the run was killed")
        index.write(b"half a row")
    assert told() == [0, 1, 2]
    with FrameFiles(tmp_path) as files:
        assert files.cut(2) == pictures[1].step
        with (
            room_for(10 + (tmp_path / "frames.npy").stat().st_size),
            pytest.raises(OSError, match="too large"),
        ):
            files.append(pictures[2])
    assert told() == [0, 1]
    with FrameFiles(tmp_path) as files:
        files.append(pictures[3])
    assert told() == [0, 1, 3]


def test_scales() -> None:
    speed, vorticity = colors.QUANTITIES["speed"], colors.QUANTITIES["vorticity"]
    values = np.linspace(0, 1, 1001, dtype=np.float32)
    values[-1] = 1000
    scale = colors.robust_scale(speed, [values])
    assert scale.low == 0 and scale.high == pytest.approx(0.99, abs=0.01) and scale.extend == "max"
    scale = colors.robust_scale(vorticity, [values - 0.25])
    assert scale.low == -scale.high and scale.extend == "max"
    wave = np.sin(np.linspace(0, 2 * np.pi, 1001, dtype=np.float32))  # no wild values: the whole range
    for quantity in (vorticity, colors.GAS_DENSITY):
        scale = colors.robust_scale(quantity, [wave])
        assert scale.extend == "neither" and scale.high == wave.max()
    for quantity in colors.QUANTITIES.values():
        for flat in (np.zeros(9, np.float32), np.full(9, np.nan, np.float32)):
            scale = colors.robust_scale(quantity, [flat])
            assert scale.high > scale.low


def test_sequential_maps_rise_in_lightness() -> None:
    for quantity in colors.QUANTITIES.values():
        lightness = colors.table(quantity).astype(float) @ [0.2126, 0.7152, 0.0722]
        if quantity.kind == "sequential":
            assert np.all(np.diff(lightness) > -1) and lightness[-1] - lightness[0] > 150
        else:
            assert lightness[127] > 230 and abs(lightness[0] - lightness[-1]) < 60


def test_a_picture_carries_its_world(run: Run) -> None:
    got = metadata.read(run.picture)
    assert got.world == (run.folder / "world.toml").read_text()
    assert got.fingerprint == run.fingerprint and got.version == eddyline.__version__
    for chart in ("front", "force.post.drag", "force.post.lift", "energy"):
        assert metadata.read(run.folder / "pictures" / f"{chart}.png") == got
    with Image.open(run.picture) as image:
        assert image.size[0] == 1280


def test_a_movie_carries_its_world_and_all_frames(run: Run) -> None:
    assert metadata.read(run.movie) == metadata.read(run.picture)
    assert movie.count_frames(run.movie) == len(FrameStore(run.folder / "pictures")) == 6


def test_metadata_survive_odd_texts(tmp_path: Path) -> None:
    world = 'title = "a = b; c # d \\\\ e"\n# \u00fc \u03c1 \n[x]\r\n' + "y = 1\n" * 2000
    given = metadata.Metadata(world, "1.2", "lusab-babad", "A = title; with # all", "--steps 3")
    image = np.zeros((16, 16, 3), np.uint8)
    metadata.save_png(tmp_path / "a.png", image, given)
    movie.write_movie(tmp_path / "a.mp4", [image] * 3, given, rate=10)
    assert metadata.read(tmp_path / "a.png") == given
    assert metadata.read(tmp_path / "a.mp4") == given
    Image.fromarray(image).save(tmp_path / "plain.png")
    with pytest.raises(ValueError, match="no Eddyline world"):
        metadata.read(tmp_path / "plain.png")


def test_a_film_holds_the_frames_in_order_though_several_threads_paint(run: Run, tmp_path: Path) -> None:
    pictures = RunPictures(run, width=640)
    seen: list[NDArray[np.uint8]] = []

    def keep(path: Path, images: Iterable[NDArray[np.uint8]], *words: object, **named: object) -> int:
        seen.extend(images)
        return len(seen)

    with mock.patch.object(movie, "write_movie", keep):
        assert pictures.save_movie(tmp_path / "a.mp4") == len(pictures.store) > 1
    for k, image in enumerate(seen):
        np.testing.assert_array_equal(image[..., :3], pictures.painter.paint(pictures.frame(k)))
    pictures.save_movie(tmp_path / "b.mp4")
    assert movie.count_frames(tmp_path / "b.mp4") == len(seen)


def test_a_movie_that_fails_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="needs at least one frame"):
        movie.write_movie(tmp_path / "a.mp4", [], metadata.Metadata("", "", ""), rate=10)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("quantity", ["speed", "pressure", "vorticity", "density", "velocity_x"])
def test_a_run_can_be_painted_in_other_quantities(run: Run, tmp_path: Path, quantity: str) -> None:
    pictures = RunPictures(run, quantity, width=640)
    pictures.save_picture(tmp_path / "a.png")
    with Image.open(tmp_path / "a.png") as image:
        assert image.size[0] <= 720 and image.size[0] % 2 == 0 and image.size[1] % 2 == 0


def test_the_density_of_a_liquid_follows_from_its_pressure(tmp_path: Path) -> None:
    """Frames hold no density: it is made as the core makes it, from each scheme's own state equation."""
    for scheme in ("delta", "classic"):
        world = eddyline.World.load(
            WORLDS / "taylor_green.toml", {"method.scheme": scheme, "domain.spacing": "L/24"}
        )
        run = eddyline.run(
            world, out=tmp_path / scheme, until=0.01, movie=False, report=False, progress=False, threads=1
        )
        pictures = RunPictures(run, "density")
        assert "density" not in pictures.store.quantities
        made, scene = pictures.frame(0).values, Scene.of(run.world)
        simulation = _core.Simulation(run.world.core)
        exact = simulation.rasters(["density"], made.shape, scene.lower, scene.upper)[0]
        assert np.ptp(exact) > 1e-4 * exact.mean()
        np.testing.assert_allclose(made, exact, rtol=2e-6)


def test_unknown_quantities_are_named(run: Run) -> None:
    with pytest.raises(ValueError, match=r"must be one of: .*speed"):
        RunPictures(run, "colour")


def test_fluid_bodies_and_air_are_where_they_belong(run: Run) -> None:
    pictures = RunPictures(run)
    image = pictures.painter.paint(pictures.frame(0))
    layout = pictures.painter.layout

    def at(x: float, y: float) -> list[int]:
        column = layout.left + x / 0.2 * layout.columns
        row = layout.top + (1 - y / 0.15) * layout.rows
        return [int(c) for c in image[int(row), int(column)]]

    assert at(0.15, 0.025) == [201, 205, 211]  # the post
    assert at(0.12, 0.1) == [246, 247, 249]  # air
    assert at(0.025, 0.03) == [int(c) for c in colors.table(colors.QUANTITIES["speed"])[0]]  # water at rest


@pytest.mark.parametrize("rows", [20, 60, 240])
def test_nothing_of_the_fluid_is_seen_where_there_is_none(rows: int) -> None:
    """The picture may have fewer pixels than the raster."""
    values = np.full((60, 80), 2.0, dtype=np.float32)
    values[:, 40:] = np.nan
    shown, cover, _ = Resampler(rows, 120)(values, whole=True)
    assert np.all(cover[:, :50] == 1) and np.all(cover[:, 70:] == 0)
    assert np.allclose(shown[:, :50], 2.0)


@pytest.mark.parametrize("size", [(60, 80), (120, 160), (311, 402)])
def test_a_drop_of_one_pixel_is_painted(size: tuple[int, int]) -> None:
    values, cover = np.full((60, 80), np.nan, dtype=np.float32), np.zeros((60, 80), dtype=np.float32)
    cover[19:22, 29:32] = 0.1
    values[20, 30], cover[20, 30] = 3.0, 1.0
    shown, covered, _ = Resampler(*size)(values, cover, whole=True)
    rows, columns = np.nonzero(covered > 0.5)
    assert 0 < len(rows) <= 1.5 * size[0] * size[1] / values.size
    place = (np.array([rows.mean(), columns.mean()]) + 0.5) * values.shape / size
    assert place == pytest.approx([20.5, 30.5], abs=0.3)
    assert np.allclose(shown[rows, columns], 3.0)


def test_a_surface_is_painted_where_half_is_covered() -> None:
    """It slopes by a pixel in 20: steps of pixels would be off by half a pixel."""
    y, x = np.mgrid[:60, :80].astype(np.float32) + 0.5
    height = 30 + x / 20
    cover = np.clip(0.5 + (height - y) / 4, 0, 1).astype(np.float32)
    values = np.where(cover >= 0.5, 2.0, np.nan).astype(np.float32)
    finer = 8
    shown, covered, _ = Resampler(60 * finer, 80 * finer)(values, cover, whole=True)
    assert np.allclose(shown[covered > 0], 2.0)
    heights = covered.sum(axis=0)[2 * finer : -2 * finer] / finer
    places = (np.arange(80 * finer) + 0.5)[2 * finer : -2 * finer] / finer
    assert np.abs(heights - (30 + places / 20)).max() < 0.1


@pytest.mark.parametrize("size", [(37, 50), (90, 120), (311, 402)])
@pytest.mark.parametrize("place", [(0, 9, 0, 11), (20, 31, 30, 50), (25, 37, 3, 4), (0, 37, 17, 20)])
def test_only_where_the_fluid_is_is_painted(size: tuple[int, int], place: tuple[int, int, int, int]) -> None:
    rng = np.random.default_rng(2)
    values = np.full((37, 50), np.nan, dtype=np.float32)
    top, bottom, left, right = place
    values[top:bottom, left:right] = rng.random((bottom - top, right - left), dtype=np.float32)
    resample = Resampler(*size)
    whole, all_covered, _ = resample(values, whole=True)
    part, covered, where = resample(values)
    assert part.size < whole.size
    assert np.allclose(covered, all_covered[where], atol=1e-4)
    seen = covered > 0
    assert np.allclose(part[seen], whole[where][seen], atol=1e-5)
    all_covered[where] = 0
    assert not all_covered.any()


def test_painting_is_fast(run: Run) -> None:
    """The aim is 40 ms for a picture 1280 wide; the bound leaves room for a busy machine."""
    scene = Scene.of(run.world)
    rng = np.random.default_rng(1)
    values = rng.random((240, 600), dtype=np.float32)
    values[:60, :200] = np.nan
    frame = Frame(0.1, 1, "speed", values, scene.lower[:2], scene.upper[:2])
    painter = FramePainter(scene, "speed", colors.Scale(0, 1))
    painter.paint(frame)
    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        painter.paint(frame)
        seconds.append(time.perf_counter() - start)
    assert min(seconds) < 0.2


def test_words_keep_inside_a_picture() -> None:
    pressure = colors.quantity_of("pressure", 1000.0)
    whole, reference = "pressure [Pa], 0 where the density is 1000 kg/m³", "0 where the density is 1000 kg/m³"
    assert colors.bar_label(pressure, 1000.0, len(whole)) == whole
    assert colors.bar_label(pressure, 1000.0, len(whole) - 1) == f"pressure [Pa],\n{reference}"
    assert colors.bar_label(pressure, 1000.0, len(reference) - 1) == "pressure [Pa]"
    assert fitting("Dam break", 1200) == ("Dam break", 14)
    title, size = fitting("A dam break with a title that goes on and on and on", 300)
    assert title.startswith("A dam break with") and title.endswith("…") and size == 10


@pytest.mark.parametrize(
    ("end", "interval", "digits"),
    [(4e-3, 1e-4, 5), (0.6, 0.05, 3), (6.0, 0.1, 2), (300.0, 5.0, 1), (300.0, 0.0, 0), (0.0, 0.0, 3)],
)
def test_times_have_the_decimals_that_a_run_needs(end: float, interval: float, digits: int) -> None:
    assert time_digits(end, interval) == digits


def test_gaps_between_a_mesh_and_its_body_are_filled() -> None:
    values = np.full((40, 40), np.nan, np.float32)
    values[:, :20] = 3.0
    filled = filled_at_gaps(values)
    assert np.allclose(filled[:, :23], 3.0)
    assert np.isnan(filled[:, 24:]).all()
    kept = np.arange(1600, dtype=np.float32).reshape(40, 40)
    assert filled_at_gaps(kept) is kept


def test_pictures_of_a_mesh_are_finer_than_its_spacing() -> None:
    from eddyline.run.recorder import PIXELS, raster_shape

    world = eddyline.World.load("airfoil")
    width, pixel = world.core.size[0], world.core.spacing
    rows, columns = raster_shape(world, Scene.of(world))
    assert 2 * width / pixel < columns <= PIXELS and rows < columns


def test_a_view_of_three_dimensions(run3d: Run) -> None:
    assert run3d.picture.is_file() and run3d.movie.is_file()
    frame = FrameStore(run3d.folder / "pictures").read(-1, "speed")
    assert frame.shade is not None and frame.solid is not None
    fluid = np.isfinite(frame.values)
    assert 0.05 < fluid.mean() < 0.6 and frame.solid.any()
    assert np.all(frame.shade[fluid | frame.solid] > 0)
    assert RunPictures(run3d, "pressure").painter.paint(RunPictures(run3d, "pressure").frame(0)).ndim == 3


def test_nearer_particles_hide_those_behind() -> None:
    scene = Scene("", 3, (0, 0, 0), (1, 1, 1), 0.1, 1000.0, 1, (), ())
    view = oblique.View.of(scene)
    eye = view.axes[2]
    middle = np.array([0.5, 0.5, 0.5])
    line = middle + np.linspace(-0.4, 0.4, 9)[:, None] * eye
    number = np.arange(9, dtype=np.float32)
    seen = []
    for groups in ([range(9)], [range(4), range(4, 9)], [range(4, 9), range(4)]):
        painting = oblique.Painting(view, 0.1, ["speed"])
        for group in groups:
            painting.add_fluid(line[group], {"speed": number[group]})
        seen.append(painting.finish())
        assert np.nanmin(seen[-1].values["speed"]) == 8
        assert np.array_equal(seen[-1].shade, seen[0].shade)
    hidden = oblique.Painting(view, 0.1, ["speed"])
    hidden.add_solids(line[3:4])
    painting = oblique.Painting(view, 0.1, ["speed"])
    painting.add_fluid(line, {"speed": number})
    painting.add_solids_of(hidden)
    assert not painting.finish().solid.any()
    before = oblique.Painting(view, 0.1, ["speed"])
    before.add_solids(line[8:] + 0.2 * eye)
    painting.add_solids_of(before)
    assert painting.finish().solid.any() and np.isnan(painting.finish().values["speed"]).all()
    assert np.allclose(view.axes @ view.axes.T, np.eye(3)) and np.linalg.det(view.axes) > 0


@pytest.mark.parametrize(
    ("size", "label", "shown", "highest"),
    [
        (2.0, "force [N]", "force [N]", "2"),
        (2e-7, "force [N]", "force [10⁻⁷ N]", "2"),
        (2e8, "coefficient [1]", "coefficient [10⁸]", "2"),
        (2e8, "coefficient", "coefficient [10⁸]", "2"),
    ],
)
def test_a_power_of_ten_is_part_of_the_unit_of_a_chart(size: float, label: str, shown: str, highest: str):
    def draw(axes: Axes) -> None:
        line(axes, np.array([0.0, 1.0]), np.array([-size, size]), 0, "it")
        axes.set_ylabel(label)

    figure = Chart("it", "It", "It", draw).figure()
    figure.canvas.draw()
    (axes,) = figure.axes
    assert axes.get_ylabel() == shown
    assert highest in {text.get_text().rstrip("0").rstrip(".") for text in axes.get_yticklabels()}


def test_charts_are_drawn_for_pages(run: Run) -> None:
    made = charts(run)
    assert [chart.name for chart in made][:3] == ["force.post.drag", "force.post.lift", "front"]
    for chart in made:
        svg = chart.svg()
        assert svg.startswith("<svg ") and 'role="img"' in svg and "var(--ink)" in svg
        assert not re.search(r"#1b1f24|DejaVu", svg)
        used = set(re.findall(r'(?:url\(#|href="#)([\w-]+)', svg))
        assert set(re.findall(r' id="([\w.-]+)"', svg)) <= used


def test_of_many_bodies_those_under_the_largest_forces_are_drawn(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    bodies = [
        f'[bodies.b{k}]\nshape = "circle"\ncenter = [{0.5 + k}, 0.5]\ndiameter = 0.4\n' for k in range(4)
    ]
    world = eddyline.World.from_text(
        'format = 1\ntitle = "Four"\n[domain]\nsize = [4.0, 1.0]\nspacing = 0.05\n'
        "[fluid]\ndensity = 1000.0\nkinematic_viscosity = 1e-3\nmax_speed = 1.0\n[time]\nend = 1.0\n"
        + "".join(bodies)
    )
    columns = ["time", "total_x", "total_y", "pressure_x", "pressure_y", "viscous_x", "viscous_y"]
    rows = np.linspace(0, 1, 7)[:, None] * np.ones(7)
    series = {
        f"force.b{k}": pd.DataFrame(force * rows, columns=columns) for k, force in enumerate((1, -9, 0, 5))
    }
    monkeypatch.setattr(charts_module, "MOST_BODIES", 2)
    assert [chart.name for chart in charts_module.charts_of(world, series, {})] == ["force.b1", "force.b3"]
    assert "forces on" not in run.report.read_text()
    monkeypatch.setattr(charts_module, "MOST_BODIES", 0)
    assert "forces on 1 more are in series/" in report_html(run, charts(run))


@pytest.mark.parametrize(
    ("name", "observer", "column", "label"),
    [
        ("shear", "edge", "velocity_y", "velocity y [m/s]"),  # named by an expected value
        ("blast", "wall", "pressure", "pressure [Pa]"),
        ("waves/gravity", "axis", "h_zz", "strain h_zz"),  # of the pictures
    ],
)
def test_an_observer_is_charted_by_the_column_that_the_world_is_about(
    name: str, observer: str, column: str, label: str
) -> None:
    world = eddyline.World.load(name)
    columns = ["time", "density", "pressure", "velocity_y", "h_xx", "h_zz"]
    frame = pd.DataFrame(np.ones((3, 6)), columns=columns)
    frame["time"] = [0.0, 0.5, 1.0]
    frame.attrs["units"] = {"density": "kg/m^3", "pressure": "Pa", "velocity_y": "m/s", "h_zz": "1"}
    frame[column] += [0, 1e-12, 0]  # rounding: a level line
    (chart,) = charts_module.charts_of(world, {observer: frame}, {})
    (axes,) = chart.figure().axes
    assert axes.get_ylabel() == label
    low, high = axes.get_ylim()
    assert low < 0.96 and high > 1.04


def test_thinning_keeps_peaks() -> None:
    x = np.linspace(0, 1, 100_000)
    y = np.zeros_like(x)
    y[54_321] = 1
    short_x, short_y = thin(x, y)
    assert len(short_x) < 3100 and short_y.max() == 1 and np.all(np.diff(short_x) > 0)


def test_sources_are_cited() -> None:
    assert references.short("martin-moyce-1952") == "Martin & Moyce 1952"
    text = references.cite(["martin-moyce-1952", "my notes", "martin-moyce-1952"])
    assert [citation.key for citation in text] == ["martin-moyce-1952", "my notes"]
    assert text[0].text.startswith("J. C. Martin and W. J. Moyce. Part IV.") and "(1952)" in text[0].text
    assert text[0].link == "https://doi.org/10.1098/rsta.1952.0006"
    assert text[1].text == "my notes"


def test_the_report_stands_alone(run: Run) -> None:
    page = run.report.read_text()
    assert page.count("<svg ") == len(charts(run))
    assert "data:video/mp4;base64," in page and run.fingerprint in page and "outside" in page
    loaded = re.findall(r'(?:src|href)="(?!data:|#|https://doi\.org)([^"]*)"', page)
    assert loaded == []
    assert "<script" not in page and "@import" not in page


def test_descriptions_of_charts_leave_the_full_stop_to_the_page(run: Run) -> None:
    shares = [{"seconds": {"wait": 0.1}, "sizes": [0, 3, 2]}]
    made = [*charts(run), share_chart(shares, 0.393), message_chart(shares)]
    assert made and not [chart.description for chart in made if chart.description.endswith(".")]


def test_a_value_on_a_wall_is_the_one_there() -> None:
    """A shear flow: the mean of the particles before the wall would be that of a spacing above it."""
    world = eddyline.World.from_text(
        """format = 1
[domain]
size = [1.0, 0.5]
spacing = 0.02
[fluid]
density = 1.0
kinematic_viscosity = 0.01
max_speed = 1.0
[start]
velocity = ["0.2 + y", 0]
[boundaries]
left = { type = "periodic" }
right = { type = "periodic" }
bottom = { type = "wall" }
top = { type = "wall", slip = true }
[time]
end = 1.0
"""
    )
    simulation = _core.Simulation(world.core, threads=1, series_interval=1.0)
    for height in (0.004, 0.013, 0.25, 0.496):
        corners = (0.5, height - 0.001, 0), (0.51, height + 0.001, 0)
        speed = simulation.rasters(["speed"], (1, 1), *corners).item()
        assert speed == pytest.approx(0.2 + height, abs=1e-4), height


def test_a_chart_shows_the_residual_of_a_steady_flow_only() -> None:
    from eddyline.plot.charts import charts_of

    rows = pd.DataFrame({"time": [1.0, 2.0, 3.0], "residual": [2.0, 1.0, 0.5], "drop": [1.0, 0.5, 0.25]})
    steady = eddyline.World.load("airfoil")
    (chart,) = charts_of(steady, {"residual": rows}, {})
    axes = chart.figure().axes[0]
    assert axes.get_yscale() == "log" and list(np.asarray(axes.lines[0].get_ydata())) == [1.0, 0.5, 0.25]
    in_time = eddyline.World.load("airfoil", overrides={"method.steady": False})
    assert charts_of(in_time, {"residual": rows}, {}) == []


def test_a_caption_tells_of_the_sides_that_a_run_has(run: Run) -> None:
    from eddyline.run.report import _caption

    kinds = {"slip" if side.slip else side.kind for side in Scene.of(run.world).sides}
    caption = _caption(run).lower()
    for kind, words in (("wall", "no-slip walls"), ("slip", "thin lines"), ("periodic", "periodic sides")):
        assert (words in caption) == (kind in kinds)
    assert "colours mean the same values at all times" in caption
