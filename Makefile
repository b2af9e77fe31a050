# `make check` is what CI runs; `make quick` is the same in the environment you have.
check:
	bash .ci/run

quick:
	ruff check . && ruff format --check . && mypy && pytest -n auto -q

docs:
	NO_MKDOCS_2_WARNING=1 mkdocs build --strict

.PHONY: check quick docs
