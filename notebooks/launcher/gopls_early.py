"""Stands between the Go kernel and gopls, so that the first completion of a session finds gopls ready.

The kernel starts gopls with itself, but leaves it alone for twelve seconds. Only then does gopls begin to load the packages, and the
kernel opens every file of the module in it, which keeps it at work for longer than the kernel waits for an answer. This has gopls load
the packages at once, and keeps the files of the module closed: gopls reads them from the disk, and is told when they change.

Arguments: the path of gopls, then those of the kernel, "-listen" and the socket.
"""
import ctypes
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from urllib.parse import quote, unquote, urlparse

LOADED = "Finished loading packages."
HOLD = 9  # seconds that the kernel is kept waiting for that; it gives up after twelve
CHANGED, DELETED = 2, 3  # kinds of file events


def read(stream):
    """The next message of a stream, None at its end."""
    length = 0
    while True:
        line = stream.readline()
        if not line:
            return None
        if not line.strip():
            return json.loads(stream.read(length))
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            length = int(value)


def write(stream, **message):
    body = json.dumps(dict(message, jsonrpc="2.0")).encode()
    stream.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    stream.flush()


def dies_with_this():
    """What a child has to do first in order to be killed with this program, None where the system has nothing of the kind: there it ends
    when it has nothing left to do. The kernel kills this program and knows of no child."""
    if not sys.platform.startswith("linux"):
        return None
    prctl = ctypes.CDLL(None).prctl
    return lambda: prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


class Early:
    """A gopls that was told to load a folder, and the kernel once it has connected."""

    def __init__(self, gopls, folder):
        self.folder = folder
        self.process = subprocess.Popen([gopls], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        preexec_fn=dies_with_this())
        self.writing = threading.Lock()
        self.initialized, self.loaded = threading.Event(), threading.Event()
        self.capabilities, self.kernel = None, None
        threading.Thread(target=self.listen, daemon=True).start()
        workspace = {"uri": "file://" + quote(folder), "name": os.path.basename(folder)}
        self.tell(id="early", method="initialize", params={"processId": None, "capabilities": {}, "workspaceFolders": [workspace]})

    def tell(self, **message):
        with self.writing:
            write(self.process.stdin, **message)

    def listen(self):
        """Hands what gopls says on to the kernel. Ends this program when gopls ends."""
        while (message := read(self.process.stdout)) is not None:
            if message.get("id") == "early":
                self.capabilities = message.get("result")
                self.tell(method="initialized", params={})
                self.initialized.set()
                continue
            if "method" in message and "id" in message:  # a question, which the kernel leaves open
                self.tell(id=message["id"], result=None)
                continue
            if (message.get("params") or {}).get("message") == LOADED:
                self.loaded.set()
            if self.kernel is not None:
                try:
                    write(self.kernel, **message)
                except OSError:
                    self.kernel = None
        os._exit(self.process.wait())

    def serve(self, kernel):
        """Does what the kernel asks for until it hangs up."""
        while (message := read(kernel)) is not None:
            method, params = message.get("method"), message.get("params") or {}
            if method == "initialize":
                self.initialized.wait()
                self.loaded.wait(HOLD)
                write(kernel, id=message["id"], result=self.capabilities)
                self.kernel = kernel
            elif method == "initialized":
                pass
            elif self.elsewhere(params) and method == "textDocument/didOpen":
                pass
            elif self.elsewhere(params) and method in ("textDocument/didChange", "textDocument/didClose"):
                kind = CHANGED if method.endswith("Change") else DELETED
                event = {"uri": params["textDocument"]["uri"], "type": kind}
                self.tell(method="workspace/didChangeWatchedFiles", params={"changes": [event]})
            else:
                self.tell(**message)
        self.kernel = None

    def elsewhere(self, params):
        """Whether a message is about a file that does not lie in the kernel's folder."""
        uri = params.get("textDocument", {}).get("uri")
        return uri is not None and os.path.dirname(unquote(urlparse(uri).path)) != self.folder


def end_with(parent, process):
    """Ends gopls and this program once the kernel has ended, however it went."""
    while os.getppid() == parent:
        time.sleep(0.5)
    process.kill()
    os._exit(0)


def main(gopls, arguments):
    if len(arguments) != 2 or arguments[0] != "-listen":
        os.execv(gopls, [gopls] + arguments)
    kernel = os.getppid()
    address = arguments[1].removeprefix("unix;")
    folder = os.path.dirname(address)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(address)
    listener.listen()
    for _ in range(40):  # the kernel writes it right after it has started this
        if os.path.exists(os.path.join(folder, "go.work")):
            break
        time.sleep(0.05)
    early = Early(gopls, folder)
    threading.Thread(target=end_with, args=(kernel, early.process), daemon=True).start()
    while True:
        connection, _ = listener.accept()
        with connection, connection.makefile("rwb") as stream:
            early.serve(stream)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of the terminal; the kernel decides
    main(sys.argv[1], sys.argv[2:])
