"""The language server that editors use for YAML, from the npm registry, asked over its standard streams."""

import json
import shutil
import subprocess

import pytest

PACKAGE = "yaml-language-server@1"


class LanguageServer:
    """A running server; a test without Node.js is skipped."""

    def __init__(self, folder):
        if shutil.which("npm") is None:
            pytest.skip("needs npm, which comes with Node.js")
        subprocess.run(["npm", "install", "--silent", "--prefix", folder, PACKAGE], check=True, capture_output=True)
        self._program = folder / "node_modules/.bin/yaml-language-server"
        self._file, self._version, self._asked = (folder / "arm.yaml").as_uri(), 0, 0

    def __enter__(self):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self._process = subprocess.Popen([self._program, "--stdio"], **pipes)
        self._ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        self._send("initialized", {})
        settings = {"yaml": {"validate": True, "completion": True, "schemaStore": {"enable": False}}}
        self._send("workspace/didChangeConfiguration", {"settings": settings})
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait()

    def errors(self, text):
        """Return the messages about a text."""
        self._show(text)
        while True:
            message = self._read()
            about = message.get("params", {})
            if message.get("method") == "textDocument/publishDiagnostics" and about.get("version", self._version) == (
                self._version
            ):
                return [each["message"] for each in about["diagnostics"]]

    def completions(self, text):
        """Return what may follow at the end of a text."""
        self._show(text)
        lines = text.split("\n")
        place = {"line": len(lines) - 1, "character": len(lines[-1])}
        found = self._ask("textDocument/completion", {"textDocument": {"uri": self._file}, "position": place})
        return [each["label"] for each in found["items"]]

    def _show(self, text):
        self._version += 1
        if self._version == 1:
            document = {"uri": self._file, "languageId": "yaml", "version": 1, "text": text}
            self._send("textDocument/didOpen", {"textDocument": document})
            return
        document = {"uri": self._file, "version": self._version}
        self._send("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]})

    def _ask(self, method, params):
        self._asked += 1
        self._send(method, params, id=self._asked)
        while True:
            message = self._read()
            if message.get("id") == self._asked and "method" not in message:
                return message["result"]

    def _send(self, method, params, **more):
        body = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **more}).encode()
        self._write(body)

    def _write(self, body):
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._process.stdin.flush()

    def _read(self):
        size = 0
        while (line := self._process.stdout.readline().strip()) or not size:
            name, _, value = line.partition(b":")
            size = int(value) if name.lower() == b"content-length" else size
        message = json.loads(self._process.stdout.read(size))
        if "method" in message and "id" in message:  # a question of the server, about settings
            wanted = message.get("params", {}).get("items", [])
            self._write(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": [None] * len(wanted)}).encode())
        return message
