"""The rules by which decompose rewrites functions to one operation a line; one module for each construct.

    if_statements       if, elif, else
    loops               while, for
    try_statements      try, except, finally
    with_statements     with
    match_statements    match
    simple_statements   assignments, return, raise, del, import, assert and other statements of one line
    assignment_targets  what stands left of `=` or after `for`
    functions           def and lambda
    generators          yield and yield from
    expressions         operators, attributes, subscripts
    boolean_operators   and, or, comparisons and conditional expressions
    displays            lists, dicts, sets, tuples and f-strings
    calls               calls and their arguments
    callbacks           map and filter with functions of the program
    key_functions       sorted, sort, max and min with a key
    string_methods      string operations as loops over characters (level `characters`)
    comprehensions/     comprehensions and generator expressions

Open `simple_statements.py` first: it holds the table of rules. Knows no trace and no oracle.
"""
