"""Small networks with random weights, large enough that every parameter changes the output."""

import torch

from cwm_agent.engine.network import Network
from cwm_agent.engine.shape import shape_of_size
from cwm_agent.engine.tokenizer import BYTES
from cwm_agent.engine.weights import TrainedModel


def random_network(seed: int = 0, size: str = "tiny") -> Network:
    """A network in which the zero-initialised parameters are random too."""
    torch.manual_seed(seed)
    network = Network(shape_of_size(size))
    for parameter in network.parameters():
        torch.nn.init.normal_(parameter, std=0.2)
    return network


def random_model(seed: int = 0, size: str = "tiny") -> TrainedModel:
    """The same network as a model."""
    return TrainedModel(random_network(seed, size), BYTES, {}, "random")
