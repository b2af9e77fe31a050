"""Search over any world that lists its actions and answers batches of moves; knows no program and no oracle.

Write a `Model`, choose a `Planner` (MCTS, Beam, BestFirst, RandomShooting, Exhaustive), call `plan(model,
state, limits, rng)`. For search by hand: `planner.search(...)`, then `ask`, `tell`, `correct`, `plan`. Open `plan.py`
first for the protocols; `tree/` has Monte-Carlo tree search, `paths/` the planners that extend paths, `chance/` and
`belief/` the planners for random worlds and hidden states, `players/` the search in games.
"""

from planners.belief.open_loop import OpenLoopMCTS
from planners.belief.particles import Observes, ParticleBelief, update_belief
from planners.belief.pomcp import POMCP
from planners.chance.chance_mcts import ChanceMCTS, KnownOdds
from planners.check import check_model
from planners.drive import drive, plan_with, run
from planners.errors import (
    BadGame,
    BadModel,
    BadOption,
    BadPlanner,
    BadSnapshot,
    BadTicket,
    ModelFailed,
    NoParticles,
    PlannerError,
)
from planners.limits import Limits, Spent
from planners.model import Answer, End, LatePrior, Model, Move, Offers, Refused, Step
from planners.paths.beam import Beam
from planners.paths.best_first import BestFirst
from planners.paths.exhaustive import Exhaustive
from planners.paths.path import Book, Growing, Path
from planners.paths.path_search import PathPlanner, PathSearch
from planners.paths.shooting import RandomShooting
from planners.plan import Leaf, Plan, Planner, Search
from planners.players.game import Game, play
from planners.players.game_check import check_game
from planners.players.game_mcts import GameMCTS
from planners.players.information_sets import ISMCTS
from planners.tree.export import score_terms, to_networkx, tree_text
from planners.tree.mcts import MCTS
from planners.tree.readout import read_plan
from planners.tree.reality import advance, correct
from planners.tree.scores import Gumbel, Widening
from planners.tree.snapshot import Codec, dump_search, load_search
from planners.tree.tree import Fan, Node, Tree
from planners.tree.tree_search import TreeSearch

__all__ = [
    "ISMCTS",
    "MCTS",
    "POMCP",
    "Answer",
    "BadGame",
    "BadModel",
    "BadOption",
    "BadPlanner",
    "BadSnapshot",
    "BadTicket",
    "Beam",
    "BestFirst",
    "Book",
    "ChanceMCTS",
    "Codec",
    "End",
    "Exhaustive",
    "Fan",
    "Game",
    "GameMCTS",
    "Growing",
    "Gumbel",
    "KnownOdds",
    "LatePrior",
    "Leaf",
    "Limits",
    "Model",
    "ModelFailed",
    "Move",
    "NoParticles",
    "Node",
    "Observes",
    "Offers",
    "OpenLoopMCTS",
    "ParticleBelief",
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
    "check_game",
    "check_model",
    "correct",
    "drive",
    "dump_search",
    "load_search",
    "plan_with",
    "play",
    "read_plan",
    "run",
    "score_terms",
    "to_networkx",
    "tree_text",
    "update_belief",
]
