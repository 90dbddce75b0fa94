"""A page in headless Chromium, with scripts off, over the DevTools protocol.

Chromium's own --dump-dom is a script, which does not run when scripts are off.
"""

import base64
import json
import os
import select
import subprocess
import time

CHROMIUM = "chromium-headless-shell"
DEADLINE = 60.0


class Browser:
    """One tab of so many pixels. `events`: what it told, in order."""

    def __init__(self, folder, width, height):
        self._folder, self._size = folder, (width, height)
        self.events, self._buffer, self._last = [], b"", 0

    def __enter__(self):
        # It reads commands from descriptor 3 and writes to 4.
        to_it, self._write = os.pipe()
        self._read, from_it = os.pipe()
        self._popen = subprocess.Popen(
            ["bash", "-c", f'exec {CHROMIUM} "$@" 3<&{to_it} 4>&{from_it}',
             "bash", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             "--remote-debugging-pipe", f"--user-data-dir={self._folder}"],
            pass_fds=(to_it, from_it), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_it)
        os.close(from_it)
        self._session = None
        try:
            self._open_tab()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _open_tab(self):
        target = self.call("Target.createTarget", url="about:blank")
        self._session = self.call("Target.attachToTarget", flatten=True,
                                  targetId=target["targetId"])["sessionId"]
        for domain in ("Page", "Network", "Log", "Runtime", "DOM"):
            self.call(f"{domain}.enable")
        width, height = self._size
        self.call("Emulation.setScriptExecutionDisabled", value=True)
        self.call("Emulation.setDeviceMetricsOverride", width=width,
                  height=height, deviceScaleFactor=1, mobile=False)

    def __exit__(self, *unused):
        self._popen.kill()
        self._popen.wait(DEADLINE)
        os.close(self._read)
        os.close(self._write)

    def call(self, method, **params):
        self._last += 1
        message = {"id": self._last, "method": method, "params": params}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            told = self._next()
            if told.get("id") == self._last:
                if "error" in told:
                    raise AssertionError(f"{method}: {told['error']}")
                return told["result"]
            self.events.append(told)

    def _next(self):
        end = time.monotonic() + DEADLINE
        while b"\0" not in self._buffer:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self._read], [], [], left)[0]:
                raise AssertionError("the browser says nothing")
            piece = os.read(self._read, 1 << 20)
            if not piece:
                raise AssertionError("the browser has ended")
            self._buffer += piece
        message, self._buffer = self._buffer.split(b"\0", 1)
        return json.loads(message)

    def of(self, method):
        """The parameters of the events of that name so far."""
        return [event["params"] for event in self.events
                if event.get("method") == method]

    def open(self, url):
        """Returns once the page and what it needs are loaded."""
        loads = len(self.of("Page.loadEventFired"))
        self.call("Page.navigate", url=url)
        while len(self.of("Page.loadEventFired")) == loads:
            self.events.append(self._next())

    def html(self):
        root = self.call("DOM.getDocument")["root"]["nodeId"]
        return self.call("DOM.getOuterHTML", nodeId=root)["outerHTML"]

    def content_width(self):
        """Of what is laid out, in pixels."""
        return self.call("Page.getLayoutMetrics")["cssContentSize"]["width"]

    def screenshot(self):
        return base64.b64decode(
            self.call("Page.captureScreenshot", format="png")["data"])
