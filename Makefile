# Everything a developer or a CI run calls. `make` alone lists the targets.
#
#   make demo                     set up, then ask the first question
#   make test                     set up, then run the tests
#   make test TESTS=tests/core    only some of them
#   make test JOBS=0              one after the other, in one process
#   make PYTHON=python3.12 ...    with another Python (only when .venv is made)
#   make test-ros ROS_EXTRA=ros-jazzy ROS_VENV=.venv-jazzy PYTHON=python3.12    on Jazzy's wheels

PYTHON   ?= python3
VENV     ?= .venv
ROS_VENV ?= .venv-ros
ROS_EXTRA ?= ros
EXTRAS   ?= dev
TYPED    ?= robodata_core robodata_ros robodata_tui benchmarks
TESTS    ?= tests
JOBS     ?= auto
ROS_JOBS ?= auto
QUESTION ?= Who are the relatives of Douglas Adams?
BENCHES  ?=

CODE := $(wildcard robodata_* .ci benchmarks launch scripts tests setup.py)
RUN  := $(VENV)/bin/python -m
PIP  := $(RUN) pip --disable-pip-version-check --quiet

# What an installation depends on: when one of these changes, it is brought up to date.
METADATA := setup.cfg setup.py pyproject.toml

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-model check static lint format types contracts bench package clean \
  ros-env test-ros

help:
	@echo "make demo       set up $(VENV) and ask \"$(QUESTION)\""
	@echo "make test       set up $(VENV) and run the tests (TESTS=$(TESTS))"
	@echo "make test-model  run the protocol against a small trained model (compiles its server once)"
	@echo "make check      what CI runs: lint, types, contracts, test"
	@echo "make static     the same without the tests"
	@echo "make format     sort imports and format the code"
	@echo "make bench      run the benchmarks (BENCHES=\"import cold\" for some)"
	@echo "make package    build wheel, source archive, SBOM and hashes in dist/"
	@echo "make setup      only set up $(VENV), with the developers' tools"
	@echo "make ros-env    set up $(ROS_VENV): rclpy and RoboData's messages, without a ROS installation"
	@echo "make test-ros   run the tests of the robot side there, with real nodes"
	@echo "make clean      remove $(VENV) and everything that was built"

# -- setting up ---------------------------------------------------------------------------------

$(VENV)/.created:
	@command -v $(PYTHON) >/dev/null 2>&1 || { \
	  echo "There is no '$(PYTHON)' here; RoboData needs Python 3.10 or later." >&2; \
	  echo "Install it, or name another one: make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { \
	  echo "RoboData needs Python 3.10 or later; '$(PYTHON)' is $$($(PYTHON) -V 2>&1)." >&2; \
	  echo "Name another one: make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "'$(PYTHON)' cannot make virtual environments: its modules venv and ensurepip" >&2; \
	  echo "are missing. On Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	@touch $@

$(VENV)/.installed: $(VENV)/.created $(METADATA)
	$(PIP) install --editable .
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.created $(METADATA)
	$(PIP) install --editable '.[$(EXTRAS)]'
	@touch $(VENV)/.installed $@

setup: $(VENV)/.installed-dev

# -- the two commands of the README -------------------------------------------------------------

demo: $(VENV)/.installed
	$(VENV)/bin/robodata ask "$(QUESTION)"

test: $(VENV)/.installed-dev
	$(RUN) pytest --numprocesses $(JOBS) --dist loadfile $(TESTS)

# Needs cmake and a C++ compiler once; the model comes with a package (98 MB). Compiled for any
# machine: made for this one, it may use tiles (AMX) that a virtual machine has and refuses.
test-model: $(VENV)/.installed-dev
	CMAKE_ARGS=-DGGML_NATIVE=OFF $(PIP) install --editable '.[model]'
	TEST_TRAINED_MODEL=1 TEST_PROCESSOR_SECONDS=900 OMP_WAIT_POLICY=passive $(RUN) pytest tests/core/policy/llm/test_trained.py

# -- the robot side, without a ROS installation -------------------------------------------------

# Needs cmake, a C++ compiler and Python's headers; takes a few minutes once.
$(ROS_VENV)/.installed: $(METADATA)
	@echo "ros-env 1/3: rclpy and ROS's own messages, as wheels (about half a minute, 280 MB)"
	@test -x $(ROS_VENV)/bin/python || $(PYTHON) -m venv $(ROS_VENV)
	# In two steps: the first brings lark-parser, whose module the second's lark must replace.
	@$(ROS_VENV)/bin/python -m pip --disable-pip-version-check --quiet install --prefer-binary \
	  --editable '.[$(ROS_EXTRA)]'
	@echo "ros-env 2/3: what the tests need"
	@$(ROS_VENV)/bin/python -m pip --disable-pip-version-check --quiet install --prefer-binary \
	  --editable '.[test]'
	@$(ROS_VENV)/bin/python -m pip --disable-pip-version-check --quiet install --prefer-binary \
	  --editable '.[test-ros]' || echo "ros-env: py_trees or colcon could not be installed; their tests are skipped"
	@touch $@

ros-env: $(ROS_VENV)/.installed
	@echo "ros-env 3/3: RoboData's messages, compiled here (1 to 6 minutes, 11 on a busy machine; again only if they change)"
	@$(ROS_VENV)/bin/python scripts/build_msgs

test-ros: ros-env
	scripts/without_network $(ROS_VENV)/bin/python -m pytest \
	  --numprocesses $(ROS_JOBS) --dist loadfile tests/ros

# -- checks -------------------------------------------------------------------------------------

check: static test

static: lint types contracts

lint: $(VENV)/.installed-dev
	$(RUN) ruff check $(CODE)
	$(RUN) ruff format --check $(CODE)
	$(RUN) vulture

types: $(VENV)/.installed-dev
	$(RUN) mypy $(TYPED)

contracts: $(VENV)/.installed-dev
	$(VENV)/bin/lint-imports --no-logo

format: $(VENV)/.installed-dev
	$(RUN) ruff check --fix $(CODE)
	$(RUN) ruff format $(CODE)

# -- the rest -----------------------------------------------------------------------------------

bench: $(VENV)/.installed-dev
	$(RUN) benchmarks.run_all $(BENCHES)

# A left-over build/ folder would put deleted modules into the wheel.
package: $(VENV)/.installed
	rm -rf build
	$(PIP) install build
	$(RUN) build --outdir dist .
	$(VENV)/bin/python scripts/build_sbom dist

clean:
	rm -rf $(VENV) $(ROS_VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache \
	  .hypothesis .import_linter_cache
