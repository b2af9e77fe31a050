# `make check` is what CI runs; `make quick` is the same in the environment you have.
check:
	bash .ci/run

quick:
	ruff check . && ruff format --check . && mypy && pytest -n auto -q

.PHONY: check quick
