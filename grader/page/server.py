"""Hand out a built site on this computer, compressed and with the dates by which a browser knows what it has."""

from __future__ import annotations

import functools
import gzip
import http.server
from http import HTTPStatus
from pathlib import Path

_COMPRESSIBLE = frozenset({".css", ".html", ".js", ".json", ".svg", ".wasm"})
# Below these, a file's name changes whenever its content does.
_UNCHANGING = ("assets/", "python/")


class SiteServer(http.server.ThreadingHTTPServer):
    """A site on 127.0.0.1, on a port that is free."""

    daemon_threads = True

    def __init__(self, site: Path, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), functools.partial(_Handler, directory=str(site)))

    @property
    def address(self) -> str:
        """Where the site can be opened."""
        return f"http://127.0.0.1:{self.server_port}/"


class _Handler(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    extensions_map = {  # noqa: RUF012 - as the base class has it
        **http.server.SimpleHTTPRequestHandler.extensions_map,
        ".js": "text/javascript",
        ".wasm": "application/wasm",
    }

    def do_GET(self) -> None:
        """Send a file, compressed where that helps."""
        path = Path(self.translate_path(self.path))
        if path.is_dir():
            path = path / "index.html"
        if not path.is_file():
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        compress = path.suffix in _COMPRESSIBLE and "gzip" in self.headers.get("Accept-Encoding", "")
        content = _compressed(path, path.stat().st_mtime_ns) if compress else path.read_bytes()
        relative = path.relative_to(Path(self.directory).resolve() if path.is_absolute() else self.directory)
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Content-Length", str(len(content)))
        if compress:
            self.send_header("Content-Encoding", "gzip")
        unchanging = relative.as_posix().startswith(_UNCHANGING)
        self.send_header("Cache-Control", "public, max-age=31536000, immutable" if unchanging else "no-cache")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Keep quiet."""


@functools.lru_cache(maxsize=64)
def _compressed(path: Path, _changed: int) -> bytes:
    return gzip.compress(path.read_bytes(), 6)
