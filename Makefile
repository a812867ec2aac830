# make try    a virtual environment, the core, and a few rewrites side by side
# make test   the whole test command: format, lint, types, tests
# make docs   README's and the docs' generated parts, made again from the results

PYTHON ?= python3
BIN := .venv/bin
PARSER := $(shell command -v link-parser 2>/dev/null)

.PHONY: try test docs clean

try: .venv/core
	$(BIN)/paraphrast rewrite --to formal --side-by-side examples/messages.txt
	$(BIN)/paraphrast rewrite --to informal --side-by-side examples/letter.txt

test: .venv/dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
ifeq ($(PARSER),)
	@echo "link-parser is missing: leaving out the tests marked 'parser'."
	@echo "To run them: apt-get install link-grammar link-grammar-dictionaries-en"
	$(BIN)/pytest -n 2 -m "not data and not slow and not parser"
else
	$(BIN)/pytest -n 2
endif

docs: .venv/dev
	$(BIN)/python docs/generate.py

clean:
	rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis

.venv/core: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --editable .
	touch $@

.venv/dev: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --editable ".[dev]"
	touch .venv/core $@
