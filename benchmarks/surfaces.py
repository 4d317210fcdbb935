"""Isosurfaces of 128^3 values: core time on one thread, and bytes; beside VTK's flying edges, if vtk is installed.

  cmake -S . -B build/benchmarks -DEDDYLINE_TESTS=ON -DEDDYLINE_PYTHON=OFF
  cmake --build build/benchmarks --target benchmark_surfaces
  python benchmarks/surfaces.py build/benchmarks/benchmark_surfaces
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path

import numpy as np

POINTS, HEADER, REPETITIONS = 128, 128, 5


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([sys.argv[1], folder], capture_output=True, text=True, check=True)
        print("| field | triangles | cut | encode | deflate | decode | triangles made | flying edges | bytes | floats |")
        print("|---|---|---|---|---|---|---|---|---|---|")
        for line in done.stdout.splitlines():
            field, triangles, cut, encode, decode, made = line.split()
            content = Path(folder, f"{field}.surface").read_bytes()
            deflated, packed = best(lambda content=content: HEADER + len(zlib.compress(content[HEADER:], 6)))
            values = np.fromfile(Path(folder, f"{field}.f32"), dtype=np.float32)
            vertices = int(triangles) // 2
            floats = 24 * vertices + 12 * int(triangles)
            print(
                f"| {field} | {int(triangles):,} | {cut} | {encode} | {deflated:.2f} | {decode} | {made} | "
                f"{flying_edges(values)} | {packed:,} | {floats:,} |"
            )


def best(call):
    """(smallest core time of several calls [ms], result)."""
    times = []
    for _ in range(REPETITIONS):
        start = time.process_time()
        result = call()
        times.append(1e3 * (time.process_time() - start))
    return min(times), result


def flying_edges(values: np.ndarray) -> str:
    """Core time with normals off, on one thread [ms]; a dash without vtk."""
    try:
        from vtkmodules.util.numpy_support import numpy_to_vtk
        from vtkmodules.vtkCommonCore import vtkSMPTools
        from vtkmodules.vtkCommonDataModel import vtkImageData
        from vtkmodules.vtkFiltersCore import vtkFlyingEdges3D
    except ImportError:
        return "-"
    vtkSMPTools.SetBackend("Sequential")
    image = vtkImageData()
    image.SetDimensions(POINTS, POINTS, POINTS)
    image.GetPointData().SetScalars(numpy_to_vtk(values))
    edges = vtkFlyingEdges3D()
    edges.SetInputData(image)
    edges.ComputeNormalsOff()
    edges.ComputeScalarsOff()
    edges.SetValue(0, 0.0)

    def update() -> None:
        edges.Modified()
        edges.Update()

    return f"{best(update)[0]:.1f}"


if __name__ == "__main__":
    main()
