"""What is intact of damaged frames comes back, and the rest has names."""

import io

import floe
import numpy as np
import pytest

ARRAY = np.round(np.sin(np.arange(60_000) / 50), 3).reshape(600, 100)
FRAME = floe.compress(ARRAY, tree="decimal(3),delta,bitpack,raw,raw", segment_bytes=1 << 16)


def test_intact_frame_is_complete():
    saved = floe.recover(FRAME)
    assert saved.is_complete and not saved.lost and saved.header == "intact"
    assert np.array_equal(saved.array, ARRAY) and not saved.mask.any()


def test_damaged_segment_is_masked(tmp_path):
    damaged = bytearray(FRAME)
    offset = floe.open(FRAME).plan[2]["offset"]
    damaged[offset + 150] ^= 1
    path = tmp_path / "a.floe"
    path.write_bytes(damaged)
    with pytest.raises(floe.CorruptError):
        floe.load(path)
    saved = floe.recover(path)
    assert not saved.is_complete and saved.is_length_known
    assert saved.mask.sum() == 8192 and saved.mask.shape == ARRAY.shape
    assert np.array_equal(saved.array[~saved.mask], ARRAY[~saved.mask])
    assert (saved.array[saved.mask] == 0).all()
    (lost,) = saved.lost
    assert (lost.what, lost.first, lost.count) == ("elements", 2 * 8192, 8192)
    assert offset < lost.offset < offset + 200 and "digest" in lost.cause


def test_cut_off_at_both_ends():
    saved = floe.recover(FRAME[100 : len(FRAME) // 2])
    assert saved.header == "guessed" and not saved.is_length_known
    assert saved.array.ndim == 1 and 10_000 < saved.recovered < 40_000
    kept = ~saved.mask
    assert np.array_equal(saved.array[kept], ARRAY.reshape(-1)[: len(kept)][kept])
    assert floe.recover(FRAME[100:], like=FRAME).array.shape == ARRAY.shape


def test_complex_numbers_in_fortran_order_and_left_out_elements():
    array = np.asfortranarray((np.arange(20_000) + 1j).reshape(100, 200))
    frame = bytearray(floe.compress(array, codec="dpspeed"))
    frame[-200] ^= 1
    saved = floe.recover(frame)
    assert 0 < saved.mask.sum() < array.size and saved.mask.shape == array.shape
    assert np.array_equal(saved.array[~saved.mask], array[~saved.mask])
    assert len(floe.recover(frame, fill=False).data) < array.nbytes


def test_tables_and_errors():
    text = b"a,b\n" + b"".join(b"%d,%d\n" % (i, i * i % 7) for i in range(20000))
    frame = floe.compress_csv(io.BytesIO(text))
    saved = floe.recover(frame[:-30])
    assert saved.data == text and not saved.is_length_known
    with pytest.raises(floe.InvalidArgumentError):
        _ = saved.array
    with pytest.raises(floe.OutOfMemoryError):
        floe.recover(frame, max_bytes=100)
    with pytest.raises(floe.CorruptError):
        floe.recover(b"no frame at all")
    with pytest.raises(ValueError):
        floe.recover(frame, separator="")
    short = floe.compress_csv(io.BytesIO(text[:5000]))
    assert floe.recover(short).data == text[:5000]
    with pytest.raises(floe.CorruptError, match="in one piece"):
        floe.recover(short[:-30])
