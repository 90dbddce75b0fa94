"""What formats_test.py and parquet_formats_test.py compare."""

import concurrent.futures
import itertools
import os

from tests.e2e import processes, sampling
from tests.e2e.data import graph_formats
from tests.exporters import stand_ins

PARTS = (1, 2, 5)
METHODS = ("random", "metis", "ldg", "assignment")
COLUMNS = {  # batches that draw by every column, sampled of these cuts
    "weight": ("--draw", "weighted"), "edge time": ("--time", "edge"),
    "node time": ("--time", "node"), "mask": ("--edge-mask", "late")}
CUTS_OF_COLUMNS = (("metis", 2), ("random", 5))


def arrays_of(graph):
    """Each array's bytes by its path, but for dictionaries of ids, which are the
    input's own, and splits, whose paths have the scheme."""
    arrays = {}
    for at, _, files in os.walk(graph):
        for file in files:
            path = os.path.relpath(os.path.join(at, file), graph)
            if file.endswith(".npy") and path.split(os.sep)[0] not in ("ids", "splits"):
                with open(os.path.join(graph, path), "rb") as opened:
                    arrays[path] = opened.read()
    return arrays


class FormatComparison:
    """Cases of a test class that has FORMATS, as graph_formats.FORMATS."""

    def setUp(self):
        self.folder = self.enterContext(processes.temporary_folder())
        self.graph = graph_formats.Graph()
        self.numbers = itertools.count()
        os.makedirs(self.path("graphs"))

    def path(self, *names):
        return os.path.join(self.folder, *map(str, names))

    def write(self, name, scheme):
        write, _ = self.FORMATS[name]
        return write(self.graph, self.path("in", f"{name} {scheme}"), scheme)

    def partition(self, flags, *cut):
        """The graph's folder and its content digest."""
        out = self.path("graphs", next(self.numbers))
        printed = processes.run_ok("partition", *flags, "--out", out, *cut)
        return out, printed.split("content=")[1].strip()

    def formats_and_flags(self):
        """Each format, with the last of its schemes."""
        return [(name, schemes[-1], self.write(name, schemes[-1]))
                for name, (_, schemes) in self.FORMATS.items()]

    def cut(self, method, parts):
        flags = ["--num-parts", parts, "--method", method]
        if method == "assignment":
            file = self.path(f"placed-{parts}.npy")
            graph_formats.save(file, array=graph_formats.placement(parts))
            flags += ["--assignment", file]
        return flags

    def test_every_format_has_one_digest(self):
        """Without a split, with one, and with one that has a scheme."""
        digests = {}
        for name, (_, schemes) in self.FORMATS.items():
            for scheme in schemes:
                flags = self.write(name, scheme)
                graph, content = self.partition(flags, "--num-parts", 3)
                with self.subTest(format=name, scheme=scheme):
                    processes.run_ok("verify", graph, "--against", *self.against(flags))
                    self.assertEqual(digests.setdefault(scheme, content), content)
        self.assertEqual(digests.keys(), {None, "", "only"})
        self.assertEqual(len(set(digests.values())), 3)

    def against(self, flags):
        """The flags of `verify --against`, which takes the input's folder."""
        folder = flags[flags.index("--input") + 1] if "--input" in flags else (
            os.path.dirname(flags[flags.index("--config") + 1]))
        return [folder, *(word for word in flags if word not in ("--input", folder))]

    def test_every_format_and_cut_makes_the_same_batches(self):
        cuts = list(itertools.product(METHODS, PARTS))
        digests, batches, by_column = {}, None, {}
        # The programs wait for the disk most of the time.
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            for name, scheme, flags in self.formats_and_flags():
                made = pool.map(lambda cut: self.batches_of(flags, cut), cuts)
                for cut, (content, lines, columns) in zip(cuts, made):
                    with self.subTest(format=name, cut=cut):
                        self.assertEqual(digests.setdefault(scheme, content), content)
                        batches = batches or lines
                        self.assertEqual(lines, batches)
                        for column, drawn in columns.items():
                            self.assertEqual(
                                drawn, by_column.setdefault(column, drawn), column)
        self.assertEqual(len(batches), 8)
        # Each column matters.
        self.assertEqual(len({tuple(lines) for lines in
                              [batches, *by_column.values()]}), 1 + len(COLUMNS))

    def batches_of(self, flags, cut):
        """The digest of the graph that is cut so, and its batches: those that
        draw evenly, and by column those that draw by it."""
        graph, content = self.partition(flags, *self.cut(*cut))
        processes.run_ok("verify", graph)
        columns = COLUMNS if cut in CUTS_OF_COLUMNS else {}
        return content, self.sample(graph), {
            column: self.sample(graph, *drawn) for column, drawn in columns.items()}

    def sample(self, graph, *flags):
        return sampling.lines(graph, inputs="train", fanouts="5,4", batch_size=16,
                              flags=flags)

    def test_a_placement_is_the_same_folder_of_every_format(self):
        """To the byte: that of the user's own file, and that which the exporter of
        DGL's partitions has kept."""
        first = None
        for name, _, flags in self.formats_and_flags():
            cuts = [self.cut("assignment", stand_ins.PARTS)]
            if name == "DGL partition":
                kept = flags[flags.index("--input") + 1] + "/assignment"
                cuts.append(["--num-parts", stand_ins.PARTS, "--assignment", kept])
            for cut in cuts:
                arrays = arrays_of(self.partition(flags, *cut)[0])
                first = first or arrays
                with self.subTest(format=name, cut=cut):
                    self.assertGreater(len(arrays), 3 * 10)
                    self.assertEqual(arrays.keys(), first.keys())
                    for file, content in first.items():
                        self.assertEqual(arrays[file], content, file)
