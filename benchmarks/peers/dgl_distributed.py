"""Batches of DGL's distributed mode, all of whose nodes are on another machine.

    dgl_distributed OPTIONS partition|serve|read FOLDER

The server holds the whole graph. A client of DGL's on the same machine reads the server's
memory; this one is told that it is another machine, so that it sends the same requests, over
TCP, as a trainer on another machine does. `read` samples and reads features in one process,
without samplers of its own.
"""

import contextlib
import json
import os
import socket
import sys

from benchmarks.peers import dgl_batches, turn

NAME = "graph"


def config(folder):
    return os.path.join(folder, NAME + ".json")


def addresses(folder):
    return os.path.join(folder, "ip_config.txt")


def partition(inputs, folder):
    """Writes a partition with the whole graph, and the address of the server to be; then
    prints a line."""
    import dgl

    graph = dgl_batches.graph_of(inputs)
    graph.ndata["feat"] = inputs.tensor("features")
    with contextlib.redirect_stdout(sys.stderr):
        dgl.distributed.partition_graph(graph, NAME, 1, folder)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with open(addresses(folder), "w", encoding="utf-8") as file:
        file.write(f"127.0.0.1 {port}\n")
    print("done", flush=True)


def serve(inputs, folder):
    """Answers one client; ends with it."""
    import dgl
    import torch

    torch.set_num_threads(inputs.workers)
    os.environ["DGL_DIST_MODE"] = "distributed"
    dgl.distributed.DistGraphServer(0, addresses(folder), 1, 1, config(folder),
                                    graph_format=("csc",)).start()


def open_graph(folder):
    """Returns the graph of the server, of which nothing is on this machine."""
    import dgl
    from dgl.distributed import kvstore

    os.environ["DGL_DIST_MODE"] = "distributed"
    dgl.distributed.initialize(addresses(folder))
    graph = dgl.distributed.DistGraph(NAME, part_config=config(folder))
    graph._g = None  # the partition in the server's memory
    kvstore.get_kvstore()._machine_id = 1  # the server's is 0
    return graph


def reading(folder):
    def opened(inputs):
        import dgl
        import torch

        graph = open_graph(folder)
        torch.set_num_threads(1)
        loader = dgl.dataloading.DistNodeDataLoader(
            graph, inputs.tensor("seeds"), dgl_batches.sampler_of(inputs),
            batch_size=inputs.batch_size, shuffle=False)

        def epoch():
            for input_nodes, output_nodes, blocks in loader:
                assert len(graph.ndata["feat"][input_nodes]) == len(input_nodes)
                yield dgl_batches.counts(input_nodes, output_nodes, blocks)

        return epoch

    return opened


def main():
    role, folder = sys.argv[2:]
    if role == "read":  # its end is the server's, too
        turn.serve(reading(folder), dgl_batches.PACKAGES)
        return
    {"partition": partition, "serve": serve}[role](
        turn.Inputs(json.loads(sys.argv[1])), folder)


if __name__ == "__main__":
    main()
