"""`./dev certs`, whose script the other tests use, too."""

import os
import stat
import subprocess
import unittest

from tests.e2e import processes
from tests.e2e.tls import certificates


def text_of(pem):
    return subprocess.run(
        ["openssl", "x509", "-in", pem, "-noout", "-text"], check=True,
        capture_output=True, text=True, timeout=60).stdout


class CertsTest(unittest.TestCase):
    def setUp(self):
        self.folder = os.path.join(
            self.enterContext(processes.temporary_folder()), "certs")

    def path(self, name):
        return os.path.join(self.folder, name)

    def test_certificates_name_their_holders(self):
        certificates.make(self.folder, "a", "b.2")
        for name, uri in (("sampler", "sampler/test"),
                          ("operator", "operator/test"),
                          ("trainer-a", "trainer/a"),
                          ("trainer-b.2", "trainer/b.2")):
            self.assertIn(f"URI:tributary://{uri}",
                          text_of(self.path(name + ".pem")))
            subprocess.run(
                ["openssl", "verify", "-CAfile", self.path("ca.pem"),
                 self.path(name + ".pem")], check=True, capture_output=True,
                timeout=60)

    def test_keys_are_the_owners_alone(self):
        certificates.make(self.folder)
        keys = [name for name in os.listdir(self.folder)
                if name.endswith(".key")]
        self.assertEqual(len(keys), 4, keys)
        for key in keys:
            mode = stat.S_IMODE(os.stat(self.path(key)).st_mode)
            self.assertEqual(mode, 0o600, key)

    def test_a_second_run_adds_and_changes_nothing(self):
        certificates.make(self.folder, "a")
        before = {name: certificates.read(self.path(name))
                  for name in os.listdir(self.folder) if name != "ca.srl"}
        certificates.make(self.folder, "a", "b")
        for name, text in before.items():
            self.assertEqual(certificates.read(self.path(name)), text, name)
        self.assertIn("trainer-b.pem", os.listdir(self.folder))

    def test_a_ca_without_its_key_is_not_replaced(self):
        certificates.make(self.folder, "a")
        os.remove(self.path("ca.key"))
        with self.assertRaises(subprocess.CalledProcessError) as refused:
            certificates.make(self.folder, "b")
        self.assertEqual(refused.exception.returncode, 2)
        self.assertIn("without ca.key", refused.exception.stderr)

    def test_wrong_arguments_are_refused(self):
        for args in (("--days", "0"), ("--days",), ("--trainer", "a/b"),
                     ("--nothing",), ("one", "two")):
            with self.subTest(args), \
                    self.assertRaises(subprocess.CalledProcessError):
                certificates._script("make_certs", self.folder, *args)
        self.assertFalse(os.path.exists(self.folder))


if __name__ == "__main__":
    unittest.main()
