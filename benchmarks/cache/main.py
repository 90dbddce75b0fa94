"""Compares a trainer that holds rows with one that holds none.

    ./dev bench cache [--graph DIR] [--scale 18] [--edges 8000000] [--feat-dim 100]
        [--sizes 0.2,auto] [--rounds 3] [--seconds 10]

A server of one graph and a trainer over loopback TCP, fanouts 15,10,5 and 1,024 inputs a
batch. In each round `tributary bench stream` takes a turn with each size of --trainer-cache
and without one; each round begins with another one. A ratio is the median of the rounds' own
ratios to the turn without rows. What is fetched at the start of a turn is part of it.
"""

import argparse
import contextlib
import json
import os
import statistics
import subprocess
import tempfile

TRIBUTARY = "cli/tributary"
BATCHES = ("--input-nodes", "*", "--num-neighbors", "15,10,5", "--batch-size", "1024")


def run(*args):
    done = subprocess.run([TRIBUTARY, *map(str, args)], stdout=subprocess.PIPE, text=True,
                          check=False)
    if done.returncode != 0:
        raise SystemExit(f"bench cache: tributary {args[0]} failed, see above")
    return done.stdout


def generate(options, folder):
    graph = os.path.join(folder, "rmat")
    run("generate", "rmat", "--scale", options.scale, "--edges", options.edges,
        "--feat-dim", options.feat_dim, "--out", graph)
    return graph


def predict(graph):
    """Makes the hot list of the graph; returns the bytes that are sent of a batch, by size."""
    said = run("cache", "--graph", graph, *BATCHES, "--batches", "0:40")
    return {words[0]: float(words[-2]) for words in map(str.split, said.splitlines()[1:8])}


@contextlib.contextmanager
def serve(graph):
    """The address of a server of the graph."""
    server = subprocess.Popen([TRIBUTARY, "serve", "--graph", graph, "--listen", "127.0.0.1:0"],
                              stdout=subprocess.PIPE, text=True)
    try:
        words = server.stdout.readline().split()
        if words[:1] != ["ready"]:
            raise SystemExit("bench cache: the server does not start, see above")
        yield dict(word.split("=", 1) for word in words[1:])["listen"]
    finally:
        server.kill()
        server.wait()
        server.stdout.close()


def turn(address, size, seconds):
    return json.loads(run("bench", "stream", "--json", "--servers", address, *BATCHES,
                          "--trainer-cache", size, "--seconds", seconds))


def measure(address, sizes, options):
    """Returns the turns of each size."""
    turns = {size: [] for size in sizes}
    for i in range(options.rounds):
        first = i % len(sizes)
        for size in sizes[first:] + sizes[:first]:
            turns[size].append(turn(address, size, options.seconds))
    return turns


def table(turns, predicted):
    yield "| `--trainer-cache` | inputs/s | of off | bytes sent of a batch | predicted |"
    yield "| --- | --- | --- | --- | --- |"
    for size, of_size in turns.items():
        rates = [said["inputs_per_second"] for said in of_size]
        ratio = statistics.median(
            rate / off["inputs_per_second"] for rate, off in zip(rates, turns["off"]))
        sent = statistics.median(said["wire_bytes_per_batch"] for said in of_size)
        foreseen = f"{predicted[size]:,.0f}" if size in predicted else ""
        yield (f"| `{size}` | {'; '.join(f'{rate:,.0f}' for rate in rates)} | {ratio:.2f} "
               f"| {sent:,.0f} | {foreseen} |")


def main():
    parser = argparse.ArgumentParser(prog="./dev bench cache", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graph", help="a folder; its hot list `sampled` is replaced")
    parser.add_argument("--scale", default=18)
    parser.add_argument("--edges", default=8_000_000)
    parser.add_argument("--feat-dim", default=100)
    parser.add_argument("--sizes", default="0.2,auto")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", default=10)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tributary-") as folder:
        graph = (os.path.join(os.environ["CALLED_IN"], options.graph) if options.graph
                 else generate(options, folder))
        predicted = predict(graph)
        with serve(graph) as address:
            turns = measure(address, ["off", *options.sizes.split(",")], options)
    print("\n".join(table(turns, predicted)))


if __name__ == "__main__":
    main()
