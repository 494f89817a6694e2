#!/usr/bin/env python3
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Files on a server whose certificate only a variable of the environment makes known.

    https_test.py GIT_ZPACK [unittest options]
"""

import http.server
import os
import pathlib
import re
import ssl
import subprocess
import sys
import tempfile
import threading
import unittest


class Ranges(http.server.BaseHTTPRequestHandler):
    """Answers requests for a range of the one file that there is."""
    protocol_version = "HTTP/1.1"
    content = b""

    def do_GET(self):  # pylint: disable=invalid-name
        wanted = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range", ""))
        first, last = wanted.groups() if wanted else ("0", "")
        size = len(self.content)
        begin = int(first) if first else size - min(int(last), size)
        end = min(int(last) + 1, size) if first and last else size
        self.send_response(206 if wanted else 200)
        if wanted:
            self.send_header("Content-Range", f"bytes {begin}-{end - 1}/{size}")
        self.send_header("ETag", '"1"')
        self.send_header("Content-Length", str(end - begin))
        self.end_headers()
        self.wfile.write(self.content[begin:end])

    def log_message(self, *_):  # pylint: disable=arguments-differ
        pass


class HttpsTest(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="zpack-test-")
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)
        self.certificate = self.directory / "certificate.pem"
        key = self.directory / "key.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
             "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key, "-out", self.certificate,
             "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"],
            check=True, capture_output=True)
        Ranges.content = (SOURCE / "tests/golden/v1/columns.zpack").read_bytes()
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Ranges)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, key)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.url = f"https://localhost:{server.server_port}/a.zpack"

    def list_refs(self, **variables):
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith(("SSL_CERT", "CURL_CA")) and "proxy" not in name.lower()}
        environment |= {"XDG_CACHE_HOME": str(self.directory / "cache")} | variables
        return subprocess.run([PROGRAM, "list-refs", self.url], env=environment, check=False,
                              capture_output=True, encoding="utf-8")

    def test_certificates_are_read_as_curl_does(self):
        unknown = self.list_refs()
        self.assertEqual(unknown.returncode, 128)
        self.assertIn("certificate", unknown.stderr)
        hashed = self.directory / "hashed"
        hashed.mkdir()
        (hashed / "a.pem").write_bytes(self.certificate.read_bytes())
        subprocess.run(["openssl", "rehash", hashed], check=True)
        nothing = self.directory / "key.pem"
        for variables in ({"SSL_CERT_FILE": self.certificate},
                          {"SSL_CERT_DIR": hashed},
                          {"CURL_CA_BUNDLE": self.certificate, "SSL_CERT_FILE": nothing}):
            with self.subTest(variables):
                known = self.list_refs(**{name: str(value) for name, value in variables.items()})
                self.assertEqual(known.returncode, 0, known.stderr)
                self.assertIn("refs/heads/", known.stdout)


PROGRAM = os.path.abspath(sys.argv.pop(1))
SOURCE = pathlib.Path(__file__).resolve().parents[2]

if __name__ == "__main__":
    unittest.main()
