"""Runs a notebook without a browser and reports what happens, one JSON object a line, to the file descriptor it is given.

The launcher starts this with the Python of notebooks/.venv; see run.go for the events. Nothing else writes to that
descriptor, so that the kernel's own messages cannot get between. When the launcher goes away, standard input ends, and
the run is interrupted as by Ctrl-C.
"""
import argparse
import asyncio
import copy
import html
import json
import os
import re
import signal
import sys
import threading
import time
import uuid

import nbformat
from jupyter_core.paths import jupyter_runtime_dir
from jupyter_core.utils import ensure_async
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

# gonb calls a cell well in which a command behind "!" failed or that has a "%" command unknown to it. Only its words in the
# error stream tell.
SPECIAL = re.compile(r"^(//gonb:)?[!%]", re.MULTILINE)
SPECIAL_FAILED = re.compile(r"^(exit status \d+|signal: .+)$|unknown or not implemented yet\.$", re.MULTILINE)
ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
TAGS = re.compile(r"<(style|script)\b.*?</\1>|<[^>]*>", re.DOTALL | re.IGNORECASE)


def plain(data):
    """The text of a display: its text/plain, else its HTML without tags, when that is short."""
    text = data.get("text/plain") or ""
    if not text and "text/html" in data:
        source = data["text/html"]
        if len(source) < 20000:
            text = html.unescape(TAGS.sub(" ", source))
    return " ".join(ANSI.sub("", text).split())[:500]


class Runner(NotebookClient):
    """Executes cells as NotebookClient does and reports their output while it comes."""

    report = None

    def process_message(self, msg, cell, cell_index):
        content, kind = msg["content"], msg["msg_type"]
        if kind == "stream":
            self.report(event="stream", cell=cell_index, name=content["name"], text=ANSI.sub("", content["text"]))
        elif kind in ("display_data", "execute_result", "update_display_data"):
            self.report(event="display", cell=cell_index, text=plain(content["data"]))
        return super().process_message(msg, cell, cell_index)


def stream_text(cell, name):
    return ANSI.sub("", "".join(o["text"] for o in cell.outputs if o["output_type"] == "stream" and o["name"] == name))


def special_failed(cell):
    expected = "raises-exception" in cell.metadata.get("tags", [])
    return not expected and SPECIAL.search(cell.source) and SPECIAL_FAILED.search(stream_text(cell, "stderr"))


def explain(cell, error):
    """The text that tells why a cell failed: what the program wrote to its error stream, and what gonb says."""
    lines = [line for o in cell.outputs if o["output_type"] == "error" for line in o["traceback"]]
    said = re.sub(r"\A# gonb_\w+\n", "", ANSI.sub("", "\n".join(lines) or error.evalue)).strip()
    stderr = stream_text(cell, "stderr").strip()
    if said in stderr:
        said = ""
    return "\n".join(part for part in (stderr, said) if part)


async def execute(args, nb, report):
    """Runs the cells in order up to the first that fails. Returns "" or the word for how it ended."""
    client = Runner(nb, kernel_name=args.kernel, timeout=args.timeout or None, startup_timeout=120, record_timing=False,
                    coalesce_streams=True, resources={"metadata": {"path": args.cwd}})
    client.report = report
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()
    interrupted = False

    def interrupt():
        nonlocal interrupted
        if not interrupted:
            interrupted = True
            task.cancel()

    for sig in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(sig, interrupt)
    threading.Thread(target=watch_launcher, args=(loop, interrupt), daemon=True).start()

    index = -1
    try:
        try:
            km = client.create_kernel_manager()
            # gonb reads the kernel's id from the name of this file.
            os.makedirs(jupyter_runtime_dir(), mode=0o700, exist_ok=True)
            km.connection_file = os.path.join(jupyter_runtime_dir(), "kernel-%s.json" % uuid.uuid4())
            await client.async_start_new_kernel(cwd=args.cwd)
            report(event="kernel", pid=getattr(km.provisioner, "pid", 0) or 0)
            await client.async_start_new_kernel_client()
            info = await client.async_wait_for_reply(client.kc.kernel_info())
            if info is not None:
                nb.metadata["language_info"] = info["content"]["language_info"]
        except (RuntimeError, DeadKernelError) as error:
            if interrupted:
                raise asyncio.CancelledError from None
            report(event="fatal", text="the Go kernel did not start: %s" % error)
            return "failed"
        for index, cell in enumerate(nb.cells):
            if cell.cell_type != "code":
                continue
            cell.outputs, cell.execution_count = [], None
        for index, cell in enumerate(nb.cells):
            if cell.cell_type != "code" or not cell.source.strip():
                continue
            report(event="start", cell=index)
            begin = time.monotonic()
            try:
                await client.async_execute_cell(cell, index, execution_count=client.code_cells_executed + 1)
                if special_failed(cell):
                    report(event="error", cell=index, seconds=time.monotonic() - begin, text=stream_text(cell, "stderr").strip())
                    return "failed"
            except CellExecutionError as error:
                report(event="error", cell=index, seconds=time.monotonic() - begin, text=explain(cell, error))
                return "failed"
            except CellTimeoutError:
                report(event="error", cell=index, seconds=time.monotonic() - begin,
                       text="the cell did not end within %g seconds (-timeout sets the limit)" % args.timeout)
                return "failed"
            except DeadKernelError:
                if interrupted:
                    raise asyncio.CancelledError from None
                report(event="error", cell=index, seconds=time.monotonic() - begin, text="the Go kernel died while this cell ran")
                return "failed"
            report(event="finish", cell=index, seconds=time.monotonic() - begin)
        return ""
    except asyncio.CancelledError:
        if hasattr(task, "uncancel"):
            task.uncancel()
        report(event="interrupted", cell=index)
        return "interrupted"
    finally:
        await stop(client)


async def stop(client):
    """Ends the kernel: asks it, which ends the running cell, and kills its process group after some seconds."""
    if client.km is None:
        return
    if client.km.has_kernel:
        await ensure_async(client.km.shutdown_kernel())
    await ensure_async(client.km.cleanup_resources())
    if client.kc is not None:
        await ensure_async(client.kc.stop_channels())


def watch_launcher(loop, interrupt):
    """Waits for the end of standard input, which the launcher holds open as long as it lives."""
    while os.read(0, 4096):
        pass
    try:
        loop.call_soon_threadsafe(interrupt)
    except RuntimeError:  # the loop has ended, and so has the run
        pass


def write(path, text):
    tmp = path + ".tmp"
    with open(tmp, "w", encoding="utf-8") as f:
        f.write(text)
    os.replace(tmp, path)


# A block of code, a piece of code, a displayed formula or one in the text, whichever begins first.
CODE_OR_FORMULA = re.compile(r"(^```.*?^```|`[^`]*`)|\$\$(.+?)\$\$|\$(?! )([^$\n]+?)(?<! )\$", re.DOTALL | re.MULTILINE)


def with_formulas(nb):
    """A copy of nb whose formulas are MathML, which browsers show without a script from the network."""
    from latex2mathml import exceptions
    from latex2mathml.converter import convert

    unreadable = tuple(e for e in vars(exceptions).values() if isinstance(e, type) and issubclass(e, Exception))

    def mathml(match):
        code, display, inline = match.groups()
        if code:
            return code
        try:
            return convert(display or inline, display="block" if display else "inline")
        except unreadable:
            return match.group()  # no formula after all: leave it to be read as it is

    nb = copy.deepcopy(nb)
    for cell in nb.cells:
        if cell.cell_type == "markdown":
            cell.source = CODE_OR_FORMULA.sub(mathml, cell.source)
        for output in cell.get("outputs", []):
            if "text/markdown" in output.get("data", {}):
                output.data["text/markdown"] = CODE_OR_FORMULA.sub(mathml, output.data["text/markdown"])
    return nb


# The page's template: solutions of exercises are folded, as in JupyterLab, below what their first line says.
PAGE = """{%- extends 'lab/index.html.j2' -%}
{% block codecell %}
{%- if 'solution' in cell.metadata.get('tags', []) -%}
<details style="margin: 0 0 1em 5em; font-family: system-ui, sans-serif"><summary>{{ cell.source.partition('\\n')[0].lstrip('/ ') | escape }}</summary>
{{ super() }}
</details>
{%- else -%}
{{ super() }}
{%- endif -%}
{% endblock codecell %}"""


def page(nb, title):
    """The notebook as one page that needs no network."""
    from jinja2 import DictLoader
    from nbconvert import HTMLExporter  # slow to import, and the run does not need it

    exporter = HTMLExporter(mathjax_url="", template_file="page.html.j2", extra_loaders=[DictLoader({"page.html.j2": PAGE})])
    body, _ = exporter.from_notebook_node(with_formulas(nb), resources={"metadata": {"name": title}})
    return body


def main():
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("--notebook", required=True)
    ap.add_argument("--executed", required=True)
    ap.add_argument("--html", required=True)
    ap.add_argument("--title", required=True)
    ap.add_argument("--cwd", required=True)
    ap.add_argument("--kernel", required=True)
    ap.add_argument("--timeout", type=float, default=0)
    ap.add_argument("--events", type=int, required=True)
    args = ap.parse_args()
    events = os.fdopen(args.events, "w", encoding="utf-8", buffering=1)
    os.set_inheritable(args.events, False)

    def report(**fields):
        events.write(json.dumps(fields) + "\n")

    nb = nbformat.read(args.notebook, as_version=4)
    result = asyncio.run(execute(args, nb, report))
    for sig in (signal.SIGINT, signal.SIGTERM):  # the files are to be written whole
        signal.signal(sig, signal.SIG_IGN)
    write(args.executed, nbformat.writes(nb) + "\n")
    report(event="writing", text=os.path.basename(args.html))
    write(args.html, page(nb, args.title))
    report(event="done", text=result)


if __name__ == "__main__":
    main()
