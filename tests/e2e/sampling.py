"""`tributary sample`, from a folder or a fleet."""

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
