# make demo   installs hetwin into .venv and runs a recorded pick-and-place as ROS 2 nodes
# make test   installs hetwin into .venv and checks everything

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/installed
# More than cores, as tests of nodes and processes mostly wait.
WORKERS := 4
DAILY := -m 'not colcon and not faults and not long'
# Plugins and examples: distributions of their own. A checkout may lack them; benchmarks measure them, too.
BESIDE := $(wildcard plugins/*/pyproject.toml examples/pyproject.toml)
MYPY := $(BIN)/mypy --strict --no-error-summary
TYPED := $(patsubst %/py.typed,%,$(wildcard */py.typed plugins/*/*/py.typed examples/*/py.typed))
# Benchmarks are checked in the same process, as another one would read all types again.
MEASURES := $(if $(filter examples/%,$(BESIDE)),$(addprefix -m ,$(notdir $(basename $(wildcard benchmarks/*.py)))) \
  $(addprefix -p ,$(notdir $(patsubst %/,%,$(sort $(dir $(wildcard benchmarks/*/*.py)))))))
TYPES := $(MYPY) $(addprefix -p ,$(notdir $(TYPED))) $(MEASURES)
# What an installation is made from; Python code is not copied, so that it needs no new one. Only files: a folder changes with
# the bytecode that is kept in it.
SOURCES := pyproject.toml $(BESIDE) hatch_build.py package.xml CMakeLists.txt \
  $(wildcard cmake/*.* cmake/editable/*.* cmake/tf2_msgs/*.* cmake/tf2_msgs/msg/*.* msg/*.msg srv/*.srv action/*.action)
# What the pages draw; made by the installation, and anew when one of its sources has changed.
PAGE := hetwin_suite/view/page
SCRIPT := $(PAGE)/built/page.js

# A library path or a guard that another environment's Python has left behind would mix the two. Without kept bytecode
# each worker of the tests would compile all of them anew.
unexport PYTHONDONTWRITEBYTECODE _ROS_WHEELS_BOOTSTRAP_COMPLETE LD_LIBRARY_PATH PYTHONPATH AMENT_PREFIX_PATH CMAKE_PREFIX_PATH VIRTUAL_ENV

.PHONY: help install demo test test-again test-random test-faults test-long test-colcon test-examples test-python coverage docs style lint clean

help: ## show this list
	@sed -nE 's/^([a-z-]+):.*## (.*)/make \1\t\2/p' Makefile | expand -t 16

install: $(STAMP) $(SCRIPT) ## make .venv and install hetwin with the robots, test and view extras
	@$(BIN)/python cmake/python_packages.py >/dev/null

$(STAMP): $(SOURCES)
	@bash cmake/make_venv.sh $(VENV)
	@echo "installing hetwin and what it needs into $(VENV): downloads packages, compiles the ROS interfaces;"
	@echo "the first time it takes one to five minutes, most of it for the interfaces and the network"
	@$(BIN)/python cmake/show_progress.py "installing hetwin" $(BIN)/python cmake/install_packages.py \
	  -e '.[robots,test,view]' $(patsubst %/pyproject.toml,-e %,$(BESIDE))
	@touch $(STAMP)

$(SCRIPT): $(wildcard $(PAGE)/src/*.ts $(PAGE)/src/*/*.ts $(PAGE)/*.json) cmake/bundle_page.py | $(STAMP)
	@$(BIN)/python cmake/bundle_page.py >/dev/null
	@touch $@

demo: install ## run the pick-and-place scenario as ROS 2 nodes
	@$(BIN)/hetwin run scenarios/pick_and_place.yaml --transport ros
	@echo
	@echo "hetwin is installed. To use the command, activate its environment in this shell:"
	@echo "  source $(VENV)/bin/activate"
	@echo "and go on, for example with:"
	@echo "  hetwin run pick_and_place"
	@echo "  hetwin --help"

# Types are checked beside the tests, as that keeps one core busy only. What the tests are compiled to is kept first where
# there is nothing yet, else each worker would do it.
test: style ## check style and types, run all tests
	@echo "checking types, and running the tests"
	@$(TYPES) & types=$$!; ended=0; \
	  [ -d test/support/__pycache__ ] || $(BIN)/python -m pytest --collect-only -qq $(DAILY) >/dev/null 2>&1 || true; \
	  $(BIN)/python -m pytest -q -n $(WORKERS) --dist loadfile --no-loadscope-reorder $(DAILY) || ended=$$?; \
	  wait $$types && exit $$ended

# The order of each run is drawn; nothing that fails is tried again.
test-again: install ## run the tests N times, each in another order, and count those that fail: make test-again N=5
	@$(BIN)/python test/again.py $(or $(N),2) -- -n $(WORKERS) --dist loadfile --no-loadscope-reorder $(DAILY)

test-random: install ## search longer with fresh random examples; takes minutes
	@$(BIN)/python -m pytest -q -n $(WORKERS) -m hypothesis --hypothesis-profile=random

test-faults: install ## test every row of the table of faults; takes minutes
	@$(BIN)/python -m pytest -q -n $(WORKERS) test/faults

test-long: install ## build the documentation's site, run with all cores busy, record and run a scenario
	@$(BIN)/python -m pytest -q -m long

test-colcon: install ## build with colcon and test what that installs; takes minutes
	@$(BIN)/python -m pytest -q -m colcon

test-examples: install ## test plugins and examples in an environment that has wheels only; takes minutes
	@bash cmake/test_wheels.sh $(BIN)/python $(WORKERS)

test-python: ## run all tests with another Python: make test-python PYTHON=python3.12
	@bash cmake/test_python.sh $(PYTHON)

coverage: install ## run all tests with a coverage figure; pages in build/coverage/html
	@rm -rf build/coverage && mkdir -p build/coverage
	@echo "running the tests with coverage"
	@$(BIN)/coverage run -m pytest -q -n $(WORKERS) --dist loadfile --no-loadscope-reorder $(DAILY)
	@$(BIN)/coverage combine --quiet
	@$(BIN)/coverage html --quiet
	@$(BIN)/coverage report

docs: install ## build the documentation site into build/docs
	@$(BIN)/python docs/make_site.py build/docs
	@echo "built build/docs/index.html"

style: install ## check style
	@echo "checking style"
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --check --quiet . || { echo "not formatted: run $(BIN)/ruff format ."; exit 1; }

lint: style ## check style and types
	@echo "checking types"
	@$(TYPES)

clean: ## remove the environment and everything that was built
	@rm -rf $(PAGE)/built $(PAGE)/node_modules
	@rm -rf $(VENV) build install log dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
