"""Is what was installed whole: typed, of one version, and without needs that a bare machine does not meet?"""

import ast
import importlib
import inspect
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

import floe.cuda
from floe import _floe

ROOT = Path(__file__).resolve().parents[2]


def test_version():
    assert floe.__version__ == (ROOT / "VERSION").read_text().strip() == metadata.version("floe")


def test_types_are_shipped():
    folder = Path(floe.__file__).parent
    assert (folder / "py.typed").exists() and (folder / "_floe.pyi").exists()


def test_only_the_c_library_is_needed():
    """The C++ library is part of the module, so that it runs where another one, or none, is."""
    needed = subprocess.run(["ldd", _floe.__file__], capture_output=True, text=True, check=True).stdout
    assert "libstdc++" not in needed and "libfloe" not in needed


def test_module_for_gpus():
    """Its wheel is one of the same version, and loads and says why it does not work where there is no driver."""
    pytest.importorskip("floe_cuda", reason="floe-cuda is not built: there is no nvcc")
    from floe_cuda import _floe_cuda

    assert metadata.version("floe-cuda") == floe.__version__ == _floe_cuda.version()
    needed = subprocess.run(["ldd", _floe_cuda.__file__], capture_output=True, text=True, check=True).stdout
    assert not [name for name in ("libcuda", "libcudart", "libstdc++", "libfloe", "libnccl") if name in needed]
    assert floe.cuda.is_available() or floe.cuda.reason()


MODULES = [
    "floe",
    "floe.cuda",
    "floe.hdf5",
    "floe.mpi",
    "floe.numcodecs",
    "floe.safetensors",
    "floe.torch",
    "floe.zarr",
]


@pytest.mark.parametrize("name", MODULES)
def test_all_is_documented(name):
    """Every function, class, method and property that users see, and every module."""
    needed = {"floe.hdf5": "h5py", "floe.mpi": "mpi4py"}.get(
        name, name.removeprefix("floe.") if "." in name else "numpy"
    )
    package = pytest.importorskip(needed) if name != "floe.cuda" else None
    if name == "floe.mpi":
        package.rc.initialize = False  # a process that has begun with MPI cannot run mpirun
    module = importlib.import_module(name)
    assert module.__doc__
    shown = getattr(module, "__all__", [word for word in vars(module) if not word.startswith("_")])
    for word in shown:
        thing = getattr(module, word)
        if not callable(thing) or (not hasattr(module, "__all__") and thing.__module__ != name):
            continue
        assert thing.__doc__, word
        for member, value in vars(thing).items() if isinstance(thing, type) else ():
            if not member.startswith("_") and (
                callable(value) or isinstance(value, (property, classmethod, staticmethod))
            ):
                assert inspect.getdoc(getattr(thing, member)), f"{word}.{member}"


def test_importing_is_cheap():
    """No package but NumPy, and what it needs, is imported before it is asked for."""
    asked = (
        "import sys, floe; print([name for name in ('zarr', 'torch', 'ml_dtypes', 'pyarrow') if name in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True).stdout == "[]\n"


def parameters_of(text):
    """Names of what a function takes, by its line of a stub."""
    takes = ast.parse(text.replace("\\", "") + ": ...").body[0].args  # defaults are numbers behind a backslash
    return [argument.arg for argument in takes.posonlyargs + takes.args if argument.arg != "self"]


def test_stubs_say_what_the_module_has():
    stub = ast.parse((Path(floe.__file__).parent / "_floe.pyi").read_text())
    functions = {}
    for node in ast.walk(stub):
        if isinstance(node, (ast.Module, ast.ClassDef)):
            owner = _floe if isinstance(node, ast.Module) else getattr(_floe, node.name)
            for function in node.body:
                if isinstance(function, ast.FunctionDef):
                    names = [argument.arg for argument in function.args.args if argument.arg != "self"]
                    functions.setdefault((owner, function.name), []).append(names)
    for (owner, name), stated in functions.items():
        found = getattr(owner, name).__nb_signature__
        assert [parameters_of(text) for text, *_ in found] == stated, name
    public = {name for name in dir(_floe) if not name.startswith("_")}
    assert public == {node.name for node in stub.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
