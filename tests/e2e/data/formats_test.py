"""A graph is the same whichever format it came in, and so is a batch, however the
graph was cut.

Parquet: parquet_formats_test.py. Typed graphs: partition/pipeline/same_graph_test.cc
and dgl_chunked_reader_test.cc compare their content digests.
"""

import unittest

from tests.e2e.data import format_comparison, graph_formats


class FormatsTest(format_comparison.FormatComparison, unittest.TestCase):
    FORMATS = graph_formats.FORMATS


if __name__ == "__main__":
    unittest.main()
