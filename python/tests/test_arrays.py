"""Does every array come back, bit by bit, with type, shape and order?"""

import array
import threading

import numpy as np
import pytest

import floe

ml_dtypes = pytest.importorskip("ml_dtypes")

TYPES = ["f8", "f4", "f2", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?", "c8", "c16", "M8[ns]", "m8[D]",
         ">f4", ">f8", ">i2", ">u8", ">c16", ml_dtypes.bfloat16]  # fmt: skip


def random_bits(dtype, shape, seed=1):
    """All bit patterns are possible: NaNs with payloads, infinities, denormals."""
    dtype = np.dtype(dtype)
    count = int(np.prod(shape))
    raw = np.random.default_rng(seed).integers(0, 256, count * dtype.itemsize, np.uint8)
    return (raw % 2 if dtype == bool else raw).view(dtype).reshape(shape)


def same(restored, original):
    return (
        restored.dtype == original.dtype
        and restored.shape == original.shape
        and restored.tobytes("A") == original.tobytes("A")
        and restored.flags.f_contiguous == original.flags.f_contiguous
    )


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("shape", [(), (0,), (1,), (7, 0, 3), (1000,), (20, 30), (3, 1, 2, 1, 2, 1, 2, 1, 2)], ids=str)
def test_round_trip(dtype, shape):
    original = random_bits(dtype, shape)
    frame = floe.compress(original)
    assert isinstance(frame, bytes)
    assert same(floe.decompress(frame), original)
    out = np.zeros_like(original)
    assert floe.decompress_into(frame, out) is out
    assert same(out, original)


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_fortran_order(dtype):
    original = np.asfortranarray(random_bits(dtype, (20, 30, 5)))
    restored = floe.decompress(floe.compress(original))
    assert same(restored, original)
    out = np.zeros((20, 30, 5), original.dtype)
    floe.decompress_into(floe.compress(original), out)
    assert out.tobytes() == original.tobytes()


def test_parts_of_arrays():
    whole = np.arange(6000.0).reshape(20, 30, 10)
    for part in (whole[::2], whole[:, ::-1], whole[..., 3], whole.transpose(1, 0, 2), np.broadcast_to(whole[0], (4, 30, 10))):
        restored = floe.decompress(floe.compress(part))
        assert restored.shape == part.shape and (restored == part).all()


def test_other_buffers():
    numbers = list(range(100))
    for source in (array.array("d", numbers), memoryview(np.arange(100.0)), bytearray(range(100)), bytes(range(100))):
        assert floe.decompress(floe.compress(source)).tolist() == numbers
    frame = floe.compress(np.arange(100.0))
    for data in (bytearray(frame), memoryview(frame), np.frombuffer(frame, np.uint8)):
        assert floe.decompress(data).tolist() == numbers


def test_bytes_do_not_depend_on_threads():
    original = np.cumsum(np.random.default_rng(2).normal(size=600_000)).round(2)
    frames = {floe.compress(original, threads=threads) for threads in (0, 1, 2, 7)}
    assert len(frames) == 1
    assert (floe.decompress(frames.pop(), threads=1) == original).all()


def test_goals_codecs_and_trees():
    original = np.arange(100_000, dtype="f4")
    for options in ({"goal": "speed"}, {"goal": "ratio"}, {"codec": "spspeed"}, {"tree": "sortable,delta,entropy"},
                    {"profile": "gpu"}, {"checksum": False}, {"segment_bytes": 16384},
                    {"decode_megabytes_per_second": 2000}):  # fmt: skip
        assert same(floe.decompress(floe.compress(original, **options)), original), options
    assert "spspeed" in floe.codecs()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"goal": "fast"}, "fast"),
        ({"codec": "zip"}, "zip"),
        ({"codec": "spspeed", "tree": "raw"}, "exclude"),
        ({"codec": "dpspeed"}, "type"),
        ({"tree": "delta,nothing"}, "name"),
        ({"segment_bytes": 5}, "segment"),
        ({"threads": -1}, "threads"),
    ],
)
def test_wrong_options(options, words):
    with pytest.raises(floe.InvalidArgumentError, match=words):
        floe.compress(np.arange(10, dtype="f4"), **options)


def test_place_in_a_tree():
    with pytest.raises(floe.Error) as caught:
        floe.compress(np.arange(10.0), tree="delta,nothing")
    assert caught.value.offset == 6
    assert caught.value.detail


def test_types_that_floe_does_not_have():
    for source in (np.array(["a"]), np.array([object()]), np.zeros(3, "f4,i4"), np.zeros(3, np.longdouble)):
        with pytest.raises(floe.UnsupportedError):
            floe.compress(source)


def test_damage():
    original = np.random.default_rng(3).normal(size=20_000)
    frame = floe.compress(original)
    for end in (0, 1, 50, len(frame) // 2, len(frame) - 1):
        with pytest.raises(floe.TruncatedError):
            floe.decompress(frame[:end])
    rng = np.random.default_rng(4)
    for position in rng.integers(0, len(frame), 200):
        damaged = bytearray(frame)
        damaged[position] ^= 1 << rng.integers(0, 8)
        try:
            restored = floe.decompress(damaged, max_bytes=1 << 30)
        except floe.Error as error:
            assert isinstance(error, (floe.CorruptError, floe.UnsupportedError, floe.OutOfMemoryError))
            assert error.code and str(error)
        else:
            assert restored.tobytes() == original.tobytes()


def test_huge_claims():
    zeros = np.zeros(1 << 24)
    frame = floe.compress(zeros)
    assert len(frame) < zeros.nbytes // 1000
    with pytest.raises(floe.OutOfMemoryError):
        floe.decompress(frame, max_bytes=1 << 20)
    with pytest.raises(MemoryError):
        floe.decompress(frame, max_bytes=1 << 20)


def test_wrong_outputs():
    frame = floe.compress(np.arange(10.0))
    for out in (np.zeros(9), np.zeros(10, "f4"), np.zeros((2, 5))):
        with pytest.raises(floe.InvalidArgumentError):
            floe.decompress_into(frame, out)
    read_only = np.zeros(10)
    read_only.flags.writeable = False
    with pytest.raises((BufferError, ValueError)):
        floe.decompress_into(frame, read_only)
    flat = np.zeros(80, np.uint8)
    floe.decompress_into(frame, flat)
    assert flat.view("f8").tolist() == list(range(10))


def test_progress():
    original = np.random.default_rng(5).normal(size=2_000_000)
    calls = []
    frame = floe.compress(original, progress=lambda done, total: calls.append((done, total)))
    assert frame == floe.compress(original)
    assert calls[-1] == (original.nbytes, original.nbytes) and calls == sorted(calls) and len(calls) > 3
    calls.clear()
    big = np.zeros(12_000_000)
    assert floe.decompress(floe.compress(big), progress=lambda done, total: calls.append((done, total))).shape == big.shape
    assert calls[-1] == (big.nbytes, big.nbytes) and calls == sorted(calls) and len(calls) > 1


def test_large_results_begin_with_a_large_page():
    """They are arrays like any other."""
    original = np.arange(1_500_000.0).reshape(3, -1)
    restored = floe.decompress(floe.compress(original))
    assert restored.__array_interface__["data"][0] % (2 << 20) == 0
    assert restored.flags.writeable and restored.flags.c_contiguous and np.array_equal(restored, original)


def test_progress_as_a_bar(capsys):
    """True is a bar of tqdm, which ends with all bytes."""
    pytest.importorskip("tqdm")
    original = np.random.default_rng(5).normal(size=2_000_000)
    frame = floe.compress(original, progress=True)
    assert "100%" in capsys.readouterr().err
    assert np.array_equal(floe.decompress(frame, progress=True), original)
    assert "16.0M/16.0M" in capsys.readouterr().err
    assert floe.compress(original, progress=False) == frame
    assert capsys.readouterr().err == ""


def test_progress_may_end_a_call():
    class Enough(Exception):
        pass

    def stop(done, total):
        raise Enough

    original = np.random.default_rng(5).normal(size=2_000_000)
    with pytest.raises(Enough):
        floe.compress(original, progress=stop)
    with pytest.raises(Enough):
        floe.decompress(floe.compress(original), progress=stop)


def test_other_threads_run_meanwhile():
    """The GIL is released: threads compress and decompress at the same time, and each gets its own."""
    arrays = [np.random.default_rng(seed).normal(size=100_000) for seed in range(4)]
    results = {}

    def work(number):
        frame = floe.compress(arrays[number], threads=1)
        results[number] = floe.decompress(frame, threads=1)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(same(results[number], arrays[number]) for number in range(4))


def test_errors_can_be_pickled():
    import pickle

    with pytest.raises(floe.Error) as caught:
        floe.decompress(b"nothing")
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is type(caught.value) and str(again) == str(caught.value)
