"""Do Zarr 3, xarray and dask store arrays with the codec, and read parts of them?"""

import json

import numpy as np
import pytest

import floe

zarr = pytest.importorskip("zarr", minversion="3")
from floe.zarr import FloeCodec  # noqa: E402

TYPES = ["f8", "f4", "f2", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?", "c8", "c16", "M8[ns]", "m8[s]", ">f4"]


def numbers(dtype, shape=(40, 50)):
    return np.random.default_rng(1).integers(0, 100, shape).astype(dtype)


def create(store, dtype="f4", shape=(40, 50), **options):
    options = {"chunks": (16, 16), "serializer": FloeCodec(), "compressors": None, **options}
    return zarr.create_array(store, shape=shape, dtype=dtype, **options)


@pytest.mark.parametrize("dtype", TYPES)
def test_types(tmp_path, dtype):
    whole = numbers(dtype)
    create(tmp_path / "a.zarr", dtype)[:] = whole
    again = zarr.open_array(tmp_path / "a.zarr", mode="r")
    assert np.array_equal(again[:], whole)
    assert np.array_equal(again[3:21, 7], whole[3:21, 7])


def test_every_bit(tmp_path):
    whole = np.random.default_rng(2).integers(0, 256, 32_000, np.uint8).view("f8").reshape(40, 100)
    create(tmp_path / "a.zarr", "f8", whole.shape)[:] = whole
    assert zarr.open_array(tmp_path / "a.zarr")[:].tobytes() == whole.tobytes()


def test_found_without_import(tmp_path):
    import subprocess
    import sys

    create(tmp_path / "a.zarr")[:] = 7
    code = "import sys, zarr; print(zarr.open_array(sys.argv[1])[5, 5])"
    done = subprocess.run([sys.executable, "-c", code, tmp_path / "a.zarr"], capture_output=True, text=True, check=True)
    assert done.stdout == "7.0\n"


def test_metadata(tmp_path):
    create(tmp_path / "a.zarr", serializer=FloeCodec("ratio", tree="sortable,delta,entropy", threads=3))
    codecs = json.loads((tmp_path / "a.zarr/zarr.json").read_text())["codecs"]
    assert codecs == [
        {"name": "floe", "configuration": {"goal": "ratio", "checksum": True, "tree": "sortable,delta,entropy"}}
    ]
    bare = {"name": "floe"}
    assert FloeCodec.from_dict(bare) == FloeCodec()
    with pytest.raises(floe.InvalidArgumentError):
        FloeCodec("fast")


def test_chunks_are_frames(tmp_path):
    create(tmp_path / "a.zarr")[:] = numbers("f4")
    assert np.array_equal(floe.load(tmp_path / "a.zarr/c/1/1"), numbers("f4")[16:32, 16:32])


SELECTIONS = [
    np.s_[5], np.s_[5:9], np.s_[5:9, 10:20], np.s_[::3, ::-1], np.s_[..., 4], np.s_[7, 8], np.s_[39:5:-4, 2:3], np.s_[10:10],
]  # fmt: skip


@pytest.mark.parametrize("sharded", [False, True])
def test_parts_are_decoded_alone(tmp_path, sharded):
    """Without sharding, that decodes parts of chunks; with it, parts of the chunks of shards."""
    whole = numbers("f4", (64, 64))
    options = {"shards": (32, 32)} if sharded else {}
    array = create(tmp_path / "a.zarr", shape=whole.shape, **options)
    array[:] = whole
    for key in SELECTIONS:
        if any(
            isinstance(part, slice) and (part.step or 1) < 0 for part in (key if isinstance(key, tuple) else (key,))
        ):
            continue  # Zarr has no negative steps
        assert np.array_equal(array[key], whole[key]), key
    rows, columns = [1, 5, 40], [60, 2, 33]
    assert np.array_equal(array.oindex[rows, columns], whole[np.ix_(rows, columns)])
    assert np.array_equal(array.vindex[rows, columns], whole[rows, columns])
    assert np.array_equal(array.get_mask_selection(whole > 50), whole[whole > 50])
    array[3:5, 60:] = -1
    whole[3:5, 60:] = -1
    assert np.array_equal(array[:], whole)


def test_fill_values_and_missing_chunks(tmp_path):
    array = create(tmp_path / "a.zarr", fill_value=9)
    array[:16, :16] = 1
    assert array[20, 20] == 9 and array[3, 3] == 1 and array[10:20, 10].tolist() == [1] * 6 + [9] * 4


def test_damage(tmp_path):
    array = create(tmp_path / "a.zarr")
    array[:] = numbers("f4")
    chunk = tmp_path / "a.zarr/c/0/0"
    damaged = bytearray(chunk.read_bytes())
    damaged[len(damaged) // 2] ^= 4
    chunk.write_bytes(damaged)
    for key in (np.s_[:], np.s_[2:4]):
        with pytest.raises(floe.CorruptError):
            array[key]
    chunk.write_bytes(floe.compress(np.zeros((3, 3))))
    for key in (np.s_[:], np.s_[2:4]):
        with pytest.raises(ValueError):
            array[key]


def test_types_that_floe_does_not_have():
    with pytest.raises(floe.UnsupportedError):
        create({}, "S5")


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_xarray(tmp_path, zarr_format):
    xarray = pytest.importorskip("xarray")
    from floe.numcodecs import Floe

    data = xarray.Dataset({"t": (("x", "y"), numbers("f4")), "n": (("x",), np.arange(40))}, {"y": np.arange(50.0)})
    how = {"serializer": FloeCodec(), "compressors": None} if zarr_format == 3 else {"compressors": [Floe()]}
    encoding = {name: dict(how) for name in ("t", "n", "y")}
    data.to_zarr(tmp_path / "d.zarr", zarr_format=zarr_format, encoding=encoding, consolidated=False)
    with xarray.open_zarr(tmp_path / "d.zarr", consolidated=False) as again:
        assert again.load().identical(data)


def test_dask(tmp_path):
    dask = pytest.importorskip("dask.array")
    whole = numbers("f8", (64, 64))
    create(tmp_path / "a.zarr", "f8", whole.shape)
    dask.store(dask.from_array(whole, chunks=16), zarr.open_array(tmp_path / "a.zarr"), lock=False)
    lazy = dask.from_array(zarr.open_array(tmp_path / "a.zarr", mode="r"), chunks=16)
    assert (lazy[10:50].sum(axis=0).compute() == whole[10:50].sum(axis=0)).all()


def test_dask_cluster(tmp_path):
    """Four processes write a store, read it and reduce it."""
    distributed = pytest.importorskip("distributed")
    import dask.array

    rng = np.random.default_rng(3)
    whole = np.round(np.cumsum(rng.normal(size=(400, 300)), axis=1), 2).astype("f4")
    zarr.create_array(tmp_path / "a.zarr", shape=whole.shape, chunks=(50, 60), dtype="f4",
                      serializer=FloeCodec("speed"), compressors=None)  # fmt: skip
    with distributed.LocalCluster(n_workers=4, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            assert len(client.scheduler_info(n_workers=-1)["workers"]) == 4
            dask.array.from_array(whole, chunks=(50, 60)).to_zarr(zarr.open_array(tmp_path / "a.zarr"))
            lazy = dask.array.from_zarr(tmp_path / "a.zarr")
            assert np.array_equal(lazy.max(axis=0).compute(), whole.max(axis=0))
            assert np.array_equal(lazy[37:333, ::7].compute(), whole[37:333, ::7])
    assert np.array_equal(zarr.open_array(tmp_path / "a.zarr")[:], whole)


@pytest.mark.parametrize("dtype", [*TYPES, "S5", "U3"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_numcodecs_in_zarr_2(tmp_path, dtype, order):
    from floe.numcodecs import Floe

    whole = numbers("i4").astype(dtype)
    array = zarr.create_array(tmp_path / "a.zarr", shape=whole.shape, chunks=(16, 16), dtype=dtype, zarr_format=2,
                              compressors=Floe("speed"), order=order)  # fmt: skip
    array[:] = whole
    assert np.array_equal(zarr.open_array(tmp_path / "a.zarr")[:], whole)


def test_numcodecs():
    import numcodecs

    from floe.numcodecs import Floe

    codec = numcodecs.get_codec({"id": "floe", "goal": "ratio"})
    assert isinstance(codec, Floe) and codec.get_config()["goal"] == "ratio"
    assert numcodecs.get_codec(codec.get_config()) == codec
    whole = numbers("f8")
    frame = codec.encode(whole)
    assert np.array_equal(codec.decode(frame).reshape(whole.shape), whole)
    out = np.empty_like(whole)
    assert codec.decode(frame, out) is out and np.array_equal(out, whole)
    with pytest.raises(ValueError):
        codec.decode(frame, np.empty(3))
    text = b"some bytes" * 10
    assert bytes(codec.decode(codec.encode(text))) == text
