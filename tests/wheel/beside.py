"""A program: beside.py GRAPH ADDRESSES MODULE... imports the modules in this order, has
each do something, and prints the digests of batches of tributary_gnn after its import
and at the end, of the graph's folder and of the servers."""

import importlib
import sys

DEADLINE = 60.0  # seconds
SESSION = {"input_nodes": "train", "num_neighbors": [10, 5], "batch_size": 32,
           "random_seed": 11}


def print_digests(tributary_gnn, graph, addresses):
    for options in ({"mode": "collocated", "graph": graph}, {"servers": addresses}):
        with tributary_gnn.Source(**options) as source:
            with tributary_gnn.Loader(source, SESSION) as loader:
                loader.start_epoch(2)
                while (batch := loader.next()) is not None:
                    print(batch.digest(), flush=True)


def use_grpc(grpc, addresses):
    """Connects by gRPC's own client."""
    with grpc.insecure_channel(addresses) as channel:
        grpc.channel_ready_future(channel).result(DEADLINE)


def use_torch(torch, _):
    tensor = torch.arange(4.0, requires_grad=True)
    (tensor * tensor).sum().backward()
    assert tensor.grad.tolist() == [0, 2, 4, 6]


def use_tensorflow(tensorflow, _):
    """Multiplies matrices in a graph, which is a message of protobuf."""
    @tensorflow.function
    def square(matrix):
        return tensorflow.linalg.matmul(matrix, matrix)
    assert square(tensorflow.ones([2, 2])).numpy().tolist() == [[2, 2], [2, 2]]


USES = {"grpc": use_grpc, "torch": use_torch, "tensorflow": use_tensorflow}


def main(graph, addresses, names):
    modules = {}
    for name in names:
        modules[name] = importlib.import_module(name)
        if name == "tributary_gnn":
            print_digests(modules[name], graph, addresses)
        else:
            USES[name](modules[name], addresses)
    for name, use in USES.items():
        if name in modules:
            use(modules[name], addresses)
    print_digests(modules["tributary_gnn"], graph, addresses)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
