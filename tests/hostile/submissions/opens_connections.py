"""Tries to reach the network and other processes on this machine."""
# topic: selective
# outcome: step7 full passed

import asyncio
import os
import socket
import urllib.request

_reached = []
_PORT = int("@port@")


def _attempt(connect):
    try:
        connect()
        _reached.append(connect)
    except (OSError, ValueError):
        pass


def _abstract():
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(f"\0left-by-a-hostile-{_PORT}")


_attempt(lambda: socket.create_connection(("127.0.0.1", _PORT), 1))
_attempt(lambda: socket.create_connection(("::1", _PORT), 1))
_attempt(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", _PORT)))
_attempt(lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1))
_attempt(lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW))
_attempt(lambda: socket.socketpair())
_attempt(lambda: socket.create_server(("127.0.0.1", 0)))
_attempt(lambda: urllib.request.urlopen(f"http://127.0.0.1:{_PORT}/", timeout=1))
_attempt(lambda: socket.getaddrinfo("example.com", 80))
_attempt(_abstract)
_attempt(lambda: asyncio.run(asyncio.sleep(0)))
if _reached:
    raise RuntimeError("reached something")
