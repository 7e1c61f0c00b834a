"""Does the filter work in parallel HDF5, whose ranks write one dataset together, and share chunks?"""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

h5py = pytest.importorskip("h5py")
from floe.hdf5 import plugin_folder, read  # noqa: E402

HEADERS = Path("/usr/include/hdf5/openmpi")
LIBRARY = next(Path("/usr/lib").glob("*/hdf5/openmpi/libhdf5.so"), None)
pytestmark = pytest.mark.skipif(
    shutil.which("mpicc") is None or not HEADERS.is_dir() or LIBRARY is None, reason="there is no parallel HDF5"
)


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    made = tmp_path_factory.mktemp("parallel") / "parallel"
    source = Path(__file__).with_name("parallel.c")
    subprocess.run(
        ["mpicc", "-std=c99", "-Wall", "-Wextra", "-Werror", f"-I{HEADERS}", source, LIBRARY, "-o", made], check=True
    )
    return made


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_collective_writes(program, ranks, tmp_path, monkeypatch):
    """The same bytes of chunks, whether ranks have chunks of their own or share them."""
    monkeypatch.setenv("HDF5_PLUGIN_PATH", plugin_folder())
    frames = []
    for band in (8, 3):
        path = tmp_path / f"{band}.h5"
        words = ["mpirun", "-n", str(ranks), program, path, str(band)]
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=100)
        assert done.returncode == 0, done.stdout + done.stderr
        with h5py.File(path) as file:
            dataset = file["x"]
            assert np.array_equal(dataset[:].reshape(-1), 0.25 * np.arange(64000))
            assert np.array_equal(read(dataset), dataset[:])
            frames.append([dataset.id.read_direct_chunk((row, 0))[1] for row in range(0, 64, 8)])
    assert frames[0] == frames[1]
