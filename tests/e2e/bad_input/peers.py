"""Who may be at the other end instead: scripted peers, without gRPC.

Just enough HTTP/2 (RFC 9113) and HPACK for one call at a time, so that a peer
can say anything: other versions, wrong checksums, nothing at all.
"""

import errno
import socket
import struct
import threading

from tests.e2e.bad_input.graph_edits import crc32c

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_DATA, _HEADERS, _SETTINGS, _PING = 0, 1, 4, 6
_ACK, _END_STREAM, _END_HEADERS = 1, 1, 4
CONTROL = "/tributary.v1.Sampler/Control"


def _text(value):
    return bytes([len(value)]) + value


# HPACK: :status 200 and content-type by static index, the others by name.
_RESPONSE = b"\x88\x0f\x10" + _text(b"application/grpc")


def _trailers(code, message):
    return (b"\x00" + _text(b"grpc-status") + _text(b"%d" % code) +
            b"\x00" + _text(b"grpc-message") + _text(message))


def _request(path):
    return (b"\x83\x86\x04" + _text(path.encode()) + b"\x01" + _text(b"test") +
            b"\x0f\x10" + _text(b"application/grpc") +
            b"\x00" + _text(b"te") + _text(b"trailers"))


def _frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + struct.pack(
        ">BBI", kind, flags, stream) + payload


def _message(data):
    return b"\0" + struct.pack(">I", len(data)) + data


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out + bytes([value]))


def number(field, value):
    return varint(field << 3) + varint(value)


def text(field, value):
    return varint(field << 3 | 2) + varint(len(value)) + value


def envelope(kind, call, header, payload=b"", version=2, crc=0,
             magic=b"TRIB", header_bytes=None):
    """docs/protocol.md's; `crc` is what the right checksum is flipped by."""
    start = struct.pack("<4sHHQIII", magic, version, kind, call,
                        len(header) if header_bytes is None else header_bytes,
                        len(payload), crc32c(payload))
    return (start + struct.pack("<I", crc32c(start + header) ^ crc) + header +
            payload)


def call_of(request):
    return struct.unpack_from("<Q", request, 8)[0]


def silent(connection):
    while connection.recv(65536):
        pass


def closing(connection):
    pass


def saying(words):
    def behave(connection):
        connection.recv(65536)
        connection.sendall(words)
        silent(connection)
    return behave


def failing_calls(code, message):
    """A gRPC server that answers each call with a status."""
    def behave(connection):
        for kind, _, stream, _ in _frames(connection):
            if kind == _HEADERS:
                connection.sendall(
                    _frame(_HEADERS, _END_HEADERS, stream, _RESPONSE) +
                    _frame(_HEADERS, _END_HEADERS | _END_STREAM, stream,
                           _trailers(code, message)))
    return behave


def answering(answer):
    """A gRPC server that answers each envelope with answer(call id)."""
    def behave(connection):
        data = {}
        for kind, _, stream, payload in _frames(connection):
            if kind == _HEADERS:
                data[stream] = b""
                connection.sendall(_frame(_HEADERS, _END_HEADERS, stream,
                                          _RESPONSE))
            if kind != _DATA:
                continue
            data[stream] += payload
            while len(data[stream]) >= 5:
                size = struct.unpack_from(">I", data[stream], 1)[0]
                if len(data[stream]) < 5 + size:
                    break
                said = answer(call_of(data[stream][5:5 + size]))
                data[stream] = data[stream][5 + size:]
                connection.sendall(_frame(_DATA, 0, stream, _message(said)))
    return behave


def _read(connection, size):
    data = b""
    while len(data) < size:
        piece = connection.recv(size - len(data))
        if not piece:
            raise ConnectionError("closed")
        data += piece
    return data


def _frames(connection):
    """Of a client; what HTTP/2 itself asks for is answered on the way."""
    _read(connection, len(PREFACE))
    connection.sendall(_frame(_SETTINGS, 0, 0))
    while True:
        head = _read(connection, 9)
        size = struct.unpack(">I", b"\0" + head[:3])[0]
        kind, flags, stream = struct.unpack(">BBI", head[3:])
        payload = _read(connection, size)
        if kind in (_SETTINGS, _PING) and not flags & _ACK:
            connection.sendall(_frame(kind, _ACK, 0, payload if kind == _PING
                                      else b""))
        yield kind, flags, stream, payload


class Listener:
    """A port of loopback where `behave(connection)` meets who connects."""

    def __init__(self, behave):
        self._behave = behave
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self._socket.getsockname()[1]
        self._connections = []
        self._threads = [threading.Thread(target=self._accept)]

    @property
    def met(self):
        """How many have connected."""
        return len(self._connections)

    def __enter__(self):
        self._threads[0].start()
        return self

    def __exit__(self, *unused):
        for s in (self._socket, *self._connections):
            try:
                s.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # gone already
        for thread in self._threads:
            thread.join()
        self._socket.close()

    def _accept(self):
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self._connections.append(connection)
            thread = threading.Thread(target=self._meet, args=[connection])
            self._threads.append(thread)
            thread.start()

    def _meet(self, connection):
        with connection:
            try:
                self._behave(connection)
            except OSError:
                pass  # the other end has gone: what the cases are about


def call_server(address, message, path=CONTROL, deadline=5):
    """What a server says to one message on a stream, until it ends it."""
    host, port = address.split(":")
    with socket.create_connection((host, int(port)), deadline) as s:
        s.sendall(PREFACE + _frame(_SETTINGS, 0, 0) +
                  _frame(_HEADERS, _END_HEADERS, 1, _request(path)) +
                  _frame(_DATA, 0, 1, _message(message)))
        return _read_stream(s)


def send_bytes(address, data, deadline=5):
    host, port = address.split(":")
    with socket.create_connection((host, int(port)), deadline) as s:
        try:
            s.sendall(data)
            s.shutdown(socket.SHUT_WR)
            while s.recv(65536):
                pass
        except ConnectionError:
            pass  # the server had heard enough
        except OSError as e:
            if e.errno != errno.ENOTCONN:
                raise


def _read_stream(s):
    said = b""
    try:
        while True:
            head = _read(s, 9)
            size = struct.unpack(">I", b"\0" + head[:3])[0]
            kind, flags, stream = struct.unpack(">BBI", head[3:])
            payload = _read(s, size)
            if stream == 1:
                said += payload
                if kind == _HEADERS and flags & _END_STREAM:
                    return said
    except OSError:
        return said
