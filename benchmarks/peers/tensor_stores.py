r"""Measures pulls and pushes of rows by DGL's key-value store and by Redis.

    /usr/bin/python3 -m benchmarks.peers.environments dgl \
        /usr/bin/python3 benchmarks/peers/tensor_stores.py [--rows N] [--pull N] [--seconds S]

The counterpart of `tributary bench tensors`: rows of 64 float32 in another
process on this machine, reached over loopback TCP; random rows, ROWS in each
request, one request at a time. Prints one JSON object for each store.

DGL (requirements_dgl.txt pins it and what it needs) answers a client of its own machine
from shared memory, which a trainer on another machine cannot do; so the requests are
those that KVClient.pull and push send to other machines, sent by the same functions. A
push of DGL's has no reply: each is followed by a pull of one row, which its server
answers after it. Redis (Debian's redis-server) is asked by MGET and MSET of as many keys, a key for
each row, with a value of 256 bytes; the requests are encoded beforehand, and replies
are not parsed.
"""

import argparse
import json
import multiprocessing
import os
import random
import socket
import subprocess
import tempfile
import time

WIDTH = 64  # float32 values in a row


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def partition_book(num_rows):
    import dgl
    import torch

    node_map = {"_N": torch.tensor([[0, num_rows]])}
    edge_map = {("_N", "_E", "_N"): torch.tensor([[0, 1]])}
    return dgl.distributed.graph_partition_book.RangePartitionBook(
        0, 1, node_map, edge_map, {"_N": 0}, {("_N", "_E", "_N"): 0})


def serve_dgl(ip_config, num_rows):
    import dgl
    import torch
    from dgl.distributed import kvstore, rpc_server, server_state

    os.environ["DGL_DIST_MODE"] = "distributed"
    server = kvstore.KVServer(0, ip_config, 1, 1)
    book = partition_book(num_rows)
    policy = dgl.distributed.graph_partition_book.NodePartitionPolicy(book, "_N")
    server.add_part_policy(policy)
    server.init_data("rows", policy.policy_str, torch.zeros(num_rows, WIDTH))
    rpc_server.start_server(0, ip_config, 1, 1,
                            server_state.ServerState(server, None, book))


def repeat(seconds, call):
    """(calls, seconds) of as many calls as fit, after one that is not counted."""
    call()
    start = time.perf_counter()
    calls = 0
    while time.perf_counter() - start < seconds:
        call()
        calls += 1
    return calls, time.perf_counter() - start


def result(store, pulls, pushes, rows):
    rate = {name: calls / seconds
            for name, (calls, seconds) in (("pulls", pulls), ("pushes", pushes))}
    return {
        "store": store,
        "rows_per_call": rows,
        "pulls_per_second": rate["pulls"],
        "pulled_bytes_per_second": rate["pulls"] * rows * WIDTH * 4,
        "pushes_per_second": rate["pushes"],
        "pushed_bytes_per_second": rate["pushes"] * rows * WIDTH * 4,
    }


def ask_dgl(ip_config, options, answer):
    import dgl  # noqa: F401  registers the services
    import torch
    from dgl.distributed import kvstore, rpc, rpc_client

    os.environ["DGL_DIST_MODE"] = "distributed"
    rpc_client.connect_to_server(ip_config, 1)
    kvstore.KVClient(ip_config, 1)
    torch.manual_seed(1)
    values = torch.ones(options.pull, WIDTH)

    def ids(count=options.pull):
        return torch.randint(options.rows, (count,))

    def pull(count=options.pull):
        rpc.send_request(0, kvstore.PullRequest("rows", ids(count)))
        return rpc.recv_response().data_tensor

    def push():
        rpc.send_request(0, kvstore.PushRequest("rows", ids(), values))
        pull(1)

    assert pull().shape == (options.pull, WIDTH)
    answer.put(result("dgl", repeat(options.seconds, pull),
                      repeat(options.seconds, push), options.pull))
    answer.close()
    answer.join_thread()
    os._exit(0)  # DGL's exit handler waits for servers of a whole cluster


def measure_dgl(options):
    with tempfile.TemporaryDirectory() as folder:
        ip_config = os.path.join(folder, "ip_config.txt")
        with open(ip_config, "w", encoding="utf-8") as file:
            file.write(f"127.0.0.1 {free_port()}\n")
        context = multiprocessing.get_context("spawn")
        server = context.Process(target=serve_dgl, args=(ip_config, options.rows))
        server.start()
        answer = context.Queue()
        client = context.Process(target=ask_dgl, args=(ip_config, options, answer))
        client.start()
        try:
            return answer.get(timeout=120 + 2 * options.seconds)
        finally:
            client.terminate()
            server.terminate()
            client.join()
            server.join()


def command_of(*words):
    """A command in Redis's protocol."""
    head = f"*{len(words)}\r\n".encode()
    return head + b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in words)


def exchange(connection, request, reply_bytes, buffer):
    """Sends a request and reads a reply of a known size, without parsing it."""
    connection.sendall(request)
    got = 0
    while got < reply_bytes:
        n = connection.recv_into(memoryview(buffer)[got:reply_bytes])
        if n == 0:
            raise RuntimeError("redis closed the connection")
        got += n


def measure_redis(options):
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        server = subprocess.Popen(
            ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "",
             "--appendonly", "no", "--dir", folder],
            stdout=subprocess.DEVNULL)
        try:
            wait_for(port)
            value = "v" * (WIDTH * 4)
            fill(port, options.rows, value)
            return ask_redis(port, value.encode(), options)
        finally:
            server.terminate()
            server.wait()


def ask_redis(port, value, options):
    draw = random.Random(1)
    keys = [b"r%d" % draw.randrange(options.rows) for _ in range(options.pull)]
    mget = command_of(b"MGET", *keys)
    mset = command_of(b"MSET", *(word for key in keys for word in (key, value)))
    values = len(command_of(*[value] * options.pull))
    buffer = bytearray(values)
    with socket.create_connection(("127.0.0.1", port)) as connection:
        pulls = repeat(options.seconds,
                       lambda: exchange(connection, mget, values, buffer))
        assert buffer.endswith(value + b"\r\n")
        pushes = repeat(options.seconds,
                        lambda: exchange(connection, mset, len(b"+OK\r\n"), buffer))
        assert buffer.startswith(b"+OK\r\n")
    return result("redis", pulls, pushes, options.pull)


def wait_for(port):
    deadline = time.monotonic() + 30
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


def fill(port, rows, value):
    """Writes every row by Redis's bulk format."""
    def commands():
        for row in range(rows):
            key = f"r{row}"
            yield (f"*3\r\n$3\r\nSET\r\n${len(key)}\r\n{key}\r\n"
                   f"${len(value)}\r\n{value}\r\n")

    loader = subprocess.Popen(["redis-cli", "-p", str(port), "--pipe"],
                              stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                              text=True)
    loader.stdin.writelines(commands())
    loader.stdin.close()
    if loader.wait() != 0:
        raise RuntimeError("redis-cli --pipe failed")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--pull", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--store", choices=["dgl", "redis"], action="append")
    options = parser.parse_args()
    for store in options.store or ["dgl", "redis"]:
        measure = {"dgl": measure_dgl, "redis": measure_redis}[store]
        print(json.dumps(measure(options)), flush=True)


if __name__ == "__main__":
    main()
