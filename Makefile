# make try    a virtual environment, the core, and one sentence in every style
# make test   the whole test command: format, lint, types, tests
# make sanitize  the native tests with address and undefined-behaviour sanitizers
# make docs   README's and the docs' generated parts, made again from the results
# make site   the documentation site in build/site, with every link checked
# make release  sdist, wheel and notes in dist, checked: docs/releasing.md

PYTHON ?= python3
BIN := .venv/bin
PARSER := $(shell command -v link-parser 2>/dev/null)
CHROMIUM := $(shell command -v chromium || command -v chromium-browser)
POSTGRES := $(shell command -v initdb || ls /usr/lib/postgresql/*/bin/initdb 2>/dev/null)
NATIVE := $(wildcard native/*)
TORCH := $(wildcard $(BIN)/../lib/python3*/site-packages/torch)

.PHONY: try test sanitize docs site release clean

try: .venv/core
	$(BIN)/paraphrast styles "$$(cat examples/sentence.txt)"

# Tests start some hundred programs, which read what the first of them has compiled.
test: export PYTHONDONTWRITEBYTECODE =
test: .venv/dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
ifeq ($(TORCH),)
	@echo "torch is missing: leaving out the tests marked 'train'."
	@echo "To run them: .venv/bin/pip install --editable '.[train]'"
endif
ifeq ($(PARSER),)
	@echo "link-parser is missing: leaving out the tests marked 'parser'."
	@echo "To run them: apt-get install link-grammar link-grammar-dictionaries-en"
endif
ifeq ($(CHROMIUM),)
	@echo "chromium is missing: leaving out the tests marked 'browser'."
	@echo "To run them: apt-get install chromium"
endif
ifeq ($(POSTGRES),)
	@echo "PostgreSQL is missing: leaving out the tests marked 'postgres'."
	@echo "To run them: apt-get install postgresql"
endif
	$(BIN)/pytest -n 2 --dist loadfile -m "not data and not slow$(if $(PARSER),, and not parser)$(if $(TORCH),, and not train)$(if $(CHROMIUM),, and not browser)$(if $(POSTGRES),, and not postgres)"

# A build of its own beside the installed one, which stays as it is: -S leaves out the
# hook that finds the installed one. Python keeps memory to the end, so leaks are not
# looked for.
SANITIZED := build/sanitized
sanitize: .venv/dev
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps \
		--no-build-isolation --upgrade --target $(SANITIZED) \
		--config-settings=build-dir=build/sanitize \
		--config-settings=cmake.define.PARAPHRAST_SANITIZE=ON \
		--config-settings=install.strip=false .
	ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
		LD_PRELOAD="$$(g++ -print-file-name=libasan.so) $$(g++ -print-file-name=libstdc++.so)" \
		PYTHONPATH="$(SANITIZED):$$($(BIN)/python -c \
			"import sys; print(':'.join(p for p in sys.path if 'site-packages' in p))")" \
		$(BIN)/python -S -m pytest -p no:cacheprovider --capture=sys tests/test_phrase_*.py

# Needs the packs that README is to show; make docs then puts it there.
examples/every_style.json: examples/sentence.txt .venv/core
	$(BIN)/paraphrast styles --json --packs examples "$$(cat $<)" > $@

docs: .venv/dev
	$(BIN)/python -m docs.generate

site: .venv/docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict
	$(BIN)/python -m docs.check_site build/site
	@echo "To read it: $(BIN)/python -m http.server --bind 127.0.0.1 --directory build/site"

release: .venv/release
	$(BIN)/python -m release.build

clean:
	rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis

.venv/core: pyproject.toml $(NATIVE)
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --editable .
	touch $@

# What the extra names, without the package: the site reads its source alone, and a
# release is built and tried in environments of its own.
.venv/docs .venv/release: .venv/%: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -c "import tomllib; print(*tomllib.load(open('pyproject.toml', \
		'rb'))['project']['optional-dependencies']['$*'], sep='\n')" \
		| $(BIN)/pip install --quiet --disable-pip-version-check --requirement /dev/stdin
	touch $@

.venv/dev: pyproject.toml $(NATIVE)
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --editable ".[dev]"
	touch .venv/core $@
