"""Batches of GraphLearn-for-PyTorch's server-client mode.

    glt_batches OPTIONS serve|read PORT

The server's workers sample and gather features, and a client reads batches over TCP. Both
need a port for their calls, and the workers the next one.
"""

import json
import multiprocessing
import sys

from benchmarks.peers import turn

ADDRESS = "127.0.0.1"
CONCURRENCY = 4  # batches in the making of a worker
PREFETCH = 4  # batches on their way to the client
BUFFER = "512MB"  # at the server


def dataset_of(inputs):
    import graphlearn_torch as glt
    import torch

    indptr, indices = inputs.tensor("indptr"), inputs.tensor("indices")
    topology = glt.data.Topology((indices, indptr), input_layout="CSC", layout="CSC")
    graph = glt.data.Graph(topology, mode="CPU")
    features = glt.data.Feature(inputs.tensor("features"), with_gpu=False)
    return glt.distributed.DistDataset(
        1, 0, graph, features, node_pb=torch.zeros(len(indptr) - 1, dtype=torch.uint8),
        edge_dir="in")


def serve(inputs, port):
    import graphlearn_torch as glt

    # It starts its workers so, with a lock of the default method, which must be the same.
    multiprocessing.set_start_method("spawn")
    glt.distributed.init_server(num_servers=1, num_clients=1, server_rank=0,
                                dataset=dataset_of(inputs), master_addr=ADDRESS,
                                master_port=port)
    glt.distributed.wait_and_shutdown_server()


def reading(port):
    def opened(inputs):
        import graphlearn_torch as glt
        import torch

        torch.set_num_threads(1)
        glt.distributed.init_client(num_servers=1, num_clients=1, client_rank=0,
                                    master_addr=ADDRESS, master_port=port)
        cpu = torch.device("cpu")
        options = glt.distributed.RemoteDistSamplingWorkerOptions(
            server_rank=0, num_workers=inputs.workers, worker_devices=[cpu] * inputs.workers,
            worker_concurrency=CONCURRENCY, master_addr=ADDRESS, master_port=port + 1,
            buffer_size=BUFFER, prefetch_size=PREFETCH)
        torch.save(inputs.tensor("seeds"), inputs.path("seeds") + ".pt")
        # Without a seed each call of its sampler opens a device of random numbers.
        loader = glt.distributed.DistNeighborLoader(
            None, inputs.fanouts, inputs.path("seeds") + ".pt", inputs.batch_size,
            edge_dir="in", collect_features=True, to_device=cpu,
            random_seed=inputs.random_seed, worker_options=options)

        def epoch():
            for batch in loader:
                assert len(batch.x) == len(batch.node)
                yield batch.batch_size, batch.edge_index.shape[1], len(batch.node)

        return epoch

    return opened


def close():
    """Ends the server, too, which frees its shared memory."""
    import graphlearn_torch as glt

    glt.distributed.shutdown_client()


def main():
    role, port = sys.argv[2], int(sys.argv[3])
    if role == "read":
        turn.serve(reading(port), ["graphlearn-torch", "torch"], close)
    else:
        serve(turn.Inputs(json.loads(sys.argv[1])), port)


if __name__ == "__main__":
    main()
