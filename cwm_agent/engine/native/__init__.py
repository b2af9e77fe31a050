"""The forward pass in C, for processors whose int8 products are fast; built when the package is installed.

Open `native_pass.py` first: it says whether the library is there, and calls it. `int8_pass.c` is the pass itself;
`native_forward.py` and `native_tree.py` are what the engine and the tree scorer call; weights lie in the memory of
`aligned_memory.py`. Nothing here imports torch.
"""
