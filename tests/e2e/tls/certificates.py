"""Certificates of `./dev certs`, and wrong ones of the same CA."""

import os
import subprocess


def _script(command, *args):
    subprocess.run(
        ["bash", "-euc", f". tools/certs.sh; {command} \"$@\"", "certs",
         *map(str, args)], check=True, capture_output=True, text=True,
        timeout=60)


def make(folder, *jobs):
    """What ./dev certs FOLDER --trainer JOB... does."""
    _script("make_certs", folder, *(word for job in jobs
                                    for word in ("--trainer", job)))


def sign(folder, name, uri, days=30):
    """A certificate NAME.pem of the CA in `folder`, with that URI."""
    _script("make_cert", folder, days, name, uri)


def flags(folder, name, ca=None):
    return ["--tls-ca", ca or os.path.join(folder, "ca.pem"),
            "--tls-cert", os.path.join(folder, f"{name}.pem"),
            "--tls-key", os.path.join(folder, f"{name}.key")]


def environment(folder, name):
    values = flags(folder, name)[1::2]
    return dict(zip(("TRIBUTARY_TLS_CA", "TRIBUTARY_TLS_CERT",
                     "TRIBUTARY_TLS_KEY"), values))


def replace(path, text):
    """Renames a new file over the old one, as who renews certificates does."""
    with open(path + ".new", "w", encoding="ascii") as file:
        file.write(text)
    os.rename(path + ".new", path)


def read(path):
    with open(path, encoding="ascii") as file:
        return file.read()
