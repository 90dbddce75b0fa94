"""A model of links between nodes without features: a learned row for each node, GraphSAGE,
and a score of the two rows of a link."""

import torch
from torch_geometric.nn import GraphSAGE


class LinkModel(torch.nn.Module):
    """Scores the links of a batch."""

    def __init__(self, num_nodes, hidden, layers, dropout):
        super().__init__()
        self.rows = torch.nn.Embedding(num_nodes, hidden)
        torch.nn.init.xavier_uniform_(self.rows.weight)
        self.layers = GraphSAGE(hidden, hidden, layers, dropout=dropout, norm="layer_norm",
                                norm_kwargs={"mode": "node"})
        self.score = torch.nn.Sequential(
            torch.nn.Linear(hidden, hidden), torch.nn.ReLU(), torch.nn.Linear(hidden, 1))

    def forward(self, batch):
        """Returns the scores of the batch's links, and those of its negatives if it has any."""
        x = self.layers(self.rows(batch.n_id), batch.edge_index)
        return tuple(self.score(x[source] * x[destination]).squeeze(1)
                     for source, destination in self.ends(batch))

    @staticmethod
    def ends(batch):
        """Yields places in n_id: both ends of the links, [links] each, then of the negatives,
        if there are any."""
        if hasattr(batch, "src_index"):  # triplets: a source, and the others of negatives
            yield batch.src_index, batch.dst_pos_index
            each = batch.dst_neg_index.reshape(len(batch.src_index), -1)
            yield batch.src_index.repeat_interleave(each.shape[1]), each.flatten()
        elif not hasattr(batch, "edge_label"):  # links alone
            yield batch.edge_label_index
        else:
            for links in (batch.edge_label > 0, batch.edge_label == 0):
                yield batch.edge_label_index[:, links]


def loss(positive, negative):
    """Returns the mean binary cross entropy of links and negatives."""
    scores = torch.cat([positive, negative])
    wanted = torch.cat([torch.ones_like(positive), torch.zeros_like(negative)])
    return torch.nn.functional.binary_cross_entropy_with_logits(scores, wanted)


def average_precision(positive, negative):
    """Returns the mean, over the links, of the precision among what scores at least as high
    as they do."""
    scores = torch.cat([positive, negative])
    right = torch.cat([torch.ones_like(positive), torch.zeros_like(negative)])
    levels, at = torch.unique(-scores, return_inverse=True)
    hits = torch.zeros(len(levels), dtype=torch.float64).index_add(0, at, right.double())
    found = torch.bincount(at, minlength=len(levels)).double()
    return float((hits * hits.cumsum(0) / found.cumsum(0)).sum() / right.sum())


def hits_at(k, positive, negative):
    """Returns OGB's Hits@K: the fraction of the links that score higher than the K-th best of
    all negatives.

    Raises:
      ValueError: there are fewer than K negatives.
    """
    if len(negative) < k:
        raise ValueError(f"hits@{k} of {len(negative)} negatives; allowed: at least {k}")
    return float((positive > negative.topk(k).values[-1]).float().mean())
