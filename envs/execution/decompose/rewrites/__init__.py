"""Rewritings of a whole program before its lines are written: what C code would call for it becomes code of its own.

    asynchronous/       async functions that only await their own coroutines
    classes/            total_ordering, dataclass order, __slots__, __new__, __missing__, replace; inner classes;
                        metaclasses
    iteration/          zip with strict=True, generator.throw and close
    module_lambdas      lambdas of the module level
    managers/           with over generators and methods of contextlib.contextmanager, suppress, closing, ExitStack
    decorated/          functions, methods and classes that the program decorates, or functools: caches, singledispatch
    value_methods       methods of enums and named tuples
    default_factories   items of a defaultdict whose factory is a function of the program
    operator_rewrites   sort, sum, max, in, heapq over objects that have operators
    library_rewrites    functools, itertools, re with functions of the program; getter_rewrites: operator
    *_helpers           the functions that take their place, as source
    method_rewrites     deque.rotate
    library_names       which names surely mean the library's, which ones are free; from itertools import *
    written_functions   where such code stands: in front of the program, if its classes are there in time

Each changes a syntax tree and keeps the program's behaviour; a program that it cannot rewrite exactly stays as it is.
Open `whole_programs.py` first: it says the order. Knows no line writer, no trace and no oracle.
"""
