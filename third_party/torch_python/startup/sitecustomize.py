"""Is run by each Python of a test that imports torch, before anything else.

Libraries are loaded lazily: torch's libraries for CUDA call functions that the
empty libraries of @torch_python do not have.
"""

import os
import sys

sys.setdlopenflags(os.RTLD_LAZY)
