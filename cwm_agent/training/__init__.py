"""Training of the models: examples, packing into rows, data feed, optimiser, loop and evaluation.

    patterns/          single lines, with typed slots
    tables/            the text tables that lines and programs are drawn from (`text_tables.py`)
    values/            random values for the slots
    program_writer/    random programs
    steps/             examples of the world model, made by real execution
    policy/            examples of the edit policy, made by bug injection

An example comes from a source: any callable `(seed) -> Iterator[Example]`, named `module:function`. The modules in this
folder do not know what the examples teach. They need torch, numpy and safetensors only. Open `training_run.py` first,
then `example.py`.
"""
