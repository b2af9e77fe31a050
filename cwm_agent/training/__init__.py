"""Making the embedded model: examples, packing, feeding, optimiser, loop and evaluation; knows no view.

Examples come from any callable `(seed) -> Iterator[Example]` named `module:function`; what they teach is its
business. Needs torch, numpy and safetensors, nothing else.
"""
