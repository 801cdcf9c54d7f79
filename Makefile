PYTHON ?= python3
BIN := .venv/bin
# What the demo needs, and what tests and docs need on top of it.
DEMO := .venv/demo
READY := .venv/ready

.PHONY: demo test check coverage lint lint-page bench docs pictures gallery dist clean

demo: $(DEMO)
	$(BIN)/hypcse demo

test: $(READY) lint
	$(BIN)/python -m pytest -n 2 --dist worksteal

# What to run while working: lint, and the tests that take less than a second or so.
check: $(READY) lint
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not slow" tests/graph tests/tree tests/entropy tests/search tests/partitions

coverage: $(READY)
	$(BIN)/python -m pytest -n 2 --dist worksteal --cov --cov-report=term

lint: $(READY) lint-page
	$(BIN)/ruff check --no-cache .
	$(BIN)/ruff format --no-cache --check .
	$(BIN)/mypy
	$(BIN)/codespell

# The page's JavaScript, where there is a node that its checkers run on and they are or can be installed.
lint-page:
	.ci/lint-page

bench: $(READY)
	$(BIN)/python -m benchmarks run

docs: $(READY)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict --site-dir site
	@echo "open site/index.html"

pictures: $(READY)
	$(BIN)/python examples/picture.py
	$(BIN)/python examples/pictures/concepts.py
	$(BIN)/python examples/pictures/parameters.py
	$(BIN)/python examples/pictures/page.py
	$(BIN)/python examples/pictures/toys.py

gallery: $(READY)
	$(BIN)/python -m gallery

# A wheel and a source distribution in dist/, installed into a new environment and tested there.
dist: $(READY)
	rm -rf dist
	$(BIN)/python -m build --outdir dist .
	.ci/check-dist $(BIN)/python

clean:
	find src tests benchmarks gallery -name __pycache__ -type d -prune -exec rm -rf {} +
	rm -rf site demo dist .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(DEMO): pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable .
	touch $(DEMO)

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev,docs]'
	touch $(DEMO) $(READY)
