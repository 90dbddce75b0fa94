"""unpack.py refuses what could write outside of its folder."""

import gzip
import hashlib
import io
import json
import os
import tarfile
import unittest

from k8s.images.archive import BadArchive
from tests.e2e import processes
from tests.images.unpack import unpack


def entry(name, kind=tarfile.REGTYPE, link="", data=b""):
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.size = kind, link, len(data)
    return info, data


def tar_of(entries, out):
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for info, data in entries:
            tar.addfile(info, io.BytesIO(data))


def archive_of(path, entries, diff_id=None):
    """Writes an image of one layer of `entries`."""
    blobs, layer = {}, io.BytesIO()
    tar_of(entries, layer)

    def add(data):
        digest = hashlib.sha256(data).hexdigest()
        blobs["blobs/sha256/" + digest] = data
        return {"digest": "sha256:" + digest, "size": len(data)}

    plain = layer.getvalue()
    diff_id = diff_id or "sha256:" + hashlib.sha256(plain).hexdigest()
    config = {"config": {"Entrypoint": ["/p"]}, "rootfs": {"diff_ids": [diff_id]}}
    manifest = add(json.dumps({
        "config": add(json.dumps(config).encode()),
        "layers": [add(gzip.compress(plain))]}).encode())
    manifest["annotations"] = {"org.opencontainers.image.ref.name": "p:1"}
    blobs["index.json"] = json.dumps({"manifests": [manifest]}).encode()
    with open(path, "wb") as out:
        tar_of([entry(name, data=data) for name, data in blobs.items()], out)


class UnpackTest(unittest.TestCase):
    def setUp(self):
        folder = processes.temporary_folder()
        self.addCleanup(folder.cleanup)
        self.archive = os.path.join(folder.name, "image.tar")
        self.root = os.path.join(folder.name, "root")

    def refuse(self, words, *entries, **options):
        archive_of(self.archive, entries, **options)
        with self.assertRaisesRegex(BadArchive, words):
            unpack(self.archive, self.root)

    def test_files_folders_and_links(self):
        archive_of(self.archive, [
            entry("bin", tarfile.DIRTYPE), entry("bin/a", data=b"text"),
            entry("link", tarfile.SYMTYPE, "bin/a")])
        self.assertEqual(unpack(self.archive, self.root)["Entrypoint"], ["/p"])
        with open(os.path.join(self.root, "link"), encoding="ascii") as file:
            self.assertEqual(file.read(), "text")

    def test_a_whiteout(self):
        self.refuse("a/.wh.b is a whiteout", entry("a/.wh.b"))

    def test_a_path_out_of_the_folder(self):
        self.refuse("../b is outside", entry("../b"))
        self.refuse("/b is outside", entry("/b"))

    def test_a_file_behind_a_link(self):
        self.refuse("a/b is below a link", entry("a", tarfile.SYMTYPE, "/tmp"),
                    entry("a/b"))

    def test_a_device(self):
        self.refuse("a is of the kind 3", entry("a", tarfile.CHRTYPE))

    def test_another_layer_than_the_configuration_says(self):
        self.refuse("sha256:00 unpacks to sha256:", diff_id="sha256:00")

    def test_a_folder_that_is_not_empty(self):
        archive_of(self.archive, [entry("a")])
        unpack(self.archive, self.root)
        with self.assertRaisesRegex(BadArchive, "is not empty"):
            unpack(self.archive, self.root)


if __name__ == "__main__":
    unittest.main()
