"""Do the recipes for Spack and conda ask for what the build offers? Both are read as their tools read them, without these."""

import re
import sys
import types
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SPACK = ROOT / "integrations/spack/floe/package.py"
CONDA = ROOT / "integrations/conda/meta.yaml"


class Recorder(types.ModuleType):
    """The module spack.package: base classes, and directives that are remembered."""

    def __init__(self):
        super().__init__("spack.package")
        self.CMakePackage, self.CudaPackage = type("CMakePackage", (), {}), type("CudaPackage", (), {})
        self.called = []
        for name in ("conflicts", "depends_on", "license", "variant", "version"):
            setattr(self, name, lambda *args, name=name, **options: self.called.append((name, args, options)))


@pytest.fixture
def spack(monkeypatch):
    recorder = Recorder()
    monkeypatch.setitem(sys.modules, "spack", types.ModuleType("spack"))
    monkeypatch.setitem(sys.modules, "spack.package", recorder)
    names = {}
    exec(compile(SPACK.read_text(encoding="utf-8"), str(SPACK), "exec"), names)
    return recorder, names["Floe"]


def test_spack_defines_what_cmake_knows(spack):
    recorder, package = spack
    variants = {args[0] for name, args, _ in recorder.called if name == "variant"} | {"cuda"}
    defined = {}

    class Built(package):
        class spec:
            variants = {"cuda_arch": types.SimpleNamespace(value=("90",))}
            satisfies = staticmethod(lambda _: True)

        def define(self, name, value):
            defined[name] = None
            return f"-D{name}={value}"

        def define_from_variant(self, name, variant):
            defined[name] = variant
            return f"-D{name}=ON"

    arguments = Built().cmake_args()
    assert len(arguments) == len(defined) and {variant for variant in defined.values() if variant} == variants
    options = set(re.findall(r"^option\((\w+)", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE))
    assert {name for name in defined if name.startswith("FLOE_")} <= options


def test_spack_needs_what_the_build_needs(spack):
    recorder, _ = spack
    needed = {args[0].partition("@")[0] for name, args, _ in recorder.called if name == "depends_on"}
    assert {"cmake", "cli11", "rapidjson", "fmt", "xxhash", "mpi", "cuda"} <= needed
    minimum = re.search(r"cmake_minimum_required\(VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
    assert any(args == (f"cmake@{minimum}:",) for name, args, _ in recorder.called if name == "depends_on")


def test_conda():
    jinja2 = pytest.importorskip("jinja2")
    yaml = pytest.importorskip("yaml")
    tomllib = pytest.importorskip("tomllib")

    def load_file_regex(load_file, regex_pattern, from_recipe_dir):
        assert not from_recipe_dir
        return re.match(regex_pattern, (ROOT / load_file).read_text())

    text = jinja2.Template(CONDA.read_text(encoding="utf-8"), undefined=jinja2.StrictUndefined).render(
        load_file_regex=load_file_regex, compiler=lambda language: f"{language}-compiler", PYTHON="python"
    )
    recipe = yaml.safe_load(text)
    assert recipe["package"] == {"name": "floe", "version": (ROOT / "VERSION").read_text().strip()}
    assert (CONDA.parent / recipe["source"]["path"]).resolve() == ROOT
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    spaced = [requirement.replace(">=", " >=") for requirement in project["build-system"]["requires"]]
    assert set(spaced) <= set(recipe["requirements"]["host"])
    assert {name.replace(">=", " >=") for name in project["project"]["dependencies"]} <= set(recipe["requirements"]["run"])
    assert recipe["about"]["license"] == project["project"]["license"]
