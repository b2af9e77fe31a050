"""Asserts under `if __name__ == "__main__":` of a program, as tests; they stand where many people first write them."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tasks.errors import Problem, TaskError, shortened
from tasks.reading.program_text import parse, unparsed
from tasks.suites import read_suite
from tasks.task import Test


def read_main_block(path: Path, source: str, entry: str) -> Iterator[Test | Problem]:
    """The tests of the block; a problem where they cannot be read, nothing where there is none."""
    for statement in parse(source).body:
        if isinstance(statement, ast.If) and "__name__" in unparsed(statement.test):
            try:
                yield from read_suite(statement.body, entry)
            except TaskError as error:
                yield Problem(path, statement.lineno, "tests", shortened(str(error)))


def block_text(source: str) -> str:
    """The text of the block, for finding the function that it calls most."""
    try:
        body = parse(source).body
    except TaskError:
        return ""
    blocks = [part for part in body if isinstance(part, ast.If) and "__name__" in unparsed(part.test)]
    return "\n".join(map(unparsed, blocks))
