"""Search over any world that lists its actions and answers batches of moves; knows no program and no oracle.

Write a `Model`, choose a `Planner` (MCTS, Beam, BestFirst, RandomShooting, Exhaustive), call `plan(model,
state, limits, rng)`. For search by hand: `planner.search(...)`, then `ask`, `tell`, `correct`, `plan`. Open `plan.py`
first for the protocols; `tree/` has Monte-Carlo tree search, `paths/` the planners that extend paths.
"""

from planners.check import check_model
from planners.drive import drive, plan_with, run
from planners.errors import BadModel, BadOption, BadPlanner, BadSnapshot, BadTicket, ModelFailed, PlannerError
from planners.limits import Limits, Spent
from planners.model import Answer, End, Model, Move, Offers, Refused, Step
from planners.paths.beam import Beam
from planners.paths.best_first import BestFirst
from planners.paths.exhaustive import Exhaustive
from planners.paths.path import Book, Growing, Path
from planners.paths.path_search import PathPlanner, PathSearch
from planners.paths.shooting import RandomShooting
from planners.plan import Leaf, Plan, Planner, Search
from planners.tree.export import score_terms, to_networkx, tree_text
from planners.tree.mcts import MCTS
from planners.tree.readout import read_plan
from planners.tree.reality import advance, correct
from planners.tree.scores import Gumbel, Widening
from planners.tree.snapshot import Codec, dump_search, load_search
from planners.tree.tree import Fan, Node, Tree
from planners.tree.tree_search import TreeSearch

__all__ = [
    "MCTS",
    "Answer",
    "BadModel",
    "BadOption",
    "BadPlanner",
    "BadSnapshot",
    "BadTicket",
    "Beam",
    "BestFirst",
    "Book",
    "Codec",
    "End",
    "Exhaustive",
    "Fan",
    "Growing",
    "Gumbel",
    "Leaf",
    "Limits",
    "Model",
    "ModelFailed",
    "Move",
    "Node",
    "Offers",
    "Path",
    "PathPlanner",
    "PathSearch",
    "Plan",
    "Planner",
    "PlannerError",
    "RandomShooting",
    "Refused",
    "Search",
    "Spent",
    "Step",
    "Tree",
    "TreeSearch",
    "Widening",
    "advance",
    "check_model",
    "correct",
    "drive",
    "dump_search",
    "load_search",
    "plan_with",
    "read_plan",
    "run",
    "score_terms",
    "to_networkx",
    "tree_text",
]
