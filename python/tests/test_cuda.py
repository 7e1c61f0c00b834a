"""Arrays in the memory of GPUs: what is refused without one, and with one round trips of CuPy, PyTorch, JAX, Zarr and HDF5.

The module floe_cuda is tested where it is installed; what needs a GPU is skipped where there is none.
"""

import ctypes
import importlib.util
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import floe
import floe.cuda
import numpy as np
import pytest
from floe import _cuda_arrays

HAS_MODULE = importlib.util.find_spec("floe_cuda") is not None
needs_module = pytest.mark.skipif(not HAS_MODULE, reason="floe-cuda is not installed")
needs_gpu = pytest.mark.skipif(not floe.cuda.is_available(), reason=floe.cuda.reason() or "")
without_gpu = pytest.mark.skipif(floe.cuda.is_available(), reason="there is a GPU")


class Described:
    """An array of a library that nobody knows, at an address that is nowhere."""

    def __init__(self, **changed):
        plain = {"shape": (4,), "typestr": "<f4", "data": (4096, False), "version": 3}
        self.__cuda_array_interface__ = plain | changed


class Stream:
    def __init__(self, **attributes):
        vars(self).update(attributes)


# ---- without a GPU


@without_gpu
def test_says_what_is_missing():
    expected = "no NVIDIA driver|no CUDA device" if HAS_MODULE else "floe-cuda"
    for call in (floe.cuda.compress, floe.compress, lambda array: floe.cuda.decompress(b"", out=array)):
        with pytest.raises(floe.Error, match=expected):
            call(Described())
    with pytest.raises(floe.Error, match=expected):
        floe.cuda.free_memory()
    assert floe.cuda.reason()


def test_importing_is_harmless():
    """floe.cuda can be imported anywhere, and loads no library of GPUs."""
    asked = "import sys, floe.cuda; print([m for m in ('floe_cuda', 'cupy', 'torch', 'jax') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_arrays_of_the_host_are_none_of_gpus():
    for source in (np.arange(3), b"abc", [1, 2], {"a": np.arange(3)}, memoryview(b"abc")):
        assert not _cuda_arrays.is_on_device(source)
    assert _cuda_arrays.is_on_device(Described())


@pytest.mark.parametrize(
    ("changed", "error", "said"),
    [
        ({"strides": (8,)}, floe.InvalidArgumentError, "contiguous"),
        ({"shape": (2, 2), "strides": (4, 8)}, floe.InvalidArgumentError, "contiguous"),
        ({"shape": (-1,)}, floe.InvalidArgumentError, "shape"),
        ({"data": (None, False)}, floe.InvalidArgumentError, "address"),
        ({"data": 4096}, floe.InvalidArgumentError, "cannot be read"),
        ({"typestr": "nonsense"}, floe.InvalidArgumentError, "cannot be read"),
        ({"typestr": ">f4"}, floe.UnsupportedError, "big-endian"),
        ({"typestr": "<c8"}, floe.UnsupportedError, "complex"),
        ({"typestr": "<U4"}, floe.UnsupportedError, "no type"),
        ({"mask": Described}, floe.UnsupportedError, "mask"),
    ],
)
def test_arrays_that_are_refused(changed, error, said):
    with pytest.raises(error, match=said):
        _cuda_arrays.view_of(Described(**changed), 0)


def test_arrays_that_are_read_only_are_no_output():
    with pytest.raises(floe.InvalidArgumentError, match="read-only"):
        _cuda_arrays.view_of(Described(data=(4096, True)), 0, is_written=True)


def test_arrays_of_the_host_are_refused():
    for source in (np.arange(3.0), [1.0]):
        with pytest.raises(floe.InvalidArgumentError):
            _cuda_arrays.view_of(source, 0)


def test_streams():
    assert _cuda_arrays.stream_handle(None) == 0
    assert _cuda_arrays.stream_handle(77) == 77
    assert _cuda_arrays.stream_handle(Stream(cuda_stream=78)) == 78  # of PyTorch
    assert _cuda_arrays.stream_handle(Stream(ptr=79)) == 79  # of CuPy
    assert _cuda_arrays.stream_handle(Stream(handle=Stream(value=80))) == 80  # of Numba
    assert _cuda_arrays.stream_handle(Stream(__cuda_stream__=lambda: (0, 81))) == 81
    for wrong in ("stream", True, 1.5, object()):
        with pytest.raises(floe.InvalidArgumentError, match="no CUDA stream"):
            _cuda_arrays.stream_handle(wrong)


def test_what_lies_one_behind_the_other():
    assert _cuda_arrays._is_contiguous((2, 3), (12, 4), 4)
    assert _cuda_arrays._is_contiguous((2, 1, 3), (12, 999, 4), 4)  # an axis of one entry has no stride
    assert _cuda_arrays._is_contiguous((0, 3), (7, 7), 4)
    assert not _cuda_arrays._is_contiguous((2, 3), (4, 8), 4)
    assert not _cuda_arrays._is_contiguous((2, 3), (24, 8), 4)


@needs_module
def test_dlpack_of_other_libraries():
    """What floe_cuda reads of a DLPack capsule, of NumPy's memory, and that nobody gets a capsule twice."""
    from floe_cuda import _floe_cuda

    array = np.arange(12.0).reshape(3, 4)
    capsule = array[:, ::2].__dlpack__()
    borrowed = _floe_cuda.Borrowed(capsule)
    assert (borrowed.shape, borrowed.strides, borrowed.dtype, borrowed.device) == ([3, 2], [4, 2], (2, 64, 1), (1, 0))
    assert borrowed.pointer == array.ctypes.data
    with pytest.raises(ValueError):
        _floe_cuda.Borrowed(capsule)


@needs_module
def test_dlpack_for_other_libraries_keeps_its_owner():
    from floe_cuda import _floe_cuda

    owner = np.arange(6, dtype="f4")
    count = sys.getrefcount(owner)
    capsule = _floe_cuda.lend(owner, owner.ctypes.data, 3, 2, 32, [2, 3])
    assert sys.getrefcount(owner) == count + 1
    borrowed = _floe_cuda.Borrowed(capsule)
    assert (borrowed.shape, borrowed.strides, borrowed.device) == ([2, 3], [3, 1], (2, 3))
    del capsule
    assert sys.getrefcount(owner) == count + 1
    del borrowed
    assert sys.getrefcount(owner) == count
    del owner


class DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64),
    ]  # fmt: skip


class ExchangeAPI(ctypes.Structure):
    describe = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(DLTensor))
    current = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int32, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p))
    _fields_ = [
        ("version", ctypes.c_uint32 * 2), ("prev_api", ctypes.c_void_p), ("unused", ctypes.c_void_p * 3),
        ("dltensor_from_py_object_no_sync", describe), ("current_work_stream", current),
    ]  # fmt: skip


def exchanging_type(module="somewhere", version=1, prev_api=None):
    """A type of arrays on a GPU that says so by DLPack's C exchange API, on stream 77."""

    class Tensor:
        requires_grad = False

        def __init__(self, shape, strides=None, kind=(2, 32, 1), device=(2, 3), offset=0):
            self.shape, self.strides = ((ctypes.c_int64 * 9)(*numbers) for numbers in (shape, strides or ()))
            self.described = len(shape), strides is not None, kind, device, offset

        def is_neg(self):
            return False

    @ExchangeAPI.describe
    def describe(tensor, out):
        ndim, has_strides, kind, device, offset = tensor.described
        if kind is None:
            return -1
        out[0].data, out[0].byte_offset, out[0].ndim, out[0].shape = 4096, offset, ndim, tensor.shape
        out[0].device[0], out[0].device[1] = device
        out[0].code, out[0].bits, out[0].lanes = kind
        if has_strides:
            out[0].strides = tensor.strides
        return 0

    @ExchangeAPI.current
    def current(device_type, device, out):
        assert device_type in (2, 13)
        out[0] = 77
        return 0

    Tensor.api = api = ExchangeAPI((version, 3), prev_api, (None, None, None), describe, current)
    capsule = ctypes.pythonapi.PyCapsule_New
    capsule.restype, capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    Tensor.__dlpack_c_exchange_api__ = capsule(ctypes.addressof(api), b"dlpack_exchange_api", None)
    Tensor.__module__ = module
    return Tensor


@needs_module
def test_arrays_with_the_exchange_api_of_dlpack():
    from floe_cuda._floe_cuda import known_array

    Tensor = exchanging_type()
    assert known_array(Tensor((2, 3)), None) == (4096, 3, "f32", (2, 3))
    assert known_array(Tensor((2, 3), (3, 1), offset=16), 77) == (4112, 3, "f32", (2, 3))
    assert known_array(Tensor((2, 1), (1, 9), device=(13, 0)), None) == (4096, 0, "f32", (2, 1))  # managed memory
    assert known_array(Tensor((0, 3), (7, 7)), None) == (4096, 3, "f32", (0, 3))
    assert known_array(Tensor(()), None) == (4096, 3, "f32", ())
    assert known_array(Tensor((1,) * 8), None) is not None
    for kind, name in [((4, 16, 1), "bf16"), ((6, 8, 1), "bool"), ((0, 64, 1), "i64"), ((1, 8, 1), "u8"), ((2, 16, 1), "f16")]:
        assert known_array(Tensor((5,), kind=kind), None) == (4096, 3, name, (5,))


@needs_module
def test_what_has_to_be_asked_more_is_not_known():
    """Then `_cuda_arrays.view_of` says what is wrong, or does what is needed."""
    from floe_cuda._floe_cuda import known_array

    Tensor = exchanging_type()
    for unusual in (Tensor((2, 3), (1, 2)), Tensor((2,), kind=(5, 64, 1)), Tensor((2,), kind=(2, 32, 4)), Tensor((2,), device=(1, 0)), Tensor((1,) * 9), Tensor((2,), kind=None)):
        assert known_array(unusual, None) is None
    for stream in (0, 78, -1, 1 << 70, True, "77", 77.0, object()):  # 77 is the library's: others must wait for it
        assert known_array(Tensor((2,)), stream) is None

    class Heir(Tensor):
        pass

    for other in (Heir((2,)), exchanging_type(version=2)((2,)), np.arange(3), [1], None, Described()):
        assert known_array(other, None) is None
    older = exchanging_type().api
    newer = exchanging_type(version=2, prev_api=ctypes.addressof(older))
    newer.kept = older
    assert known_array(newer((2,)), None) is not None


@needs_module
def test_tensors_of_pytorch_that_are_no_plain_memory_are_not_known():
    from floe_cuda._floe_cuda import known_array

    Tensor = exchanging_type("torch")
    assert known_array(Tensor((2,)), None) is not None
    for name, value in (("requires_grad", True), ("is_neg", lambda: True), ("is_neg", None)):
        tensor = Tensor((2,))
        setattr(tensor, name, value)
        assert known_array(tensor, None) is None


@needs_module
def test_views_are_known():
    from floe_cuda._floe_cuda import known_array

    view = _cuda_arrays.View(4096, 1, "bf16", (3, 4), None)
    assert known_array(view, 5) == (4096, 1, "bf16", (3, 4))
    assert known_array(view, None) is None
    assert known_array(_cuda_arrays.View(4096, 1, "bf16", (1,) * 9, None), 5) is None


@needs_module
def test_memory_needs_a_gpu():
    from floe_cuda import _floe_cuda

    if floe.cuda.is_available():
        assert _floe_cuda.Memory(10, 0, 0).nbytes == 10
    else:
        with pytest.raises(floe.Error, match="driver|device"):
            _floe_cuda.Memory(10, 0, 0)
    assert _floe_cuda.supports("f32", "spspeed") and not _floe_cuda.supports("f32", "dpspeed")


# ---- with a GPU

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
def test_frames_of_the_cpu(goal):
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
