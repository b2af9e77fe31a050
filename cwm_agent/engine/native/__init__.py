"""The forward pass in C, for processors whose int8 products are fast; built when the package is installed.

int8_pass.c     the pass itself
native_pass     the same for Python; says whether it is there
"""
