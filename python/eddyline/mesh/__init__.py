"""Body-fitted meshes: blocks of cells with links between them, and boundaries.

blocks: the mesh itself.  box, around, airfoil, frames: meshes that are made.  plot3d, cgns: meshes that are
read.  quality: folds, skewness, y+.  picture: a drawing.
"""

from __future__ import annotations

from eddyline.mesh.blocks import Block, Boundary, Link, Mesh, MeshError, Patch, connect

__all__ = ["Block", "Boundary", "Link", "Mesh", "MeshError", "Patch", "connect"]
