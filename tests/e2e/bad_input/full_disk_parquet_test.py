"""full_disk_test.py of Parquet.

Apart from it, because Arrow does not run under sanitizers.
"""

import unittest

from tests.e2e.bad_input import full_disk_test
from tests.e2e.bad_input import small_inputs as small


class FullDiskParquetTest(full_disk_test.FullDiskTest):
    FORMATS = {
        "dgl parquet": (small.dgl_parquet, ("--format", "dgl-chunked")),
        "parquet": (small.parquet_tables, full_disk_test.TABLES),
    }


if __name__ == "__main__":
    unittest.main()
