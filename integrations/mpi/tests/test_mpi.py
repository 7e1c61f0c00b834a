"""Do programs under mpirun write the file that one process writes, and read any part of it?

./dev test-integrations builds the programs beside this file, and says where in FLOE_MPI_BUILD.
"""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import floe

BUILD = Path(os.environ.get("FLOE_MPI_BUILD", ""))
pytestmark = pytest.mark.skipif("FLOE_MPI_BUILD" not in os.environ, reason="floe_mpi was not built")

DIVISIONS = [
    "1000",
    "500,500",
    "0,1000",
    "333,0,667",
    "250,250,250,250",
    "1,2,3,994",
    "0,0,0,0,0,0,1000",
    "100,0,200,50,300,0,350",
]


def mpirun(ranks, *command):
    done = subprocess.run(
        ["mpirun", "-n", str(ranks), *map(str, command)], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"
    return done.stdout


def run_program(path, how, division, *sizes):
    mpirun(division.count(",") + 1, BUILD / "floe_mpi_parts", path, how, division, *sizes)
    return path.read_bytes()


def test_a_codec_for_any_division(tmp_path):
    """The programs compare with floe::compress, too."""
    files = {run_program(tmp_path / "a.floe", "spspeed", division, 65536) for division in DIVISIONS}
    assert len(files) == 1 and not list(tmp_path.glob("*.tmp"))


def test_a_tree_and_stretches_that_ranks_share(tmp_path):
    files = {run_program(tmp_path / "a.floe", "sortable,delta,entropy", division, size)
             for division in ("1000", "100,0,200,50,300,0,350") for size in (65536, 1 << 20)}  # fmt: skip
    assert len(files) == 1


@pytest.mark.parametrize("goal", ["speed", "balance", "ratio", "max"])
def test_a_goal(goal, tmp_path):
    """Stretches decide, ranks do not; of one stretch it is the frame of one call."""
    for stretch in (262144, 0):
        one, *others = [run_program(tmp_path / "a.floe", goal, division, stretch) for division in
                        ("1000", "0,400,600", "100,0,200,50,300,0,350")]  # fmt: skip
        assert all(other == one for other in others)
    array = floe.load(tmp_path / "a.floe")
    assert array.shape == (61, 7, 1501)
    assert floe.compress(array, goal, segment_bytes=65536) == one


def test_memory_for_nothing(tmp_path):
    kept = run_program(tmp_path / "a.floe", "balance", "300,700", 262144)
    assert run_program(tmp_path / "a.floe", "balance", "300,700", 262144, 0) == kept
    assert run_program(tmp_path / "a.floe", "balance", "300,700", 262144, 300000) == kept


@pytest.mark.parametrize("ranks", [1, 3])
def test_failures(ranks, tmp_path):
    mpirun(ranks, BUILD / "floe_mpi_parts", "failures", tmp_path)


def test_from_c(tmp_path):
    mpirun(4, BUILD / "floe_mpi_from_c", tmp_path / "c.floe")
    assert np.array_equal(floe.load(tmp_path / "c.floe").reshape(-1), np.arange(6000.0))


SCRIPT = """
import sys
import numpy as np
from mpi4py import MPI
import floe, floe.mpi

rank, ranks = MPI.COMM_WORLD.rank, MPI.COMM_WORLD.size
for dtype in ("f4", "f8", "i2", "?", "c8", ">f8", "M8[s]"):
    whole = (np.arange(300 * 40) % 1000).astype("i8").astype(dtype).reshape(300, 40)
    ends = [0, *sorted(np.random.default_rng(ranks).integers(0, 301, ranks - 1)), 300]
    for options in ({}, {"tree": "raw", "segment_bytes": 16384, "stretch_bytes": 16384, "goal": "speed"}):
        floe.mpi.save("a.floe", whole[ends[rank]:ends[rank + 1]], **options)
        with floe.mpi.open("a.floe") as file:
            assert file.shape == whole.shape and file.dtype == whole.dtype
            assert np.array_equal(file[10 * rank:10 * rank + 100, 3], whole[10 * rank:10 * rank + 100, 3])
        if rank == 0:
            options.pop("stretch_bytes", None)
            assert open("a.floe", "rb").read() == floe.compress(whole, **options)
        MPI.COMM_WORLD.Barrier()
for bad in (np.zeros(3, "f4" if rank else "f8"), np.zeros((2, 3 + rank)), np.float64(1)):
    try:
        floe.mpi.save("b.floe", bad)
    except floe.InvalidArgumentError:
        continue
    assert ranks == 1 and np.ndim(bad) > 0
for path in ("nothing.floe", sys.argv[0]):
    try:
        floe.mpi.open(path)
        raise AssertionError
    except floe.Error:
        pass
print("fine")
"""


@pytest.mark.parametrize("ranks", [1, 3])
def test_python(ranks, tmp_path, monkeypatch):
    pytest.importorskip("mpi4py")
    (tmp_path / "script.py").write_text(SCRIPT)
    monkeypatch.chdir(tmp_path)
    assert mpirun(ranks, sys.executable, "script.py").count("fine") == ranks
