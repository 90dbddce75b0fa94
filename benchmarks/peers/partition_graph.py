r"""Measures DGL's partition_graph on a folder of .npy chunks.

    /usr/bin/python3 -m benchmarks.peers.environments dgl \
        /usr/bin/python3 benchmarks/peers/partition_graph.py CHUNKS OUT [--parts N] \
        [--method random|metis]

The counterpart of `tributary partition --format dgl-chunked`: the same chunks, as
`tributary generate rmat --chunks` writes them, to a folder of as many parts. Reading the
arrays, building the graph and partitioning it are timed, as a user's script has them.
Prints one JSON object with seconds of each step, and the largest resident set in MiB.

requirements_dgl.txt pins DGL and what it needs.
"""

import argparse
import json
import os
import resource
import time


def arrays(chunks, files):
    import numpy

    return numpy.concatenate(
        [numpy.load(os.path.join(chunks, name)) for name in files["data"]])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("chunks")
    parser.add_argument("out")
    parser.add_argument("--parts", type=int, default=8)
    parser.add_argument("--method", default="random", choices=["random", "metis"])
    args = parser.parse_args()

    import dgl
    import torch

    with open(os.path.join(args.chunks, "metadata.json"), encoding="utf-8") as text:
        metadata = json.load(text)
    (edges,) = metadata["edges"].values()
    (columns,) = metadata["node_data"].values()

    started = time.monotonic()
    ends = torch.from_numpy(arrays(args.chunks, edges))
    num_nodes = sum(metadata["num_nodes_per_chunk"][0])
    graph = dgl.graph((ends[:, 0], ends[:, 1]), num_nodes=num_nodes)
    for name, files in columns.items():
        graph.ndata[name] = torch.from_numpy(arrays(args.chunks, files))
    read = time.monotonic()
    dgl.distributed.partition_graph(graph, metadata["graph_name"], args.parts, args.out,
                                    part_method=args.method)
    done = time.monotonic()
    print(json.dumps({
        "method": args.method, "nodes": num_nodes, "edges": len(ends),
        "read_s": read - started, "partition_s": done - read, "total_s": done - started,
        "max_rss_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024}))


if __name__ == "__main__":
    main()
