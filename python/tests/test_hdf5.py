"""Does the filter work in h5py, and in the tools of HDF5 with another library of HDF5?"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import floe

h5py = pytest.importorskip("h5py")
from floe.hdf5 import FILTER_ID, Filter, filter_values, plugin_folder, read  # noqa: E402

TYPES = ["f8", "f4", "f2", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?", "c8", "c16", ">f4", ">f8", ">i2", ">c16",
         "S5", "f4,i2", np.longdouble]  # fmt: skip
needs_tools = pytest.mark.skipif(shutil.which("h5repack") is None, reason="the tools of HDF5 are not installed")


def numbers(dtype, shape=(50, 70)):
    return np.random.default_rng(1).integers(0, 100, shape).astype(dtype)


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_types(tmp_path, dtype):
    whole = numbers(dtype)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("x", data=whole, chunks=(20, 30), **Filter())
    with h5py.File(tmp_path / "a.h5") as file:
        assert file["x"].dtype == whole.dtype
        assert np.array_equal(file["x"][:], whole)
        assert np.array_equal(file["x"][15:25, 3], whole[15:25, 3])


def test_chunks_are_frames_of_their_type(tmp_path):
    expected = {"f4": "f32", ">f8": "f64", "f2": "f16", "?": "u8", "i8": "i64", "c8": "f32", "S5": "u8"}
    with h5py.File(tmp_path / "a.h5", "w") as file:
        for dtype, name in expected.items():
            dataset = file.create_dataset(f"{dtype}", data=numbers(dtype), chunks=(50, 70), **Filter())
            with floe.open(dataset.id.read_direct_chunk((0, 0))[1]) as frame:
                assert frame.info["dtype"] == name
                assert frame.info["shape"][:2] == (50, 70)


def test_bfloat16(tmp_path):
    """HDF5 has no name for it, but types of any layout."""
    kind = h5py.h5t.IEEE_F32LE.copy()
    kind.set_fields(15, 7, 8, 0, 7)
    kind.set_size(2)
    kind.set_ebias(127)
    bits = numbers("f4").astype(ml_dtypes.bfloat16).view("u2")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        creation.set_chunk((50, 70))
        creation.set_filter(FILTER_ID, 0, filter_values())
        dataset = h5py.h5d.create(file.id, b"x", kind, h5py.h5s.create_simple((50, 70)), creation)
        dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, bits, kind)
        with floe.open(dataset.read_direct_chunk((0, 0))[1]) as frame:
            assert frame.info["dtype"] == "bf16"
            assert frame[:].view("u2").tobytes() == bits.tobytes()
        again = np.empty_like(bits)
        dataset.read(h5py.h5s.ALL, h5py.h5s.ALL, again, kind)
        assert np.array_equal(again, bits)


def test_every_bit(tmp_path):
    whole = np.random.default_rng(2).integers(0, 256, 40_000, np.uint8).view("f8")
    for dtype in ("<f8", ">f8"):
        with h5py.File(tmp_path / "a.h5", "w") as file:
            file.create_dataset("x", data=whole.view(dtype), chunks=(1000,), **Filter("speed"))
            assert file["x"][:].tobytes() == whole.tobytes()


def test_options(tmp_path):
    whole = np.cumsum(numbers("f4", (20_000,)))
    sizes = {}
    with h5py.File(tmp_path / "a.h5", "w") as file:
        for options in (("speed",), ("ratio",), ("max",), ("balance", "spspeed")):
            dataset = file.create_dataset("-".join(options), data=whole, chunks=(10_000,), **Filter(*options))
            sizes[options] = dataset.id.get_storage_size()
            assert np.array_equal(dataset[:], whole)
        assert sizes["ratio",] <= sizes["speed",] < whole.nbytes
        with floe.open(file["balance-spspeed"].id.read_direct_chunk((0,))[1]) as frame:
            assert frame.plan[0]["columns"][0]["trees"] == ["spspeed"]
        with pytest.raises(ValueError):  # takes no f32
            file.create_dataset("y", data=whole, chunks=(10,), **Filter(codec="dpspeed"))
        with pytest.raises(ValueError):
            file.create_dataset("z", data=whole, chunks=(10,), compression=FILTER_ID, compression_opts=(7,))
    with pytest.raises(floe.InvalidArgumentError):
        Filter("fast")
    with pytest.raises(floe.InvalidArgumentError):
        Filter(codec="zip")


def test_trees(tmp_path):
    """A tree is stored with the dataset, for all who write chunks of it."""
    whole = np.cumsum(numbers("i4", (20_000,)))
    tree = floe.plan(whole[:10_000]).tree
    with h5py.File(tmp_path / "a.h5", "w") as file:
        dataset = file.create_dataset("x", data=whole, chunks=(10_000,), maxshape=(None,), **Filter(tree=tree))
        for tree_of, codec in ((tree, None), ("gfc(3)", "gfc(3)")):
            options = Filter(codec=codec) if codec else Filter(tree=tree_of)
            other = file.create_dataset(tree_of, data=whole, chunks=(10_000,), **options)
            with floe.open(other.id.read_direct_chunk((10_000,))[1]) as frame:
                assert frame.plan[0]["columns"][0]["trees"] == [tree_of]
        with pytest.raises(ValueError):  # takes no i8
            file.create_dataset("y", data=whole, chunks=(10,), **Filter(tree="spspeed"))
        for tree in ("delta", "delta,raw,raw", "no"):
            with pytest.raises(ValueError):
                file.create_dataset("z", data=whole, chunks=(10,), **Filter(tree=tree))
        with pytest.raises(ValueError):  # a codec and a tree
            file.create_dataset("z", data=whole, chunks=(10,), compression=FILTER_ID, compression_opts=(1, 1, 7))
    with h5py.File(tmp_path / "a.h5", "a") as file:
        dataset = file["x"]
        dataset.resize((30_000,))
        dataset[20_000:] = whole[:10_000]
        with floe.open(dataset.id.read_direct_chunk((20_000,))[1]) as frame:
            assert frame.plan[0]["columns"][0]["trees"] == [floe.plan(whole[:10_000]).tree]
        assert np.array_equal(read(dataset, np.s_[:20_000]), whole)
    with pytest.raises(floe.InvalidArgumentError):
        Filter(tree="sortable," * 200 + "raw")


def test_partial_chunks_resizing_and_many_dimensions(tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        grows = file.create_dataset("x", (10,), "f8", chunks=(7,), maxshape=(None,), **Filter())
        grows[:] = np.arange(10)
        grows.resize((25,))
        grows[10:] = np.arange(10, 25)
        assert grows[:].tolist() == list(range(25))
        deep = np.arange(1024).reshape((2,) * 10)
        file.create_dataset("deep", data=deep, chunks=deep.shape, **Filter())
        file.create_dataset("deep_complex", data=deep.astype("c8"), chunks=deep.shape, **Filter())
        assert np.array_equal(file["deep"][:], deep) and np.array_equal(file["deep_complex"][:], deep)


def test_behind_another_filter(tmp_path):
    whole = numbers("f4")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        for name, options in {"shuffle": {"shuffle": True}, "sum": {"fletcher32": True}}.items():
            dataset = file.create_dataset(name, data=whole, chunks=(20, 30), **options, **Filter())
            assert np.array_equal(dataset[:], whole)


def test_damage(tmp_path):
    whole = numbers("f8")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        dataset = file.create_dataset("x", data=whole, chunks=whole.shape, **Filter())
        chunk = bytearray(dataset.id.read_direct_chunk((0, 0))[1])
        chunk[len(chunk) // 2] ^= 8
        dataset.id.write_direct_chunk((0, 0), bytes(chunk))
    with h5py.File(tmp_path / "a.h5") as file, pytest.raises(OSError):
        file["x"][:]


def run(*words, cwd):
    env = {**os.environ, "HDF5_PLUGIN_PATH": plugin_folder()}
    return subprocess.run(words, cwd=cwd, env=env, capture_output=True, text=True, check=False)


@needs_tools
def test_tools(tmp_path):
    whole = np.array([[np.nan, -0.0, 5e-324, np.inf], [1, 2, 3, 4]])
    with h5py.File(tmp_path / "plain.h5", "w") as file:
        file.create_dataset("x", data=whole)
        file.create_dataset("c", data=numbers("c8"), chunks=(10, 70))
    line = run(sys.executable, "-m", "floe.hdf5", cwd=tmp_path).stdout.splitlines()[1]
    option = line.split()[2]
    assert run("h5repack", "-f", option, "-l", "x:CHUNK=1x4", "plain.h5", "ours.h5", cwd=tmp_path).returncode == 0
    assert f"FILTER_ID {FILTER_ID}" in run("h5dump", "-p", "-H", "ours.h5", cwd=tmp_path).stdout
    assert run("h5diff", "plain.h5", "ours.h5", cwd=tmp_path).returncode == 0
    with h5py.File(tmp_path / "ours.h5") as file:
        assert file["x"][:].tobytes() == whole.tobytes()
    # Parameters that the filter completed are completed again.
    assert run("h5repack", "-l", "x:CHUNK=2x2", "ours.h5", "again.h5", cwd=tmp_path).returncode == 0
    with h5py.File(tmp_path / "again.h5") as file:
        assert file["x"].chunks == (2, 2) and file["x"][:].tobytes() == whole.tobytes()


def test_read_by_path_alone(tmp_path):
    """Without an import of floe."""
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("x", data=numbers("f4"), chunks=(20, 30), **Filter())
    code = "import h5py; f = h5py.File('a.h5', 'a'); print(f['x'][:].sum()); f['x'][0] = 1; f.close()"
    done = run(sys.executable, "-c", code, cwd=tmp_path)
    assert done.returncode == 0 and float(done.stdout) == numbers("f4").sum()


def test_plugin_needs_nothing_of_hdf5():
    """Then it works with any library of HDF5, and with several in one process; and only two symbols show."""
    plugin = next(Path(plugin_folder()).glob("*h5floe.*"))
    needed = subprocess.run(["ldd", plugin], capture_output=True, text=True, check=True).stdout
    assert "hdf5" not in needed and "stdc++" not in needed
    if shutil.which("nm"):
        symbols = subprocess.run(["nm", "-D", plugin], capture_output=True, text=True, check=True).stdout.split("\n")
        assert not [line for line in symbols if " U H5" in line]
        assert sorted(line.split()[-1] for line in symbols if " T " in line) == [
            "H5PLget_plugin_info",
            "H5PLget_plugin_type",
        ]


SELECTIONS = [np.s_[:], np.s_[...], (), np.s_[3], np.s_[-1, 5], np.s_[10:45], np.s_[7:41:3, ::7], np.s_[..., 69],
              np.s_[5:5], np.s_[49:100, 20:30], np.s_[[1, 5]]]  # fmt: skip


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_read_with_all_cores(tmp_path, dtype):
    whole = numbers(dtype)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        for chunks in ((20, 30), (7, 70), (50, 70), (50, 1)):
            dataset = file.create_dataset(f"{chunks}", data=whole, chunks=chunks, **Filter())
            for threads in (0, 1, 3):
                for selection in SELECTIONS:
                    part, expected = read(dataset, selection, threads=threads), dataset[selection]
                    assert np.array_equal(part, expected) and part.dtype == expected.dtype
                    assert np.shape(part) == np.shape(expected)
                    room = np.empty(np.shape(expected), expected.dtype)
                    assert read(dataset, selection, out=room, threads=threads) is room
                    assert np.array_equal(room, expected)
            with pytest.raises(floe.InvalidArgumentError):
                read(dataset, np.s_[3:5], out=np.empty((3, 70), dtype))


def test_read_what_is_not_there_or_not_ours(tmp_path):
    whole = numbers("f4")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        holes = file.create_dataset("holes", whole.shape, "f4", chunks=(20, 30), fillvalue=5, **Filter())
        holes[25:28, 3:40] = whole[25:28, 3:40]
        skipped = file.create_dataset("skipped", whole.shape, ">f4", chunks=(50, 70), **Filter())
        skipped.id.write_direct_chunk((0, 0), whole.astype(">f4").tobytes(), filter_mask=1)
        file.create_dataset("plain", data=whole)
        file.create_dataset("gzip", data=whole, compression="gzip")
        file.create_dataset("behind", data=whole, shuffle=True, chunks=(20, 30), **Filter())
        file.create_dataset("texts", data=[b"a", b"bc"], dtype=h5py.string_dtype(), chunks=(1,))
        file.create_dataset("scalar", data=3.5)
        file.create_dataset("deep", data=np.arange(1024).reshape((2,) * 10), chunks=(2,) * 10, **Filter())
        file.create_dataset("empty", (0, 3), "f4", chunks=(1, 3), maxshape=(None, 3), **Filter())
    with h5py.File(tmp_path / "a.h5") as file:
        for name, dataset in file.items():
            assert np.array_equal(read(dataset), dataset[()]), name
        assert np.array_equal(read(file["holes"], np.s_[20:30]), file["holes"][20:30])
        with pytest.raises(IndexError):
            read(file["holes"], 50)


def test_read_damage(tmp_path):
    whole = numbers("f8", (400, 70))
    with h5py.File(tmp_path / "a.h5", "w") as file:
        dataset = file.create_dataset("x", data=whole, chunks=(20, 70), **Filter())
        chunk = bytearray(dataset.id.read_direct_chunk((40, 0))[1])
        chunk[len(chunk) // 2] ^= 8
        dataset.id.write_direct_chunk((40, 0), bytes(chunk))
        dataset.id.write_direct_chunk((60, 0), floe.compress(whole[:3, :5]))
        for threads in (1, 2):
            for rows in (np.s_[40:60], np.s_[60:80], np.s_[:]):
                with pytest.raises(floe.CorruptError):
                    read(dataset, rows, threads=threads)
            assert np.array_equal(read(dataset, np.s_[80:], threads=threads), whole[80:])


@pytest.mark.skipif(shutil.which("nccopy") is None, reason="the tools of NetCDF are not installed")
def test_netcdf(tmp_path):
    """NetCDF-4 files are files of HDF5: nccopy compresses one, netCDF4 and xarray read it."""
    netcdf = pytest.importorskip("netCDF4")
    whole = numbers("f4", (60, 70))
    with netcdf.Dataset(tmp_path / "plain.nc", "w") as file:
        file.createDimension("x", 60)
        file.createDimension("y", 70)
        file.createVariable("t", "f4", ("x", "y"), chunksizes=(20, 70))[:] = whole
    options = run(sys.executable, "-m", "floe.hdf5", "--parameters", "--goal", "ratio", cwd=tmp_path).stdout.splitlines()
    done = run("nccopy", *options[1].split(), "plain.nc", "packed.nc", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert f'"{FILTER_ID},' in run("ncdump", "-hs", "packed.nc", cwd=tmp_path).stdout
    code = "import netCDF4, xarray; print(netCDF4.Dataset('packed.nc')['t'][:].sum()); " \
           "print(float(xarray.open_dataset('packed.nc', engine='netcdf4').t.sum()))"  # fmt: skip
    assert [float(text) for text in run(sys.executable, "-c", code, cwd=tmp_path).stdout.split()] == [whole.sum()] * 2
    with h5py.File(tmp_path / "packed.nc") as file:
        assert np.array_equal(read(file["t"]), whole)
