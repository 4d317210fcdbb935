"""Surfaces as files for other programs: PLY, STL, OBJ, and VTKHDF with all times in one file."""

from __future__ import annotations

import io
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from eddyline.stream import atomic
from eddyline.stream.hdf5 import create_group, describe, link, write_dataset
from eddyline.stream.surfaces import Surface, Surfaces

if TYPE_CHECKING:
    import h5py  # type: ignore[import-untyped]
    from h5py import h5g

_CHUNK = 1 << 14
_TOPOLOGY = ("Vertices", "Lines", "Polygons", "Strips")  # kinds of cells, in the order of VTKHDF


def ply(surface: Surface, color: str = "value") -> bytes:
    """A PLY file, binary; colours as a property `color` of vertices."""
    has_colors = surface.colors is not None
    kind: list[tuple[str, str]] = [("x", "<f8"), ("y", "<f8"), ("z", "<f8")]
    if has_colors:
        kind.append((color, "<f8"))
    vertices = np.zeros(len(surface.vertices), dtype=kind)
    for axis, name in enumerate("xyz"):
        vertices[name] = surface.vertices[:, axis]
    if has_colors:
        vertices[color] = surface.colors
    faces = np.zeros(len(surface.triangles), dtype=[("count", "u1"), ("corners", "<i4", 3)])
    faces["count"], faces["corners"] = 3, surface.triangles
    properties = "".join(f"property double {name}\n" for name, _ in kind)
    head = (
        f"ply\nformat binary_little_endian 1.0\ncomment time {surface.time!r} s, value {surface.level!r}\n"
        f"element vertex {len(vertices)}\n{properties}element face {len(faces)}\n"
        "property list uchar int vertex_indices\nend_header\n"
    )
    return head.encode("ascii") + vertices.tobytes() + faces.tobytes()


def stl(surface: Surface) -> bytes:
    """An STL file, binary; single precision, without colours."""
    corners = surface.vertices[surface.triangles].astype(np.float32)
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(across, axis=1, keepdims=True)
    facets = np.zeros(
        len(corners), dtype=[("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")]
    )
    facets["normal"], facets["corners"] = across / np.where(length > 0, length, 1), corners
    head = f"Eddyline surface, t = {surface.time!r} s".encode("ascii")[:80].ljust(80)
    return head + struct.pack("<I", len(facets)) + facets.tobytes()


def obj(surface: Surface) -> bytes:
    """An OBJ file; text, without colours."""
    out = io.BytesIO()
    out.write(f"# time {surface.time!r} s, value {surface.level!r}\n".encode("ascii"))
    np.savetxt(out, surface.vertices, fmt="v %.9g %.9g %.9g")
    np.savetxt(out, surface.triangles.astype(np.int64) + 1, fmt="f %d %d %d")
    return out.getvalue()


def write_vtkhdf(path: Path, surfaces: Surfaces, color: str = "") -> None:
    """All surfaces of an observer in one file, which ParaView shows over time. Surfaces of one time are one
    step. color: the name of the quantity that colours them; every surface also has its `level`."""
    groups: list[list[int]] = []
    for k, step in enumerate(surfaces.steps):
        if k and step == surfaces.steps[k - 1]:
            groups[-1].append(k)
        else:
            groups.append([k])
    with atomic.hdf5_file(path) as file:
        root = file.create_group("VTKHDF").id
        describe(root, Version=np.array((2, 0), dtype=np.int64), Type=np.bytes_("PolyData"))
        counts = [_append(file["VTKHDF"], [surfaces[k] for k in group], color) for group in groups]
        _finish(root, [float(surfaces.times[group[0]]) for group in groups], counts, color)


def _append(root: h5py.Group, parts: Sequence[Surface], color: str) -> tuple[int, int]:
    """Appends the surfaces of one time; returns the numbers of their points and triangles."""
    first = np.cumsum([0, *(len(part.vertices) for part in parts)])
    triangles = [part.triangles.astype(np.int64) + begin for part, begin in zip(parts, first, strict=False)]
    levels = [np.full(len(part.vertices), part.level) for part in parts]
    columns = {
        "Points": np.concatenate([part.vertices for part in parts]).astype(np.float32),
        "Polygons/Connectivity": np.concatenate(triangles).reshape(-1),
        "Polygons/Offsets": 3 * np.arange(sum(map(len, triangles)) + 1, dtype=np.int64),
        "PointData/level": np.concatenate(levels),
    }
    if color:
        colors = [np.zeros(len(part.vertices)) if part.colors is None else part.colors for part in parts]
        columns[f"PointData/{color}"] = np.concatenate(colors)
    for name, values in columns.items():
        if name not in root:
            root.create_dataset(
                name, (0, *values.shape[1:]), values.dtype, maxshape=(None, *values.shape[1:]),
                chunks=(_CHUNK, *values.shape[1:]), compression=1, shuffle=True,
            )  # fmt: skip
        data = root[name]
        data.resize(len(data) + len(values), axis=0)
        data[len(data) - len(values) :] = values
    return int(first[-1]), sum(map(len, triangles))


def _finish(root: h5g.GroupID, times: Sequence[float], counts: Sequence[tuple[int, int]], color: str) -> None:
    """The tables of what belongs to which step. Arrays that hold the same numbers are one array."""
    from h5py import h5g

    steps = len(times)
    points = np.array([count[0] for count in counts], dtype=np.int64)
    cells = np.array([count[1] for count in counts], dtype=np.int64)
    write_dataset(root, "NumberOfPoints", points)
    none = np.zeros(steps, dtype=np.int64)
    for name in _TOPOLOGY:
        if name == "Polygons":
            group = h5g.open(root, name.encode())
            write_dataset(group, "NumberOfCells", cells)
            write_dataset(group, "NumberOfConnectivityIds", 3 * cells)
        else:
            group = create_group(root, name)
            write_dataset(group, "NumberOfCells", none)
            link(group, "NumberOfConnectivityIds", group, "NumberOfCells")
            write_dataset(group, "Offsets", np.zeros(steps, dtype=np.int64))
            write_dataset(group, "Connectivity", np.zeros(0, dtype=np.int64))
    group = create_group(root, "Steps")
    describe(group, NSteps=np.int64(steps))
    write_dataset(group, "Values", np.array(times, dtype=np.float64))
    write_dataset(group, "PartOffsets", np.arange(steps, dtype=np.int64))
    write_dataset(group, "NumberOfParts", np.ones(steps, dtype=np.int64))
    write_dataset(group, "PointOffsets", _before(points))
    polygons = _TOPOLOGY.index("Polygons")
    for name, amounts in (("CellOffsets", cells), ("ConnectivityIdOffsets", 3 * cells)):
        offsets = np.zeros((steps, len(_TOPOLOGY)), dtype=np.int64)
        offsets[:, polygons] = _before(amounts)
        write_dataset(group, name, offsets)
    of_data = create_group(group, "PointDataOffsets")
    for name in ("level", *((color,) if color else ())):
        link(of_data, name, group, "PointOffsets")


def _before(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Sums of all counts before each."""
    return np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64)
