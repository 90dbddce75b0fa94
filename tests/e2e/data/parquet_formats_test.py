"""formats_test.py of formats in Parquet, beside one that is not.

Apart from it, because Arrow does not run under sanitizers.
"""

import unittest

from tests.e2e.data import format_comparison, graph_formats


class ParquetFormatsTest(format_comparison.FormatComparison, unittest.TestCase):
    FORMATS = {"npy": graph_formats.FORMATS["npy"], **graph_formats.PARQUET_FORMATS}


if __name__ == "__main__":
    unittest.main()
