"""Programs with classes and generators of their own; every one must be Markov."""

from class_programs import CLASSES
from generator_programs import GENERATORS
from inheritance_programs import INHERITANCE

OBJECTS: dict[str, tuple[str, str]] = INHERITANCE | CLASSES | GENERATORS
