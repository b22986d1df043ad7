"""Trains the model: one vector for each term, a weight for it in questions and another in code.

Symmetric InfoNCE: in a batch, each sentence must find its own definition among all the others, and the other way round.
A batch is made of groups from one package and of one kind each, so that what must be told apart is alike. Needs torch
(`requirements.txt`), and neither Clew nor a network. Writes float arrays; `training.export` makes the model of them.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

HOME = Path(".cache/training")
DIMENSION = 256
BATCH = 2_048
GROUP = 64
RATE, WEIGHT_RATE = 1e-2, 3e-2
WARM_UP = 50
DROPOUT = 0.2
TEMPERATURE = 0.05


@dataclass
class Side:
    """All rows of one side of the pairs."""

    ids: torch.Tensor
    factors: torch.Tensor
    bounds: np.ndarray

    def pick(self, chosen: np.ndarray, keep: float, dice: np.random.Generator) -> tuple[torch.Tensor, ...]:
        """The terms of some rows, without those that dropout takes."""
        lengths = (self.bounds[chosen + 1] - self.bounds[chosen]).astype(np.int64)
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        where = np.arange(offsets[-1]) + np.repeat(self.bounds[chosen] - offsets[:-1], lengths)
        owner = np.repeat(np.arange(len(chosen)), lengths)
        if keep < 1:
            stay = dice.random(len(where)) < keep
            where, owner = where[stay], owner[stay]
        starts = np.searchsorted(owner, np.arange(len(chosen)))
        index = torch.from_numpy(where)
        return self.ids[index].long(), self.factors[index], torch.from_numpy(starts)


class Model(torch.nn.Module):
    def __init__(self, rows: int, dimension: int) -> None:
        super().__init__()
        self.vectors = torch.nn.Parameter(torch.randn(rows, dimension) * 0.1)
        self.query = torch.nn.Parameter(torch.zeros(rows))
        self.document = torch.nn.Parameter(torch.zeros(rows))
        self.heat = torch.nn.Parameter(torch.tensor(math.log(1 / TEMPERATURE)))

    def encode(
        self, weights: torch.Tensor, ids: torch.Tensor, factors: torch.Tensor, starts: torch.Tensor
    ) -> torch.Tensor:
        scaled = factors * weights[ids].exp()
        summed = torch.nn.functional.embedding_bag(ids, self.vectors, starts, mode="sum", per_sample_weights=scaled)
        return torch.nn.functional.normalize(summed, dim=1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=900)
    parser.add_argument("--buckets", type=int, default=8192, help="rows shared by the terms outside the vocabulary")
    parser.add_argument("--dimension", type=int, default=DIMENSION)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--balance", type=float, default=1.0, help="1: as mined; 0: every language alike often")
    parser.add_argument("--names", type=float, default=0.0, help="share of the groups of undocumented functions' names")
    parser.add_argument("--files", type=float, default=0.0, help="share of the groups of files' own words")
    parser.add_argument("--rate", type=float, default=RATE)
    parser.add_argument("--dropout", type=float, default=DROPOUT, help="share of a row's terms left out in a step")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--out", type=Path, default=HOME / "model.npz")
    arguments = parser.parse_args()
    torch.manual_seed(arguments.seed)
    torch.set_num_threads(arguments.threads)
    dice = np.random.default_rng(arguments.seed)
    vocabulary = np.load(HOME / "vocabulary.npy")
    with np.load(HOME / "pairs.npz") as data:
        queries = load_side(data, "q", vocabulary, arguments.buckets)
        documents = load_side(data, "d", vocabulary, arguments.buckets)
        kinds = np.maximum(data["kind"].astype(np.int64) - 1, 0)  # docs, names, files
        groups = make_groups(data["package"], kinds, data["language"], dice)
        of_group = np.array([kinds[group[0]] for group in groups])
        keep = dice.random(len(groups)) < np.array([1.0, arguments.names, arguments.files])[of_group]
        groups = [group for group, kept in zip(groups, keep, strict=True) if kept]
        print(f"{len(groups):,} groups", np.bincount(of_group[keep], minlength=3).tolist(), flush=True)
        odds = group_odds(groups, data["language"], arguments.balance)
        hashes = torch.from_numpy(data["query_hash"].astype(np.int64))
    model = Model(len(vocabulary) + max(arguments.buckets, 1), arguments.dimension)
    fit(model, queries, documents, (groups, odds, hashes), arguments, dice)
    buckets = arguments.buckets
    rows = len(vocabulary) + buckets
    np.savez(
        arguments.out,
        hashes=vocabulary,
        vectors=model.vectors.detach().numpy()[:rows],
        query=model.query.detach().numpy()[:rows],
        document=model.document.detach().numpy()[:rows],
        seed=arguments.seed,
        steps=arguments.steps,
    )


def load_side(data: np.lib.npyio.NpzFile, side: str, vocabulary: np.ndarray, buckets: int) -> Side:
    terms, freqs, bounds = data[f"{side}_terms"], data[f"{side}_freqs"], data[f"{side}_bounds"]
    found = np.searchsorted(vocabulary, terms).clip(max=len(vocabulary) - 1)
    known = vocabulary[found] == terms
    ids = np.where(known, found, len(vocabulary) + (terms % np.uint32(buckets) if buckets else 0)).astype(np.int32)
    factors = (1 + np.log(freqs.astype(np.float32))).astype(np.float32)
    if not buckets:
        factors[~known] = 0
    return Side(torch.from_numpy(ids), torch.from_numpy(factors), bounds)


def make_groups(
    packages: np.ndarray, kinds: np.ndarray, languages: np.ndarray, dice: np.random.Generator
) -> list[np.ndarray]:
    """Rows in groups of one package and kind; what is left over is grouped by language."""
    groups: list[np.ndarray] = []
    rest: dict[tuple[int, int], list[int]] = {}
    keys = packages.astype(np.int64) * (kinds.max() + 1) + kinds
    order = np.argsort(keys, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(keys[order])) + 1):
        dice.shuffle(rows)
        whole = len(rows) // GROUP * GROUP
        groups += list(rows[:whole].reshape(-1, GROUP))
        for row in rows[whole:]:
            rest.setdefault((int(languages[row]), int(kinds[row])), []).append(int(row))
    for rows_left in rest.values():
        whole = len(rows_left) // GROUP * GROUP
        groups += list(np.array(rows_left[:whole], np.int64).reshape(-1, GROUP))
    return groups


def group_odds(groups: list[np.ndarray], languages: np.ndarray, balance: float) -> np.ndarray:
    first = np.array([np.bincount(languages[g]).argmax() for g in groups])
    share = np.bincount(first) / len(first)
    odds = np.where(share > 0, share, 1)[first] ** (balance - 1)
    return odds / odds.sum()


def fit(
    model: Model,
    queries: Side,
    documents: Side,
    pairs: tuple[list[np.ndarray], np.ndarray, torch.Tensor],
    arguments: argparse.Namespace,
    dice: np.random.Generator,
) -> None:
    groups, odds, hashes = pairs
    weights = [model.query, model.document, model.heat]
    optimiser = torch.optim.Adam(
        [{"params": [model.vectors], "lr": arguments.rate}, {"params": weights, "lr": WEIGHT_RATE}], foreach=True
    )
    total = arguments.steps
    plan = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda s: min(1, (s + 1) / WARM_UP) * 0.5 * (1 + math.cos(math.pi * min(1, s / total)))
    )
    stream = endless(groups, odds, dice)
    begun, running = time.monotonic(), 0.0
    for step in range(total):
        rows = np.concatenate([next(stream) for _ in range(BATCH // GROUP)])
        asked = model.encode(model.query, *queries.pick(rows, 1 - arguments.dropout, dice))
        given = model.encode(model.document, *documents.pick(rows, 1 - arguments.dropout, dice))
        scores = asked @ given.T * model.heat.exp().clamp(max=100)
        same = hashes[rows][:, None] == hashes[rows][None, :]
        same.fill_diagonal_(False)
        scores = scores.masked_fill(same, -1e4)  # another definition with the same sentence is no wrong answer
        labels = torch.arange(len(rows))
        loss = torch.nn.functional.cross_entropy(scores, labels) + torch.nn.functional.cross_entropy(scores.T, labels)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
        plan.step()
        running = loss.item() if step == 0 else 0.95 * running + 0.05 * loss.item()
        if step % 25 == 0 or step + 1 == total:
            spent = time.monotonic() - begun
            print(f"step {step} loss {running:.3f} heat {model.heat.exp().item():.1f} {spent:.0f} s", flush=True)


def endless(groups: list[np.ndarray], odds: np.ndarray, dice: np.random.Generator) -> Iterator[np.ndarray]:
    """Groups without end: every one once for each pass when all are equally likely."""
    while True:
        uniform = np.allclose(odds, odds[0])
        order = dice.permutation(len(groups)) if uniform else dice.choice(len(groups), len(groups), p=odds)
        for number in order:
            yield groups[number]


if __name__ == "__main__":
    main()
