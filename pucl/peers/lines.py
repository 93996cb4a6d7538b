#!/usr/bin/env python3
"""Counts lines that are neither blank nor comment nor documentation, of Python files and of the code cells of notebooks.

    python pucl/peers/lines.py notebooks/prototype.ipynb pucl/peers/prototype_torch.py pucl/peers/prototype_pml.py
"""

import ast
import json
import pathlib
import sys


def python(text):
    """The lines of code, less documentation."""
    documented = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            documented.update(range(node.lineno, node.end_lineno + 1))
    return [line for i, line in enumerate(text.splitlines(), 1)
            if i not in documented and line.strip() and not line.lstrip().startswith("#")]


def notebook(text):
    cells = ["".join(c["source"]) for c in json.loads(text)["cells"] if c["cell_type"] == "code"]
    return [line for cell in cells for line in cell.splitlines() if line.strip() and not line.lstrip().startswith("//")]


for name in sys.argv[1:]:
    path = pathlib.Path(name)
    lines = (notebook if path.suffix == ".ipynb" else python)(path.read_text())
    imports = sum(not line.endswith("(") and line.strip().startswith(("import ", "from ", '"', '. "')) for line in lines)
    print(f"{name}: {len(lines)} lines, {imports} of them imports")
