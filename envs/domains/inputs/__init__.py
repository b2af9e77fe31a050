"""Inputs that no test has: on these, programs that all pass the tests are compared with one another.

    input_variation.py    the tests' own arguments with changes that keep their types
    function_variation.py the same for tests of several steps, which build objects and call their methods
    argument_types.py     the types of a function's parameters, from its annotations or its tests
    typed_inputs.py       arguments of these types, by Hypothesis
    symbolic_inputs.py    arguments on which two programs differ, by CrossHair in the sandbox

Open `input_variation.py` first: it is what every run uses. Knows no candidate, no oracle and no agent.
"""
