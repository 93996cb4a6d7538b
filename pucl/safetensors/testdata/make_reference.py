"""Makes reference.safetensors with the format's own library.

    python make_reference.py

Versions: Python 3.11.7, numpy 2.4.6, safetensors 0.8.0.
"""

import numpy as np
from safetensors.numpy import save_file

tensors = {
    "half": np.array([[1, -2, 65504]], dtype=np.float16),
    "single": np.array([0.1, -0.2], dtype=np.float32),
    "double": np.array(np.pi, dtype=np.float64),
    "whole": np.array([[1], [-1]], dtype=np.int64),
    "ünder/score.weight": np.zeros((0, 2), dtype=np.float32),
    "flags": np.array([True, False, True]),
}
save_file(tensors, "reference.safetensors", metadata={"made by": 'the "reference"'})
