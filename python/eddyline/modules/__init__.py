"""Equations outside the package: modules, which a user writes, builds into a library and names in a world as
`equations = "module:NAME"`."""

from .compiler import build
from .description import Description, ModuleError, Picture, is_name
from .library import PREFIX, Library, confine, find, found_modules
from .scaffold import new_module

__all__ = [
    "PREFIX",
    "Description",
    "Library",
    "ModuleError",
    "Picture",
    "build",
    "confine",
    "find",
    "found_modules",
    "is_name",
    "new_module",
]
