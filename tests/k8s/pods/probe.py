"""The kubelet's probes of a container, by gRPC or HTTP."""

import concurrent.futures
import urllib.error
import urllib.request

import grpc

SERVING = b"\x08\x01"  # grpc.health.v1.HealthCheckResponse


class GrpcCheck:
    """A channel for grpc.health.v1, in plain text as the kubelet's."""

    def __init__(self, address):
        self._channel = grpc.insecure_channel(
            address, options=[("grpc.max_reconnect_backoff_ms", 200)])
        self._check = self._channel.unary_unary("/grpc.health.v1.Health/Check")

    def start(self, timeout):
        return self._check.future(b"", timeout=timeout)

    @staticmethod
    def succeeded(call):
        return call.code() is grpc.StatusCode.OK and call.result() == SERVING

    def close(self):
        self._channel.close()


class HttpCheck:
    """A thread that gets a page; a status from 200 to 399 is a success."""

    def __init__(self, url):
        self._url = url
        self._thread = concurrent.futures.ThreadPoolExecutor(1)

    def start(self, timeout):
        return self._thread.submit(self._get, timeout)

    def _get(self, timeout):
        try:
            with urllib.request.urlopen(self._url, timeout=timeout) as reply:
                return 200 <= reply.status < 400
        except (OSError, urllib.error.URLError):
            return False

    @staticmethod
    def succeeded(call):
        return call.result()

    def close(self):
        self._thread.shutdown()


def check_of(spec, address, ports):
    if "grpc" in spec:
        return GrpcCheck(f"{address}:{spec['grpc']['port']}")
    port = spec["httpGet"]["port"]
    number = {p["name"]: p["containerPort"] for p in ports}.get(port, port)
    return HttpCheck(f"http://{address}:{number}{spec['httpGet']['path']}")


class Probe:
    """A probe, asked again and again without waiting for it. `ports`: the
    container's."""

    def __init__(self, spec, address, ports, pace):
        self._spec = spec
        self._period = spec.get("periodSeconds", 10) * pace
        self._check = check_of(spec, address, ports)
        self._call = None
        self._next = 0
        self._failures = 0
        self.succeeds = False
        self.failed = False  # failureThreshold times in a row

    def step(self, now):
        if self._call is not None and self._call.done():
            self._count(self._check.succeeded(self._call))
            self._call = None
        if self._call is None and now >= self._next:
            self._next = now + self._period
            self._call = self._check.start(self._spec.get("timeoutSeconds", 1))

    def _count(self, success):
        self._failures = 0 if success else self._failures + 1
        threshold = self._spec.get("failureThreshold", 3)
        if success:
            self.succeeds = True
        elif self._failures >= threshold:
            self.succeeds = False
            self.failed = True

    def close(self):
        self._check.close()
