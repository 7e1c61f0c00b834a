"""Arrays in the memory of GPUs: round trips of CuPy, PyTorch, JAX, Zarr and HDF5, which are skipped where there is no GPU."""

from concurrent.futures import ThreadPoolExecutor

import floe
import floe.cuda
import numpy as np
import pytest

needs_gpu = pytest.mark.skipif(not floe.cuda.is_available(), reason=floe.cuda.reason() or "")

TYPES = ["f8", "f4", "f2", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1", "?"]


def values(dtype, shape=(30, 1000)):
    steps = np.cumsum(np.random.default_rng(2).integers(-3, 4, int(np.prod(shape))))
    return (steps % 2 == 0 if dtype == "?" else (steps / 4 if "f" in dtype else steps)).astype(dtype).reshape(shape)


@needs_gpu
@pytest.mark.parametrize("dtype", TYPES)
def test_cupy(dtype):
    cupy = pytest.importorskip("cupy")
    array = values(dtype)
    frame = floe.cuda.compress(cupy.asarray(array))
    assert frame.nbytes < array.nbytes and frame.__dlpack_device__() == (2, 0)
    assert np.array_equal(floe.decompress(bytes(frame)), array)
    back = cupy.from_dlpack(floe.cuda.decompress(frame))
    assert back.dtype == array.dtype and np.array_equal(back.get(), array)
    part = cupy.asarray(floe.cuda.decompress(bytes(frame), rows=slice(7, 19)))
    assert np.array_equal(part.get(), array[7:19])
    assert floe.compress(cupy.asarray(array)) == bytes(frame)
    out = cupy.empty_like(cupy.asarray(array))
    assert floe.cuda.decompress(frame, out=out) is out and np.array_equal(out.get(), array)
    stored = bytes(frame)
    assert bytes(frame.shrink()) == stored and np.array_equal(floe.cuda.decompress(frame).numpy(), array)
    assert np.array_equal(floe.cuda.decompress(cupy.asarray(frame)).numpy(), array)  # of which nothing is known


@needs_gpu
@pytest.mark.parametrize("goal", ["speed", "balance", "ratio", "max"])
def test_frames_of_the_cpu_by_goals(goal):
    """With all encodings: what GPUs do not have, the CPU decodes."""
    cupy = pytest.importorskip("cupy")
    for array in (values("f4"), values("f8"), values("i4"), values("u2"), values("f8", (3, 5, 7)), np.array(5.0), np.zeros((0, 4))):
        back = floe.cuda.decompress(floe.compress(array, goal))
        assert back.shape == array.shape and np.array_equal(cupy.from_dlpack(back).get(), array)


@needs_gpu
@pytest.mark.parametrize("codec", ["spspeed", "spratio", "gfc"])
def test_codecs_make_the_bytes_of_the_cpu(codec):
    cupy = pytest.importorskip("cupy")
    array = values("f4")
    frame = floe.cuda.compress(cupy.asarray(array), codec=codec)
    assert bytes(frame) == floe.compress(array, codec=codec, profile="gpu")
    assert np.array_equal(floe.cuda.decompress(frame).numpy(), array)


@needs_gpu
@pytest.mark.parametrize("codec", ["spspeed", None])
def test_frames_in_the_memory_of_earlier_ones(codec):
    cupy = pytest.importorskip("cupy")
    array, other = cupy.asarray(values("f4")), cupy.asarray(values("i4", (20, 50)))
    expected, frame = bytes(floe.cuda.compress(array, codec=codec)), floe.cuda.compress(array[::-1].copy(), codec=codec)
    pointer = frame.pointer
    assert floe.cuda.compress(array, codec=codec, out=frame) is frame
    assert frame.pointer == pointer and bytes(frame) == expected
    assert floe.cuda.compress(other, out=frame) is frame and frame.pointer == pointer
    back = floe.cuda.decompress(frame)  # of another type and shape
    assert back.dtype == other.dtype and np.array_equal(back.numpy(), other.get())
    frame.shrink()
    assert bytes(floe.cuda.compress(array, codec=codec, out=frame)) == expected  # there is no room now
    assert np.array_equal(floe.cuda.decompress(frame).numpy(), array.get())
    with pytest.raises(floe.InvalidArgumentError, match="memory of the array"):
        floe.cuda.compress(cupy.asarray(frame), out=frame)
    for wrong in (cupy.asarray(frame), floe.cuda.decompress(frame), b""):
        with pytest.raises(floe.InvalidArgumentError, match="no frame"):
            floe.cuda.compress(array, out=wrong)
    assert bytes(frame) == expected


@needs_gpu
def test_streams_of_cupy():
    cupy = pytest.importorskip("cupy")
    with cupy.cuda.Stream(non_blocking=True) as stream:
        array = cupy.arange(1 << 22, dtype="f4")
        for _ in range(50):
            array = array * 1.0 + 1  # is still at work when floe is called
        frame = floe.cuda.compress(array)
        back = floe.cuda.decompress(frame, stream=stream)
    assert np.array_equal(back.numpy(), np.arange(1 << 22, dtype="f4") + 50)


@needs_gpu
def test_damage():
    cupy = pytest.importorskip("cupy")
    frame = cupy.asarray(floe.cuda.compress(cupy.asarray(values("f4")), codec="spspeed"))
    frame[len(frame) // 2] ^= 1
    with pytest.raises(floe.CorruptError):
        floe.cuda.decompress(frame)
    with pytest.raises(floe.CorruptError):
        floe.cuda.decompress(frame.get())
    with pytest.raises(floe.CorruptError):
        floe.cuda.decompress(frame[:100])


@needs_gpu
@pytest.mark.parametrize("tree", ["unique,raw,raw", "multi_entropy", "delta,entropy"])
def test_frames_of_the_cpu(tree):
    """Also of encodings that GPUs do not have."""
    cupy = pytest.importorskip("cupy")
    words = np.random.default_rng(1).integers(0, 50, (100, 1000)).astype("u4")
    stored = cupy.asarray(np.frombuffer(floe.compress(words, tree=tree), np.uint8))
    assert np.array_equal(cupy.from_dlpack(floe.cuda.decompress(stored)).get(), words)
    assert np.array_equal(cupy.from_dlpack(floe.cuda.decompress(stored, rows=slice(7, 9))).get(), words[7:9])
    stored[len(stored) // 2] ^= 1
    with pytest.raises(floe.CorruptError):
        floe.cuda.decompress(stored)


@needs_gpu
def test_wrong_arguments():
    cupy = pytest.importorskip("cupy")
    array = cupy.asarray(values("f4"))
    frame = floe.cuda.compress(array)
    for wrong in (array.T, array[:, ::2], array.get()):
        with pytest.raises(floe.InvalidArgumentError):
            floe.cuda.compress(wrong)
    with pytest.raises(floe.UnsupportedError):
        floe.cuda.compress(array.astype("c8"))
    with pytest.raises(floe.Error, match="does not take words"):
        floe.cuda.compress(array, codec="dpspeed")
    with pytest.raises(floe.InvalidArgumentError, match="no codec"):
        floe.cuda.compress(array, codec="nonsense")
    with pytest.raises(floe.UnsupportedError, match="unique"):
        floe.cuda.compress(array, tree="unique,raw,raw")
    with pytest.raises(floe.InvalidArgumentError):
        floe.compress(array, "max")
    for out in (cupy.empty(7, "f4"), cupy.empty(array.shape, "f8")):
        with pytest.raises(floe.InvalidArgumentError):
            floe.cuda.decompress(frame, out=out)
    with pytest.raises(floe.OutOfMemoryError):
        floe.cuda.decompress(frame, max_bytes=100)


@needs_gpu
def test_torch_tensors():
    torch = pytest.importorskip("torch")
    for dtype in (torch.float32, torch.bfloat16, torch.float16, torch.float64, torch.int64, torch.uint8):
        tensor = torch.arange(100_000, device="cuda").to(dtype).reshape(100, 1000)
        frame = floe.cuda.compress(tensor)
        back = torch.from_dlpack(floe.cuda.decompress(frame))
        assert back.dtype == dtype and back.is_cuda and torch.equal(back, tensor)
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        tensor = torch.randn(1 << 20, device="cuda").round(decimals=2)
        frame = floe.cuda.compress(tensor)
    assert torch.equal(torch.from_dlpack(floe.cuda.decompress(frame, stream=stream)), tensor)
    out = torch.empty_like(tensor)
    floe.cuda.decompress(frame, out=out, stream=stream)
    assert torch.equal(out, tensor)
    square = tensor.reshape(1024, 1024)
    with pytest.raises(floe.InvalidArgumentError, match="contiguous"):
        floe.cuda.compress(square.t())
    with pytest.raises(Exception, match="grad"):
        floe.cuda.compress(square.requires_grad_())


@needs_gpu
def test_tensors_with_something_to_be_done_first():
    """Views that are negated when they are read, and streams that wait for PyTorch's."""
    torch = pytest.importorskip("torch")
    negated = torch._neg_view(torch.randn(1000, device="cuda"))  # as the imaginary parts of conjugates are
    with pytest.raises(floe.InvalidArgumentError, match="resolve_neg"):
        floe.cuda.compress(negated)
    mine, other = torch.cuda.Stream(), torch.cuda.Stream()
    with torch.cuda.stream(mine):
        tensor = torch.zeros(1 << 22, device="cuda")
        for _ in range(50):
            tensor = tensor + 1
        frame = floe.cuda.compress(tensor, codec="spspeed", stream=other)
        out = torch.empty_like(tensor)
        floe.cuda.decompress(frame, out=out, stream=other)
    assert bool((out == 50).all())
    torch.cuda.synchronize()


@needs_gpu
def test_threads_share_what_is_kept():
    """Workspaces and results of calls that other threads make at the same time, on streams of their own."""
    cupy = pytest.importorskip("cupy")
    arrays = [values("f4", (100 + i, 1000)) for i in range(8)]

    def round_trips(array):
        with cupy.cuda.Stream(non_blocking=True):
            given, out = cupy.asarray(array), cupy.empty(array.shape, "f4")
            for codec in ("spspeed", None, "spratio") * 10:
                frame = floe.cuda.compress(given, codec=codec)
                floe.cuda.decompress(frame, out=out)
                if not np.array_equal(out.get(), array):
                    return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(round_trips, arrays))
    floe.cuda.free_memory()
    assert round_trips(arrays[0])


@needs_gpu
def test_torch_checkpoints(tmp_path):
    torch = pytest.importorskip("torch")
    import floe.torch

    state = {
        "weight": (torch.randn(500, 300, device="cuda") / 50).to(torch.bfloat16), "norm": torch.ones(300, device="cuda"),
        "ids": torch.arange(1000, device="cuda"), "mask": torch.arange(77, device="cuda") % 3 == 0,
        "small": torch.zeros((), device="cuda"), "none": torch.zeros((0, 3), device="cuda"),
        "eight": torch.randn(1000, device="cuda").to(torch.float8_e4m3fn),
    }  # fmt: skip
    for goal in ("balance", "max"):
        floe.torch.save(state, tmp_path / "c.floe", goal)
        loaded = floe.torch.load(tmp_path / "c.floe", device="cuda")
        for name, tensor in state.items():
            assert loaded[name].is_cuda and loaded[name].dtype == tensor.dtype and loaded[name].shape == tensor.shape
            assert torch.equal(loaded[name].reshape(-1).view(torch.uint8), tensor.reshape(-1).view(torch.uint8)), name
    with floe.torch.open(tmp_path / "c.floe", device="cuda:0") as file:
        assert torch.equal(file.rows("weight", slice(100, 120)), state["weight"][100:120])
    with floe.safetensors.open(tmp_path / "c.floe") as file:
        assert torch.equal(torch.from_dlpack(file.to_device("weight")), state["weight"])


@needs_gpu
def test_jax():
    jax = pytest.importorskip("jax")
    array = jax.numpy.asarray(values("f4"))
    if array.device.platform not in ("gpu", "cuda"):
        pytest.skip("JAX sees no GPU")
    back = jax.dlpack.from_dlpack(floe.cuda.decompress(floe.cuda.compress(array)))
    assert (back == array).all()


@needs_gpu
@pytest.mark.parametrize("dtype", ["f4", "f8", "i2"])
def test_hdf5(dtype, tmp_path):
    h5py = pytest.importorskip("h5py")
    cupy = pytest.importorskip("cupy")
    import floe.hdf5

    field = values(dtype, (50, 90, 77))
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("x", data=field, chunks=(8, 90, 77), **floe.hdf5.Filter())
        file.create_dataset("tiles", data=field, chunks=(16, 32, 20), **floe.hdf5.Filter("ratio"))
        file.create_dataset("fast", data=field, chunks=(16, 32, 20), **floe.hdf5.Filter("speed"))
        file.create_dataset("flat", data=field.reshape(-1), chunks=(9999,), **floe.hdf5.Filter())
        file.create_dataset("empty", field.shape, dtype, chunks=(8, 90, 77), fillvalue=3, **floe.hdf5.Filter())
        file.create_dataset("plain", data=field)
    with h5py.File(tmp_path / "a.h5") as file:
        for name, dataset in file.items():
            for selection in ((), np.s_[3:40], np.s_[7]) + ((np.s_[5:33, 10:70, 8:9], np.s_[1, 2:3]) if dataset.ndim > 1 else ()):
                read = floe.hdf5.read(dataset, selection, device=True)
                assert np.array_equal(np.asarray(read), dataset[selection]), (name, selection)
        out = cupy.empty(field.shape, dtype)
        assert floe.hdf5.read(file["tiles"], out=out) is out and np.array_equal(out.get(), field)
        with pytest.raises(floe.InvalidArgumentError):
            floe.hdf5.read(file["tiles"], np.s_[3:], out=out)


@needs_gpu
def test_zarr():
    zarr = pytest.importorskip("zarr")
    cupy = pytest.importorskip("cupy")
    from floe.zarr import FloeCodec

    field, store = values("f4", (60, 200)), {}
    with zarr.config.enable_gpu():
        array = zarr.create_array(store, shape=field.shape, chunks=(20, 200), dtype="f4", serializer=FloeCodec(), compressors=None)
        array[:] = cupy.asarray(field)
        back = zarr.open_array(store)[:]
        assert isinstance(back, cupy.ndarray) and np.array_equal(back.get(), field)
        assert np.array_equal(zarr.open_array(store)[5:17, 3:9].get(), field[5:17, 3:9])
    cpu_store = {}
    array = zarr.create_array(cpu_store, shape=field.shape, chunks=(20, 200), dtype="f4", serializer=FloeCodec("ratio"), compressors=None)
    array[:] = field
    with zarr.config.enable_gpu():
        assert np.array_equal(zarr.open_array(cpu_store)[:].get(), field)
