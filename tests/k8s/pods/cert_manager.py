"""Stands in for cert-manager: what it writes to the Secrets of Certificates.

Keys and certificates are made by the program openssl as cert-manager makes them:
no subject, the names in a critical extension, a new key each time. Issuers are
not looked at; there is one authority, which a test can replace.
"""

import os
import subprocess

from tests.e2e import processes

USAGES = {"digital signature": ("keyUsage", "digitalSignature"),
          "server auth": ("extendedKeyUsage", "serverAuth"),
          "client auth": ("extendedKeyUsage", "clientAuth")}
KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")


def openssl(*arguments):
    done = subprocess.run(["openssl", *arguments], text=True, capture_output=True,
                          timeout=30, check=False)
    if done.returncode != 0:
        raise AssertionError(f"openssl {' '.join(arguments)}: {done.stderr}")
    return done.stdout


def hours(duration):
    return int(duration.removesuffix("h"))


def read(folder, name):
    with open(os.path.join(folder, name), encoding="ascii") as file:
        return file.read()


def extensions(spec):
    """The text of an openssl configuration for the spec of a Certificate."""
    if spec["privateKey"] != {"algorithm": "ECDSA", "size": 256,
                              "rotationPolicy": "Always"}:
        raise AssertionError(f"{spec['privateKey']}: not known to this fixture")
    names = [f"URI:{uri}" for uri in spec["uris"]]
    names += [f"DNS:{name}" for name in spec.get("dnsNames", [])]
    lines = ["basicConstraints=critical,CA:FALSE",
             f"subjectAltName=critical,{','.join(names)}"]
    for key in "keyUsage", "extendedKeyUsage":
        values = [USAGES[usage][1] for usage in spec["usages"]
                  if USAGES[usage][0] == key]
        lines.append(f"{key}={','.join(values)}")
    return "\n".join(lines) + "\n"


class Authority:
    """A key and a certificate that signs itself."""

    def __init__(self, name="tributary-ca"):
        with processes.temporary_folder() as folder:
            key = os.path.join(folder, "key")
            openssl("req", "-x509", *KEY, "-keyout", key, "-out", key + ".crt",
                    "-days", "3650", "-subj", f"/CN={name}", "-addext",
                    "keyUsage=critical,keyCertSign,cRLSign")
            self.certificate = read(folder, "key.crt")
            self._key = read(folder, "key")

    def issue(self, spec):
        """The data of the Secret of a Certificate."""
        with processes.temporary_folder() as folder:
            def path(name, text=None):
                if text is not None:
                    with open(os.path.join(folder, name), "w",
                              encoding="ascii") as file:
                        file.write(text)
                return os.path.join(folder, name)

            openssl("req", "-new", *KEY, "-keyout", path("tls.key"), "-out",
                    path("request"), "-subj", "/")
            days = hours(spec["duration"]) // 24
            openssl("x509", "-req", "-in", path("request"), "-CA",
                    path("ca.crt", self.certificate), "-CAkey",
                    path("ca.key", self._key), "-CAcreateserial", "-days",
                    str(days), "-extfile", path("extensions", extensions(spec)),
                    "-out", path("tls.crt"))
            return {"ca.crt": self.certificate, "tls.crt": read(folder, "tls.crt"),
                    "tls.key": read(folder, "tls.key")}


class CertManager:
    """The Secrets of a cluster's Certificates. `on_secret(name, data)` is called
    with each that is written."""

    def __init__(self, on_secret):
        self._on_secret = on_secret
        self._specs = {}
        self._authority = None
        self.secrets = {}

    @property
    def authority(self):
        """The one that signs, as base/issuer makes it."""
        if self._authority is None:
            self._authority = Authority()
        return self._authority

    def spec(self, name):
        return self._specs[name]

    def apply(self, certificates):
        for name, found in certificates.items():
            if found["spec"].get("isCA") or name in self._specs:
                continue
            self._specs[name] = found["spec"]
            self._write(name, self.authority.issue(found["spec"]))

    def renew(self, name):
        """New keys and certificates; the authority's certificates stay."""
        before = self.secrets[self._specs[name]["secretName"]]
        self._write(name, {**self._authority.issue(self._specs[name]),
                           "ca.crt": before["ca.crt"]})

    def trust(self, *authorities):
        """Sets what all holders trust; their own certificates stay."""
        bundle = "".join(authority.certificate for authority in authorities)
        for name, spec in self._specs.items():
            self._write(name, {**self.secrets[spec["secretName"]], "ca.crt": bundle})

    def replace_authority(self):
        """Signs with another one from now on; returns the old and the new one."""
        old, self._authority = self._authority, Authority()
        return old, self._authority

    def renew_all(self):
        for name in self._specs:
            self.renew(name)

    def _write(self, name, data):
        secret = self._specs[name]["secretName"]
        self.secrets[secret] = data
        self._on_secret(secret, data)
