"""Rewritings of a whole program before its lines are written: what C code would call for it becomes code of its own.

    coroutines          async functions that only await their own coroutines
    local_classes       classes of a function's body
    module_lambdas      lambdas of the module level
    context_managers    with over generators of contextlib.contextmanager
    managing_methods    the same where it is a method
    cached_properties   functools.cached_property
    class_rewrites      total_ordering, __slots__
    decorator_rewrites  functions decorated by functions of the program
    value_methods       methods of enums and named tuples
    default_factories   items of a defaultdict whose factory is a function of the program
    operator_rewrites   sort, sum, max, in, heapq over objects that have operators
    library_rewrites    functools, itertools, re with functions of the program; getter_rewrites: operator
    *_helpers           the functions that take their place, as source
    cache_rewrites      functools.cache and lru_cache
    method_rewrites     deque.rotate
    library_names       which names surely mean the library's, which ones are free; from itertools import *
    written_functions   where such code stands: in front of the program, if its classes are there in time

Each changes a syntax tree and keeps the program's behaviour; a program that it cannot rewrite exactly stays as it is.
Open `whole_programs.py` first: it says the order. Knows no line writer, no trace and no oracle.
"""
