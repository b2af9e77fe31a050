"""Fits linear models: a ranking by softmax over lists, and a probability by the logistic function.

Both minimise the mean negative log-likelihood plus a penalty on the squared distance from given weights, by gradient
descent with a fixed number of steps; equal data give equal weights. Knows no edit and no episode.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
STEPS = 400
RATE = 0.05


def fit_ranking(lists: Sequence[tuple[Matrix, int]], start: Vector, *, penalty: float = 0.01) -> Vector:
    """Weights under which the chosen row of each list gets a high probability; `start` is what no data would give."""

    def gradient(weights: Vector) -> Vector:
        total = np.zeros_like(weights)
        for rows, chosen in lists:
            total += softmax(rows @ weights) @ rows - rows[chosen]
        return total / len(lists) + 2 * penalty * (weights - start)

    return _descend(start, gradient)


def fit_probability(rows: Matrix, labels: Vector, *, penalty: float = 0.01) -> Vector:
    """Weights under which rows with label 1 get a high probability; positive and negative rows count alike together."""
    share = min(max(float(labels.mean()), 1e-3), 1 - 1e-3)
    importance = np.where(labels > 0, 0.5 / share, 0.5 / (1 - share))

    def gradient(weights: Vector) -> Vector:
        error = (sigmoid(rows @ weights) - labels) * importance
        found: Vector = error @ rows / len(rows) + 2 * penalty * weights
        return found

    return _descend(np.zeros(rows.shape[1]), gradient)


def _descend(start: Vector, gradient: Callable[[Vector], Vector]) -> Vector:
    """Adam's steps from a start."""
    weights, mean, square = start.copy(), np.zeros_like(start), np.zeros_like(start)
    for step in range(1, STEPS + 1):
        slope = gradient(weights)
        mean, square = 0.9 * mean + 0.1 * slope, 0.99 * square + 0.01 * slope**2
        weights = weights - RATE * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
    return weights


def softmax(scores: Vector) -> Vector:
    """Probabilities that add up to one."""
    found = np.exp(scores - scores.max())
    return np.asarray(found / found.sum(), dtype=np.float64)


def sigmoid(scores: Vector) -> Vector:
    found: Vector = 1 / (1 + np.exp(-np.clip(scores, -30, 30)))
    return found
