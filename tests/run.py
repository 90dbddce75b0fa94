"""Runs one test module: `python3 -B -m tests.run tests.oracle.vectors_test`.

Fails when no case ran, and takes part in Bazel's sharding.
"""

import os
import sys
import unittest


def cases_of(suite):
    for part in suite:
        if isinstance(part, unittest.TestSuite):
            yield from cases_of(part)
        else:
            yield part


def this_shard(cases):
    status = os.environ.get("TEST_SHARD_STATUS_FILE")
    if status:
        open(status, "w").close()
    total = int(os.environ.get("TEST_TOTAL_SHARDS", "1"))
    index = int(os.environ.get("TEST_SHARD_INDEX", "0"))
    return [case for i, case in enumerate(cases) if i % total == index]


def main():
    if len(sys.argv) != 2:
        print("usage: python3 -m tests.run MODULE", file=sys.stderr)
        return 2
    loaded = unittest.defaultTestLoader.loadTestsFromName(sys.argv[1])
    cases = this_shard(list(cases_of(loaded)))
    result = unittest.TextTestRunner(verbosity=2).run(
        unittest.TestSuite(cases))
    ran = result.testsRun - len(result.skipped)
    print(f"ran {ran} cases, {len(result.skipped)} skipped")
    if ran == 0:
        print("no case ran", file=sys.stderr)
        return 1
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
