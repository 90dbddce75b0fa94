"""Batches of PyTorch Geometric's NeighborLoader, sampling only, in one process."""

from benchmarks.peers import turn


def opened(inputs):
    import torch
    import torch_geometric
    from torch_geometric.loader import NeighborLoader

    torch.set_num_threads(1)
    indptr, indices = inputs.tensor("indptr"), inputs.tensor("indices")
    # The loader converts to the format of in-edges itself.
    ends = torch.arange(len(indptr) - 1).repeat_interleave(indptr.diff())
    graph = torch_geometric.data.Data(edge_index=torch.stack([indices, ends]),
                                      num_nodes=len(indptr) - 1)
    loader = NeighborLoader(graph, inputs.fanouts, inputs.tensor("seeds"),
                            batch_size=inputs.batch_size, shuffle=False, is_sorted=True)

    def epoch():
        for batch in loader:
            yield batch.batch_size, batch.edge_index.shape[1], len(batch.n_id)

    return epoch


if __name__ == "__main__":
    turn.serve(opened, ["torch-geometric", "torch"])
