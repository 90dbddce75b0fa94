"""An object store for tests: moto in a process of its own, and a proxy before
it that counts, fails and delays what a test asks it to."""

import http.client
import http.server
import os
import select
import socketserver
import ssl
import subprocess
import sys
import threading
import time

DEADLINE = 60.0
# moto's server on a free port, which it prints.
SERVER = """
import sys
from werkzeug.serving import make_server
from moto.server import DomainDispatcherApplication, create_backend_app
app = DomainDispatcherApplication(create_backend_app)
server = make_server("127.0.0.1", 0, app, threaded=True)
print(server.port, flush=True)
server.serve_forever()
"""


def packages():
    """The folder that third_party/pip/install.py has made."""
    with open("external/moto/path.txt", encoding="utf-8") as file:
        return file.read()


def environment(endpoint, **more):
    """What a client gets: credentials, and no search for others."""
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith("AWS_")}
    return {**kept, "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_EC2_METADATA_DISABLED": "true",
            "AWS_ENDPOINT_URL_S3": endpoint, **more}


class Store:
    """moto, with one bucket; ended with its block."""

    def __init__(self, bucket="graphs", **variables):
        self._bucket = bucket
        self._variables = variables

    def __enter__(self):
        self._process = subprocess.Popen(
            [sys.executable, "-c", SERVER], stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": packages(), **self._variables})
        try:
            if not select.select([self._process.stdout], [], [], DEADLINE)[0]:
                raise AssertionError("moto does not start")
            self.port = int(self._process.stdout.readline())
            assert self.request("PUT", "")[0] == 200
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *unused):
        self._process.kill()
        self._process.wait(DEADLINE)
        self._process.stdout.close()

    def request(self, method, path, body=None, **headers):
        """(status, headers, body) of a request for an object of the bucket."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port,
                                                timeout=DEADLINE)
        try:
            connection.request(method, f"/{self._bucket}/{path}".rstrip("/"),
                               body, headers)
            reply = connection.getresponse()
            return reply.status, dict(reply.getheaders()), reply.read()
        finally:
            connection.close()

    def get(self, path):
        status, _, body = self.request("GET", path)
        assert status == 200, (path, status)
        return body

    def put(self, path, body, content_type="application/octet-stream"):
        status, _, _ = self.request("PUT", path, body,
                                    **{"Content-Type": content_type})
        assert status == 200, (path, status)


class Proxy:
    """Passes requests on to a Store.

    `served` counts the bytes of bodies that were read from objects, by path.
    `rule(number, method, path)` is asked for each request and may return a
    status to answer instead, "cut" to close within the body, or None.
    """

    def __init__(self, store, rule=lambda number, method, path: None,
                 tls=None):
        self._store = store
        self._tls = tls  # files of a certificate and its key
        self.rule = rule
        self.served = {}
        self.requests = []
        self.mutex = threading.Lock()

    def __enter__(self):
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_any(self):
                proxy.handle(self)

            do_GET = do_PUT = do_POST = do_HEAD = do_DELETE = handle_any

            def log_message(self, *unused):
                pass

        class Server(socketserver.ThreadingTCPServer):
            daemon_threads = True
            allow_reuse_address = True

            def handle_error(self, *unused):
                pass  # a client that was killed

        self._server = Server(("127.0.0.1", 0), Handler)
        if self._tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*self._tls)
            self._server.socket = context.wrap_socket(self._server.socket,
                                                      server_side=True)
        scheme = "https" if self._tls else "http"
        self.endpoint = f"{scheme}://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever,
                                        args=(0.05,))
        self._thread.start()
        return self

    def __exit__(self, *unused):
        self._server.shutdown()
        self._thread.join(DEADLINE)
        self._server.server_close()

    def handle(self, request):
        body = self._body(request)
        with self.mutex:
            self.requests.append((request.command, request.path))
            number = len(self.requests)
        ruling = self.rule(number, request.command, request.path)
        if isinstance(ruling, int):
            request.send_response(ruling)
            request.send_header("Content-Length", "0")
            request.end_headers()
            return
        connection = http.client.HTTPConnection("127.0.0.1", self._store.port,
                                                timeout=DEADLINE)
        try:
            headers = {k: v for k, v in request.headers.items()
                       if k.lower() not in ("host", "transfer-encoding",
                                            "content-length", "expect")}
            connection.request(request.command, request.path, body, headers)
            reply = connection.getresponse()
            data = reply.read()
        finally:
            connection.close()
        request.send_response(reply.status)
        for name, value in reply.getheaders():
            if name.lower() not in ("connection", "transfer-encoding", "server",
                                    "date", "content-length"):
                request.send_header(name, value)
        length = reply.getheader("Content-Length") or str(len(data))
        request.send_header("Content-Length", length)
        request.end_headers()
        if ruling == "cut":
            data = data[:len(data) // 2]
            request.close_connection = True
        with self.mutex:
            if request.command == "GET" and reply.status in (200, 206):
                path = request.path.split("?")[0]
                if path.count("/") > 1:  # an object, no list of them
                    self.served[path] = self.served.get(path, 0) + len(data)
        request.wfile.write(data)

    @staticmethod
    def _body(request):
        if request.headers.get("Transfer-Encoding") == "chunked":
            pieces = []
            while size := int(request.rfile.readline().split(b";")[0], 16):
                pieces.append(request.rfile.read(size))
                request.rfile.readline()
            while request.rfile.readline().strip():
                pass
            return b"".join(pieces)
        length = request.headers.get("Content-Length")
        return request.rfile.read(int(length)) if length else None

    def bytes_served(self):
        with self.mutex:
            return sum(self.served.values())

    def asked_for(self, part, since):
        """Whether a request after the first `since` names `part`."""
        with self.mutex:
            return any(part in path for _, path in self.requests[since:])

    def count(self):
        with self.mutex:
            return len(self.requests)


def until(condition, deadline=DEADLINE):
    """Waits until condition() is true."""
    end = time.monotonic() + deadline
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"not within {deadline} s")
        select.select([], [], [], 0.005)
