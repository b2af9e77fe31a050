"""Many continuations of one text, scored or searched for: the text is read once and its keys are shared by all.

The engine asks many different questions, each with a memory of its own. Here thousands of short answers go on from one
long text, so what they look back at is one set of keys for all. Answers that begin alike are one tree, in which every
token looks back at its ancestors. The same function as `Network.forward` with the text as context. Knows no meaning of
the bytes.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor
from torch.nn import functional

from cwm_agent.engine.engine import Precision, chosen_type
from cwm_agent.engine.matrix_products import Product, gated, product, rounded
from cwm_agent.engine.network import EPSILON, HEAD_WIDTH, TransformerBlock, apply, rms_norm, rotate, rotation
from cwm_agent.engine.tokenizer import Tokenizer
from cwm_agent.engine.weights import TrainedModel

TOKENS_AT_ONCE = 512
"""Of a tree in one pass: enough for full speed, few enough for the cache."""


@dataclass(frozen=True, slots=True)
class Continuation:
    """An answer that was found."""

    text: bytes
    logprob: float
    """Of the answer and its END, in nats."""


@dataclass(slots=True)
class _Seen:
    """What one layer remembers of the tokens that were read."""

    inputs: Tensor
    """(tokens, width)."""
    keys: Tensor
    """(heads, tokens, head width)."""
    values: Tensor


@dataclass(slots=True)
class Trunk:
    """A text that was read, to be gone on from."""

    length: int
    layers: list[_Seen] = field(default_factory=list)


@dataclass(slots=True)
class _Tree:
    """Tokens that stand behind a trunk, each behind its parent."""

    tokens: list[int] = field(default_factory=list)
    paths: list[list[int]] = field(default_factory=list)
    """Of each token: its ancestors from the first on, and itself."""
    _children: dict[tuple[int, int], int] = field(default_factory=dict)

    def add(self, parent: int, token: int) -> int:
        """The node of a token behind another, made if it is new; -1 is the parent of the first."""
        node = self._children.get((parent, token))
        if node is None:
            node = self._children[parent, token] = len(self.tokens)
            self.tokens.append(token)
            self.paths.append([*(self.paths[parent] if parent >= 0 else ()), node])
        return node

    def extend(self, parent: int, tokens: Sequence[int]) -> int:
        """The last node of a text behind a token."""
        for token in tokens:
            parent = self.add(parent, token)
        return parent

    def mask(self, first: int, trunk: int) -> Tensor:
        """0 where a token from the first on may look, at the trunk and at its own path, and next to nothing elsewhere.

        (tokens from the first on, trunk and all tokens)
        """
        paths = self.paths[first:]
        found = torch.full((len(paths), trunk + len(self.tokens)), torch.finfo(torch.bfloat16).min)
        found[:, :trunk] = 0.0
        rows = torch.repeat_interleave(torch.arange(len(paths)), torch.tensor([len(path) for path in paths]))
        found[rows, trunk + torch.tensor([node for path in paths for node in path])] = 0.0
        return found

    def earlier(self, first: int, window: int) -> Tensor:
        """The last so many ancestors of each token from the first on, itself first; -1 for none; (window, tokens)."""
        padded = ([*([-1] * (window - len(path))), *path[-window:]][::-1] for path in self.paths[first:])
        return torch.tensor(list(padded)).T


class TreeScoring:
    """A network made ready for many answers to one question."""

    def __init__(self, model: TrainedModel, *, precision: Precision = "auto") -> None:
        network = model.network
        self.encoding: Tokenizer = model.encoding
        self.shape, self.dtype = network.shape, chosen_type(precision, torch.device("cpu"))
        self._embedding, self._head = network.embedding.detach(), network.head.detach()
        self._final_gain = network.final_gain.detach()
        self._blocks = [_Layer(block, self.dtype) for block in network.blocks if isinstance(block, TransformerBlock)]

    @torch.inference_mode()
    def read(self, text: bytes) -> Trunk:
        """The text as a trunk."""
        line, trunk = _Tree(), Trunk(len(text))
        line.extend(-1, text)
        self._pass(line, 0, 0, None, trunk.layers)
        return trunk

    @torch.inference_mode()
    def score(self, trunk: Trunk, answers: Sequence[bytes], *, whole: Sequence[bool] | None = None) -> list[float]:
        """The log-probability of each answer with its END, or of all answers that begin so where it is not whole."""
        found = [0.0] * len(answers)
        for batch in self._batches(answers):
            tree = self._rooted()
            leaves = [tree.extend(1, answers[at]) for at in batch]
            chances = self._chances(self._pass(tree, 0, trunk.length, trunk, []))
            sums = _sums(tree, chances)
            ends = chances[:, self.encoding.end].tolist()
            for at, leaf in zip(batch, leaves, strict=True):
                found[at] = sums[leaf] + (ends[leaf] if whole is None or whole[at] else 0.0)
        return found

    @torch.inference_mode()
    def search(self, trunk: Trunk, width: int, *, limit: int = 160) -> list[Continuation]:
        """The likeliest answers that a beam of that width finds, the best first, at most as many."""
        tree, seen = self._rooted(), list[_Seen]()
        beam, logprobs, first = [1], torch.zeros(1), 0
        found: list[Continuation] = []
        for _ in range(limit):
            chances = self._chances(self._pass(tree, first, trunk.length, trunk, seen)[-len(beam) :])
            found += self._ended(tree, beam, (logprobs + chances[:, self.encoding.end]).tolist())
            found = sorted(found, key=lambda each: -each.logprob)[:width]
            going = (logprobs[:, None] + chances)[:, :256]
            best = going.flatten().topk(min(width, going.numel()))
            if len(found) == width:
                best_kept = best.values > found[-1].logprob  # what is worse already only gets worse
                best = type(best)((best.values[best_kept], best.indices[best_kept]))
            if not len(best.values):
                break
            first, logprobs = len(tree.tokens), best.values
            beam = [tree.add(beam[at // 256], at % 256) for at in best.indices.tolist()]
        return found

    def _ended(self, tree: _Tree, beam: Sequence[int], logprobs: Sequence[float]) -> Iterator[Continuation]:
        """The answers of a beam, as if they ended here."""
        for node, logprob in zip(beam, logprobs, strict=True):
            yield Continuation(self.encoding.decode(tree.tokens[each] for each in tree.paths[node]), logprob)

    def _rooted(self) -> _Tree:
        """A tree of START and ASK; answers stand behind the second."""
        tree = _Tree()
        tree.extend(-1, (self.encoding.start, self.encoding.ask))
        return tree

    def _batches(self, answers: Sequence[bytes]) -> Iterator[list[int]]:
        """Places of answers that begin alike, as many as make a tree of the size wanted."""
        batch, tree = list[int](), self._rooted()
        for at in sorted(range(len(answers)), key=lambda each: answers[each]):
            if batch and len(tree.tokens) + len(answers[at]) > TOKENS_AT_ONCE:
                yield batch
                batch, tree = [], self._rooted()
            tree.extend(1, answers[at])
            batch.append(at)
        if batch:
            yield batch

    def _chances(self, stream: Tensor) -> Tensor:
        return apply(self._head, rms_norm(stream, self._final_gain)).log_softmax(dim=-1)

    def _pass(self, tree: _Tree, first: int, place: int, trunk: Trunk | None, seen: list[_Seen]) -> Tensor:
        """The stream behind each token of a tree from the first on; `seen` is of those before, and grows."""
        tokens, depths = torch.tensor(tree.tokens[first:]), [len(path) - 1 for path in tree.paths[first:]]
        turn = rotation(torch.tensor(depths) + place, self.shape.rotation_base)
        mask = tree.mask(first, trunk.length if trunk else 0).to(self.dtype)
        earlier = tree.earlier(first, self.shape.window)
        stream = functional.embedding(tokens, self._embedding)
        for at, layer in enumerate(self._blocks):
            if at == len(seen):
                seen.append(_nothing(self.shape.heads, self.shape.width, self.dtype))
            stream = layer(stream, turn, mask, earlier, seen[at], trunk.layers[at] if trunk else None)
        return stream


class _Layer:
    """One block in the form it is asked in."""

    def __init__(self, block: TransformerBlock, dtype: torch.dtype) -> None:
        self.dtype, self.heads = dtype, block.heads
        self.attention_gain, self.feed_gain = block.attention_gain.detach(), block.feed_gain.detach()
        self.gains = torch.stack((block.query_gain.detach(), block.key_gain.detach()))[:, None, None]
        self.taps = block.convolution.taps.detach()
        self.query_key_value: Product = product(block.query_key_value.detach().flatten(0, 1).to(dtype).contiguous())
        self.out: Product = product(block.attention_out.detach().to(dtype).contiguous())
        self.gate_up: Product = gated(*block.gate_up.detach().to(dtype).contiguous())
        self.down: Product = product(block.down.detach().to(dtype).contiguous())

    def __call__(
        self,
        stream: Tensor,
        turn: tuple[Tensor, Tensor],
        mask: Tensor,
        earlier: Tensor,
        seen: _Seen,
        trunk: _Seen | None,
    ) -> Tensor:
        count = len(stream)
        seen.inputs = torch.cat((seen.inputs, rms_norm(stream, self.attention_gain)))
        split = _even(self.query_key_value, self._convolved(seen.inputs, earlier).to(self.dtype))
        parts = split.view(count, 3, self.heads, HEAD_WIDTH).permute(1, 2, 0, 3)
        unit = functional.rms_norm(parts[:2].float(), (HEAD_WIDTH,), None, EPSILON) * self.gains
        queries, keys = rotate(unit, *turn).to(self.dtype)
        seen.keys = torch.cat((seen.keys, keys), dim=1)
        seen.values = torch.cat((seen.values, parts[2]), dim=1)
        read = _attended(queries, seen, mask, trunk).transpose(0, 1).flatten(1)
        stream = stream + _even(self.out, read)
        fed = rms_norm(stream, self.feed_gain).to(self.dtype)
        return stream + _even(lambda each: self.down(self.gate_up(each)), fed)

    def _convolved(self, inputs: Tensor, earlier: Tensor) -> Tensor:
        """The causal convolution along the path to each token; the row behind the last input is nothing."""
        known = functional.pad(inputs, (0, 0, 0, 1))
        mixed = known[earlier[0]] * self.taps[0]
        for back in range(1, len(self.taps)):
            mixed.addcmul_(known[earlier[back]], self.taps[back])
        return mixed


def _even(multiplied: Product, values: Tensor) -> Tensor:
    """A product over all tokens, filled up to a number for which the machine is prepared."""
    filled = functional.pad(values, (0, 0, 0, rounded(len(values)) - len(values)))
    return multiplied(filled)[: len(values)]


def _attended(queries: Tensor, seen: _Seen, mask: Tensor, trunk: _Seen | None) -> Tensor:
    """What is read of the ancestors and of the whole trunk; (heads, tokens, head width)."""
    keys, values = seen.keys, seen.values
    if trunk is not None:
        keys, values = torch.cat((trunk.keys, keys), dim=1), torch.cat((trunk.values, values), dim=1)
    return functional.scaled_dot_product_attention(queries[None], keys[None], values[None], attn_mask=mask)[0]


def _nothing(heads: int, width: int, dtype: torch.dtype) -> _Seen:
    empty = torch.zeros(heads, 0, HEAD_WIDTH, dtype=dtype)
    return _Seen(torch.zeros(0, width), empty, empty)


def _sums(tree: _Tree, chances: Tensor) -> list[float]:
    """The log-probability of all tokens behind ASK up to each."""
    parents = torch.tensor([path[-2] if len(path) > 1 else 0 for path in tree.paths])
    own = chances[parents, torch.tensor(tree.tokens)].tolist()
    sums = [0.0] * len(own)
    for node, path in enumerate(tree.paths):
        if len(path) > 2:
            sums[node] = sums[path[-2]] + own[node]
    return sums
