"""Batches of DGL on one machine: NeighborSampler, GraphBolt, DataLoader with workers."""

import sys

from benchmarks.peers import turn

PACKAGES = ["dgl", "torch"]


def graph_of(inputs):
    import dgl
    import torch

    torch.set_num_threads(1)
    no_ids = torch.tensor([], dtype=torch.int64)
    return dgl.graph(("csc", (inputs.tensor("indptr"), inputs.tensor("indices"), no_ids)))


def counts(input_nodes, output_nodes, blocks):
    return len(output_nodes), sum(block.num_edges() for block in blocks), len(input_nodes)


def sampler_of(inputs, **options):
    """DGL's first fanout is that of the last hop."""
    import dgl

    return dgl.dataloading.NeighborSampler(inputs.fanouts[::-1], **options)


def classic(inputs):
    """Sampling only, in this process."""
    import dgl

    loader = dgl.dataloading.DataLoader(
        graph_of(inputs), inputs.tensor("seeds"), sampler_of(inputs),
        batch_size=inputs.batch_size, shuffle=False, num_workers=0)
    return lambda: (counts(*batch) for batch in loader)


def workers(inputs):
    """With features, by worker processes."""
    import dgl

    graph = graph_of(inputs)
    graph.ndata["feat"] = inputs.tensor("features")
    loader = dgl.dataloading.DataLoader(
        graph, inputs.tensor("seeds"), sampler_of(inputs, prefetch_node_feats=["feat"]),
        batch_size=inputs.batch_size, shuffle=False, num_workers=inputs.workers,
        persistent_workers=True)

    def epoch():
        for input_nodes, output_nodes, blocks in loader:
            assert len(blocks[0].srcdata["feat"]) == len(input_nodes)
            yield counts(input_nodes, output_nodes, blocks)

    return epoch


def graphbolt(inputs):
    """Sampling only, in this process."""
    import dgl.graphbolt as gb
    import torch

    torch.set_num_threads(1)
    graph = gb.fused_csc_sampling_graph(inputs.tensor("indptr"), inputs.tensor("indices"))
    seeds = gb.ItemSet(inputs.tensor("seeds"), names="seed_nodes")
    sampled = gb.ItemSampler(seeds, batch_size=inputs.batch_size, shuffle=False)
    sampled = sampled.sample_neighbor(graph, inputs.fanouts[::-1])
    loader = gb.DataLoader(sampled, num_workers=0)

    def epoch():
        for batch in loader:
            edges = sum(len(hop.sampled_csc.indices) for hop in batch.sampled_subgraphs)
            yield len(batch.seed_nodes), edges, len(batch.input_nodes)

    return epoch


WAYS = {"classic": classic, "workers": workers, "graphbolt": graphbolt}

if __name__ == "__main__":
    turn.serve(WAYS[sys.argv[2]], PACKAGES)
