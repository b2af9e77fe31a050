"""Programs whose objects have operators that builtins use, and other code that C would call; each is called as `f()`."""

from decorator_programs import DECORATORS
from ordering_programs import ORDERINGS
from record_programs import RECORDS

OPERATORS: dict[str, tuple[str, str]] = ORDERINGS | RECORDS | DECORATORS
