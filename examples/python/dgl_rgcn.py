#!/usr/bin/env python3
"""Trains R-GCN to classify nodes of one type of a typed graph, in the way of DGL's distributed
example and by its names, with a learned row on the servers for each node without features.

    python dgl_rgcn.py --graph-name aifb --conf-path aifb --category person --standalone
    tributary launch --workspace . --num_trainers 2 --part_config aifb \\
      --ip_config ip_config.txt --insecure \\
      "python3 dgl_rgcn.py --graph-name aifb --category person --ip-config ip_config.txt"

It needs torch alone, and the splits train, val (or valid) and test of the category. With
--checkpoint-dir, a run that is started again goes on after its last whole epoch, on as many
servers and ranks as there are then.
"""

import argparse
import os
import re

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.distributed.algorithms.join import Join
from torch.nn.parallel import DistributedDataParallel

import tributary_gnn.dgl as dgl


class RelGraphConv(nn.Module):
    """out_v = sum over the relations of (the mean of the in-neighbours' rows) times the
    relation's weight + x_v times root + bias (Schlichtkrull et al., 2018), with the parameters of
    PyG's RGCNConv. With `num_bases`, weights are sums of so many bases."""

    def __init__(self, in_size, out_size, etypes, num_bases):
        super().__init__()
        self.etypes = etypes
        bases = num_bases or len(etypes)
        self.weight = nn.Parameter(torch.empty(bases, in_size, out_size))
        self.comp = nn.Parameter(torch.empty(len(etypes), bases)) if num_bases else None
        self.root = nn.Parameter(torch.empty(in_size, out_size))
        self.bias = nn.Parameter(torch.zeros(out_size))
        for parameter in (self.weight, self.comp, self.root):
            if parameter is not None:
                nn.init.xavier_uniform_(parameter)

    def forward(self, block, x):
        """Returns rows [destinations, out] by node type, of those of the sources."""
        out = {ntype: x[ntype][:block.num_dst_nodes(ntype)] @ self.root + self.bias
               for ntype in block.dsttypes}
        weights = self.weight
        if self.comp is not None:
            weights = torch.einsum("rb,bio->rio", self.comp, weights)
        for weight, etype in zip(weights, self.etypes):
            src, dst = block.edges(etype=etype)
            if len(src) == 0:
                continue
            count = block.num_dst_nodes(etype[2])
            total = torch.zeros(count, weight.shape[0]).index_add(0, dst, x[etype[0]][src])
            mean = total / torch.bincount(dst, minlength=count).clamp(min=1).unsqueeze(1)
            out[etype[2]] = out[etype[2]] + mean @ weight
        return out


class EntityClassify(nn.Module):
    """R-GCN over blocks."""

    def __init__(self, g, options, feat_sizes, num_classes):
        super().__init__()
        hidden, layers = options.n_hidden, len(options.fanout)
        self.input = nn.ModuleDict({ntype: nn.Linear(size, hidden)
                                    for ntype, size in feat_sizes.items()})
        sizes = [hidden] * layers + [num_classes]
        self.convs = nn.ModuleList(
            RelGraphConv(sizes[layer], sizes[layer + 1], g.canonical_etypes, options.n_bases)
            for layer in range(layers))
        self.norms = nn.ModuleList(nn.LayerNorm(hidden) if options.layer_norm else nn.Identity()
                                   for _ in range(layers - 1))
        self.dropout = nn.Dropout(options.dropout)

    def forward(self, blocks, rows):
        """Returns the scores of the destinations of the last block, by node type."""
        x = {ntype: self.input[ntype](given) if ntype in self.input else given
             for ntype, given in rows.items()}
        for layer, (conv, block) in enumerate(zip(self.convs, blocks)):
            x = conv(block, x)
            if layer + 1 < len(self.convs):
                x = {ntype: self.dropout(F.relu(self.norms[layer](given)))
                     for ntype, given in x.items()}
        return x


class InputRows:
    """The rows that a batch's sources begin with: stored features, or learned rows."""

    def __init__(self, g, options):
        with_features = {ntype for ntype in g.ntypes
                         if options.node_feats and "feat" in g.nodes[ntype].data}
        self.features = {ntype: g.nodes[ntype].data["feat"] for ntype in with_features}
        self.embeddings = {
            ntype: dgl.distributed.DistEmbedding(
                g.num_nodes(ntype), options.n_hidden, "embedding." + ntype,
                init_func={"kind": "xavier_uniform", "gain": 2 ** 0.5,
                           "random_seed": options.seed},
                part_policy=g.get_node_partition_policy(ntype))
            for ntype in g.ntypes if ntype not in with_features and g.num_nodes(ntype)}
        self.sizes = {ntype: column.shape[1] for ntype, column in self.features.items()}

    def __call__(self, input_nodes):
        return {ntype: self.features[ntype][ids].float() if ntype in self.features
                else self.embeddings[ntype](ids) if ntype in self.embeddings
                else torch.empty(0, next(iter(self.embeddings.values())).embedding_dim)
                for ntype, ids in by_type(input_nodes).items()}


def by_type(nodes):
    """Loaders of an untyped graph give ids alone."""
    return nodes if isinstance(nodes, dict) else {"node": nodes}


@torch.no_grad()
def accuracy(model, rows, loader, labels, category):
    """Returns the share of this rank's nodes that are classified right, and their number."""
    right = total = 0
    model.eval()
    for input_nodes, seeds, blocks in loader:
        scores = model(blocks, rows(input_nodes))[category]
        wanted = labels[by_type(seeds)[category]].long()
        right += int((scores.argmax(dim=1) == wanted).sum())
        total += len(wanted)
    return over_ranks(right, total)


def over_ranks(right, total):
    """Returns the share of all ranks."""
    counts = torch.tensor([right, total], dtype=torch.int64)
    if dist.is_initialized():
        dist.all_reduce(counts)
    return float(counts[0] / counts[1].clamp(min=1))


def train_epoch(model, rows, optimizers, loader, labels, category):
    """Takes a step of both optimizers for each batch; returns the losses. A rank with a batch
    less takes part in the others' steps until all are done."""
    model.train()
    losses = []
    ranks = [model, *optimizers[1:]] if dist.is_initialized() else []
    with Join(ranks) if ranks else torch.enable_grad():
        for input_nodes, seeds, blocks in loader:
            scores = model(blocks, rows(input_nodes))[category]
            loss = F.cross_entropy(scores, labels[by_type(seeds)[category]].long())
            for optimizer in optimizers:
                optimizer.zero_grad()
            loss.backward()
            for optimizer in optimizers:
                optimizer.step()
            losses.append(loss.item())
    return losses


class Checkpoints:
    """What a run has after each epoch: the rows of its servers in a folder that appears complete
    or not at all, and then its own state in a file."""

    def __init__(self, folder, state, sparse):
        self.folder, self.state, self.sparse = folder, state, sparse

    def restore(self):
        """Takes the newest one; returns the epoch to go on with. All ranks see one folder."""
        found = [int(name[1]) for name in map(re.compile(r"epoch-(\d+)\.pt$").match,
                                              os.listdir(self.folder)) if name]
        if not found:
            return 0
        saved = torch.load(self._path(max(found), ".pt"), weights_only=True)
        for name, its in self.state.items():
            its.load_state_dict(saved[name])
        if self.sparse is not None:
            self.sparse.load(self._path(max(found), ".rows"))
        return max(found) + 1

    def save(self, epoch, first):
        """Saves the state after an epoch; the first rank writes. Rows that a run which was
        ended has left without their state are replaced."""
        path = self._path(epoch, ".pt")
        if self.sparse is not None:
            rows = self._path(epoch, ".rows")
            if first and os.path.exists(rows):
                os.rename(rows, f"{rows}.{os.getpid()}.old")
            self.sparse.save(rows)
        if first:
            torch.save({name: its.state_dict() for name, its in self.state.items()},
                       path + ".tmp")
            os.rename(path + ".tmp", path)

    def _path(self, epoch, extension):
        return os.path.join(self.folder, f"epoch-{epoch}{extension}")


def train_model(options, first_parameters=None):
    """Trains it; returns the losses of this rank's batches. `first_parameters`: a state_dict to
    begin with."""
    g = dgl.distributed.DistGraph(options.graph_name, part_config=options.conf_path)
    category = options.category
    data, book = g.nodes[category].data, g.get_partition_book()
    labels = data["label"]
    train, valid, test = (
        dgl.distributed.node_split(data[split + "_mask"], book, ntype=category)
        for split in ("train", "val", "test"))
    sampler = dgl.dataloading.NeighborSampler(options.fanout)
    loaders = [dgl.distributed.DistNodeDataLoader(
        g, {category: nodes} if len(g.ntypes) > 1 else nodes, sampler, batch_size=size,
        shuffle=nodes is train)
        for nodes, size in ((train, options.batch_size), (valid, options.eval_batch_size),
                            (test, options.eval_batch_size))]
    num_classes = options.num_classes or int(labels.read().max()) + 1
    rows = InputRows(g, options)
    model = EntityClassify(g, options, rows.sizes, num_classes)
    if first_parameters is not None:
        model.load_state_dict(first_parameters)
    trained = DistributedDataParallel(model) if dist.is_initialized() else model
    optimizers = [torch.optim.Adam(model.parameters(), lr=options.lr)]
    if rows.embeddings:
        sparse = dgl.distributed.SparseAdam(list(rows.embeddings.values()), lr=options.sparse_lr)
        sparse.scale = 1 / dgl.distributed.get_world_size()  # as DDP's mean
        optimizers.append(sparse)
    checkpoints = options.checkpoint_dir and Checkpoints(
        options.checkpoint_dir, {"model": model, "optimizer": optimizers[0]},
        optimizers[1] if rows.embeddings else None)
    begin = checkpoints.restore() if checkpoints else 0
    losses, best = [], (0.0, 0.0, 0)
    for epoch in range(begin, options.n_epochs):
        for loader in loaders:  # also those of evaluation draw by it
            loader.set_epoch(epoch)
        of_epoch = train_epoch(trained, rows, optimizers, loaders[0], labels, category)
        losses += of_epoch
        validation, tested = (accuracy(model, rows, loader, labels, category)
                              for loader in loaders[1:])
        if validation > best[0]:
            best = (validation, tested, epoch)
        if g.rank() == 0:
            print(f"epoch {epoch} loss {sum(of_epoch) / max(1, len(of_epoch)):.4f} "
                  f"valid {validation:.4f} test {tested:.4f}", flush=True)
        if checkpoints:
            checkpoints.save(epoch, g.rank() == 0)
    if g.rank() == 0:
        print(f"test {best[1]:.4f} valid {best[0]:.4f} best epoch {best[2]}")
    return losses


def arguments(words=None):
    """Returns the options, which are those of DGL's script, --category aside."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--graph-name", default="")
    parser.add_argument("--conf-path", help="standalone: the folder of the graph")
    parser.add_argument("--ip-config", help="the file of the servers' hosts")
    parser.add_argument("--standalone", action="store_true", help="sample in this process")
    parser.add_argument("--category", default="paper", help="the node type with labels")
    parser.add_argument("--num-classes", type=int, help="by default the largest label + 1")
    parser.add_argument("--fanout", default="25,25", type=lambda text: [
        int(count) for count in text.split(",")], help="of each layer and relation")
    parser.add_argument("--n-hidden", type=int, default=16)
    parser.add_argument("--n-bases", type=int, default=0, help="0: a weight for each relation")
    parser.add_argument("--n-epochs", type=int, default=20)
    parser.add_argument("--batch-size", type=int, default=70)
    parser.add_argument("--eval-batch-size", type=int, default=128)
    parser.add_argument("--dropout", type=float, default=0)
    parser.add_argument("--lr", type=float, default=0.01)
    parser.add_argument("--sparse-lr", type=float, default=0.01)
    parser.add_argument("--layer-norm", action="store_true")
    parser.add_argument("--node-feats", action="store_true", help="types with features use them")
    parser.add_argument("--num-workers", type=int, default=0)
    parser.add_argument("--checkpoint-dir", help="a folder that all ranks see")
    parser.add_argument("--timeout", type=float, default=180,
                        help="seconds after which a lost server, or rank, ends the run")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args(words)


def main(words=None, first_parameters=None):
    options = arguments(words)
    torch.manual_seed(options.seed)
    dgl.seed(options.seed)
    dgl.distributed.initialize(options.ip_config, num_workers=options.num_workers,
                               timeout=options.timeout)
    if not options.standalone:
        dist.init_process_group("gloo")
    losses = train_model(options, first_parameters)
    dgl.distributed.exit_client()
    # Not after an error: it would wait for ranks that have failed, too.
    if dist.is_initialized():
        dist.destroy_process_group()
    return losses


if __name__ == "__main__":
    main()
