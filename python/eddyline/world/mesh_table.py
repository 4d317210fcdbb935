"""The table [mesh] of a world file: the body-fitted mesh of solvers that need one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field, PrivateAttr, ValidationInfo, model_validator

from .problems import listed
from .shapes import Table, dimensions_of_space
from .values import Context, Count, Number, Positive, wrong_table


class MeshTable(Table):
    """The mesh. All keys are optional: edges of cells along bodies are domain.spacing. A single body in a
    free stream gets a mesh out to a circle far away, an airfoil one with a wake; bodies in a channel get a
    frame of four blocks each."""

    cells: tuple[Annotated[Count, Field(ge=2, le=100_000)], ...] | None = Field(
        default=None,
        max_length=3,
        description="Numbers of cells: without bodies along each axis; with bodies around each body, and "
        "optionally from the body outwards. Default from domain.spacing.",
        examples=[[128, 64]],
    )
    first_cell: Positive | None = Field(
        default=None,
        description="Height of the cells at bodies, and without bodies at walls with friction [m]. Default: "
        "a third of domain.spacing at bodies with friction, else domain.spacing.",
    )
    side_cell: Positive | None = Field(
        default=None,
        description="Height of the cells at walls with friction that are sides of the domain [m]. Default: "
        "first_cell without bodies; with bodies as large as the cells beside them.",
    )
    edge_cell: Positive | None = Field(
        default=None,
        description="Length of the cells at the ends of a plate that lies in a side of the domain [m]. "
        "Default first_cell.",
    )
    stretching: Annotated[Number, Field(gt=1, le=2)] = Field(
        default=1.04, description="Largest ratio of the heights of neighbouring cells, where there is room."
    )
    far_field: Annotated[Positive, Field(ge=2, le=1e5)] | None = Field(
        default=None,
        description="Distance of the far field from a single body, in lengths of the body; default 400 with "
        "sides of type stream and no walls. The domain then has no effect on the mesh, and all its sides "
        "must be stream or outflow.",
    )
    file: str | None = Field(
        default=None,
        description="Mesh from a file beside the world: PLOT3D with a neutral map (.nmf), or CGNS. "
        'Boundaries have the names of sides and bodies, or "far".',
        examples=["wing.xyz"],
    )

    _folders: tuple[str, ...] = PrivateAttr(())

    @property
    def folders(self) -> tuple[str, ...]:
        """Folders in which the file is looked for."""
        return self._folders

    @property
    def named_files(self) -> list[str]:
        """Files that the mesh needs beside the world."""
        if self.file is None:
            return []
        head, slash, name = self.file.rpartition("/")
        return [self.file, head + slash + str(Path(name).with_suffix(".nmf"))]

    @model_validator(mode="after")
    def _file_or_sizes(self, info: ValidationInfo) -> MeshTable:
        if isinstance(info.context, Context):
            self._folders = info.context.folders
        given = [
            key
            for key in ("cells", "first_cell", "side_cell", "edge_cell", "far_field")
            if getattr(self, key) is not None
        ]
        if self.file is not None and given:
            raise wrong_table(f"has file and {listed(given)}; a file has its own cells. Remove {given[0]}")
        if self.cells is not None and len(self.cells) > (dimensions_of_space(info) or 3):
            raise wrong_table(f"has {len(self.cells)} numbers of cells; this world has fewer dimensions")
        return self
