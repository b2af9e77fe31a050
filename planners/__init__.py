"""Search over any world that can say its actions and take a batch of steps; knows no program and no oracle.

Write a `Model`, choose a `Planner` (MCTS, Beam, BestFirst, RandomShooting, Exhaustive), call `plan(model,
state, limits, rng)`. For search by hand: `MCTS(...).search(...)`, then `ask`, `tell`, `release`, `run`.
"""

from planners.beam import Beam
from planners.best_first import BestFirst
from planners.check import check_model
from planners.errors import BadModel, BadOption, BadSnapshot, BadTicket, ModelFailed, PlannerError
from planners.exhaustive import Exhaustive
from planners.export import score_terms, to_networkx, tree_text
from planners.limits import Limits, Spent
from planners.mcts import MCTS, run
from planners.model import Answer, Model, Move, Refused, Step
from planners.plan import Plan, Planner
from planners.readout import read_plan
from planners.reality import advance, correct
from planners.scores import Gumbel, Widening
from planners.search import Leaf, Search
from planners.shooting import RandomShooting
from planners.snapshot import Codec, dump_search, load_search
from planners.tree import Fan, Node, Tree

__all__ = [
    "MCTS",
    "Answer",
    "BadModel",
    "BadOption",
    "BadSnapshot",
    "BadTicket",
    "Beam",
    "BestFirst",
    "Codec",
    "Exhaustive",
    "Fan",
    "Gumbel",
    "Leaf",
    "Limits",
    "Model",
    "ModelFailed",
    "Move",
    "Node",
    "Plan",
    "Planner",
    "PlannerError",
    "RandomShooting",
    "Refused",
    "Search",
    "Spent",
    "Step",
    "Tree",
    "Widening",
    "advance",
    "check_model",
    "correct",
    "dump_search",
    "load_search",
    "read_plan",
    "run",
    "score_terms",
    "to_networkx",
    "tree_text",
]
