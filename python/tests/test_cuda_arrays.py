"""Arrays in the memory of GPUs that other libraries have: how they are read, and what is refused, with and without a GPU.

The module floe_cuda is tested where it is installed.
"""

import ctypes
import importlib.util
import subprocess
import sys

import floe
import floe.cuda
import numpy as np
import pytest
from floe import _cuda_arrays

HAS_MODULE = importlib.util.find_spec("floe_cuda") is not None
needs_module = pytest.mark.skipif(not HAS_MODULE, reason="floe-cuda is not installed")
without_gpu = pytest.mark.skipif(floe.cuda.is_available(), reason="there is a GPU")


class Described:
    """An array of a library that nobody knows, at an address that is nowhere."""

    def __init__(self, **changed):
        plain = {"shape": (4,), "typestr": "<f4", "data": (4096, False), "version": 3}
        self.__cuda_array_interface__ = plain | changed


class Stream:
    def __init__(self, **attributes):
        vars(self).update(attributes)


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
def test_arrays_of_cupy_are_read_by_their_attributes(monkeypatch):
    """Once DLPack has told what their type of elements is."""
    from floe_cuda._floe_cuda import known_array, lend

    class ndarray:  # noqa: N801
        def __init__(self, dtype, shape, bits, pointer=4096, device=1, contiguous=True):
            self.dtype, self.shape, self.bits, self._c_contiguous, self.asked = np.dtype(dtype), shape, bits, contiguous, 0
            self.data = Stream(ptr=pointer, device_id=device)

        def __dlpack__(self, stream):
            self.asked += 1
            assert stream in (-1, 78)
            return lend(self, self.data.ptr, self.data.device_id, 2, self.bits, self.shape)

    ndarray.__module__ = "cupy"
    current = Stream(get_current_stream=lambda: Stream(ptr=77))
    monkeypatch.setitem(sys.modules, "cupy", Stream(cuda=current))
    for asked in (1, 0):
        array = ndarray("f4", (3, 4), 32)
        assert known_array(array, None) == (4096, 1, "f32", (3, 4)) and array.asked == asked
    for shape in ((), (0, 4), (1,) * 8):
        array = ndarray("f4", shape, 32, pointer=0)
        assert known_array(array, None) == (0, 1, "f32", shape) and array.asked == 0
    assert known_array(ndarray("f8", (5,), 64), None) == (4096, 1, "f64", (5,))
    for array, stream in ((ndarray("f4", (3, 4), 32, contiguous=False), None), (ndarray("f4", (3, 4), 32), 78)):
        assert known_array(array, stream) == (4096, 1, "f32", (3, 4)) and array.asked == 1
    assert known_array(ndarray("f4", (1,) * 9, 32), None) is None
    array = ndarray("f4", (3, 4), 32, device=2)
    del array._c_contiguous  # another version of CuPy may not have it
    assert known_array(array, None) == (4096, 2, "f32", (3, 4)) and array.asked == 1


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
