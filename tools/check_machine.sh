#!/bin/sh
# Says in one sentence what the machine lacks, and the package to install. Usage: check_machine.sh PYTHON
python=${1:-python3}

if ! command -v "${CXX:-c++}" >/dev/null 2>&1; then
  echo "Eddyline needs a C++20 compiler: install one, for example the package g++ (Debian, Ubuntu) or gcc-c++ (Fedora)." >&2
  exit 1
fi
if ! echo 'int main() { return [](auto x) { return x; }(0); }' |
  "${CXX:-c++}" -std=c++20 -fopenmp -x c++ - -o /dev/null 2>/dev/null; then
  echo "Eddyline needs a compiler that knows C++20 and OpenMP: install GCC 11 or newer (package g++) or set CXX." >&2
  exit 1
fi
if ! command -v "$python" >/dev/null 2>&1; then
  echo "Eddyline needs Python 3.10 or newer: install the package python3, or call make with PYTHON=/path/to/python3." >&2
  exit 1
fi
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))'; then
  echo "Eddyline needs Python 3.10 or newer, and this is $("$python" -V): install a newer one and call make with PYTHON=/path/to/it." >&2
  exit 1
fi
if ! "$python" -c 'import venv, ensurepip' 2>/dev/null; then
  echo "Eddyline needs Python's venv: install the package python3-venv (Debian, Ubuntu)." >&2
  exit 1
fi
if ! "$python" -c 'import sysconfig, pathlib, sys; sys.exit(not pathlib.Path(sysconfig.get_paths()["include"], "Python.h").exists())'; then
  echo "Eddyline needs Python's headers: install the package python3-dev (Debian, Ubuntu) or python3-devel (Fedora)." >&2
  exit 1
fi
