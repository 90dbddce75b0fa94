"""Reads an OCI archive and checks all of it: Archive(path)."""

import gzip
import hashlib
import json
import pathlib
import tarfile

ANNOTATION = "org.opencontainers.image.ref.name"


class BadArchive(Exception):
    pass


class Archive:
    """One image in an OCI archive.

    `tag` is NAME:VERSION, `digest` the manifest's, `config` what runs in it,
    `layers` their descriptors from the lowest, `size` the bytes that a pull
    moves. Blobs are checked against their digests when they are read.
    """

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self._tar = tarfile.open(self.path, "r:")
        entries = json.loads(self._member("index.json").read())["manifests"]
        if len(entries) != 1:
            raise BadArchive(f"{path} holds {len(entries)} images, not one")
        self.digest = entries[0]["digest"]
        self.tag = entries[0]["annotations"][ANNOTATION]
        manifest = json.loads(self.blob(entries[0]))
        self._config = json.loads(self.blob(manifest["config"]))
        self.config = self._config["config"]
        self.layers = manifest["layers"]
        self.size = sum(part["size"] for part in [manifest["config"], *self.layers])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._tar.close()

    def _member(self, name):
        try:
            return self._tar.extractfile(name)
        except KeyError:
            raise BadArchive(f"{self.path} has no {name}") from None

    def open_blob(self, descriptor):
        """The bytes of `descriptor`, unchecked."""
        return self._member("blobs/" + descriptor["digest"].replace(":", "/"))

    def check_blob(self, descriptor):
        """Raises BadArchive if the blob is not what its descriptor says."""
        with self.open_blob(descriptor) as blob:
            digest = "sha256:" + hashlib.file_digest(blob, "sha256").hexdigest()
        if digest != descriptor["digest"]:
            raise BadArchive(
                f"{self.path}: blob {descriptor['digest']} is damaged: "
                f"its content has digest {digest}"
            )

    def blob(self, descriptor):
        self.check_blob(descriptor)
        with self.open_blob(descriptor) as blob:
            return blob.read()

    def open_layer(self, number):
        """The tar archive of a layer, as a stream. Requires close()."""
        self.check_blob(self.layers[number])
        blob = self.open_blob(self.layers[number])
        return tarfile.open(fileobj=gzip.GzipFile(fileobj=blob), mode="r|")

    def check(self):
        """Checks all blobs, and that the layers unpack to what config says."""
        diff_ids = self._config["rootfs"]["diff_ids"]
        if len(diff_ids) != len(self.layers):
            raise BadArchive(f"{self.path}: {len(diff_ids)} diff_ids do not fit")
        for descriptor, diff_id in zip(self.layers, diff_ids):
            self.check_blob(descriptor)
            with gzip.GzipFile(fileobj=self.open_blob(descriptor)) as plain:
                digest = "sha256:" + hashlib.file_digest(plain, "sha256").hexdigest()
            if digest != diff_id:
                raise BadArchive(f"{self.path}: {diff_id} unpacks to {digest}")
