"""Learned rows on the servers, and the optimizers that step them there, as DGL's. They need
torch."""

# mypy: allow-subclassing-any
# torch's classes are of no known type where it is not installed.

from __future__ import annotations

from typing import Any, Mapping, NamedTuple, Sequence

import torch
from torch.distributed.algorithms.join import Join, Joinable, JoinHook

from . import _library, errors
from .dist_context import DistContext
from .dist_tensor import DistTensor


class _Lookup(NamedTuple):
    """Rows that a call has read while autograd was on."""

    rows: torch.Tensor  # int64 [rows], distinct and ascending
    counts: torch.Tensor  # int64 [rows]: how many ids have each
    leaf: torch.Tensor  # float32 [rows, dim]


class Gradients(NamedTuple):
    """The gradient of each row that was looked up."""

    rows: torch.Tensor  # int64 [rows], distinct and ascending
    values: torch.Tensor  # float32 [rows, dim]


class DistEmbedding:
    """A table of rows [num_embeddings, embedding_dim], float32, on the servers of a
    `DistContext`, of which a batch reads those that it needs (docs/distributed-data.md):

        rows = DistEmbedding(context, "author", 1134649, 64, policy="node:author")
        sparse = SparseAdam([rows], lr=0.06)
        for batch in loader:
            optimizer.zero_grad()                       # of the model's parameters
            loss_of(model(rows(batch.n_id), ...)).backward()
            optimizer.step()
            sparse.step()                               # the rows that the batch has read

    It is no torch Module, and has no parameters: give the rows' optimizer the embedding. Calls
    under `torch.no_grad()` are not recorded; others are, until the optimizer's next step.

    Args:
      context, name, initial, policy, persistent: see `DistTensor`.
      average_duplicates: divide the gradient of a row by how often it was looked up, as DGL
        does; by default lookups are summed, as torch's `Embedding` does.

    Opening is a collective. One thread uses it.
    """

    def __init__(self, context: DistContext, name: str, num_embeddings: int,
                 embedding_dim: int, *, initial: str | Mapping[str, Any] = "zeros",
                 policy: str | None = None, persistent: bool = False,
                 average_duplicates: bool = False):
        self._options: dict[str, Any] = {"initial": initial, "policy": policy,
                                         "persistent": persistent}
        self.name, self.num_embeddings, self.embedding_dim = name, num_embeddings, embedding_dim
        self.context = context
        self.average_duplicates = average_duplicates
        self.weight = self._opened()
        self._lookups: list[_Lookup] = []

    def __call__(self, ids: torch.Tensor, device: Any = None) -> torch.Tensor:
        """Returns rows, float32 [ids, embedding_dim], on `device`, by default that of the ids,
        int64 [ids]. Each distinct row is read once.

        Raises:
          OutOfRange (an IndexError): no such row.
        """
        ids = torch.as_tensor(ids)
        where, ids = ids.device if device is None else device, ids.cpu()
        rows, places, counts = torch.unique(ids, return_inverse=True, return_counts=True)
        leaf = torch.as_tensor(self.weight.read(rows))
        if torch.is_grad_enabled():
            leaf.requires_grad_(True)
            self._lookups.append(_Lookup(rows, counts, leaf))
        values = leaf.to(where)
        return values if torch.equal(rows, ids) else values.index_select(0, places.to(where))

    forward = __call__

    def prefetch(self, ids: torch.Tensor) -> None:
        """Begins to read the rows that the next call with these ids gives. No value depends on
        it."""
        self.weight.prefetch(torch.unique(torch.as_tensor(ids).cpu()))

    def take_gradients(self) -> Gradients | None:
        """Returns the gradients of the lookups since the last call that a backward pass has
        reached, summed by row, and forgets the lookups. None: there are none."""
        reached = [lookup for lookup in self._lookups if lookup.leaf.grad is not None]
        self._lookups = []
        if not reached:
            return None
        rows, places = torch.unique(torch.cat([lookup.rows for lookup in reached]),
                                    return_inverse=True)
        sums = torch.zeros(len(rows), self.embedding_dim)
        counts = torch.zeros(len(rows), dtype=torch.int64)
        for lookup, part in zip(reached, places.split([len(its.rows) for its in reached])):
            assert lookup.leaf.grad is not None
            sums[part] += lookup.leaf.grad  # the rows of one lookup are distinct
            counts[part] += lookup.counts
        if self.average_duplicates:
            sums /= counts.unsqueeze(1)
        return Gradients(rows, sums)

    def zero_grad(self) -> None:
        """Forgets the gradients that a backward pass has left; lookups that none has reached
        yet wait for theirs."""
        self._lookups = [lookup for lookup in self._lookups if lookup.leaf.grad is None]

    def drop_lookups(self) -> None:
        """Forgets the lookups."""
        self._lookups = []

    def reopen(self) -> None:
        """Drops the rows, and opens them again, as they are in the folder of
        `DistContext.restore`, else as they were at first. A collective."""
        self.weight.drop()
        self.drop_lookups()
        self.weight = self._opened()

    def __repr__(self) -> str:
        return f"DistEmbedding({self.name!r}, {self.num_embeddings}, {self.embedding_dim})"

    def _opened(self) -> DistTensor:
        return DistTensor(self.context, self.name, (self.num_embeddings, self.embedding_dim),
                          **self._options)


class _Shadow(JoinHook):
    """Steps without gradients for a rank that has no batches left."""

    def __init__(self, optimizer: SparseOptimizer):
        self._optimizer = optimizer

    def main_hook(self) -> None:
        self._optimizer.drop_lookups()
        self._optimizer.close()


class SparseOptimizer(Joinable):
    """Steps the rows that batches have read: the base of `SparseSGD`, `SparseAdagrad` and
    `SparseAdam`.

    A step is a round of all ranks: the servers sum the gradients of each row over the ranks,
    and step it once when every rank has made its step. So rows are a function of the batches,
    whatever the number of servers. All ranks make the same number of steps, one without a batch
    too; under torch's `Join([model, optimizer])`, the model before it, a rank that has ended
    steps by itself.
    `optimizer.scale = 1 / world_size` makes the sum over ranks a mean, as DDP's.
    """

    def __init__(self, embeddings: Sequence[DistEmbedding], kind: str, lr: float,
                 eps: float = 1e-10, betas: tuple[float, float] = (0.9, 0.999)):
        super().__init__()
        self.embeddings = list(embeddings)
        contexts = {id(embedding.context) for embedding in self.embeddings}
        if len(contexts) != 1:
            raise ValueError(f"{type(self).__name__} of {len(self.embeddings)} embeddings of "
                             f"{len(contexts)} contexts; allowed: one or more embeddings of one "
                             "context")
        self.context = self.embeddings[0].context
        self.lr, self.eps, self.betas, self.scale = lr, eps, betas, 1.0
        self._kind = kind
        self._attach()

    def step(self) -> None:
        """Pushes the gradients since the last step, and closes the round of this rank.

        Raises:
          OutOfRange (an IndexError): a gradient that is not finite; it names the row.
        """
        Join.notify_join_context(self)
        self.push(self.context.rank)
        self.close()

    def push(self, place: int) -> None:
        """Pushes the gradients since the last push, at a place of the running round that no
        other push of any rank has: for ranks that take several batches in a step.

        Raises:
          OutOfRange (an IndexError): a gradient that is not finite; it names the row, and
            nothing is pushed.
        """
        step = _library.RawStep(self.lr, self.eps, *self.betas, self.scale)
        taken = [(embedding, embedding.take_gradients()) for embedding in self.embeddings]
        for embedding, gradients in taken:
            _check_finite(embedding, gradients)
        for embedding, gradients in taken:
            if gradients is not None:
                embedding.weight.push(place, gradients.rows.numpy(), gradients.values.numpy(),
                                      step)

    def close(self) -> None:
        """Closes the round of this rank: its pushes become a step."""
        self.context.close_round()

    def zero_grad(self) -> None:
        """Forgets the gradients since the last push. As in torch, it may stand between the
        lookups and their backward pass."""
        for embedding in self.embeddings:
            embedding.zero_grad()

    def drop_lookups(self) -> None:
        """Forgets all lookups since the last push."""
        for embedding in self.embeddings:
            embedding.drop_lookups()

    def save(self, folder: Any) -> None:
        """Writes all rows of the context, with the optimizers' state; see `DistContext.save`. A
        collective."""
        self.context.save(folder)

    def load(self, folder: Any) -> None:
        """Makes the rows, and their state, what `save` wrote, by any number of ranks and
        servers. A collective, before the first step of the run.

        Raises:
          FailedPrecondition: rows were stepped before.
        """
        self.context.restore(folder)
        for embedding in self.embeddings:
            embedding.reopen()
        self._attach()

    def _attach(self) -> None:
        for embedding in self.embeddings:
            embedding.weight.attach_optimizer(self._kind)

    # ---- torch's Joinable --------------------------------------------------------------

    def join_hook(self, **kwargs: Any) -> JoinHook:
        """See torch.distributed.algorithms.Joinable."""
        return _Shadow(self)

    @property
    def join_device(self) -> torch.device:
        """The CPU."""
        return torch.device("cpu")

    @property
    def join_process_group(self) -> Any:
        """torch's own group."""
        return torch.distributed.group.WORLD


def _check_finite(embedding: DistEmbedding, gradients: Gradients | None) -> None:
    if gradients is None:
        return
    wrong = torch.nonzero(~torch.isfinite(gradients.values).all(dim=1)).flatten()
    if len(wrong):
        raise errors.OutOfRange(f"the gradient of row {int(gradients.rows[wrong[0]])} of "
                                f"{embedding.name} is not finite; nothing of the step is pushed")


class SparseSGD(SparseOptimizer):
    """Subtracts lr times the gradient."""

    def __init__(self, params: Sequence[DistEmbedding], lr: float = 0.01):
        super().__init__(params, "sgd", lr)


class SparseAdagrad(SparseOptimizer):
    """torch's Adagrad, for the rows of a step."""

    def __init__(self, params: Sequence[DistEmbedding], lr: float = 0.01, eps: float = 1e-10):
        super().__init__(params, "adagrad", lr, eps)


class SparseAdam(SparseOptimizer):
    """torch's Adam, for the rows of a step; it counts steps by row, as DGL's."""

    def __init__(self, params: Sequence[DistEmbedding], lr: float = 0.001,
                 betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8):
        super().__init__(params, "adam", lr, eps, betas)
