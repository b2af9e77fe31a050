"""Inference engine of the small models: bytes in, bytes out. It knows no program, no frame and no view.

What is inside, in reading order:

    tokenizer              bytes and special tokens as ids
    shape                  the numbers that determine a network
    network, attention     the transformer, as training uses it
    weights                models on disk; `layer_parameters`: as arrays
    native                 the network for inference by a library in C over numpy, where int8 products are fast
    forward_pass           the same by torch, on any device (`positions`, `block_end`, `products`)
    kv_cache               keys and values of a batch, in the memory of either (`arrays`)
    prefix_cache           keys and values of earlier prompts, so that equal beginnings are computed once
    decoding               scheduler, drafts that a step checks, requests that join and leave a running batch; its
                           `protocol` is what the two kinds of passes have in common
    accelerator            several tokens per row without the host, as CUDA graphs; on accelerators only
    engine_sizes           how large batches and caches are: fast on the device, within its free memory
    engine                 `Engine`: completes and scores prompts in batches; open it first
    tree_scoring           many completions of one prompt, scored as one tree, for the edit policy
    threads, heavy_imports settings that make torch start and wait well; they do not import it

The views that call the engine decide what the bytes mean; `cwm_agent.training` makes the weights. Torch is imported
only where it computes: for other precisions than int8, accelerators and training. Importing this package sets how
torch's threads wait, which works only before torch is imported.
"""

from cwm_agent.engine.threads import use_passive_wait

use_passive_wait()
