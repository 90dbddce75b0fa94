"""The rows of ./dev bench peers: what is measured, and beside which row of Tributary.

DGL and GraphBolt draw at each hop for all nodes that are known by then, PyTorch Geometric
and GraphLearn-for-PyTorch for those that the previous hop found. So Tributary has a row with
`--expand all` for the former, and one with `--expand new` for the latter.
"""

import typing

SAMPLING, FEATURES, REMOTE = "sampling only", "with features", "with features, remote"
# Large arrays stay in malloc's heap instead of being mapped, and faulted in, each time.
MALLOC = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": "17179869184",
          "MALLOC_TOP_PAD_": "67108864"}


class Row(typing.NamedTuple):
    """A way to make batches.

    `beside` is the row of Tributary that does the same; `environment` that of environments.py,
    none for Tributary; `module` and `words` the program: a module of this folder with its
    arguments, or the words of a `tributary` command.
    """
    name: str
    title: str
    includes: str
    beside: str
    environment: str = ""
    module: str = ""
    words: tuple = ()
    variables: dict = {}
    one_core: bool = False
    workers: int = 0  # 0: as many as --workers says


ALL = ("--expand", "all")
ONE_CORE, MP, STREAM = ("bench", "sample"), ("bench", "gather"), ("bench", "stream")

ROWS = (
    Row("sample", "Tributary, one core", SAMPLING, "sample", words=ONE_CORE, one_core=True),
    Row("sample-all", "Tributary, one core, --expand all", SAMPLING, "sample-all",
        words=ONE_CORE + ALL, one_core=True),
    Row("dgl", "DGL NeighborSampler, one core", SAMPLING, "sample-all", "dgl", "dgl_batches",
        ("classic",), one_core=True),
    Row("graphbolt", "DGL GraphBolt, one core", SAMPLING, "sample-all", "dgl", "dgl_batches",
        ("graphbolt",), one_core=True),
    Row("pyg", "PyTorch Geometric NeighborLoader, one core", SAMPLING, "sample", "pyg",
        "pyg_batches", one_core=True),
    Row("mp", "Tributary, mode mp", FEATURES, "mp", words=MP),
    Row("mp-all", "Tributary, mode mp, --expand all", FEATURES, "mp-all", words=MP + ALL),
    Row("dgl-workers", "DGL DataLoader with workers", FEATURES, "mp-all", "dgl", "dgl_batches",
        ("workers",)),
    Row("dgl-workers-malloc",
        "DGL DataLoader with workers, " + " ".join(f"{k}={v}" for k, v in MALLOC.items()),
        FEATURES, "mp-all", "dgl", "dgl_batches", ("workers",), MALLOC),
    Row("remote", "Tributary, mode remote", REMOTE, "remote", words=STREAM),
    Row("remote-cache", "Tributary, mode remote, the trainer holds 20 % of the rows", REMOTE,
        "remote", words=STREAM + ("--trainer-cache", "0.2")),
    Row("remote-all", "Tributary, mode remote, --expand all", REMOTE, "remote-all",
        words=STREAM + ALL),
    Row("dgl-remote", "DGL distributed, all nodes remote", REMOTE, "remote-all", "dgl",
        "dgl_distributed"),
    Row("glt-1", "GraphLearn-for-PyTorch, server-client, 1 worker", REMOTE, "remote", "glt",
        "glt_batches", workers=1),
    Row("glt-2", "GraphLearn-for-PyTorch, server-client, 2 workers", REMOTE, "remote", "glt",
        "glt_batches", workers=2),
)
NAMES = tuple(row.name for row in ROWS)


def chosen(names):
    """Returns the rows of these names, and those of Tributary that they are compared with."""
    wanted = {row.beside for row in ROWS if row.name in names} | set(names)
    return [row for row in ROWS if row.name in wanted]
