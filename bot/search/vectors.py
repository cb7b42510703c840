"""The model of meanings at work: a process that reads texts and writes their vectors, line by line.

`bot/search/meaning.py` starts it when somebody asks; it ends when nobody does any more. So what it
takes, which is more than the rest of a server, is given back whole. It knows nothing else of ours.
"""

from __future__ import annotations

import base64
import importlib.util
import json
import os
import select
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from safetensors import safe_open
from tokenizers import Tokenizer

Matrix = npt.NDArray[np.float32]


def main(package: str, patience: float) -> None:
    """Answers until its input ends, or nothing was asked for so many seconds."""
    try:
        embed = load(package)
    except Exception as error:  # noqa: BLE001 - whatever a package may raise
        _say({"missing": f"there is no model of meanings: {error}"})
        return
    while select.select([sys.stdin], [], [], patience)[0]:
        line = sys.stdin.buffer.readline()
        if not line:
            return
        try:
            rows = unit(embed(json.loads(line))).astype("<f4")
        except Exception as error:  # noqa: BLE001 - whatever a library may raise
            _say({"broken": f"the model of meanings broke: {error}"})
        else:
            _say({"vectors": [base64.b64encode(row).decode() for row in rows]})


def load(package: str) -> Callable[[Sequence[str]], Matrix]:
    """WordLlama's embeddings of tokens, averaged over each text, as its `embed` does it.

    Its files are enough: the package around them takes a second to import, and twice the memory.
    """
    found = importlib.util.find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise ModuleNotFoundError(f"the package {package} is not installed")
    folder = Path(found.submodule_search_locations[0])
    tokenizer = Tokenizer.from_file(f"{folder}/tokenizers/l2_supercat_tokenizer_config.json")
    tokenizer.no_truncation()
    tokenizer.no_padding()
    with safe_open(folder / "weights" / "l2_supercat_256.safetensors", framework="np") as weights:
        table = weights.get_tensor("embedding.weight")

    def embed(texts: Sequence[str]) -> Matrix:
        rows = np.zeros((len(texts), table.shape[1]), dtype=np.float32)
        tokens = tokenizer.encode_batch(list(texts), add_special_tokens=False)
        for row, each in zip(rows, tokens, strict=True):
            if each.ids:
                table[each.ids].mean(axis=0, dtype=np.float32, out=row)
        return rows

    return embed


def unit(rows: Matrix) -> Matrix:
    """Every row at length 1; a row of zeros, or of what is no number, is all zero."""
    rows = np.nan_to_num(rows)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit_rows: Matrix = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    return unit_rows


def _say(answer: object) -> None:
    print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    try:
        main(sys.argv[1], float(sys.argv[2]))
    except BrokenPipeError:
        os._exit(0)  # who asked was killed: nobody is left to be told, nor to flush for
