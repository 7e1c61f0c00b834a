"""Are parts of files read as NumPy would index the whole, and files written completely or not at all?"""

import io

import numpy as np
import pytest

import floe


@pytest.fixture(scope="module")
def whole():
    return np.random.default_rng(1).integers(0, 1000, (60, 50, 70)).astype("f4")


@pytest.fixture(scope="module")
def path(whole, tmp_path_factory):
    path = tmp_path_factory.mktemp("files") / "whole.floe"
    floe.save(path, whole, segment_bytes=16384)
    return path


KEYS = [
    0, -1, 59, np.int64(3), slice(10, 20), slice(None), slice(20, 10), slice(-5, None), slice(3, 50, 7), slice(50, 3, -7),
    slice(None, None, -1), (5, 6), (5, 6, 7), (slice(2, 4), 3), (slice(2, 9, 3), slice(1, 5), -1), Ellipsis, (Ellipsis, 2),
    (3, Ellipsis, 2), None, [1, 5, 7], ([1, 2], [3, 4]), (), (slice(4, 9), None),
]  # fmt: skip


@pytest.mark.parametrize("key", KEYS, ids=repr)
def test_index(path, whole, key):
    with floe.open(path) as file:
        assert np.array_equal(file[key], whole[key])


def test_mask(path, whole):
    with floe.open(path) as file:
        assert np.array_equal(file[whole > 500], whole[whole > 500])


def test_index_errors(path):
    with floe.open(path) as file:
        for key in (60, -61, (0, 50), (slice(None), 0, 0, 0)):
            with pytest.raises(IndexError):
                file[key]


def test_flat(path, whole):
    with floe.open(path) as file:
        flat = whole.reshape(-1)
        for key in (slice(1000, 2000), slice(5, 5), slice(9000, 100, -13), 7, -1):
            assert np.array_equal(file.flat[key], flat[key])
        assert len(file.flat) == whole.size


def test_description(path, whole):
    with floe.open(path) as file:
        assert (file.shape, file.dtype, file.ndim, file.size, file.nbytes, len(file)) == (
            whole.shape, whole.dtype, 3, whole.size, whole.nbytes, 60)  # fmt: skip
        assert file.info["frame_bytes"] == path.stat().st_size
        assert file.info["has_checksums"]
        assert len(file.plan) == file.info["segment_count"] > 1
        assert file.plan[0]["columns"][0]["trees"]
        assert sum(segment["count"] for segment in file.plan) == whole.size
        assert "float32" in repr(file)
        assert np.array_equal(np.asarray(file), whole)
        assert "<table>" in file.info._repr_html_() and "<code>" in file.plan._repr_html_()
        file.verify()


@pytest.mark.parametrize("dtype", ["f8", ">i4", "c8", "M8[us]"])
def test_fortran_order(tmp_path, dtype):
    whole = np.asfortranarray(np.arange(6000).reshape(20, 30, 10).astype(dtype))
    floe.save(tmp_path / "f.floe", whole)
    with floe.open(tmp_path / "f.floe") as file:
        for key in ((Ellipsis, slice(2, 5)), (Ellipsis, slice(None, None, -2)), 3, slice(2, 4), (slice(None), 3)):
            assert np.array_equal(file[key], whole[key])
        assert np.array_equal(file.flat[50:60], whole.reshape(-1)[50:60])
        restored = io.BytesIO()
        file.restore(restored)
    assert floe.load(tmp_path / "f.floe").flags.f_contiguous


def test_complex_parts(tmp_path):
    whole = (np.arange(600) + 1j).reshape(20, 30)
    floe.save(tmp_path / "c.floe", whole)
    with floe.open(tmp_path / "c.floe") as file:
        assert np.array_equal(file[3:7], whole[3:7])
        assert np.array_equal(file.flat[50:60], whole.reshape(-1)[50:60])


def test_other_sources(path, whole):
    frame = path.read_bytes()
    with path.open("rb") as opened:
        for source in (frame, bytearray(frame), memoryview(frame), io.BytesIO(frame), opened):
            with floe.open(source) as file:
                assert np.array_equal(file[10:12], whole[10:12])
            assert np.array_equal(floe.load(source), whole)


def test_a_source_that_fails(path):
    class Failing(io.BytesIO):
        fails = False

        def read(self, size=-1):
            if self.fails:
                raise ConnectionError("gone")
            return super().read(size)

    source = Failing(path.read_bytes())
    with floe.open(source) as file:
        source.fails = True
        with pytest.raises(ConnectionError, match="gone"):
            file.read()
        source.fails = False
        assert file.read().shape == file.shape


def test_closed(path):
    file = floe.open(path)
    file.close()
    file.close()
    with pytest.raises(floe.InvalidArgumentError, match="closed"):
        file[0]


def test_missing_and_foreign_files(tmp_path):
    with pytest.raises(FileNotFoundError):
        floe.open(tmp_path / "nothing.floe")
    (tmp_path / "text").write_text("no frame" * 100)
    with pytest.raises(floe.CorruptError):
        floe.open(tmp_path / "text")
    with pytest.raises(IsADirectoryError):
        floe.open(tmp_path)


def test_save_is_compress(tmp_path):
    for data in (np.arange(1000.0), np.float32(5), np.zeros((0, 3)), {"a": np.arange(10)}):
        floe.save(tmp_path / "x.floe", data)
        assert (tmp_path / "x.floe").read_bytes() == floe.compress(data)


def test_a_failed_save_leaves_what_was_there(tmp_path):
    path = tmp_path / "x.floe"
    floe.save(path, np.arange(10.0))
    path.chmod(0o640)
    before = path.read_bytes()

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        floe.save(path, np.zeros(1_000_000), progress=stop)
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["x.floe"]
    floe.save(path, np.arange(20.0))
    assert path.stat().st_mode & 0o777 == 0o640


def test_npy_files_of_the_program(tmp_path):
    """The prefix is the header of an .npy file, so restoring the frame gives one."""
    cube = np.arange(60.0).reshape(3, 4, 5)
    for whole in (np.asfortranarray(cube), cube.astype(">f4"), np.asfortranarray(cube.astype(">c8")), cube.astype("M8[s]")):
        floe.save(tmp_path / "x.floe", whole)
        with floe.open(tmp_path / "x.floe") as file, (tmp_path / "x.npy").open("wb") as out:
            file.restore(out)
        again = np.load(tmp_path / "x.npy")
        assert again.dtype == whole.dtype and np.array_equal(again, whole) and again.flags.f_contiguous == whole.flags.f_contiguous
