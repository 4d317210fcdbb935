"""The documents are true: links lead somewhere, commands and code run, names exist, papers are known."""

from __future__ import annotations

import ast
import contextlib
import functools
import importlib
import importlib.util
import io
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tomlkit
from typer.main import get_command

import eddyline
from eddyline.cli import app
from eddyline.world import World, gallery, parse_set

ROOT = Path(__file__).resolve().parent.parent.parent
PAGES = [
    ROOT / "README.md",
    ROOT / "ARCHITECTURE.md",
    ROOT / "GLOSSARY.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]

LINK = re.compile(r"(?<!`)\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
TICKED = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"[\w.-]+(/[\w.*-]+)+/?|[\w-]+\.(md|toml|py|pyi|hpp|cpp|txt|bib|yml|json|html|vtkhdf|csv)")
IDENTIFIER = re.compile(r"(\w+(::|\.))*[A-Za-z_]\w*(\(\))?")
OF_A_RUN = re.compile(
    r"runs/|report\.html|run\.json|results\.json|world\.toml|series/|pictures/|snapshots/|(fluid|cells)\.vtkhdf|table\.(csv|txt)|(checksums|failure)\.csv"
)
OF_A_BUILD = re.compile(r"\.venv/|site/|my_\w+\.toml|figures|/tmp/|mpi\.h")
PASSED_ON = {"bench", "validate"}  # commands that read their own command line
PLANNED = {"patches", "stream"}  # folders of core that have their place and wait
SQUARE_DROP = "examples/square_drop.toml"  # runs with the patch of docs/a-new-term.md alone
SUFFIXES = {"_i", "_j", "_w", "_f", "_c", "_old", "_new"}


def ids(path: Path) -> str:
    return str(path.relative_to(ROOT))


def blocks(page: Path, *languages: str) -> Iterator[str]:
    """The fenced blocks of a page in one of these languages ("" for none)."""
    for language, text in FENCE.findall(page.read_text(encoding="utf-8")):
        if language in languages:
            yield text


def prose(page: Path) -> str:
    """A page without its fenced blocks."""
    return FENCE.sub("", page.read_text(encoding="utf-8"))


def test_the_example_of_an_exchange_is_the_one_that_is_tested():
    tested = ROOT / "tests" / "core" / "fixtures" / "checked_exchange.hpp"
    assert tested.read_text(encoding="utf-8") in blocks(ROOT / "docs" / "exchange.md", "cpp")


# --- links ----------------------------------------------------------------------------------------


def anchors(page: Path) -> set[str]:
    """The places of a page: its headings as mkdocs and code hosts write them."""
    found = set()
    for title in re.findall(r"^#+\s+(.+)$", prose(page), re.MULTILINE):
        plain = re.sub(r"[^\w\s-]", "", title.lower())
        found.add(re.sub(r"\s+", "-", plain.strip()))
    return found


@pytest.mark.parametrize("page", PAGES, ids=ids)
def test_links_lead_somewhere(page: Path):
    wrong = []
    for target in LINK.findall(prose(page)):
        if re.match(r"https?://|mailto:", target):
            continue
        name, _, anchor = target.partition("#")
        file = (page.parent / name).resolve() if name else page
        if not file.exists() or (anchor and anchor not in anchors(file)):
            wrong.append(target)
    assert not wrong


def test_pages_of_the_site_link_inside_it_only():
    docs = ROOT / "docs"
    wrong = [
        f"{page.name}: {target}"
        for page in PAGES
        if docs in page.parents
        for target in LINK.findall(prose(page))
        if not re.match(r"https?://|#", target) and docs not in (page.parent / target).resolve().parents
    ]
    assert not wrong


def test_every_page_is_in_the_navigation():
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    missing = [page.name for page in (ROOT / "docs").rglob("*.md") if page.name not in navigation]
    assert not missing


# --- commands -------------------------------------------------------------------------------------


def commands() -> Iterator[tuple[Path, str]]:
    """Every `eddyline ...` that the documents show, in blocks and inline."""
    for page in PAGES:
        for text in blocks(page, "", "sh", "console"):
            for line in text.splitlines():
                line = line.split(" #")[0].strip().removeprefix("$ ")
                if line.startswith("eddyline "):
                    yield page, line
        for code in TICKED.findall(prose(page)):
            if code.startswith("eddyline "):
                yield page, code


@pytest.mark.parametrize(("page", "line"), [pytest.param(*c, id=f"{c[0].name}: {c[1]}") for c in commands()])
def test_commands_exist_with_their_flags(page: Path, line: str):
    words = shlex.split(line)[1:]
    root = get_command(app)
    if words[0].startswith("-"):
        assert words[0] in flags(root)
        return
    found = root.commands.get(words[0])  # type: ignore[attr-defined]
    assert found is not None, f"no command {words[0]}"
    found = getattr(found, "commands", {}).get(words[1] if words[1:] else "", found)  # of a group
    used = [word.split("=")[0] for word in words[1:] if word.startswith("-")]
    if words[0] in PASSED_ON:
        used = [flag for flag in used if flag != "--help"]
        own_help = words[1:2] if words[0] == "bench" else []
        text = help_of(words[0], *own_help) if used else ""
        assert all(re.search(rf"(?<![\w-]){re.escape(flag)}(?![\w-])", text) for flag in used)
    else:
        assert set(used) <= flags(found), f"{words[0]} knows {sorted(flags(found))}"


def flags(command: Any) -> set[str]:
    return {option for parameter in command.params for option in parameter.opts} | {"--help", "-h"}


@functools.cache
def help_of(name: str, *words: str) -> str:
    """The output of `eddyline NAME WORDS --help`."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.suppress(SystemExit):
        importlib.import_module(f"eddyline.{name}").main([*words, "--help"])
    return out.getvalue()


@pytest.mark.parametrize(
    ("page", "line"),
    [
        pytest.param(*c, id=f"{c[0].name}: {c[1]}")
        for c in commands()
        if re.match(r"eddyline (run|check) (?!WORLD|NAME)", c[1])
    ],
)
def test_worlds_and_changes_that_commands_name_are_valid(page: Path, line: str):
    words = shlex.split(line)[2:]
    changes = [words[k + 1] for k, word in enumerate(words) if word == "--set"]
    name = words[0]
    if re.match(r"my_\w+\.toml|https:", name) or name == SQUARE_DROP:
        return
    path = gallery()[name] if name in gallery() else ROOT / name
    assert path.is_file(), f"{name}: neither a world of the gallery nor a file"
    World.load(path, parse_set(changes))


# --- code -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES, ids=ids)
def test_worlds_in_documents_are_valid(page: Path):
    for text in blocks(page, "toml"):
        if re.search(r"^format *=", text, re.MULTILINE):
            World.from_text(text)
        else:
            tomlkit.parse(text)


def test_each_step_from_a_sketch_to_a_world_is_a_valid_world():
    """The blocks of the page add up to one file, which is a world without notes after each block."""
    parts = list(blocks(ROOT / "docs" / "sketch-to-world.md", "toml"))
    assert len(parts) == 4
    for step in range(1, 5):
        world = World.from_text("\n".join(parts[:step]))
        assert not world.warnings
        assert not [note for note in world.notes if not note.startswith("1 expected value")]


@pytest.mark.parametrize("page", [page for page in PAGES if any(blocks(page, "python"))], ids=ids)
def test_python_in_documents_runs(page: Path, tmp_path, monkeypatch, capsys):
    """As written, but for short runs without films."""
    (tmp_path / "worlds").symlink_to(ROOT / "worlds")
    monkeypatch.chdir(tmp_path)
    short = functools.partial(eddyline.run, movie=False, report=False, progress=False, until=0.01)
    monkeypatch.setattr(eddyline, "run", short)
    monkeypatch.setattr(eddyline, "sweep", functools.partial(eddyline.sweep, progress=False, until=0.01))
    for text in blocks(page, "python"):
        ast.parse(text)
        exec(compile(text, str(page), "exec"), {})


# --- names ----------------------------------------------------------------------------------------


@functools.cache
def sources() -> str:
    """All that may define a name."""
    parts = [
        path.read_text(encoding="utf-8", errors="replace")
        for folder in ("core", "python", "tests", "tools", "worlds")
        for path in sorted((ROOT / folder).rglob("*"))
        if path.is_file()
        and path.suffix in (".hpp", ".cpp", ".py", ".pyi", ".toml", ".jinja")
        and path.name != Path(__file__).name
    ]
    parts += [
        (ROOT / name).read_text(encoding="utf-8") for name in ("CMakeLists.txt", "Makefile", "pyproject.toml")
    ]
    return "\n".join(parts)


@functools.cache
def words() -> frozenset[str]:
    return frozenset(re.findall(r"[A-Za-z_]\w*", sources()))


def file_exists(name: str) -> bool:
    if "*" in name:
        return any(ROOT.glob(name))
    return any(
        (folder / name).exists()
        for folder in (ROOT, ROOT / "core", ROOT / "docs", ROOT / "python" / "eddyline")
    )


@pytest.mark.parametrize("page", PAGES, ids=ids)
def test_files_that_documents_name_exist(page: Path):
    named = [code for code in TICKED.findall(prose(page)) if PATH.fullmatch(code)]
    named = [code for code in named if not OF_A_RUN.match(code) and not OF_A_BUILD.match(code)]
    wrong = [
        code for code in named if "NAME" not in code and "CASE" not in code and not found_somewhere(code)
    ]
    assert not wrong


def found_somewhere(code: str) -> bool:
    """A path of the tree, or a file name that is unique enough to be found in the package."""
    if file_exists(code):
        return True
    return "/" not in code and any((ROOT / "python" / "eddyline").rglob(code))


@pytest.mark.parametrize(
    "page", [ROOT / "ARCHITECTURE.md", ROOT / "GLOSSARY.md", ROOT / "docs" / "extending.md"], ids=ids
)
def test_symbols_that_documents_name_exist(page: Path):
    """Every identifier in backticks stands somewhere in the sources, each part of a::b and a.b by itself."""
    wrong = []
    for code in TICKED.findall(prose(page)):
        if PATH.fullmatch(code) or not IDENTIFIER.fullmatch(code):
            continue
        parts = re.split(r"::|\.", code.removesuffix("()"))
        if not all(part in words() or (ROOT / "core" / part).is_dir() for part in parts):
            wrong.append(code)
    assert not set(wrong) - PLANNED - SUFFIXES


# --- papers ---------------------------------------------------------------------------------------


def tool(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def bibliography() -> dict[str, dict[str, str]]:
    entries: dict[str, dict[str, str]] = tool("generate_references").entries()
    return entries


def test_papers_are_complete():
    for key, fields in bibliography().items():
        assert {"author", "title", "year"} <= set(fields), key
        assert key.endswith(fields["year"]), key
        assert {"journal", "booktitle", "publisher"} & set(fields), key


def test_the_package_holds_the_same_papers():
    copy = ROOT / "python" / "eddyline" / "data" / "refs.bib"
    assert copy.read_text(encoding="utf-8") == (ROOT / "refs.bib").read_text(encoding="utf-8"), (
        "cp refs.bib python/eddyline/data/refs.bib"
    )


def test_papers_that_worlds_cite_are_known():
    keys = bibliography()
    worlds = [*gallery().values(), *(ROOT / "validation").rglob("*.toml")]
    cited = {
        str(expect.get("source", ""))
        for path in worlds
        for expect in tomlkit.parse(path.read_text(encoding="utf-8")).unwrap().get("expect", [])
    }
    unknown = {source for source in cited if re.fullmatch(r"[a-z-]+-(1[6-9]|20)\d\d", source)} - set(keys)
    assert not unknown


def test_papers_that_code_cites_are_known():
    """`Source: Adami, Hu & Adams 2012` needs an entry of that first author and year."""
    known = {(fields["author"].split(",")[0], fields["year"]) for fields in bibliography().values()}
    first = re.compile(r"(?:\(|: |\b)([A-Z][\w-]+)(?:,? [A-Z][\w-]+| &| and| et al\.)* ((?:1[6-9]|20)\d\d)\b")
    cited = set()
    for path in sorted((ROOT / "core").rglob("*.[ch]pp")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if "//" in line:
                cited |= {(path.name, name, year) for name, year in first.findall(line.split("//", 1)[1])}
    authors = {
        name for fields in bibliography().values() for name in re.findall(r"[A-Z]\w\w+", fields["author"])
    }
    unknown = [
        f"{file}: {name} {year}"
        for file, name, year in sorted(cited)
        if (name, year) not in known and not (name in authors and any(year == y for _, y in known))
    ]
    assert not unknown


# --- generated pages ------------------------------------------------------------------------------


def test_the_reference_of_world_files_is_up_to_date():
    page = ROOT / "docs" / "world-file.md"
    text = page.read_text(encoding="utf-8")
    assert tool("generate_world_reference").updated(text) == text, "run tools/generate_world_reference.py"


def test_the_page_of_papers_is_up_to_date():
    page = ROOT / "docs" / "references.md"
    assert tool("generate_references").references() == page.read_text(encoding="utf-8"), (
        "run tools/generate_references.py"
    )


def test_pictures_are_small():
    assert all(path.stat().st_size < 150_000 for path in (ROOT / "docs" / "pictures").iterdir())


def test_the_world_of_the_new_term_needs_nothing_else() -> None:
    text = (ROOT / SQUARE_DROP).read_text(encoding="utf-8")
    line = re.search(r"^cohesion *= .*\n", text, re.MULTILINE)
    assert line is not None
    assert World.from_text(text.replace(line[0], "")).notes == ()


def test_the_new_term_fits_the_sources() -> None:
    """The patch that the documents explain applies, and what they show of it is in it."""
    patch = ROOT / "examples" / "cohesion.patch"
    fits = [
        subprocess.run(["git", "apply", "--check", *way, patch], cwd=ROOT, capture_output=True, text=True)
        for way in ([], ["--reverse"])  # or it is applied already
    ]
    assert any(each.returncode == 0 for each in fits), fits[0].stderr
    added = {line[1:] for line in patch.read_text().splitlines() if line.startswith(("+", " "))}
    text = (ROOT / "docs" / "a-new-term.md").read_text()
    blocks = re.findall(r"```cpp\n(.*?)```", text, re.DOTALL)
    shown = [line for block in blocks for line in block.splitlines() if line != "..."]
    assert shown and not [line for line in shown if line not in added]
