"""Unpacks an image into a folder that can become the root of a process:

    unpack("bazel-bin/k8s/images/sampler.tar", folder)

or python3 -m tests.images.unpack ARCHIVE FOLDER. All digests are checked on the
way. Refused is what images of this project never hold: files that delete others
(whiteouts), links and paths out of the folder, devices. Returns what the image
runs: its `Entrypoint`, `Cmd`, `Env` and `User`.
"""

import pathlib
import shutil
import sys

from k8s.images.archive import Archive, BadArchive


def unpack(archive, folder):
    """Unpacks `archive`, a path, into `folder`, which is made and must be empty."""
    root = pathlib.Path(folder)
    root.mkdir(parents=True, exist_ok=True)
    if any(root.iterdir()):
        raise BadArchive(f"{root} is not empty")
    with Archive(archive) as image:
        image.check()
        for number in range(len(image.layers)):
            with image.open_layer(number) as layer:
                for entry in layer:
                    unpack_entry(layer, entry, root)
        return image.config


def place(entry, root):
    """Where `entry` belongs: below `root`, through none of the image's links."""
    name = pathlib.PurePosixPath(entry.name)
    if name.is_absolute() or ".." in name.parts:
        raise BadArchive(f"{entry.name} is outside of the image")
    if name.name.startswith(".wh."):
        raise BadArchive(f"{entry.name} is a whiteout")
    path = root / name
    for parent in path.relative_to(root).parents:
        if (root / parent).is_symlink():
            raise BadArchive(f"{entry.name} is below a link")
    return path


def unpack_entry(layer, entry, root):
    path = place(entry, root)
    if entry.isdir():
        path.mkdir(exist_ok=True)
        path.chmod(entry.mode)
    elif entry.issym():
        path.symlink_to(entry.linkname)
    elif entry.isfile():
        # "x": no layer of ours replaces a file of another.
        with open(path, "xb") as out:
            shutil.copyfileobj(layer.extractfile(entry), out, 1 << 20)
        path.chmod(entry.mode)
    else:
        kind = entry.type.decode(errors="replace")
        raise BadArchive(f"{entry.name} is of the kind {kind}: not unpacked")


def main():
    if len(sys.argv) != 3:
        print("usage: python3 -m tests.images.unpack ARCHIVE FOLDER", file=sys.stderr)
        return 2
    config = unpack(sys.argv[1], sys.argv[2])
    print(" ".join(config["Entrypoint"]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
