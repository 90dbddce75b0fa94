"""Builds an image from its layers: build_image.py SPEC OUT.

SPEC is JSON, written by oci_image of oci.bzl. OUT becomes an OCI archive: a tar
file of an OCI image layout (image-spec 1.0) with one image for linux/amd64.
"""

import hashlib
import json
import pathlib
import sys
import tarfile

from tarball import file, text, write_entry

MEDIA = "application/vnd.oci.image."
# The same for all builds: a build's time is no part of its content.
CREATED = "1970-01-01T00:00:00Z"
BLOBS = "blobs/sha256/"


def read(path):
    return pathlib.Path(path).read_text().strip()


def encode(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def descriptor(kind, data):
    return {
        "mediaType": MEDIA + kind,
        "digest": "sha256:" + hashlib.sha256(data).hexdigest(),
        "size": len(data),
    }


def version(spec):
    return read(spec["version_file"]) + spec["tag_suffix"]


def labels(spec):
    name = "org.opencontainers.image."
    return {
        name + "title": spec["name"],
        name + "description": spec["description"],
        name + "version": version(spec),
        name + "revision": read(spec["revision_file"]),
        name + "licenses": spec["licenses"],
    }


def config(spec, layers):
    return {
        "architecture": "amd64",
        "os": "linux",
        "created": CREATED,
        "config": {
            "User": spec["user"],
            "Env": spec["env"],
            "Entrypoint": spec["entrypoint"],
            "Cmd": spec["cmd"],
            "ExposedPorts": {port: {} for port in spec["ports"]},
            "WorkingDir": "/",
            "Labels": labels(spec),
        },
        "rootfs": {"type": "layers", "diff_ids": [layer["diff_id"] for layer in layers]},
        "history": [
            {"created": CREATED, "created_by": f"bazel build {layer['name']}"}
            for layer in layers
        ],
    }


def manifest(config_data, layers):
    return {
        "schemaVersion": 2,
        "mediaType": MEDIA + "manifest.v1+json",
        "config": descriptor("config.v1+json", config_data),
        "layers": [
            {
                "mediaType": MEDIA + "layer.v1.tar+gzip",
                "digest": layer["digest"],
                "size": layer["size"],
            }
            for layer in layers
        ],
    }


def index(spec, manifest_data):
    """The names by which podman (ref.name), containerd and docker import it."""
    tagged = f"{spec['name']}:{version(spec)}"
    entry = descriptor("manifest.v1+json", manifest_data)
    entry["platform"] = {"architecture": "amd64", "os": "linux"}
    entry["annotations"] = {
        "org.opencontainers.image.ref.name": tagged,
        "io.containerd.image.name": "docker.io/library/" + tagged,
    }
    return {
        "schemaVersion": 2,
        "mediaType": MEDIA + "index.v1+json",
        "manifests": [entry],
    }


def blob_path(digest):
    return BLOBS + digest.removeprefix("sha256:")


def main(spec_path, out):
    spec = json.loads(read(spec_path))
    layers = [json.loads(read(layer["meta"])) for layer in spec["layers"]]
    config_data = encode(config(spec, layers))
    manifest_data = encode(manifest(config_data, layers))
    files = {
        "index.json": text(encode(index(spec, manifest_data))),
        "oci-layout": text(encode({"imageLayoutVersion": "1.0.0"})),
    }
    for data in [config_data, manifest_data]:
        files[blob_path(descriptor("", data)["digest"])] = text(data)
    for layer, given in zip(layers, spec["layers"]):
        files[blob_path(layer["digest"])] = file(given["blob"])
    with tarfile.open(out, "w", format=tarfile.USTAR_FORMAT) as archive:
        for path in sorted(files):
            write_entry(archive, path, files[path])


if __name__ == "__main__":
    main(*sys.argv[1:])
