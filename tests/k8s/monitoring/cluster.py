"""The exporter of a made-up cluster, beside servers that are real."""

import http.server
import threading


class Cluster:
    """Serves at `address` what `series` says when it is asked.

    `series`: a function that returns {text of a series with labels: value}.
    """

    def __init__(self, series):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                text = "".join(f"{name} {value}\n"
                               for name, value in series().items()).encode()
                self.send_response(200)
                self.send_header("Content-Type", "text/plain; version=0.0.4")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *unused):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0),
                                                       Handler)
        self._thread = threading.Thread(target=self._server.serve_forever)
        self.address = f"127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *unused):
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
