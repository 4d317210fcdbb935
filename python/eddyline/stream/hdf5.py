"""Objects of HDF5 files, made at h5py's lower level: what the upper one does around many small objects is
most of what a small file costs."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import h5py  # type: ignore[import-untyped]


def describe(thing: h5py.Dataset | h5py.Group, **attributes: Any) -> None:
    """Gives an object attributes that it does not have: text, numbers or arrays of them."""
    from h5py import h5a, h5s, h5t

    for name, value in attributes.items():
        text = isinstance(value, str)
        data = np.array(value, dtype=object) if text else np.asarray(value)
        kind = _text() if text else h5t.py_create(data.dtype, logical=True)
        space = h5s.create_simple(data.shape) if data.shape else h5s.create(h5s.SCALAR)
        h5a.create(thing.id, name.encode(), kind, space).write(data)


def create_dataset(
    group: h5py.Group,
    name: str,
    shape: tuple[int, ...],
    dtype: Any,
    chunk: tuple[int, ...] | None = None,
    packed: bool = True,
) -> h5py.Dataset:
    """chunk: of numbers that are stored together, and compressed if `packed`; without it all are, as they
    are."""
    import h5py
    from h5py import h5d, h5p, h5s, h5t

    properties = h5p.create(h5p.DATASET_CREATE)
    properties.set_obj_track_times(False)  # the same bytes whenever it is written
    if chunk is not None:
        properties.set_chunk(chunk)
    if chunk is not None and packed:
        properties.set_shuffle()
        properties.set_deflate(1)
    kind = h5t.py_create(np.dtype(dtype), logical=True)
    return h5py.Dataset(h5d.create(group.id, name.encode(), kind, h5s.create_simple(shape), properties))


def write_dataset(
    group: h5py.Group, name: str, values: Any, chunk: tuple[int, ...] | None = None
) -> h5py.Dataset:
    from h5py import h5s

    values = np.ascontiguousarray(values)
    data = create_dataset(group, name, values.shape, values.dtype, chunk)
    if values.size:
        data.id.write(h5s.ALL, h5s.ALL, values)
    return data


@cache
def _text() -> Any:
    """UTF-8 of any length."""
    import h5py
    from h5py import h5t

    return h5t.py_create(h5py.string_dtype(), logical=True)
