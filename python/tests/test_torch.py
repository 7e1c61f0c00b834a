"""Do checkpoints of PyTorch come back bit by bit, and tensors one by one?"""

import json
import math

import numpy as np
import pytest

import floe

torch = pytest.importorskip("torch")

import floe.safetensors  # noqa: E402
import floe.torch as ours  # noqa: E402

TYPES = [getattr(torch, name) for name in ours._NAMES if hasattr(torch, name)]


def bits(dtype, shape=(6, 7), seed=1):
    """Any bit patterns, NaN among them."""
    rng = np.random.default_rng(seed)
    size = torch.empty(0, dtype=dtype).element_size()
    raw = bytearray(rng.integers(0, 2 if dtype == torch.bool else 256, math.prod(shape) * size, np.uint8).tobytes())
    return torch.frombuffer(raw, dtype=dtype).reshape(shape)


def raw(tensor):
    return bytes(tensor.cpu().contiguous().reshape(-1).view(torch.uint8).tolist())


def same(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and (a.numel() == 0 or raw(a) == raw(b))


@pytest.fixture
def model():
    torch.manual_seed(1)
    model = torch.nn.Sequential(torch.nn.Embedding(50, 16), torch.nn.Linear(16, 16), torch.nn.BatchNorm1d(16),
                                torch.nn.Linear(16, 50))  # fmt: skip
    model[3].weight = model[0].weight  # tied
    return model


@pytest.mark.parametrize("dtype", TYPES, ids=lambda dtype: str(dtype).removeprefix("torch."))
def test_types(dtype, tmp_path):
    tensors = {"many": bits(dtype), "one": bits(dtype, ()), "none": torch.empty((0, 3), dtype=dtype)}
    ours.save(tensors, tmp_path / "c.floe")
    loaded = ours.load(tmp_path / "c.floe")
    assert list(loaded) == list(tensors) and all(same(loaded[name], tensors[name]) for name in tensors)
    with ours.open(tmp_path / "c.floe") as file:
        assert same(file.rows("many", slice(2, 5)), tensors["many"][2:5])


@pytest.mark.parametrize("goal", ["speed", "balance", "ratio", "max"])
def test_model(model, goal, tmp_path):
    ours.save(model.state_dict(), tmp_path / "m.floe", goal)
    loaded = ours.load(tmp_path / "m.floe")
    expected = model.state_dict()
    assert list(loaded) == list(expected) and all(same(loaded[name], expected[name]) for name in expected)
    other = torch.nn.Sequential(*[type(layer)(*arguments) for layer, arguments in zip(
        model, [(50, 16), (16, 16), (16,), (16, 50)], strict=True)])  # fmt: skip
    other.load_state_dict(loaded)
    tokens = torch.arange(20)
    model.eval(), other.eval()
    assert torch.equal(model(tokens), other(tokens))


def test_tied_weights_are_stored_once_and_shared_again(model, tmp_path):
    ours.save(model.state_dict(), tmp_path / "m.floe")
    loaded = ours.load(tmp_path / "m.floe")
    assert loaded["0.weight"].data_ptr() == loaded["3.weight"].data_ptr()
    with ours.open(tmp_path / "m.floe") as file:
        assert "0.weight" in file and "3.weight" not in file


def test_training_goes_on_where_it_was(model, tmp_path):
    def step(model, optimizer):
        optimizer.zero_grad()
        model(torch.arange(50)).square().mean().backward()
        optimizer.step()

    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(3):
        step(model, optimizer)
    generator = torch.get_rng_state()
    ours.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 3, "loss": [math.nan, -0.0, 1e-308],
               "name": "tiny", "shape": torch.Size([2, 3]), "rng": generator, "nothing": None}, tmp_path / "c.floe")  # fmt: skip
    loaded = ours.load(tmp_path / "c.floe")
    assert loaded["epoch"] == 3 and loaded["name"] == "tiny" and loaded["shape"] == (2, 3) and loaded["nothing"] is None
    assert math.isnan(loaded["loss"][0]) and math.copysign(1, loaded["loss"][1]) == -1 and loaded["loss"][2] == 1e-308
    assert same(loaded["rng"], generator)
    assert loaded["optimizer"]["param_groups"] == optimizer.state_dict()["param_groups"]
    assert set(loaded["optimizer"]["state"]) == set(optimizer.state_dict()["state"])

    before = {name: tensor.clone() for name, tensor in loaded["model"].items()}
    step(model, optimizer)
    expected = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    model.load_state_dict(before)
    optimizer.load_state_dict(loaded["optimizer"])
    step(model, optimizer)
    assert all(same(tensor, expected[name]) for name, tensor in model.state_dict().items())


def test_memory_of_every_order(tmp_path):
    base = torch.arange(120, dtype=torch.float32).reshape(4, 5, 6)
    odd = {
        "transposed": base.permute(2, 0, 1),
        "every second": base[::2, :, ::3],
        "expanded": base[0, 0, :1].expand(1000),
        "complex": torch.view_as_complex(base.reshape(60, 2)),
        "conjugate": torch.view_as_complex(base.reshape(60, 2)).conj(),
        "negative": torch.view_as_complex(base.reshape(60, 2)).conj().imag,
        "doubles": torch.view_as_complex(base.double().reshape(60, 2)),
        "parameter": torch.nn.Parameter(base),
        "deep": torch.arange(512, dtype=torch.int16).reshape((2,) * 9),
    }
    ours.save(odd, tmp_path / "c.floe")
    loaded = ours.load(tmp_path / "c.floe")
    for name, tensor in odd.items():
        assert loaded[name].dtype == tensor.dtype and torch.equal(loaded[name], tensor), name


def test_names(tmp_path):
    """Paths that have the same name do not get in each other's way; keys may be numbers."""
    data = {"a": {"b": torch.tensor([1])}, "a.b": torch.tensor([2]), 7: [torch.tensor([3])], "ü\n": torch.tensor([4])}
    ours.save(data, tmp_path / "c.floe")
    loaded = ours.load(tmp_path / "c.floe")
    assert loaded["a"]["b"].item() == 1 and loaded["a.b"].item() == 2 and loaded[7][0].item() == 3
    assert loaded["ü\n"].item() == 4
    ours.save(torch.tensor([5]), tmp_path / "c.floe")
    assert ours.load(tmp_path / "c.floe").item() == 5


def test_it_is_a_file_of_safetensors(model, tmp_path):
    ours.save(model.state_dict(), tmp_path / "m.floe")
    floe.safetensors.restore_file(tmp_path / "m.floe", tmp_path / "m.safetensors")
    loaded = pytest.importorskip("safetensors.numpy").load_file(tmp_path / "m.safetensors")
    assert loaded["1.weight"].tobytes() == raw(model[1].weight)
    arrays = {"a": np.arange(12, dtype="f4").reshape(3, 4)}
    floe.safetensors.save_file(arrays, tmp_path / "a.floe")
    assert torch.equal(ours.load(tmp_path / "a.floe")["a"], torch.arange(12.0).reshape(3, 4))


def test_tensors_are_read_when_asked_for(tmp_path):
    """Damage of one does not keep the others from being read."""
    ours.save({"a": bits(torch.int64, (9000,)), "b": bits(torch.int64, (9000,), 2)}, tmp_path / "c.floe", threads=1)
    whole = bytearray((tmp_path / "c.floe").read_bytes())
    whole[-20000] ^= 1
    (tmp_path / "c.floe").write_bytes(whole)
    with ours.open(tmp_path / "c.floe") as file:
        assert same(file["a"], bits(torch.int64, (9000,)))
        with pytest.raises(floe.CorruptError):
            file["b"]
        with pytest.raises(KeyError):
            file["c"]
    with pytest.raises(floe.InvalidArgumentError, match="closed"):
        file["a"]
    with pytest.raises(floe.CorruptError):
        ours.load(tmp_path / "c.floe")


def test_what_cannot_be_saved(tmp_path):
    path = tmp_path / "c.floe"
    for value in (
        object(),
        {"a": {1, 2}},
        {"f": print},
        {"sparse": torch.eye(3).to_sparse()},
        {"m": torch.empty(1, device="meta")},
    ):
        with pytest.raises(floe.UnsupportedError):
            ours.save(value, path)
    assert not path.exists()
    (tmp_path / "other").write_bytes(b"no checkpoint")
    with pytest.raises(floe.CorruptError):
        ours.load(tmp_path / "other")


@pytest.mark.parametrize(
    "values", ["[", '["dict",5]', '["tensor","b"]', '["tensor"]', '["set",[]]', '["dict",[[["list",[]],1]]]']
)
def test_values_that_make_no_sense(values, tmp_path):
    floe.safetensors.save_file({"a": np.arange(5)}, tmp_path / "c.floe", {"floe.torch": values})
    with pytest.raises(floe.CorruptError):
        ours.load(tmp_path / "c.floe")


def test_values_are_json(tmp_path):
    ours.save({"epoch": 3, "w": torch.ones(2)}, tmp_path / "c.floe")
    with floe.safetensors.open(tmp_path / "c.floe") as file:
        assert json.loads(file.metadata["floe.torch"]) == ["dict", [["epoch", 3], ["w", ["tensor", "w"]]]]
