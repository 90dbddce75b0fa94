"""Prints OCI archives with their tags, sizes and digests, and how to push them:
list_images.py FILE..."""

import sys

from archive import Archive

MIB = 1 << 20


def main(paths):
    rows = [("IMAGE", "COMPRESSED", "DIGEST", "FILE")]
    for path in paths:
        with Archive(path) as image:
            size = f"{image.size / MIB:.1f} MiB"
            rows.append((image.tag, size, image.digest, path))
    widths = [max(len(row[i]) for row in rows) for i in range(3)]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)), row[3])
    print("\nTo a registry: skopeo copy oci-archive:FILE docker://REGISTRY/IMAGE")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
