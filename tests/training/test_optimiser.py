"""Muon and AdamW."""

import torch

from cwm_agent.engine.network import Network
from cwm_agent.engine.shape import shape_of_size
from cwm_agent.jobs.placement import Placement
from cwm_agent.training.data_feed import Feed
from cwm_agent.training.example import Share
from cwm_agent.training.optimiser import Optimiser, _stack, _unstack, orthogonalise
from cwm_agent.training.recipe import DataMix, Recipe
from cwm_agent.training.training_loop import Trainer, machines

COPIES = Share("copies", "cwm_agent.training.steps.copy_task:copies")


def test_orthogonalised_matrices_have_singular_values_near_one() -> None:
    """For any scale, all directions have about the same weight afterwards."""
    torch.manual_seed(0)
    found = orthogonalise(torch.randn(3, 32, 64) * torch.tensor([1e-3, 1.0, 1e3])[:, None, None])
    values = torch.linalg.svdvals(found.float())
    assert values.min() > 0.4
    assert values.max() < 1.4


def test_stacking_is_undone_by_unstacking() -> None:
    """Matrices and stacks of any orientation come back as they were."""
    parameters = [torch.randn(4, 6), torch.randn(2, 6, 4), torch.randn(4, 6)]
    found = _unstack(_stack(parameters), parameters)
    assert all(torch.equal(one, other) for one, other in zip(parameters, found, strict=True))


def test_muon_updates_matrices_and_adamw_all_other_parameters() -> None:
    """AdamW updates embedding, head, gains and convolutions; every parameter is in one of the two."""
    network = Network(shape_of_size("tiny"))
    optimiser = Optimiser(network, rate=1.0, adam_rate=1.0, weight_decay=0.0, clip=1.0, compiled=False)
    muon = {id(parameter) for group in optimiser.muon.groups.values() for parameter in group}
    names = {name.split(".")[-1] for name, parameter in network.named_parameters() if id(parameter) in muon}
    assert names == {"query_key_value", "attention_out", "gate_up", "down"}
    assert len(optimiser.parameters) == len(list(network.parameters()))


def test_the_loss_falls_within_twenty_steps() -> None:
    """Network, packing, objective and optimiser learn together."""
    torch.manual_seed(0)
    recipe = Recipe(DataMix((COPIES,), 128), size="1", batch=4)
    trainer = Trainer(Network(shape_of_size("1")), recipe, machines(recipe)[0])
    feed = Feed(recipe.data_mix, batch=4, placement=Placement(0, apart=True))
    found = [trainer.step(trainer.load(feed.next()), 1.0).figures[1].item() for _ in range(20)]
    assert found[-1] < 0.6 * found[0]


def test_an_optimiser_resumes_from_its_saved_state() -> None:
    """Restored momentum makes the next step the same."""
    data_mix = DataMix((COPIES,), 64)
    recipe = Recipe(data_mix, size="1", batch=1)
    rows = Feed(data_mix, batch=1, placement=Placement(0, apart=True)).next()

    def trainer(network: Network) -> Trainer:
        return Trainer(network, recipe, machines(recipe)[0])

    torch.manual_seed(0)
    first = trainer(Network(shape_of_size("1")))
    first.step(first.load(rows), 1.0)
    copy = Network(shape_of_size("1"))
    copy.load_state_dict(first.network.state_dict())
    second = trainer(copy)
    second.optimiser.restore(first.optimiser.state())
    for each in (first, second):
        each.step(each.load(rows), 1.0)
    for one, other in zip(first.network.parameters(), copy.parameters(), strict=True):
        torch.testing.assert_close(one, other)
