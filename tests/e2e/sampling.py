"""`tributary sample`, from a folder or a fleet."""

from tests.e2e import processes


def arguments(where, inputs="train", fanouts="10,5", batch_size=32, seed=11,
              epoch=2, batches="0:1000", flags=()):
    """`where`: a graph's folder, or ("servers", LIST)."""
    source = (["--servers", where[1]] if isinstance(where, tuple)
              else ["--graph", where])
    return ["sample", *source, "--input-nodes", inputs, "--num-neighbors",
            fanouts, "--batch-size", batch_size, "--random-seed", seed,
            "--epoch", epoch, "--batches", batches, *flags]


def lines(where, **options):
    return processes.run_ok(*arguments(where, **options)).splitlines()
