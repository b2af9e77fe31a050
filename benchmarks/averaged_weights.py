"""Averages two sets of weights of one network: what training on new data gained and what it lost lie in between.

    python -m benchmarks.averaged_weights OLD NEW --share 0.5 --out runs/averaged

Every weight is (1 - share) of OLD's and share of NEW's, in fp32; matrices are rounded to int8 afterwards, as both were.
NEW should be trained on from OLD: networks that were trained apart have no useful average. The card is NEW's, with a
line that says so.
"""

import argparse
from pathlib import Path

from cwm_agent.engine import weights
from cwm_agent.engine.weights import TrainedModel, WeightsError
from tasks.output.terminal_text import print_line


def average(old: TrainedModel, new: TrainedModel, share: float, out: Path) -> None:
    """Write the average to `out`; ValueError for networks of different shapes."""
    if old.shape != new.shape:
        raise ValueError(f"The networks differ in shape: {old.shape} and {new.shape}.")
    before, network = old.network.state_dict(), new.network
    mixed = {name: (1 - share) * before[name] + share * value for name, value in network.state_dict().items()}
    network.load_state_dict(mixed)
    entry = {"average": {"of": [old.fingerprint, new.fingerprint], "share": share}}
    card = {**new.card, "runs": [*new.card.get("runs", []), entry]}
    weights.save(network, out, card, rounded=True)


def main(argv: list[str] | None = None) -> None:
    """Load both, average, save."""
    assert __doc__ is not None
    command = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    command.add_argument("old", type=Path, help="folder of weights")
    command.add_argument("new", type=Path, help="folder of weights that were trained on from the old ones")
    command.add_argument("--share", type=float, default=0.5, help="how much of the new ones (default: 0.5)")
    command.add_argument("--out", type=Path, required=True, help="folder for the average")
    options = command.parse_args(argv)
    if not 0 <= options.share <= 1:
        command.error("--share must lie between 0 and 1")
    try:
        average(weights.load(options.old), weights.load(options.new), options.share, options.out)
    except (WeightsError, ValueError) as error:
        command.error(str(error))
    print_line(f"wrote {options.out}")


if __name__ == "__main__":
    main()
