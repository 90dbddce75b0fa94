"""Writes a layer: a gzip'd tar archive whose bytes depend on its content only.

The entries are sorted; their owner is root, their time 0, and their modes are
given, so neither the machine nor the order of work can be seen in it.
"""

import dataclasses
import gzip
import hashlib
import io
import pathlib
import tarfile


@dataclasses.dataclass(frozen=True)
class Entry:
    """One path of a layer. Exactly one of `source`, `data` and `target` is set
    for a file (a path to copy, or bytes) and a link; none for a folder."""

    mode: int
    source: str = ""
    data: bytes | None = None
    target: str = ""

    @property
    def is_folder(self):
        return not self.source and self.data is None and not self.target

    def fingerprint(self):
        """Equal for entries of the same content."""
        if self.is_folder:
            return f"folder {self.mode:o}"
        if self.target:
            return f"link {self.target}"
        if self.data is not None:
            return f"file {self.mode:o} {hashlib.sha256(self.data).hexdigest()}"
        with open(self.source, "rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        return f"file {self.mode:o} {digest}"


def folder(mode=0o755):
    return Entry(mode)


def file(source, mode=0o644):
    return Entry(mode, source=str(source))


def text(data, mode=0o644):
    return Entry(mode, data=data.encode() if isinstance(data, str) else data)


def link(target):
    return Entry(0o777, target=target)


def with_parents(entries):
    """`entries` (path to Entry) and the folders above them that are missing."""
    whole = dict(entries)
    for path in entries:
        for parent in pathlib.PurePosixPath(path).parents:
            if str(parent) != "/":
                whole.setdefault(str(parent), folder())
    return whole


class HashingFile:
    """Passes on what is written to it, and digests it."""

    def __init__(self, file):
        self._file = file
        self._hash = hashlib.sha256()
        self.size = 0

    def write(self, data):
        self._hash.update(data)
        self.size += len(data)
        return self._file.write(data)

    def flush(self):
        self._file.flush()

    def digest(self):
        return "sha256:" + self._hash.hexdigest()


def header(path, entry):
    info = tarfile.TarInfo(path.lstrip("/"))
    info.mode = entry.mode
    if entry.target:
        info.type = tarfile.SYMTYPE
        info.linkname = entry.target
    elif entry.is_folder:
        info.type = tarfile.DIRTYPE
    elif entry.data is not None:
        info.size = len(entry.data)
    else:
        info.size = pathlib.Path(entry.source).stat().st_size
    return info


def write_entry(archive, path, entry):
    info = header(path, entry)
    if entry.source:
        with open(entry.source, "rb") as source:
            archive.addfile(info, source)
    else:
        archive.addfile(info, io.BytesIO(entry.data or b""))


def write_layer(entries, out):
    """Writes `entries` (absolute path to Entry) to the file `out`.

    Returns the fields of a layer: `digest` and `size` of the compressed bytes,
    `diff_id` and `unpacked_size` of the tar archive in them.
    """
    with open(out, "wb") as raw:
        compressed = HashingFile(raw)
        with gzip.GzipFile("", "wb", 6, compressed, mtime=0) as packer:
            plain = HashingFile(packer)
            with tarfile.open(
                fileobj=plain, mode="w|", format=tarfile.USTAR_FORMAT
            ) as archive:
                for path in sorted(entries):
                    write_entry(archive, path, entries[path])
    return {
        "digest": compressed.digest(),
        "size": compressed.size,
        "diff_id": plain.digest(),
        "unpacked_size": plain.size,
    }
