"""Small networks with weights large enough that every part matters."""

import torch

from cwm_agent.engine.network import Network, shape_of_size
from cwm_agent.engine.tokenizer import BYTES
from cwm_agent.engine.weights import TrainedModel


def rough_network(seed: int = 0, size: str = "tiny") -> Network:
    """A network whose zero-initialised parts are random too."""
    torch.manual_seed(seed)
    network = Network(shape_of_size(size))
    for parameter in network.parameters():
        torch.nn.init.normal_(parameter, std=0.2)
    return network


def rough_model(seed: int = 0) -> TrainedModel:
    """The same as a model."""
    return TrainedModel(rough_network(seed), BYTES, {}, "rough")
