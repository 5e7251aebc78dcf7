# Every target makes the virtual environment it needs. Wanted on the machine: Python 3.11+, pip, make, gcc.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(PYTHON) -m pip --python $(BIN)/python --disable-pip-version-check --quiet --quiet
# Python compiles the modules that it imports; pip would compile every module of every package, twenty seconds longer.
INSTALL := $(PIP) install --no-compile pip --editable

# Two test workers on two cores: a BLAS that starts threads of its own only slows them down.
export OMP_NUM_THREADS ?= 1
# Tests start many processes: without bytecode on disk each of them would compile every module that it imports.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo test smoke verify verification docs ready kernels library lint browser pages bench compilers cross matrix wheel wheels clean

demo:
	$(MAKE) --no-print-directory --jobs 2 $(VENV)/.installed-core library
	$(BIN)/lissom run ella --out out/demo

test: ready
	$(BIN)/pytest -n 2 --dist worksteal

# A minute of everything a little, on every platform (.github/workflows/smoke.yml).
smoke: $(VENV)/.installed-test
	$(BIN)/pytest -m smoke tests/project/test_smoke.py

# Everything that `test` runs, and the slow tests too.
verify: ready
	$(BIN)/pytest -n 2 --dist worksteal -m ""

# All tests, and the book of what they found: docs/verification.md.
verification: $(VENV)/.installed-test pages
	mkdir -p out && rm -f out/claims.jsonl
	LISSOM_CLAIMS=$(CURDIR)/out/claims.jsonl $(BIN)/pytest -n 2 --dist worksteal -m ""
	$(BIN)/python docs/verification.py out/claims.jsonl

# All tests with kernels compiled by zig, the compiler of those who have no other.
compilers: $(VENV)/.installed-test $(VENV)/.installed-compiler
	CC="$(CURDIR)/$(BIN)/python -m ziglang cc" $(BIN)/lissom build --all
	CC="$(CURDIR)/$(BIN)/python -m ziglang cc" $(BIN)/pytest -n 2 --dist worksteal

# Machine code for other platforms, run by emulators: Debian's wine, and qemu-user with libc6-arm64-cross.
cross: $(VENV)/.installed-test $(VENV)/.installed-compiler
	$(BIN)/pytest -m slow tests/export/test_fmu_elsewhere.py

# The smoke suite on every Python of this machine, with the oldest and the newest packages that are allowed.
matrix:
	$(PYTHON) tests/project/matrix.py

# A wheel that holds the machine code of all kernels, for processors of two levels: nothing compiles after installing it.
LIBRARY := src/lissom/kernel/compile/built
wheel: $(VENV)/.installed-core
	rm -rf $(LIBRARY)
	$(BIN)/lissom build --all --folder $(LIBRARY) --level x86-64-v4 --level x86-64-v3
	$(PIP) wheel --no-deps --wheel-dir dist .
	rm -rf $(LIBRARY)

# Wheels with machine code for all platforms, made by zig, whose symbols are looked at: dist/*.whl.
wheels: $(VENV)/.installed-test $(VENV)/.installed-compiler
	$(BIN)/python wheels.py
	LISSOM_WHEELS=$(CURDIR)/dist $(BIN)/pytest -m slow tests/project/test_wheels.py

# The documentation as a web site: docs/_build/index.html.
docs: $(VENV)/.installed-docs
	$(BIN)/sphinx-build -E -W --keep-going -q -b html docs docs/_build

# What comes before tests, side by side: kernels compile while packages that they do not need are still on their way.
ready:
	$(MAKE) --no-print-directory --jobs 3 lint pages kernels

# All machine code, once for all test workers; by the path, as the package itself may be installed anew meanwhile.
kernels: $(VENV)/.installed-sundials
	PYTHONPATH=$(CURDIR)/src $(BIN)/python -m lissom build --all

# That of the usual work; where none can be made, kernels compile when they are called.
library: $(VENV)/.installed-kernels
	PYTHONPATH=$(CURDIR)/src $(BIN)/python -m lissom build || true

lint: $(VENV)/.installed-test
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

# Chromium for the tests of pages, by the system's package manager; only root may.
browser:
	@tests/project/install-browser asked

# Before tests: in containers and in CI root gets the browser, elsewhere it is said how to get it.
pages:
	@tests/project/install-browser

bench: $(VENV)/.installed-core
	$(BIN)/python benchmarks/run.py

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src tests examples benchmarks -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

# Without pip, which takes six seconds here: it comes with the packages, while kernels compile.
$(BIN)/python:
	$(PYTHON) -m venv --without-pip $(VENV)

# A stamp per set of packages; a change of pyproject.toml installs again.
# Those that kernels compile with: all but what data files and figures need.
COMPILING := import tomllib; needs = tomllib.load(open('pyproject.toml', 'rb'))['project']['dependencies']; \
	print(*(need for need in needs if not need.startswith(('xarray', 'h5', 'matplotlib', 'cycler', 'pillow'))), sep='\n')
$(VENV)/.installed-kernels: pyproject.toml | $(BIN)/python
	$(PYTHON) -c "$(COMPILING)" > $(VENV)/kernels.txt
	$(PIP) install --no-compile --requirement $(VENV)/kernels.txt
	@touch $@

$(VENV)/.installed-core: pyproject.toml $(VENV)/.installed-kernels
	$(INSTALL) .
	@touch $@

$(VENV)/.installed-%: pyproject.toml | $(BIN)/python
	$(INSTALL) ".[$*]"
	@touch $@

# One after the other, as both write into the same environment.
$(VENV)/.installed-test: $(VENV)/.installed-sundials
