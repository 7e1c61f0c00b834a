"""Do files of model weights come back byte by byte, and tensors one by one?"""

import json

import ml_dtypes
import numpy as np
import pytest

import floe
import floe.safetensors as ours

safetensors = pytest.importorskip("safetensors")
from safetensors.numpy import load_file, save_file  # noqa: E402


def bits(dtype, shape, seed=1):
    raw = np.random.default_rng(seed).integers(0, 256, int(np.prod(shape)) * np.dtype(dtype).itemsize, np.uint8)
    return (raw % 2 if dtype == "?" else raw).view(dtype).reshape(shape)


@pytest.fixture
def tensors():
    weights = np.random.default_rng(1).normal(size=(200, 300)).astype("f4")
    return {
        "weights": weights,
        "brain": weights.astype(ml_dtypes.bfloat16),
        "half": weights.astype("f2"),
        "scalar": np.array(3.5, "f8"),
        "empty": np.zeros((0, 7), "f4"),
        "empty rows": np.zeros((7, 0), "f4"),
        "deep": np.arange(512, dtype="i2").reshape((2,) * 9),
        **{kind: bits(kind, (5, 6)) for kind in ("f8", "f4", "f2", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?")},
    }


def same(restored, original):
    return (
        restored.dtype == original.dtype
        and restored.shape == original.shape
        and restored.tobytes() == original.tobytes()
    )


def raw_file(path, entries, data, padding=b""):
    header = json.dumps(entries).encode() + padding
    path.write_bytes(len(header).to_bytes(8, "little") + header + data)


@pytest.fixture
def original(tmp_path, tensors):
    path = tmp_path / "model.safetensors"
    save_file(tensors, path, metadata={"format": "pt", "ünïcode": '"quoted"\n'})
    return path


@pytest.fixture
def packed(original, tmp_path):
    ours.compress_file(original, tmp_path / "model.floe.safetensors")
    return tmp_path / "model.floe.safetensors"


def test_byte_by_byte(original, packed, tmp_path):
    ours.restore_file(packed, tmp_path / "again.safetensors")
    assert (tmp_path / "again.safetensors").read_bytes() == original.read_bytes()


def test_tensors(packed, tensors):
    with ours.open(packed) as model:
        assert set(model) == set(tensors) and len(model) == len(tensors)
        assert all(same(model[name], tensors[name]) for name in tensors)
        assert model.metadata["format"] == "pt"
        assert same(model.lazy("weights")[17:20], tensors["weights"][17:20])
        with pytest.raises(KeyError):
            model["nothing"]
    assert all(same(array, tensors[name]) for name, array in ours.load_file(packed).items())
    with pytest.raises(floe.InvalidArgumentError, match="closed"):
        model["weights"]


def test_packed_file_is_a_safetensors_file(packed, tensors):
    """Other programs see frames, which any floe decodes."""
    frames = load_file(packed)
    assert same(floe.decompress(frames["weights"]), tensors["weights"])


def test_save_file(tmp_path, tensors):
    ours.save_file(tensors, tmp_path / "m", {"a": "b"}, "speed")
    assert all(same(array, tensors[name]) for name, array in ours.load_file(tmp_path / "m").items())
    with (tmp_path / "plain").open("wb") as out:
        ours.open(tmp_path / "m").restore(out)
    again = load_file(tmp_path / "plain")
    assert all(same(again[name], tensors[name]) for name in tensors)
    with pytest.raises(floe.InvalidArgumentError):
        ours.save_file({"a": np.array(["x"])}, tmp_path / "m")


def test_small_floats_and_unknown_types(tmp_path):
    data = bytes(range(200))
    entries = {
        "f8": {"dtype": "F8_E4M3", "shape": [10, 10], "data_offsets": [0, 100]},
        "new": {"dtype": "F4", "shape": [200], "data_offsets": [100, 200]},
    }
    raw_file(tmp_path / "a", entries, data, b"   ")
    ours.compress_file(tmp_path / "a", tmp_path / "b")
    ours.restore_file(tmp_path / "b", tmp_path / "c")
    assert (tmp_path / "c").read_bytes() == (tmp_path / "a").read_bytes()
    with ours.open(tmp_path / "b") as model:
        assert model["f8"].dtype == ml_dtypes.float8_e4m3fn and model["f8"].shape == (10, 10)
        assert model["f8"].tobytes() == data[:100] and model["new"].tobytes() == data[100:]


def test_progress_and_threads(original, tmp_path):
    calls = []
    ours.compress_file(original, tmp_path / "a", threads=1, progress=lambda done, total: calls.append((done, total)))
    ours.compress_file(original, tmp_path / "b", threads=3)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert calls[-1][0] == calls[-1][1] and calls == sorted(calls)


@pytest.mark.parametrize(
    "entries",
    [
        {"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 7]}},
        {"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 16]}},
        {"a": {"dtype": "F32", "shape": [2], "data_offsets": [8, 16]}},
        {"a": {"dtype": "F32", "shape": [3], "data_offsets": [0, 8]}},
        {"a": {"dtype": "F32", "shape": [-2], "data_offsets": [0, 8]}},
        {"a": {"dtype": "F32", "shape": [2]}},
        {"a": {"dtype": "F32", "shape": ["2"], "data_offsets": [0, 8]}},
        {"a": {"dtype": "F32", "shape": [2.0], "data_offsets": [0, 8]}},
        {"a": 5},
        [1],
    ],
)
def test_what_is_no_safetensors_file(tmp_path, entries):
    raw_file(tmp_path / "a", entries, bytes(8))
    with pytest.raises(floe.CorruptError):
        ours.compress_file(tmp_path / "a", tmp_path / "b")
    assert not (tmp_path / "b").exists()


def test_names_are_not_given_twice(tmp_path):
    entry = '"a": {"dtype": "U8", "shape": [0], "data_offsets": [0, 0]}'
    header = f"{{{entry}, {entry}}}".encode()
    (tmp_path / "a").write_bytes(len(header).to_bytes(8, "little") + header)
    with pytest.raises(floe.CorruptError, match="one name"):
        ours.compress_file(tmp_path / "a", tmp_path / "b")


def test_foreign_and_damaged_files(original, packed, tmp_path):
    (tmp_path / "short").write_bytes(b"abc")
    for path in (original, tmp_path / "short"):
        with pytest.raises(floe.CorruptError):
            ours.open(path)
    whole = packed.read_bytes()
    (tmp_path / "cut").write_bytes(whole[:-10])
    with pytest.raises(floe.TruncatedError):
        ours.open(tmp_path / "cut")
    rng = np.random.default_rng(7)
    header_bytes = 8 + int.from_bytes(whole[:8], "little")
    for position in [*rng.integers(0, header_bytes, 300), *rng.integers(header_bytes, len(whole), 100)]:
        damaged = bytearray(whole)
        damaged[position] ^= 1 << rng.integers(0, 8)
        (tmp_path / "damaged").write_bytes(damaged)
        try:
            ours.restore_file(tmp_path / "damaged", tmp_path / "again")
        except floe.Error:
            continue
        assert (tmp_path / "again").read_bytes() == original.read_bytes()
