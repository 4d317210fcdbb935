"""The words of code and documents: standard terms, doc comments that name their subject, short messages.

Ceilings are today's numbers: a change may lower a number and its ceiling, never raise them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
SOURCES = {".hpp", ".cpp", ".py", ".ts", ".tsx", ".glsl", ".frag", ".vert"}
GENERATED = {"stream_pb2.py", "stream_pb2.pyi", "stream_pb.ts"}

DIALECT = frozenset(
    """
    AllTheSame CellRows DamagedError Deserted EachItsOwn FewTurns Foresight Glance Glimpse Headings Helm
    Laziness ListWithout Lookout Manner PromptCall Seeker Surroundings Workshop ballast are_worth_sharing
    carried_by_shifting course_of_step crowding_of_neighbor deliver_near foresee_course foresee_headings
    foretell foretold gathers_quickly hearken in_halves is_gone k_trust keep_jets_together
    kick_half_and_drift kick_half_and_shift leave_memory_to leave_out lend_room let_copies_in let_in lie_in
    own_memory reach_middle serves_threads share_out straying take_memory take_over touch_walls way_of_sound
    way_of_step
    """.split()  # noqa: SIM905
)
"""Private names with standard terms in their place: prepare_midpoint, ExternalForcing, LiveSession, ..."""

PENDING: dict[str, str] = {
    "core": "is_gone share_out",
    "python": "ballast leave_out let_in",
    "lab/src": "",
    "documents": "",
}
"""Words of DIALECT that a place still uses. Remove a word here as soon as the test says that it is gone."""

PREPOSITION_OR_QUESTION = re.compile(
    r"(Of|Who|Whom|Whose|Whoever|What|Whatever|Which|Whether|Why|Where|Wherever|How|However|By|With|Without"
    r"|Within|To|From|For|In|Into|Inside|At|On|Onto|Upon|Between|Beyond|Behind|Beside|Among|Against|About"
    r"|Above|Below|Under|Over|Near|Through|That which)\b"
)

MAY_BEGIN_BADLY = re.compile(rf"""^[ \t]*["']+{PREPOSITION_OR_QUESTION.pattern}""", re.MULTILINE)
"""Files without such a line need not be parsed, which takes most of the time."""

FOLDERS = (
    *(f"core/{path.name}" for path in sorted((ROOT / "core").iterdir())),
    "benchmarks", "examples", "experiments", "lab/src", "python/eddyline", "tests", "tools",
)  # fmt: skip
UNCLEAR_OPENINGS: dict[str, int] = {}
"""Doc comments that may still begin with a preposition or a question word, by folder: none now."""

MOST_WORDS = 35
LONG_SENTENCES = {"core": 0, "python/eddyline": 0}
"""Sentences of messages that may still be longer than MOST_WORDS."""


# --- files ----------------------------------------------------------------------------------------


@cache
def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@cache
def sources(folder: str) -> tuple[Path, ...]:
    """The source files below a folder that people write."""
    found = sorted(
        path
        for path in (ROOT / folder).rglob("*")
        if path.suffix in SOURCES and path.name not in GENERATED and "node_modules" not in path.parts
    )
    assert found, f"no sources in {folder}"
    return tuple(found)


def documents() -> list[Path]:
    at_the_top = [ROOT / name for name in ("README.md", "ARCHITECTURE.md", "GLOSSARY.md")]
    return [*sorted((ROOT / "docs").glob("*.md")), *at_the_top]


# --- names ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", PENDING)
def test_replaced_words_do_not_come_back(place: str) -> None:
    word = re.compile(rf"\b(?:{'|'.join(sorted(DIALECT))})\b")
    used: dict[str, str] = {}
    for path in documents() if place == "documents" else sources(place):
        for found in word.findall(text_of(path)):
            used.setdefault(found, str(path.relative_to(ROOT)))
    pending = set(PENDING[place].split())
    back = [f"{name} in {used[name]}" for name in sorted(used.keys() - pending)]
    assert not back, "use the standard term:\n" + "\n".join(back)
    assert pending <= used.keys(), f"remove from PENDING: {sorted(pending - used.keys())}"


# --- doc comments ---------------------------------------------------------------------------------

CPP_TOKEN = re.compile(
    r'(?P<string>R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Fa-f])\'(?:\\.|[^\'\\\n])+\')'
    r"|(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<brace>[{};])",
    re.DOTALL,
)
CPP_TOKEN_OR_PAREN = re.compile(CPP_TOKEN.pattern + r"|(?P<paren>[()])", re.DOTALL)
TEMPLATE = re.compile(r"\s*template\s*<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>")
HOLDS_DECLARATIONS = re.compile(r'\s*(inline\s+)?(namespace|class|struct|union|enum|extern\s*"C")\b')


def cpp_doc_comments(text: str) -> Iterator[tuple[int, str]]:
    """Line and words of comments before declarations: outside of functions, on lines of their own."""
    declares = [True]  # whether each open brace holds declarations
    start = 0  # of the statement
    block: list[str] = []
    first = last = -1  # lines of the block
    line = position = 0
    for token in CPP_TOKEN.finditer(text):
        line += text.count("\n", position, token.start())
        position = token.start()
        if token["brace"]:
            if token["brace"] == "{":
                statement = TEMPLATE.sub("", _without_comments(text[start : token.start()]))
                declares.append(declares[-1] and bool(HOLDS_DECLARATIONS.match(statement)))
            elif token["brace"] == "}" and len(declares) > 1:
                declares.pop()
            start = token.end()
        elif token["comment"] and declares[-1]:
            before = text[text.rfind("\n", 0, token.start()) + 1 : token.start()]
            if before.strip():
                continue
            if last != line - 1 and block:
                yield first + 1, " ".join(block)
                block = []
            if not block:
                first = line
            block.append(re.sub(r"^[/*!\s-]+|[*/\s]+$", "", token["comment"]))
            last = line
    if block:
        yield first + 1, " ".join(block)


def _without_comments(text: str) -> str:
    return re.sub(r"//[^\n]*|/\*.*?\*/|^\s*#[^\n]*", "", text, flags=re.DOTALL | re.MULTILINE)


HAS_DOCSTRING = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def python_doc_comments(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and words of docstrings, those after assignments included."""
    nodes: list[ast.AST] = [tree]
    while nodes:
        node = nodes.pop()
        body = getattr(node, "body", None)
        if not isinstance(body, list):
            continue
        nodes += body
        for before, statement in zip([None, *body], body, strict=False):
            documents_it = isinstance(before, ast.Assign | ast.AnnAssign) or (
                before is None and isinstance(node, HAS_DOCSTRING)
            )
            if (
                documents_it
                and isinstance(statement, ast.Expr)
                and isinstance(statement.value, ast.Constant)
                and isinstance(statement.value.value, str)
            ):
                yield statement.lineno, statement.value.value.strip()


def typescript_doc_comments(text: str) -> Iterator[tuple[int, str]]:
    for found in re.finditer(r"/\*\*(.*?)\*/", text, re.DOTALL):
        yield text.count("\n", 0, found.start()) + 1, found[1].strip(" *\n")


def doc_comments(path: Path) -> Iterator[tuple[int, str]]:
    """Doc comments of a file; none if it has no line that begins one badly."""
    if path.suffix == ".py":
        return (
            python_doc_comments(ast.parse(text_of(path)))
            if MAY_BEGIN_BADLY.search(text_of(path))
            else iter(())
        )
    if path.suffix in (".hpp", ".cpp"):
        return cpp_doc_comments(text_of(path))
    return typescript_doc_comments(text_of(path))


@pytest.mark.parametrize("folder", FOLDERS)
def test_doc_comments_begin_with_their_subject(folder: str) -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line}: {words[:80]}"
        for path in sources(folder)
        for line, words in doc_comments(path)
        if PREPOSITION_OR_QUESTION.match(words)
    ]
    most = UNCLEAR_OPENINGS.get(folder, 0)
    assert len(wrong) <= most, (
        f"{len(wrong)} doc comments in {folder} begin with a preposition or a question word, and {most} may; "
        "begin with the thing that they describe:\n" + "\n".join(wrong)
    )


# --- messages -------------------------------------------------------------------------------------

HELP_KEYWORDS = ("help", "short_help", "description", "epilog")
COMMANDS = ("command", "callback")
MAY_HAVE_MESSAGES = re.compile(rf"\braise\b|\b({'|'.join(HELP_KEYWORDS)})=|\.({'|'.join(COMMANDS)})\b")


def literal_text(node: ast.AST) -> str:
    """The text of an expression of strings, with a word in place of each value."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(literal_text(value) for value in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return literal_text(node.left) + literal_text(node.right)
    return "value"


def texts_in(node: ast.AST) -> Iterator[tuple[int, str]]:
    """The outermost string expressions of a node."""
    if isinstance(node, ast.Constant | ast.JoinedStr | ast.BinOp):
        text = literal_text(node)
        if "\b" not in text:
            yield getattr(node, "lineno", 0), text
    else:
        for child in ast.iter_child_nodes(node):
            yield from texts_in(child)


def python_messages(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and text of strings in raise statements and of help texts. Examples, marked \\b, are left out."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and node.exc is not None:
            yield from texts_in(node.exc)
        elif isinstance(node, ast.keyword) and node.arg in HELP_KEYWORDS:
            yield from texts_in(node.value)
        elif isinstance(node, ast.FunctionDef) and any(map(_makes_command, node.decorator_list)):
            yield node.lineno, ast.get_docstring(node) or ""


def _makes_command(decorator: ast.expr) -> bool:
    """Typer shows the docstring of a command as its help text."""
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return isinstance(called, ast.Attribute) and called.attr in COMMANDS


def cpp_messages(text: str) -> Iterator[tuple[int, str]]:
    """Line and text of the literals from which a UserError is made."""
    for start in re.finditer(r"\bUserError\(", text):
        depth, position, words = 1, start.end(), ""
        for token in CPP_TOKEN_OR_PAREN.finditer(text, start.end()):
            if re.search(r"\w", text[position : token.start()]):
                words += "value"
            position = token.end()
            if token["string"] and token["string"].startswith('"'):
                words += token["string"][1:-1].replace("\\n", "\n")
            elif token["paren"]:
                depth += 1 if token["paren"] == "(" else -1
            if depth == 0 or token["brace"] == ";":
                break
        yield text.count("\n", 0, start.start()) + 1, words


def messages(path: Path) -> Iterator[tuple[int, str]]:
    text = text_of(path)
    if path.suffix != ".py":
        return cpp_messages(text)
    return python_messages(ast.parse(text)) if MAY_HAVE_MESSAGES.search(text) else iter(())


def sentences(text: str) -> list[str]:
    return re.split(r"(?<=[.!?])[\s\"'`)]*\s+|\n\s*\n|\n\s*[-*]\s", text)


@pytest.mark.parametrize("folder", LONG_SENTENCES)
def test_sentences_of_messages_are_short(folder: str) -> None:
    long = [
        f"{path.relative_to(ROOT)}:{line}: {len(sentence.split())} words: {' '.join(sentence.split())}"
        for path in sources(folder)
        for line, text in messages(path)
        for sentence in sentences(text)
        if len(sentence.split()) > MOST_WORDS
    ]
    assert len(long) <= LONG_SENTENCES[folder], (
        f"{len(long)} sentences of messages in {folder} have more than {MOST_WORDS} words, and "
        f"{LONG_SENTENCES[folder]} may:\n" + "\n".join(long)
    )


# --- the checks themselves ------------------------------------------------------------------------


def test_comments_are_found_where_they_document() -> None:
    cpp = """// Of a file.
#include <vector>
namespace a {
/// Of a class;
/// two lines.
template <class T, class U = b<T>>
class C {
  /// Which member.
  int x = '{';  // of the line
  void f() { // Of a body
    // Of a statement
    g("{ // no comment");
  }
  /// How it ends.
  int y{3};
};
}  // namespace a
/* What is last. */
"""
    assert list(cpp_doc_comments(cpp)) == [
        (1, "Of a file."), (4, "Of a class; two lines."), (8, "Which member."), (14, "How it ends."),
        (18, "What is last."),
    ]  # fmt: skip
    python = '"""Module."""\nA = 1\n"""Of A."""\nclass B:\n """Of B."""\n def f():\n  """Of f."""\n'
    assert sorted(python_doc_comments(ast.parse(python))) == [
        (1, "Module."),
        (3, "Of A."),
        (5, "Of B."),
        (7, "Of f."),
    ]
    assert list(typescript_doc_comments("a\n/** Of b.\n * c */\n/* d */")) == [(2, "Of b.\n * c")]


def test_texts_of_messages_are_found() -> None:
    python = (
        'raise ValueError(f"{name} is " + word + "unknown. See x.")\n'
        'add(help="a" "b")\n'
        "@app.command()\n"
        'def f():\n    """Run it."""\n'
    )
    found = sorted(python_messages(ast.parse(python)))
    assert found == [(1, "value is valueunknown. See x."), (2, "ab"), (4, "Run it.")]
    cpp = 'throw UserError("a " + f("b", 1) +\n "c.");\nother("d");'
    assert [text for _, text in cpp_messages(cpp)] == ["a valuebvaluec."]
    assert sentences("One. Two? `c` three") == ["One.", "Two?", "`c` three"]
