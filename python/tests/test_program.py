"""Does `python -m floe` convert files, and say what is wrong by its exit status? Does it agree with the program?"""

import gzip
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import floe
import floe.safetensors

BUILDS = Path(__file__).parents[2] / "build"
PROGRAM = next((path for path in [*BUILDS.glob("python/*/floe"), *BUILDS.glob("*/floe")] if path.is_file()), None)


def run(*words, cwd):
    return subprocess.run([sys.executable, "-m", "floe", *words], cwd=cwd, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("order", ["C", "F"])
def test_npy(tmp_path, order):
    whole = np.asarray(np.arange(6000.0).reshape(20, 300), order=order)
    np.save(tmp_path / "x.npy", whole)
    assert run("compress", "x.npy", cwd=tmp_path).returncode == 0
    assert run("test", "x.npy.floe", cwd=tmp_path).stdout == "x.npy.floe: ok\n"
    assert "frame bytes" in run("inspect", "x.npy.floe", cwd=tmp_path).stdout
    (tmp_path / "x.npy").unlink()
    assert run("decompress", "x.npy.floe", cwd=tmp_path).returncode == 0
    again = np.load(tmp_path / "x.npy")
    assert np.array_equal(again, whole) and again.flags.f_contiguous == whole.flags.f_contiguous


def test_csv_and_bytes(tmp_path):
    (tmp_path / "t.csv").write_bytes(b"a,b\n1,2.50\n3,4\n")
    (tmp_path / "b.bin").write_bytes(bytes(range(256)))
    assert run("compress", "t.csv", "b.bin", cwd=tmp_path).returncode == 0
    assert run("decompress", "t.csv.floe", "-o", "u.csv", cwd=tmp_path).returncode == 0
    assert (tmp_path / "u.csv").read_bytes() == b"a,b\n1,2.50\n3,4\n"
    (tmp_path / "b.bin").unlink()
    assert run("decompress", "b.bin.floe", cwd=tmp_path).returncode == 0
    assert (tmp_path / "b.bin").read_bytes() == bytes(range(256))


def test_text_that_is_zipped(tmp_path):
    text = b"time\tvalue\n" + b"".join(b"%d\t%d.50\n" % (i, i % 7) for i in range(5000))
    (tmp_path / "t.tsv.gz").write_bytes(gzip.compress(text))
    (tmp_path / "u.tsv").write_bytes(text)
    assert run("compress", "t.tsv.gz", "u.tsv", cwd=tmp_path).returncode == 0
    assert (tmp_path / "t.tsv.floe").read_bytes() == (tmp_path / "u.tsv.floe").read_bytes()
    with floe.open(tmp_path / "t.tsv.floe") as table:
        assert table.columns == ["time", "value"] and table["value"].sum() == sum(i % 7 + 0.5 for i in range(5000))
    assert run("decompress", "t.tsv.floe", cwd=tmp_path).returncode == 0
    assert (tmp_path / "t.tsv").read_bytes() == text
    (tmp_path / "cut.csv.gz").write_bytes(gzip.compress(text)[:200])
    cut = run("compress", "cut.csv.gz", cwd=tmp_path)
    assert cut.returncode == 1 and "cut.csv.gz" in cut.stderr and not (tmp_path / "cut.csv.floe").exists()


@pytest.mark.parametrize("suffix", ["parquet", "arrow", "feather"])
def test_arrow_files(tmp_path, suffix):
    pyarrow = pytest.importorskip("pyarrow")
    import pyarrow.feather
    import pyarrow.parquet

    table = pyarrow.table({"a": np.arange(1000), "b": np.linspace(0, 1, 1000), "c": np.arange(1000, dtype="i2") % 7})
    write = pyarrow.parquet.write_table if suffix == "parquet" else pyarrow.feather.write_feather
    write(table, str(tmp_path / f"t.{suffix}"))
    assert run("compress", f"t.{suffix}", cwd=tmp_path).returncode == 0
    assert run("decompress", f"t.{suffix}.floe", "-o", "again.parquet", cwd=tmp_path).returncode == 0
    assert pyarrow.parquet.read_table(tmp_path / "again.parquet").to_pydict() == table.to_pydict()


def test_model_weights(tmp_path):
    """Tensor by tensor, and the file comes back byte by byte."""
    rng = np.random.default_rng(1)
    tensors = {"norm": np.ones(512, "f4"), "layer.weight": rng.normal(size=(64, 128)).astype("f2"), "none": np.empty(0, "i8")}
    header, position = {"__metadata__": {"format": "pt"}}, 0
    for name, array in tensors.items():
        kind = {"f4": "F32", "f2": "F16", "i8": "I64"}[array.dtype.str[1:]]
        header[name] = {"dtype": kind, "shape": array.shape, "data_offsets": [position, position + array.nbytes]}
        position += array.nbytes
    text = json.dumps(header).encode()
    whole = len(text).to_bytes(8, "little") + text + b"".join(array.tobytes() for array in tensors.values())
    (tmp_path / "m.safetensors").write_bytes(whole)
    assert run("compress", "m.safetensors", cwd=tmp_path).returncode == 0
    with floe.safetensors.open(tmp_path / "m.safetensors.floe") as model:
        assert np.array_equal(model["layer.weight"], tensors["layer.weight"])
    assert run("test", "m.safetensors.floe", cwd=tmp_path).stdout == "m.safetensors.floe: ok\n"
    assert "layer.weight: float16 (64, 128), 16384 -> " in run("inspect", "m.safetensors.floe", cwd=tmp_path).stdout
    assert run("decompress", "m.safetensors.floe", "-o", "again.safetensors", cwd=tmp_path).returncode == 0
    assert (tmp_path / "again.safetensors").read_bytes() == whole
    assert run("compress", "--codec", "spspeed", "m.safetensors", cwd=tmp_path).returncode == 1
    (tmp_path / "m.safetensors.floe").write_bytes((tmp_path / "m.safetensors.floe").read_bytes()[:-30])
    assert run("test", "m.safetensors.floe", cwd=tmp_path).returncode == 3


def test_failures(tmp_path):
    (tmp_path / "x.floe").write_bytes(b"no frame" * 20)
    damaged = run("test", "x.floe", cwd=tmp_path)
    assert damaged.returncode == 3 and "x.floe" in damaged.stderr
    assert run("test", "nothing.floe", cwd=tmp_path).returncode == 1
    assert run("fold", "x.floe", cwd=tmp_path).returncode == 2


def test_doctor(tmp_path, monkeypatch):
    """All that the tests have works here; what is taken away is told, and how to mend it."""
    hdf5 = pytest.importorskip("floe.hdf5")
    monkeypatch.setenv("HDF5_PLUGIN_PATH", hdf5.plugin_folder())
    healthy = run("doctor", cwd=tmp_path)
    lines = {line[:8].strip(): line[9:] for line in healthy.stdout.splitlines()}
    for name in ("floe", "bf16", "h5py", "HDF5", "Zarr 3", "Zarr 2", "Arrow"):
        assert lines[name].startswith("ok"), healthy.stdout
    monkeypatch.setenv("HDF5_PLUGIN_PATH", str(tmp_path))
    (tmp_path / "zarr.py").write_text("raise ImportError('half installed')")
    (tmp_path / "pyarrow.py").write_text("raise ModuleNotFoundError('no', name='pyarrow')")
    sick = run("doctor", cwd=tmp_path)
    lines = {line[:8].strip(): line[9:] for line in sick.stdout.splitlines()}
    assert sick.returncode == 1 and lines["floe"].startswith("ok")
    assert lines["HDF5"].startswith("absent") and "export HDF5_PLUGIN_PATH=" in lines["HDF5"]
    assert lines["Zarr 3"].startswith("broken") and lines["Arrow"].startswith("absent  to have it: pip install pyarrow")


@pytest.mark.skipif(PROGRAM is None, reason="the program is not built")
@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_arrays_of_numpy_archives(tmp_path, save):
    """The program takes each of them apart."""
    arrays = {"field": np.arange(6000.0).reshape(20, 300), "whole": np.arange(70, dtype="i4"), "point": np.float32(7)}
    save(tmp_path / "x.npz", **arrays)
    subprocess.run([PROGRAM, "-q", "--verify", "x.npz"], cwd=tmp_path, check=True)
    for name, array in arrays.items():
        again = floe.load(tmp_path / f"x.{name}.npy.floe")
        assert again.dtype == array.dtype and np.array_equal(again.reshape(array.shape), array)
        subprocess.run([PROGRAM, "-d", "-q", f"x.{name}.npy.floe"], cwd=tmp_path, check=True)
        assert np.array_equal(np.load(tmp_path / f"x.{name}.npy"), array)


@pytest.mark.skipif(PROGRAM is None, reason="the program is not built")
@pytest.mark.parametrize("goal", ["speed", "balance", "ratio"])
def test_model_weights_of_the_program(tmp_path, goal):
    """Both write the same file, and either restores it."""
    rng = np.random.default_rng(1)
    shapes = {"a": (200, 300), "scalar": (), "none": (0, 7), "empty rows": (7, 0, 3), "deep": (2,) * 9, 'ü"\n\x1f\x7f\\': (5,), "large": (1200, 1000)}
    header, data = {"__metadata__": {"format": "pt", "ü": '"quoted"\n'}}, b""
    for kind, dtype in {"F64": "f8", "F32": "f4", "F16": "f2", "BF16": "u2", "I16": "i2", "BOOL": "?", "F8_E5M2": "u1"}.items():
        for name, shape in shapes.items():
            values = rng.normal(size=shape) if dtype[0] == "f" else rng.integers(0, 90, size=shape)
            more = np.asarray(values).astype(dtype).tobytes()
            header[f"{kind}.{name}"] = {"dtype": kind, "shape": shape, "data_offsets": [len(data), len(data) + len(more)]}
            data += more
    text = json.dumps(header).encode() + b"  "
    whole = len(text).to_bytes(8, "little") + text + data
    (tmp_path / "m.safetensors").write_bytes(whole)
    subprocess.run([PROGRAM, "-q", "--goal", goal, "m.safetensors"], cwd=tmp_path, check=True)
    floe.safetensors.compress_file(tmp_path / "m.safetensors", tmp_path / "ours.floe", goal)
    assert (tmp_path / "ours.floe").read_bytes() == (tmp_path / "m.safetensors.floe").read_bytes()
    floe.safetensors.restore_file(tmp_path / "m.safetensors.floe", tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == whole
    subprocess.run([PROGRAM, "-d", "-q", "-o", "theirs", "ours.floe"], cwd=tmp_path, check=True)
    assert (tmp_path / "theirs").read_bytes() == whole


@pytest.mark.skipif(PROGRAM is None, reason="the program is not built")
@pytest.mark.parametrize("kind", ["plain", "fortran", "complex", "big-endian"])
def test_files_of_the_program(tmp_path, kind):
    """Either reads what the other wrote."""
    whole = np.arange(6000.0).reshape(20, 300)
    whole = {
        "plain": whole,
        "fortran": np.asfortranarray(whole),
        "complex": whole.astype("c8"),
        "big-endian": np.asfortranarray(whole.astype(">c16")),
    }[kind]
    np.save(tmp_path / "x.npy", whole)
    subprocess.run([PROGRAM, "x.npy"], cwd=tmp_path, check=True, capture_output=True)
    theirs = floe.load(tmp_path / "x.npy.floe")
    assert theirs.dtype == whole.dtype and np.array_equal(theirs, whole)
    assert theirs.flags.f_contiguous == whole.flags.f_contiguous
    if kind != "plain":
        floe.save(tmp_path / "ours.npy.floe", whole)
        assert (tmp_path / "ours.npy.floe").read_bytes() == (tmp_path / "x.npy.floe").read_bytes()
        subprocess.run([PROGRAM, "-d", "ours.npy.floe"], cwd=tmp_path, check=True, capture_output=True)
        assert (tmp_path / "ours.npy").read_bytes() == (tmp_path / "x.npy").read_bytes()
