"""A Prometheus of Debian's package that scrapes servers of a test."""

import json
import os
import subprocess
import tempfile
import urllib.error
import urllib.parse
import urllib.request

from tests.e2e import processes

DEADLINE = 120  # seconds, on a machine that does other things too


class Prometheus:
    """Scrapes `targets`, addresses by the name of their pod, each second.

    `others` are scraped as they are. Killed when its block ends; its data are
    in a folder of its own.
    """

    def __init__(self, targets, namespace="tributary", others=()):
        self._targets = targets
        self._others = list(others)
        self._namespace = namespace

    def __enter__(self):
        self._folder = processes.temporary_folder()
        self._log = tempfile.TemporaryFile(mode="w+")
        [port] = processes.held_ports(1)
        self._url = f"http://127.0.0.1:{port}"
        config = os.path.join(self._folder.name, "prometheus.yaml")
        with open(config, "w", encoding="utf-8") as file:
            json.dump(self._config(), file)  # JSON is YAML too
        self._popen = subprocess.Popen(
            ["prometheus", f"--config.file={config}",
             f"--storage.tsdb.path={self._folder.name}/data",
             f"--web.listen-address=127.0.0.1:{port}"],
            stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log)
        try:
            processes.until(self._is_ready, DEADLINE)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *unused):
        self._popen.kill()
        self._popen.wait(processes.DEADLINE)
        self._log.close()
        self._folder.cleanup()

    def _config(self):
        """Labels as the PodMonitor gives them."""
        return {
            "global": {"scrape_interval": "1s", "scrape_timeout": "1s"},
            "scrape_configs": [{
                "job_name": "samplers", "honor_labels": True,
                "static_configs": [
                    {"targets": [address],
                     "labels": {"namespace": self._namespace, "pod": pod}}
                    for pod, address in self._targets.items()]},
                {"job_name": "cluster", "honor_labels": True,
                 "static_configs": [{"targets": self._others}]}]}

    def _is_ready(self):
        if self._popen.poll() is not None:
            self._log.seek(0)
            raise AssertionError(f"Prometheus ended: {self._log.read()}")
        try:
            with urllib.request.urlopen(f"{self._url}/-/ready", timeout=30):
                return True
        except urllib.error.URLError:
            return False

    def query(self, expression):
        """(labels, value) of each series of the answer."""
        asked = urllib.parse.urlencode({"query": expression})
        try:
            answer = self._get(f"query?{asked}")
        except urllib.error.HTTPError as error:
            raise AssertionError(
                f"{expression}: {error.read().decode()}") from error
        return [(series["metric"], float(series["value"][1]))
                for series in answer["result"]]

    def names(self):
        """The names of all series that were scraped."""
        return set(self._get("label/__name__/values"))

    def _get(self, path):
        with urllib.request.urlopen(f"{self._url}/api/v1/{path}",
                                    timeout=60) as reply:
            return json.load(reply)["data"]
