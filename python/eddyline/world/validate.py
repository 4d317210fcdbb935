"""Converts the content of a world file to checked tables, or to one line for each error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from .absent import answer
from .formulas import FormulaError, Names
from .problems import Found, Path, did_you_mean, dotted, listed, nearest, number, shown
from .schema import OBSERVERS, WorldFile, keys_of, name_of_solver, table_of, world_file
from .shapes import SHAPES
from .solver import known_solver, solvers
from .values import Context

_KINDS = {
    "string_type": "a text in quotes",
    "bool_type": "true or false",
    "model_type": "a table",
    "model_attributes_type": "a table",
    "dict_type": "a table",
    "tuple_type": "a list in brackets",
    "list_type": "a list in brackets",
}
_LIMITS = {"greater_than": (">", "gt"), "greater_than_equal": (">=", "ge"), "less_than_equal": ("<=", "le")}


def validate(
    data: Mapping[str, Any], names: Names, folders: Sequence[str] = ()
) -> tuple[WorldFile | None, list[tuple[Path, str]]]:
    """The checked tables, or None; and what is wrong, as (path, text of the line). Tables may be given
    although something is wrong: without options of other solvers. folders: of files that the world names."""
    context = Context(names, dimensions_of(data), _box_of(data, names), tuple(folders))
    wrong = list(_options_of_other_solvers(data))
    if wrong:
        foreign = {path[-1] for path, _ in wrong}
        own = {key: value for key, value in data["method"].items() if key not in foreign}
        data = {**data, "method": own}
    wrong += _missing_fluid(data)
    unknown = list(_unknown_quantity(data))
    if unknown:
        data = {**data, "output": {key: value for key, value in data["output"].items() if key != "quantity"}}
        wrong += unknown
    try:
        return world_file().model_validate(data, context=context), wrong
    except ValidationError as error:
        found = [(_path(item["loc"], data), item) for item in error.errors(include_url=False)]
    places = [path for path, _ in found]
    misspelt = [path for path, item in found if item["type"] == "extra_forbidden"]
    wrong += _shapes_of_other_spaces(data)
    settled = [path[:2] for path, _ in wrong]
    for path, item in found:
        meant = item["type"] == "missing" and any(
            other[:-1] == path[:-1] and nearest(str(other[-1]), [str(path[-1])]) for other in misspelt
        )
        if path[:2] in settled or meant:
            continue
        inner = any(len(other) > len(path) and other[: len(path)] == path for other in places)
        text = None if item["type"] == "too_short" and inner else _line(path, item, data, names)
        if item["type"] == "union_tag_invalid":
            path = (*path, _tag_of(item["ctx"]))
        if text is not None:
            wrong.append((path, text))
    return None, wrong


def _options_of_other_solvers(data: Mapping[str, Any]) -> Found:
    """Keys of [method] that another solver has, and the one that it names does not have."""
    table = data.get("method")
    solver = known_solver(name_of_solver(table))
    if not isinstance(table, Mapping) or solver is None:
        return
    for key, value in table.items():
        owners = [name for name, each in solvers().items() if key in each.options.model_fields]
        if owners and solver.name not in owners:
            yield (
                ("method", key),
                f"method.{key} = {shown(value)}; is an option of {listed(owners, 'or')}, and this world uses "
                f"{solver.name}. Remove it.",
            )


def _missing_fluid(data: Mapping[str, Any]) -> Found:
    table = data.get("method")
    solver = known_solver(name_of_solver(table))
    method = table if isinstance(table, Mapping) else {}
    misspelt = [key for key in data if key not in world_file().model_fields and nearest(key, ["fluid"])]
    if solver is not None and "fluid" not in data and not misspelt and solver.has_fluid(method):
        yield ("fluid",), _missing(("fluid",), data)


def _unknown_quantity(data: Mapping[str, Any]) -> Found:
    """The quantity of pictures if the solver has none of this name."""
    quantity = value_at(data, ("output", "quantity"))
    solver = known_solver(name_of_solver(data.get("method")))
    has_others = getattr(solver, "has_other_pictures", lambda _: False)
    if solver is None or (isinstance(data.get("method"), Mapping) and has_others(data["method"])):
        return
    if isinstance(quantity, str) and quantity not in solver.pictures:
        expected = ", ".join(solver.pictures)
        yield ("output", "quantity"), _choice("output.quantity", quantity, expected)


def _shapes_of_other_spaces(data: Mapping[str, Any]) -> Found:
    """Circles in 3D and spheres in 2D: one line each, whatever else follows from it."""
    dimensions = dimensions_of(data)
    for kind in ("bodies", "regions"):
        tables = data.get(kind)
        for name, table in tables.items() if isinstance(tables, Mapping) else ():
            shape = SHAPES.get(str(table.get("shape"))) if isinstance(table, Mapping) else None
            if shape is not None and dimensions not in (None, shape.dimensions):
                yield (
                    (kind, name, "shape"),
                    f'{kind}.{name}.shape = "{table["shape"]}"; is {shape.dimensions}D, and this world is '
                    f"{dimensions}D. "
                    f"Try {shape.instead}.",
                )


def dimensions_of(data: Mapping[str, Any]) -> int | None:
    """2 or 3, from the length of domain.size; None where that is missing or wrong."""
    domain = data.get("domain")
    size = domain.get("size") if isinstance(domain, Mapping) else None
    return len(size) if isinstance(size, list) and len(size) in (2, 3) else None


def _box_of(data: Mapping[str, Any], names: Names) -> tuple[tuple[float, ...], tuple[float, ...]] | None:
    """The lowest and the highest corner of the domain [m]; None where they are missing or wrong."""
    dimensions = dimensions_of(data)
    if dimensions is None:
        return None
    size, origin = data["domain"]["size"], data["domain"].get("origin", [0.0] * dimensions)
    try:
        lengths = [names.number(str(value)) for value in size]
        low = [names.number(str(value)) for value in origin]
    except (FormulaError, TypeError):
        return None
    if len(low) != dimensions or min(lengths) <= 0:
        return None
    return tuple(low), tuple(a + length for a, length in zip(low, lengths, strict=True))


def value_at(data: Any, path: Sequence[str | int]) -> Any:
    """Value at `path`; None if there is none."""
    for part in path:
        if isinstance(data, str):
            return None
        try:
            data = data[part]
        except (KeyError, IndexError, TypeError):
            return None
    return data


def _path(location: Sequence[str | int], data: Any) -> Path:
    """pydantic's location without the names of union members and keys that it mixes in."""
    path: Path = ()
    here = data
    for index, part in enumerate(location):
        if index == 1 and path == ("method",):  # which of the options it is
            continue
        if isinstance(here, str) or (isinstance(here, list) and isinstance(part, str)):
            continue
        try:
            here = here[part]
        except (KeyError, IndexError, TypeError):
            tags = (here.get("shape"), here.get("type")) if isinstance(here, Mapping) else ()
            if part == "[key]" or part in tags or index + 1 < len(location):
                continue
        path = (*path, part)
    return path


def _line(path: Path, item: ErrorDetails, data: Any, names: Names) -> str | None:
    kind = item["type"]
    context = item.get("ctx", {})
    value = value_at(data, path)
    name = dotted(path)
    if kind == "eddyline_silent":
        return None
    if kind == "eddyline_table":
        return f"{name} {context['text']}"
    if kind == "missing":
        return _missing(path, data)
    if kind == "extra_forbidden":
        return _unknown_key(path, value, data)
    if kind == "union_tag_not_found":
        others = [str(each) for each in value_at(data, path[:-1]) or () if each != path[-1]]
        return _no_tag(name, value, context, others)
    if kind == "union_tag_invalid":
        return _choice(f"{name}.{_tag_of(context)}", context["tag"], context["expected_tags"])
    if kind == "literal_error":
        if path == ("format",):
            return f"format = {shown(value)}; this version of Eddyline reads format 1. Write format = 1."
        return _choice(name, value, context["expected"])
    if kind == "string_pattern_mismatch" and path[-1] == "digits":
        return f'{name} = {shown(value)}; must be four digits in quotes, such as "0012".'
    if kind == "string_pattern_mismatch":
        return (
            f"{name}: the name {shown(path[-1])} must be made of letters, digits and _, and begin with a "
            "letter."
        )
    if kind == "too_short":
        return f"{name} = {shown(value)}; must have at least {context['min_length']} entries."
    if kind == "too_long":
        return f"{name} = {shown(value)}; must have at most {context['max_length']} entries."
    if kind == "string_too_long":
        return f"{name} = {shown(value)}; must have at most {context['max_length']} characters."
    if kind == "string_too_short":
        return f'{name} = ""; must not be empty.'
    if kind in _LIMITS:
        return f"{name} = {shown(value)}; {_limit(kind, context, item['input'], value, path, data)}"
    if kind == "eddyline":
        return f"{name} = {shown(value)}; {context['text']}"
    if path in (("expect",), ("terms",)):
        return f"{name} = ...; must be an array of tables. Write [[{name}]] with double brackets."
    allowed = _KINDS.get(kind)
    text = f"must be {allowed}" if allowed else item["msg"]
    return f"{name} = {shown(value)}; {text}{_table_hint(path, value) if allowed == 'a table' else ''}."


def _missing(path: Path, data: Any) -> str:
    if len(path) == 1 and path[0] in ("domain", "fluid", "time"):
        table = table_of(path, data)
        assert table is not None
        needed = [key for key, field in table.model_fields.items() if field.is_required()]
        needed += ["kinematic_viscosity"] if path[0] == "fluid" else []
        solver = name_of_solver(data.get("method")) or "sph"
        who = f"the solver {solver}" if path[0] == "fluid" else "every world"
        return f"[{path[0]}] is missing; {who} requires it. Add [{path[0]}] with {listed(needed)}."
    example = _example(path, data)
    add = f" Add {path[-1]} = {shown(example)}." if example is not None else ""
    around = path[:-1]
    sort = value_at(data, (*around, "shape")) or value_at(data, (*around, "type"))
    who = (
        f"{'an' if str(sort)[:1] in 'aeiou' else 'a'} {sort}"
        if sort
        else f"[{dotted(around)}]"
        if len(around) == 1 or around[:1] == ("output",)
        else f"[[{around[0]}]]"
        if around
        else "every world"
    )
    return f"{dotted(path)} is missing; {who} requires it.{add}"


def _unknown_key(path: Path, value: Any, data: Any) -> str:
    name, key = dotted(path), str(path[-1])
    if path == ("fluid", "viscosity"):
        return (
            f"{name} = {shown(value)}; unknown key. Write kinematic_viscosity [m^2/s] or dynamic_viscosity "
            "[Pa s]."
        )
    table = table_of(path[:-1], data)
    known = keys_of(table) if table is not None else []
    hint = answer(key) or did_you_mean(key, known, "and")
    found = (
        f"{name} is not a table of a world file"
        if len(path) == 1 and isinstance(value, Mapping | list)
        else None
    )
    return f"{found or f'{name} = {shown(value)}; unknown key'}. {hint}"


def _tag_of(context: Mapping[str, Any]) -> str:
    """The key that tells the members of a union apart."""
    key = str(context["discriminator"]).strip("'")
    return "name" if key == f"{name_of_solver.__name__}()" else key


def _no_tag(name: str, value: Any, context: Mapping[str, Any], others: Sequence[str]) -> str:
    """others: names of tables beside this one."""
    key = str(context["discriminator"]).strip("'")
    if not isinstance(value, Mapping):
        return f"{name} = {shown(value)}; must be a table. Write {name} = {{ {key} = {shown(value)} }}."
    if key == "shape" and (near := nearest(name.rpartition(".")[2], others)):
        table, _, _ = name.rpartition(".")
        return f'{name} has no shape. Did you mean "{table}.{near}"? Else add {name}.shape.'
    absent = next((text for part in value if (text := answer(str(part)))), None)
    words = "wall, periodic, open, inflow, outflow and stream" if name.startswith("boundaries") else ""
    if name.startswith("openings"):
        words = "inflow and outflow"
    if key == "shape":
        words = "circle, rectangle, polygon and line (2D), sphere, box and cylinder (3D)"
    told = f" {absent}" if absent else ""
    return f"{name}.{key} is missing; {key}s are {words or listed(OBSERVERS)}.{told}"


def _choice(name: str, value: Any, expected: str) -> str:
    words = [word.strip(" '") for word in expected.replace(" or ", ",").split(",")]
    if not isinstance(value, str):
        known = [word if word.isdigit() else shown(word) for word in words]
        return f"{name} = {shown(value)}; must be one of {listed(known, 'or')}."
    if len(words) == 1:
        return f'{name} = "{value}"; must be "{words[0]}".'
    hint = answer(value) or did_you_mean(value, words)
    return f'{name} = "{value}"; must be {listed(words, "or")}. {hint}'.split(" Known:")[0]


def _limit(kind: str, context: Mapping[str, Any], result: Any, value: Any, path: Path, data: Any) -> str:
    sign, key = _LIMITS[kind]
    limit = float(context[key])
    gives = ""
    if isinstance(value, str) and isinstance(result, int | float):
        gives = f"gives {number(result)}, "
    suggestion: Any = None
    if isinstance(value, int | float) and value < 0 and limit == 0:
        suggestion = -value
    elif not isinstance(value, str):
        suggestion = limit if kind != "greater_than" else _example(path, data)
    return f"{gives}must be {sign} {number(limit)}." + (
        f" Try {shown(suggestion)}." if suggestion is not None else ""
    )


def _example(path: Path, data: Any) -> Any:
    table = table_of(path[:-1], data)
    if table is None:
        return None
    for name, field in table.model_fields.items():
        if path[-1] in (name, field.alias) and field.examples:
            return field.examples[0]
    return None


def _table_hint(path: Path, value: Any) -> str:
    if path[0] == "boundaries" and len(path) == 2:
        return f". Write {path[1]} = {{ type = {shown(value)} }}"
    if isinstance(path[-1], int):
        return f". Write [[{dotted(path[:-1])}]] on a line of its own, and its values below"
    named = ".NAME" if path[0] in ("bodies", "regions", "openings", "observe") and len(path) == 1 else ""
    return f". Write [{dotted(path)}{named}] on a line of its own"
