"""Greedy decoding on a CUDA device. It knows no prompts and no bytes.

What is inside, in reading order:

    greedy_decoder   several tokens per row without the host, each step recorded as a CUDA graph; open it first
    decode_kernels   Triton kernels for what lies between the matrix products of a layer
"""
