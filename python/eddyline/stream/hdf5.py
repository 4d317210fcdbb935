"""Objects of HDF5 files, created with the low-level API of h5py: for small files the high-level API takes
most of the time."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from h5py import h5d, h5g  # type: ignore[import-untyped]


def create_group(parent: h5g.GroupID, name: str) -> h5g.GroupID:
    from h5py import h5g

    return h5g.create(parent, name.encode())


def link(parent: h5g.GroupID, name: str, other: h5g.GroupID, known_as: str) -> None:
    """Links an object of `other` under another name in `parent`."""
    parent.links.create_hard(name.encode(), other, known_as.encode())


def describe(thing: h5d.DatasetID | h5g.GroupID, **attributes: Any) -> None:
    """Adds new attributes to an object: text, numbers or arrays of them."""
    from h5py import h5a

    for name, value in attributes.items():
        is_text = isinstance(value, str)
        data = np.array(value, dtype=object) if is_text else np.asarray(value)
        kind = _type(data.dtype)
        attribute = h5a.create(thing, name.encode(), kind, _space(data.shape))
        attribute.write(data, None if is_text else kind)  # in memory text is of another type than in the file


def describe_anew(thing: h5g.GroupID, **attributes: Any) -> None:
    """Changes the values of existing attributes; the type stays the same."""
    from h5py import h5a

    for name, value in attributes.items():
        data = np.asarray(value)
        h5a.open(thing, name.encode()).write(data, _type(data.dtype))


def create_dataset(
    group: h5g.GroupID,
    name: str,
    shape: tuple[int, ...],
    dtype: Any,
    chunk: tuple[int, ...] | None = None,
    *,
    compressed: bool = True,
) -> h5d.DatasetID:
    """chunk: size of a chunk; without it the data are contiguous and not compressed."""
    from h5py import h5d

    return h5d.create(
        group, name.encode(), _type(np.dtype(dtype)), _space(shape), _storage(chunk, compressed)
    )


def write_dataset(group: h5g.GroupID, name: str, values: Any) -> h5d.DatasetID:
    from h5py import h5s

    values = np.ascontiguousarray(values)
    data = create_dataset(group, name, values.shape, values.dtype)
    if values.size:
        data.write(h5s.ALL, h5s.ALL, values, _type(values.dtype))
    return data


def write_rows(data: h5d.DatasetID, first: int, values: Any) -> None:
    """values: (rows,) numbers, or (rows, columns), the first columns of as many rows of `data`."""
    from h5py import h5s

    values = np.ascontiguousarray(values)
    if values.size:
        place = h5s.create_simple(data.shape)
        place.select_hyperslab((first, 0)[: values.ndim], values.shape)
        data.write(_space(values.shape), place, values, _type(values.dtype))


def join_datasets(
    group: h5g.GroupID,
    name: str,
    dtype: Any,
    parts: Sequence[tuple[str, int]],
    inside: str,
    columns: int = 1,
) -> h5d.DatasetID:
    """A virtual data set: its rows are those of `inside` in other files, concatenated (parts: file, rows)."""
    from h5py import h5d

    tail = (columns,) if columns > 1 else ()
    whole, storage, first = _space((sum(rows for _, rows in parts), *tail)), _new_storage(), 0
    for file, rows in parts:
        if rows:
            place = whole.copy()
            place.select_hyperslab((first, 0)[: 1 + len(tail)], (rows, *tail))
            storage.set_virtual(place, file.encode(), inside.encode(), _space((rows, *tail)))
        first += rows
    return h5d.create(group, name.encode(), _type(np.dtype(dtype)), whole, storage)


@cache
def _type(dtype: np.dtype[Any]) -> Any:
    """HDF5 type of a NumPy type; objects are text: UTF-8 of any length."""
    import h5py
    from h5py import h5t

    return h5t.py_create(h5py.string_dtype() if dtype.hasobject else dtype, logical=True)


@lru_cache(64)
def _space(shape: tuple[int, ...]) -> Any:
    from h5py import h5s

    return h5s.create_simple(shape) if shape else h5s.create(h5s.SCALAR)


@lru_cache(64)
def _storage(chunk: tuple[int, ...] | None, compressed: bool) -> Any:
    storage = _new_storage()
    if chunk is not None:
        storage.set_chunk(chunk)
    if chunk is not None and compressed:
        storage.set_shuffle()
        storage.set_deflate(1)
    return storage


def _new_storage() -> Any:
    from h5py import h5p

    storage = h5p.create(h5p.DATASET_CREATE)
    storage.set_obj_track_times(False)  # the same bytes whenever it is written
    return storage
