# Two commands need nothing but Python 3.11: `make run` and `make test`. Both set everything up in .venv first.

PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed

.PHONY: run test check proto docs bench bench-peers format clean snapshots

run: $(STAMP)
	@$(BIN)/hookscope

test: $(STAMP)
	$(BIN)/python -m pytest -n auto --dist loadfile

check: $(STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/make_proto.py --check
	$(BIN)/python tools/make_docs.py --check

bench-peers: $(STAMP)
	$(PYTHON) -m venv .venv-peers
	.venv-peers/bin/python -m pip install --quiet --disable-pip-version-check sonar-tui==0.1.0 trace-view==0.1.0
	$(BIN)/python -m bench.peers

format: $(STAMP)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

proto: $(STAMP)
	$(BIN)/python tools/make_proto.py

docs: $(STAMP)
	$(BIN)/python tools/make_docs.py

bench: $(STAMP)
	$(BIN)/python -m bench

snapshots: $(STAMP)
	$(BIN)/python -m pytest tests/debugger/test_snapshots.py --snapshot-update

$(STAMP): pyproject.toml requirements.txt
	$(PYTHON) -c 'import sys; sys.exit("hookscope needs Python 3.11 or newer; say PYTHON=... to make" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	$(BIN)/python -c 'import kernel.hcl; kernel.hcl.warm()'
	touch $(STAMP)

clean:
	rm -rf .venv build *.egg-info
