"""`tributary sample`, from a folder or a fleet."""

import re
import urllib.request

from tests.e2e import processes


def arguments(where, inputs="train", fanouts="10,5", batch_size=32, seed=11,
              epoch=2, batches="0:1000", flags=()):
    """`where`: a graph's folder, or ("servers", LIST) or another option. Without `inputs`
    or `fanouts`, `flags` say what is sampled."""
    source = ([f"--{where[0]}", where[1]] if isinstance(where, tuple)
              else ["--graph", where])
    what = [] if fanouts is None else ["--num-neighbors", fanouts]
    nodes = [] if inputs is None else ["--input-nodes", inputs]
    return ["sample", *source, *nodes, *what, "--batch-size", batch_size,
            "--random-seed", seed, "--epoch", epoch, "--batches",
            batches, *flags]


def lines(where, **options):
    return processes.run_ok(*arguments(where, **options)).splitlines()


def metrics(server, *names):
    """The values of several series at one moment."""
    text = urllib.request.urlopen(
        f"http://{server.http}/metrics", timeout=30).read().decode()
    return [float(re.search(rf"^{re.escape(name)} (\S+)$", text, re.M)[1])
            for name in names]


def metric(server, name):
    return metrics(server, name)[0]


def lines_and_hits(folders, partitions, *flags):
    """Of a fleet, and the rows that its servers found in their hot caches."""
    with processes.Fleet(None, partitions, "--http", "127.0.0.1:0", *flags,
                         folders=folders) as fleet:
        made = lines(("servers", fleet.addresses()))
        return made, sum(metric(server, "tributary_hot_cache_hits_total")
                         for server in fleet.servers)
