"""Do type checkers know what users call? pyright and mypy read the package as it is installed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """\
import floe
import floe.hdf5
import numpy as np

frame: bytes = floe.compress(np.zeros(3), "ratio", threads=1, progress=lambda done, total: None)
floe.decompress_into(frame, np.zeros(3)).sum()
plan: str = floe.plan(np.zeros(3)).tree
numbers: tuple[int, ...] = floe.hdf5.filter_values(tree=plan)
options = {**floe.hdf5.Filter("speed")}
try:
    floe.load("x.floe", progress=True)
except floe.CorruptError as error:
    offset: int = error.offset
floe.compress(np.zeros(3), "fast")  # wrong: no goal
floe.decompress(frame, threads="2")  # wrong: no number
"""
WRONG = [number for number, line in enumerate(PROGRAM.splitlines(), 1) if "# wrong" in line]


def run(*words, cwd=None):
    """Checkers look for packages in those of the first python of the path."""
    env = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    words = [sys.executable, "-m", *words]
    return subprocess.run(words, cwd=cwd, env=env, capture_output=True, text=True, check=False).stdout


def test_every_public_name_has_a_type():
    """As far as packages that floe uses have types: numcodecs has none for the base of its codecs."""
    pytest.importorskip("basedpyright")
    told = json.loads(run("basedpyright", "--verifytypes", "floe", "--ignoreexternal", "--outputjson"))
    exported = [symbol for symbol in told["typeCompleteness"]["symbols"] if symbol["isExported"]]
    assert len(exported) > 100
    assert {symbol["name"] for symbol in exported if not symbol["isTypeKnown"]} <= {"floe.numcodecs.Floe"}


def test_pyright_finds_what_is_wrong(tmp_path):
    pytest.importorskip("basedpyright")
    (tmp_path / "user.py").write_text(PROGRAM)
    (tmp_path / "pyrightconfig.json").write_text('{"typeCheckingMode": "standard"}')
    told = json.loads(run("basedpyright", "--outputjson", "user.py", cwd=tmp_path))["generalDiagnostics"]
    assert [one["range"]["start"]["line"] + 1 for one in told if one["severity"] == "error"] == WRONG


def test_mypy_finds_what_is_wrong(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "user.py").write_text(PROGRAM)
    lines = run("mypy", "--strict", "user.py", cwd=tmp_path).splitlines()[:-1]
    assert [int(line.split(":")[1]) for line in lines if ": error:" in line] == WRONG, lines
