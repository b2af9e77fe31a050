"""Inference engine of the small models: bytes in, bytes out. It knows no program, no frame and no view.

What is inside, in reading order:

    tokenizer              bytes and special tokens as ids
    network, attention     the transformer, as training uses it
    weights                models on disk
    forward_pass           the same network for inference, with a KV cache (`kv_cache`, `positions`)
    products               products with fixed matrices, also in int8
    native                 a whole pass in C, for processors with fast int8 products
    prefix_cache           keys and values of earlier prompts, so that equal beginnings are computed once
    decoding               scheduler, drafts that a step checks, requests that join and leave a running batch
    accelerator            several tokens per row without the host, as CUDA graphs; on accelerators only
    engine_sizes           how large batches and caches are: fast on the device, within its free memory
    engine                 `Engine`: completes and scores prompts in batches; open it first
    tree_scoring           many completions of one prompt, scored as one tree, for the edit policy
    threads, heavy_imports settings that make torch start and wait well; they do not import it

The views that call the engine decide what the bytes mean; `cwm_agent.training` makes the weights. Importing this
package does not import torch. It sets how torch's threads wait, which works only before torch is imported.
"""

from cwm_agent.engine.threads import use_passive_wait

use_passive_wait()
