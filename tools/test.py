"""All tests of Eddyline, stage by stage: `make test`.

  python tools/test.py --jobs 4           all that are not asked for by name only
  python tools/test.py ruff mypy          these stages only
  python tools/test.py threads            the thread sanitizer: `make test-threads`

Asked for by name only: clang-tidy, core-wide and threads, which read or build the core once more and take
minutes; speed, which needs a machine that does nothing else; and those that need a browser, or other
versions of Python and MPI.

Every stage runs, whatever the ones before it gave; the output of a stage is shown if it fails. Ends with
a table of where the time went, and with exit code 1 if any stage failed.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import os
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
BUILD = ROOT / "build" / "tests"
TIDY = ROOT / "build" / "tidy"
THREADS = ROOT / "build" / "threads"
WIDE = ROOT / "build" / "wide"
PYTHON_FOLDERS = ("python", "tests", "tools", "examples", "benchmarks", "validation", "experiments")
RUN = "EDDYLINE_TEST_RUN"  # in the environment of all that tests of Python start
BAR = 30  # characters of the longest stage in the table
LONGEST_TEST = 300  # s, of C++, with sanitizers on a busy machine; of Python: pyproject.toml
BROWSERS = ("chromium", "chromium-browser")  # as tests/python/chromium.py looks for them
MOST_WORKERS = 8  # of pytest: each holds a copy of the package

Output = tuple[bool, str]


@dataclass(frozen=True)
class Stage:
    """A stage of the tests: its name on the command line, its title, and its function."""

    name: str
    title: str
    run: Callable[[int], Output]
    together: bool = False  # looks at sources only, at the same time as others that do
    on_request: bool = False  # only when it is asked for by name


@dataclass(frozen=True)
class Result:
    stage: Stage
    passed: bool
    seconds: float


def main() -> int:
    names = [stage.name for stage in STAGES]
    on_request = [stage.name for stage in STAGES if stage.on_request]
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "stages",
        nargs="*",
        metavar="STAGE",
        help=f"of: {', '.join(names)}; default all but {', '.join(on_request)}",
    )
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 2, metavar="N", help="how many at a time"
    )
    wanted = parser.parse_args()
    unknown = [name for name in wanted.stages if name not in names]
    if unknown or wanted.jobs < 1:
        parser.error(
            f"unknown stage {unknown[0]}; there are: {', '.join(names)}" if unknown else "--jobs must be >= 1"
        )

    os.chdir(ROOT)
    chosen = wanted.stages or [name for name in names if name not in on_request]
    stages = [stage for stage in STAGES if stage.name in chosen]
    first = [stage for stage in stages if stage.together]
    start = time.perf_counter()
    with ThreadPoolExecutor() as pool:
        results = list(pool.map(lambda stage: _run(stage, wanted.jobs), first))
    results += [_run(stage, wanted.jobs) for stage in stages if stage not in first]
    print(_table(results, time.perf_counter() - start))
    return 0 if all(result.passed for result in results) else 1


def _run(stage: Stage, jobs: int) -> Result:
    if sys.stdout.isatty():
        print(f" ...   {stage.title}", end="\r", flush=True)
    start = time.perf_counter()
    try:
        passed, output = stage.run(jobs)
    except FileNotFoundError as error:
        passed, output = (
            False,
            f"{error.filename}: not found; `make .venv/.test-tools` installs what is needed",
        )
    seconds = time.perf_counter() - start
    print(f"{'  ok  ' if passed else ' FAIL '} {stage.title:44} {seconds:7.1f} s", flush=True)
    if not passed:
        print("\n".join(f"    {line}" for line in output.rstrip().splitlines()), flush=True)
    return Result(stage, passed, seconds)


def _missing_instructions() -> list[str]:
    """Instruction sets with a flavour in the core that this processor lacks, if that is known."""
    about = Path("/proc/cpuinfo")
    known = about.read_text().split() if about.is_file() else []
    return [name for name, flag in (("AVX2", "avx2"), ("AVX-512", "avx512f")) if known and flag not in known]


def _table(results: Sequence[Result], total: float) -> str:
    longest = max(result.seconds for result in results)
    lines = ["", "Where the time goes"]
    for result in sorted(results, key=lambda result: -result.seconds):
        bar = "#" * round(BAR * result.seconds / longest) if longest > 0 else ""
        lines.append(
            f"  {result.stage.name:13} {result.seconds:7.1f} s  {result.seconds / total:4.0%}  {bar}"
        )
    lines.append(f"  {'total':13} {total:7.1f} s")
    failed = [result.stage.name for result in results if not result.passed]
    lines += ["", f"FAILED: {', '.join(failed)}" if failed else f"All {len(results)} stages passed."]
    if missing := _missing_instructions():
        lines.append(f"Compiled, but not run, as this machine has none: {', '.join(missing)}.")
    return "\n".join(lines)


# --- the stages -----------------------------------------------------------------------------------


def folder_order(jobs: int) -> Output:
    return _pytest("-p", "no:cacheprovider", "--noconftest", "tests/python/test_structure.py")


def ruff(jobs: int) -> Output:
    folders = [name for name in PYTHON_FOLDERS if any((ROOT / name).rglob("*.py"))]
    return _all(
        _command(_tool("ruff"), "check", *folders),
        _command(_tool("ruff"), "format", "--check", "--diff", *folders),
    )


def clang_format(jobs: int) -> Output:
    files = [path for folder in ("core", "python", "tests") for path in _files(folder, "*.cpp", "*.hpp")]
    passed, output = _command(_tool("clang-format"), "--dry-run", "-Werror", *files)
    if passed or "clang-format-violations" not in output:
        return passed, output
    unformatted = sorted({line.split(":")[0] for line in output.splitlines() if "format-violations" in line})
    return False, "\n".join([*unformatted, "not formatted; `make format` does it"])


def mypy(jobs: int) -> Output:
    return _command(sys.executable, "-m", "mypy")


def clang_tidy(jobs: int) -> Output:
    """The core without the flavours, which instantiate the same templates for each instruction set."""
    configured, output = _configure(TIDY, "", "-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON", "-DEDDYLINE_UNITY=OFF")
    if not configured:
        return False, output
    files = [path for path in _files("core", "*.cpp") if "flavours" not in Path(path).parts]
    files.sort(key=lambda path: -Path(path).stat().st_size)
    quiet = ("deprecated-declarations", "bitwise-instead-of-logical")  # of the library; meant
    extra = [*(f"--extra-arg=-Wno-{name}" for name in quiet), *_headers_of_openmp()]

    def check(file: str) -> Output:
        return _command(_tool("clang-tidy"), "--quiet", "-p", str(TIDY), *extra, file)

    with ThreadPoolExecutor(jobs) as pool:
        return _all(*pool.map(check, files))


def core(jobs: int) -> Output:
    """Builds the C++ tests with sanitizers and runs them. What takes the compiler long is left to the stage
    core-wide: loops for AVX-512, which are the templates of those for AVX2, and uses of a variable after the
    end of its scope."""
    return _sanitized(BUILD, jobs, "-DEDDYLINE_AVX512=OFF", "-DEDDYLINE_USE_AFTER_SCOPE=OFF")


def core_wide(jobs: int) -> Output:
    """The C++ tests with sanitizers, with the loops for AVX-512 and uses of variables after their scope."""
    return _sanitized(WIDE, jobs)


def _sanitized(folder: Path, jobs: int, *options: str) -> Output:
    return _core_tests(
        folder, "address,undefined", "all", jobs, LONGEST_TEST, options=options,
        UBSAN_OPTIONS="halt_on_error=1:print_stacktrace=1",
        ASAN_OPTIONS=f"malloc_fill_byte=255:max_malloc_fill_size={1 << 30}",  # with what is no number
    )  # fmt: skip


def threads(jobs: int) -> Output:
    """Builds the C++ tests in which threads share anything with the thread sanitizer, and runs them."""
    return _core_tests(
        THREADS, "thread", "tests_with_threads", jobs, 4 * LONGEST_TEST, "-L", "threads",
        TSAN_OPTIONS="halt_on_error=0:second_deadlock_stack=1",
    )  # fmt: skip


def python(jobs: int) -> Output:
    """The tests of the package; each worker computes with one thread unless a test sets another number."""
    workers = min(jobs + 1, MOST_WORKERS)  # one more than cores: tests of ranks and servers often wait
    passed, output = _pytest(
        "-n", str(workers), "--dist", "worksteal", "--durations=10",
        "--ignore=tests/python/test_structure.py",
        environment={"OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "passive"},
    )  # fmt: skip
    if passed:
        print("\n".join(f"    {line}" for line in _durations(output)))
    return passed, output


def speed(jobs: int) -> Output:
    """Compares the cost of a time step with the stored one, relative to the arithmetic of this machine.
    Unknown and busy machines are reported as such."""
    passed, output = _command(sys.executable, "tools/speed.py")
    if passed:
        print("\n".join(f"    {line}" for line in output.splitlines()), flush=True)
    return passed, output


def page(jobs: int) -> Output:
    """The lab's page in a browser, as users operate it; its unit tests if Node is installed."""
    checks = [_pytest("-m", "browser")]
    if shutil.which("npm") is not None and (ROOT / "lab" / "node_modules").is_dir():
        checks += [_command("npm", "--prefix", "lab", "run", "--silent", name) for name in ("check", "test")]
    else:
        print("    page: unit tests left out, as there is no Node, or no lab/node_modules: `npm ci` in lab/")
    return _all(*checks)


def page_short(jobs: int) -> Output:
    """One visit to the lab's page, if a browser is installed."""
    if not any(map(shutil.which, BROWSERS)) or importlib.util.find_spec("playwright") is None:
        print("    page-short: left out, as there is no Chromium here, or no playwright", flush=True)
        return True, ""
    return _pytest("-m", "browser and short", "tests/python/test_lab_short.py")


def matrix(jobs: int) -> Output:
    """Ways of computing on ranks, two sites, short experiments and many viewers, one at a time: most take
    more than one core."""
    return _pytest("-m", "matrix", environment={"OMP_WAIT_POLICY": "passive"})


def ranks_kills(jobs: int) -> Output:
    """Runs on two ranks that are killed or interrupted at random moments."""
    return _pytest(
        "-m", "rank_kills", "tests/python/test_ranks.py", environment={"OMP_WAIT_POLICY": "passive"}
    )


def wheel(jobs: int) -> Output:
    """The wheels of `make wheel`, and the Git repository, each installed into an empty environment."""
    return _pytest("-m", "wheel", "tests/python/test_wheel.py")


def openmpi(jobs: int) -> Output:
    """Ranks under Open MPI: all tests of the launcher, and some of the ways to decompose a domain.

    Its launcher listens on all network devices: here is none but the loopback device of a network of its own.
    """
    alone = ("unshare", "--map-root-user", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh")
    return _pytest(
        "-n", str(min(jobs, MOST_WORKERS)), "tests/python/test_ranks.py",
        "-k", "not (any_ranks or bad_input) or channel-2d",
        before=alone,
        environment={
            "EDDYLINE_MPI": str(ROOT / "build" / "openmpi" / "eddyline_mpi.so"),
            "OMP_NUM_THREADS": "1",
            "OMP_WAIT_POLICY": "passive",
        },
    )  # fmt: skip


STAGES = (
    Stage("order", "folders include and import downwards only", folder_order, together=True),
    Stage("ruff", "Python style and format (ruff)", ruff, together=True),
    Stage("clang-format", "C++ format (clang-format)", clang_format, together=True),
    Stage("mypy", "Python types (mypy, strict)", mypy, together=True),
    Stage("clang-tidy", "C++ habits and names (make tidy)", clang_tidy, on_request=True),
    Stage("core", "C++ tests with address and UB sanitizers", core),
    Stage("core-wide", "The same with AVX-512 and scopes (test-wide)", core_wide, on_request=True),
    Stage("threads", "C++ tests with the thread sanitizer", threads, on_request=True),
    Stage("python", "Python tests (pytest)", python),
    Stage("speed", "Cost of a time step (make test-speed)", speed, on_request=True),
    Stage("page-short", "One visit to the lab's page, in a browser", page_short),
    Stage("page", "The lab's page in a browser (make test-page)", page, on_request=True),
    Stage("matrix", "Ranks in many more ways (make test-matrix)", matrix, on_request=True),
    Stage("ranks-kills", "Ranks killed at any moment (make ranks-kills)", ranks_kills, on_request=True),
    Stage("wheel", "Installed into empty environments (make test-wheel)", wheel, on_request=True),
    Stage("openmpi", "Ranks under Open MPI (make test-openmpi)", openmpi, on_request=True),
)

# --- what they share ------------------------------------------------------------------------------


def _command(*words: str, environment: dict[str, str] | None = None) -> Output:
    """True if a command succeeded, and its output."""
    done = subprocess.run(
        words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False,
        env=_environment(environment),
    )  # fmt: skip
    return done.returncode == 0, done.stdout


def _environment(more: dict[str, str] | None) -> dict[str, str]:
    """The environment of all stages. Tests start hundreds of processes, each of which would compile the
    package if its bytecode were not kept."""
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    path = f"{BIN}{os.pathsep}{os.environ.get('PATH', '')}"
    return {**inherited, "PATH": path, **(more or {})}


def _pytest(*words: str, before: Sequence[str] = (), environment: dict[str, str] | None = None) -> Output:
    """Python tests. The stage fails if all of them are skipped; skipped tests are reported. No process that
    they started outlives them, even if they had to be killed."""
    run = secrets.token_hex(8)
    with tempfile.TemporaryFile("w+", errors="replace") as file:  # a pipe ends when all do that have it
        try:
            code = subprocess.run(
                [*before, _tool("pytest"), "-rsfE", *words],
                stdout=file, stderr=subprocess.STDOUT, check=False,
                env=_environment({RUN: run, **(environment or {})}),
            ).returncode  # fmt: skip
        finally:
            _end_all_of(run)
        file.seek(0)
        output = file.read()
    skipped = [line for line in output.splitlines() if line.startswith("SKIPPED ")]
    if code == 0 and not re.search(r"\b[1-9]\d* passed\b", output[-1000:]):
        return False, "\n".join(["nothing was tested: all tests of this stage were skipped", *skipped])
    if code == 0 and skipped:
        print("\n".join(f"    {line}" for line in skipped), flush=True)
    return code == 0, output


def _end_all_of(run: str) -> None:
    """Kills the processes whose environment contains this entry."""
    import psutil

    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.environ().get(RUN) == run:
                process.kill()


def _all(*outputs: Output) -> Output:
    """Passes if all commands pass; returns the output of those that fail."""
    return all(passed for passed, _ in outputs), "\n".join(text for passed, text in outputs if not passed)


def _tool(name: str) -> str:
    return str(BIN / name)


def _files(folder: str, *patterns: str) -> Iterator[str]:
    for pattern in patterns:
        yield from sorted(str(path.relative_to(ROOT)) for path in (ROOT / folder).rglob(pattern))


def _core_tests(
    folder: Path, sanitizers: str, target: str, jobs: int, longest: int, *which: str,
    options: Sequence[str] = (), **environment: str,
) -> Output:  # fmt: skip
    """Builds tests of the core with sanitizers and runs them. longest: time limit of a test [s]; options: of
    the build."""
    steps = (
        lambda: _configure(folder, sanitizers, *options),
        lambda: _command(
            _tool("cmake"), "--build", str(folder), "--target", target, "--parallel", str(jobs), "--",
            "--quiet",
        ),
        lambda: _command(
            _tool("ctest"), "--test-dir", str(folder), "--parallel", str(jobs), "--output-on-failure",
            "--no-tests=error", "--timeout", str(longest), *which,
            environment={"OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive", **environment},
        ),
    )  # fmt: skip
    for step in steps:
        passed, output = step()
        if not passed:
            return False, output
    return True, output


def _configure(folder: Path, sanitizers: str, *more: str) -> Output:
    """A build of the C++ tests with sanitizers and asserts; only hot code is optimised."""
    return _command(
        _tool("cmake"), "-S", ".", "-B", str(folder), "-G", "Ninja",
        f"-DCMAKE_MAKE_PROGRAM={_tool('ninja')}",
        "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
        "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O0 -g1",
        "-DEDDYLINE_TESTS=ON",
        "-DEDDYLINE_PYTHON=OFF",
        f"-DEDDYLINE_SANITIZE={sanitizers}",
        *more,
    )  # fmt: skip


def _headers_of_openmp() -> list[str]:
    """Option for the folder of omp.h, which clang-tidy lacks; it comes after clang-tidy's own headers."""
    compiler = os.environ.get("CXX", "c++")
    _, found = _command(compiler, "-print-file-name=include/omp.h")
    header = Path(found.strip())
    return [f"--extra-arg=-idirafter{header.parent}"] if header.is_absolute() and header.is_file() else []


def _durations(output: str) -> Iterator[str]:
    """The slowest tests, as pytest lists them, and its last line."""
    lines = output.rstrip().splitlines()
    start = next((k for k, line in enumerate(lines) if "slowest" in line and "durations" in line), None)
    if start is not None:
        for line in lines[start + 1 :]:
            if not line[:1].isdigit():
                break
            yield line
    yield lines[-1].strip("= ") if lines else ""


if __name__ == "__main__":
    sys.exit(main())
