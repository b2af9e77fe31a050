"""Inference engine of the small models: bytes in, bytes out. It knows no program, no frame and no view.

What is inside, in reading order:

    tokenizer              bytes and special tokens as ids
    network, attention     the transformer, as training uses it
    weights                models on disk
    forward_pass           the same network for inference, with a KV cache (`kv_cache`, `positions`, `matrix_products`)
    prefix_cache           keys and values of earlier prompts, so that equal beginnings are computed once
    scheduler              which row computes which tokens in the next step
    speculative_decoding   draft tokens, several of which one step checks (`acceptance_rates`: how many pay)
    accelerator            several tokens per row without the host, as CUDA graphs; on accelerators only
    continuous_batching    requests that join and leave a running batch
    engine                 `Engine`: completes and scores prompts in batches; open it first
    token_streams          rows that grow token by token, for the history view
    tree_scoring           many completions of one prompt, scored as one tree, for the edit policy
    threads, heavy_imports settings that make torch start and wait well; they do not import it

The views that call the engine decide what the bytes mean; `cwm_agent.training` makes the weights. Importing this
package does not import torch. It sets how torch's threads wait, which works only before torch is imported.
"""

from cwm_agent.engine.threads import use_passive_wait

use_passive_wait()
