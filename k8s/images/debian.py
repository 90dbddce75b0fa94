"""What Debian's packages give to an image: their names, texts and licences."""

import os
import pathlib
import subprocess

from tarball import file, text

DOCUMENTS = "/usr/share/doc"
# What the copyright files refer to.
COMMON_LICENSES = "/usr/share/common-licenses"
CERTIFICATES = "/usr/share/ca-certificates/mozilla"
CERTIFICATE_BUNDLE = "/etc/ssl/certs/ca-certificates.crt"


class NotPackaged(Exception):
    pass


def names_of(path):
    """The names under which dpkg may know a file: it does not follow links, and
    /lib has become one."""
    real = os.path.realpath(path)
    names = {path, real}
    for name in [path, real]:
        if name.startswith("/usr/lib"):
            names.add(name.removeprefix("/usr"))
    return names


def packages_of(paths):
    """The names of the packages that own `paths`, which are all owned."""
    if not paths:
        return set()
    owners = {}
    asked = sorted({name for path in paths for name in names_of(path)})
    done = subprocess.run(
        ["dpkg-query", "-S", *asked],
        env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
    )
    for line in done.stdout.splitlines():
        owner, _, name = line.partition(": ")
        if not owner.startswith("diversion"):
            owners[name] = owner.split(",")[0].split(":")[0]
    for path in paths:
        if not names_of(path) & owners.keys():
            raise NotPackaged(
                f"{path} belongs to no Debian package: an image takes the "
                "system's files from packages only"
            )
    return {owners[n] for path in paths for n in names_of(path) if n in owners}


def describe(packages):
    """Entries for `packages`: copyright, and the status that scanners of images
    look for."""
    entries = {}
    for package in sorted(packages):
        copyright = os.path.join(DOCUMENTS, package, "copyright")
        if not os.path.exists(copyright):
            raise NotPackaged(f"{package} has no {copyright}")
        entries[copyright] = file(os.path.realpath(copyright))
        status = subprocess.run(
            ["dpkg-query", "-s", package],
            env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"},
            capture_output=True,
            check=True,
        ).stdout
        entries[f"/var/lib/dpkg/status.d/{package}"] = text(status)
    return entries


def common_licenses():
    names = sorted(os.listdir(COMMON_LICENSES))
    paths = [os.path.join(COMMON_LICENSES, name) for name in names]
    return {path: file(os.path.realpath(path)) for path in paths}


def certificate_bundle():
    """The bundle of Debian's certificates alone: this machine's own stay out."""
    certificates = sorted(pathlib.Path(CERTIFICATES).glob("*.crt"))
    if not certificates:
        raise NotPackaged(f"no certificates in {CERTIFICATES}")
    lines = [path.read_text().rstrip("\n") + "\n" for path in certificates]
    return {CERTIFICATE_BUNDLE: text("".join(lines))}
