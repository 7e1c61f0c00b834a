"""Do columns, rows and CSV text come back?"""

import io

import numpy as np
import pytest

import floe

CSV = b"""time,count,price,name,full
2020-01-01 00:00:00,1,2.50,a,1
2020-01-01 00:00:01,,3.25,"b ""c""\",2
2020-01-01 00:00:02,-3,,,3
"""


@pytest.fixture(scope="module")
def columns():
    rows = 5000
    rng = np.random.default_rng(1)
    return {
        "time": np.arange(rows).astype("M8[s]"),
        "price": rng.normal(size=rows).round(3),
        "single": rng.normal(size=rows).astype("f4"),
        "half": rng.normal(size=rows).astype("f2"),
        "flag": rng.integers(0, 2, rows).astype(bool),
        **{f"{t[0]}{8 * int(t[1])}": rng.integers(0, 100, rows).astype(t) for t in "i1 i2 i4 i8 u1 u2 u4 u8".split()},
    }


def same(restored, original):
    return restored.dtype == original.dtype and restored.tobytes() == original.tobytes()


def test_round_trip(columns):
    restored = floe.decompress(floe.compress(columns))
    assert list(restored) == list(columns)
    assert all(same(restored[name], columns[name]) for name in columns)


def test_parts(columns, tmp_path):
    floe.save(tmp_path / "t.floe", columns)
    with floe.open(tmp_path / "t.floe") as table:
        assert table.columns == list(columns) and len(table) == 5000
        assert table.dtypes == {name: values.dtype for name, values in columns.items()}
        assert same(table["price"], columns["price"])
        assert same(table["price", 10:20], columns["price"][10:20])
        assert same(table["i16", 4000:100:-7], columns["i16"][4000:100:-7])
        part = table[-5:]
        assert all(same(part[name], columns[name][-5:]) for name in columns)
        assert list(table[["flag", "u8"]]) == ["flag", "u8"]
        assert same(table[["flag"], 3:5]["flag"], columns["flag"][3:5])
        assert len(table.plan[0]["columns"]) == len(columns)
        with pytest.raises(KeyError, match="nothing"):
            table["nothing"]
        with pytest.raises(TypeError):
            table[5]


def test_every_bit_of_columns():
    """NaNs with payloads are values, too."""
    raw = np.random.default_rng(2).integers(0, 256, 80_000, np.uint8)
    table = {kind: raw.view(kind) for kind in ("f8", "f4", "f2", "i8", "M8[s]")}
    table = {kind: values[:10_000] for kind, values in table.items()}
    table["f8"][:100] = np.nan
    restored = floe.decompress(floe.compress(table))
    assert all(same(restored[kind], table[kind]) for kind in table)


def test_empty_table():
    restored = floe.decompress(floe.compress({"a": np.zeros(0), "b": np.zeros(0, "i4")}))
    assert restored["a"].dtype == "f8" and len(restored["b"]) == 0


def test_big_endian_and_strided_columns():
    restored = floe.decompress(floe.compress({"a": np.arange(10, dtype=">i4"), "b": np.arange(20.0)[::2]}))
    assert restored["a"].tolist() == list(range(10)) and restored["b"].tolist() == list(range(0, 20, 2))


@pytest.mark.parametrize(
    "table",
    [{}, {"a": np.zeros(3), "b": np.zeros(4)}, {"a": np.zeros((2, 2))}, {"a": np.array(["x"])},
     {"a": np.zeros(3, "M8[ns]")}, {"a": np.zeros(3, complex)}],
)  # fmt: skip
def test_what_is_no_table(table):
    with pytest.raises(floe.Error):
        floe.compress(table)


def test_read_csv():
    table = floe.read_csv(io.BytesIO(CSV))
    assert table["time"].dtype == "M8[s]" and table["time"][1] == np.datetime64("2020-01-01T00:00:01")
    assert table["count"].tolist() == [1, None, -3]
    assert table["price"][0] == 2.5 and np.isnan(table["price"][2])
    assert table["name"].tolist() == ["a", 'b "c"', None]
    assert table["full"].dtype == "i8" and not np.ma.isMaskedArray(table["full"])
    assert list(floe.read_csv(io.BytesIO(CSV), ["price"])) == ["price"]


def test_csv_comes_back(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(CSV)
    for source in (path, str(path), io.BytesIO(CSV)):
        with floe.open(floe.compress_csv(source)) as table:
            restored = io.BytesIO()
            table.restore(restored)
            assert restored.getvalue() == CSV


def test_write_csv(tmp_path):
    frame = floe.compress_csv(io.BytesIO(CSV))
    out = io.BytesIO()
    floe.write_csv(out, frame, ["price", "count"], slice(0, 2))
    assert out.getvalue() == b"price,count\n2.50,1\n3.25,\n"
    floe.write_csv(tmp_path / "t.csv", {"a": np.arange(3), "b": np.array([True, False, True])})
    assert (tmp_path / "t.csv").read_text().splitlines()[0] == "a,b"
    again = floe.read_csv(tmp_path / "t.csv")
    assert again["a"].tolist() == [0, 1, 2]
    with pytest.raises(floe.InvalidArgumentError, match="array"):
        floe.write_csv(out, floe.compress(np.arange(3)))


def test_schema_and_separator():
    table = floe.read_csv(io.BytesIO(b"1;2\n3;4\n"), schema="x,f32,1\ny,i16,0\n", separator=";", names=False)
    assert table["x"].dtype == "f4" and table["y"].dtype == "i2" and table["y"].tolist() == [2, 4]
    with pytest.raises(floe.InvalidArgumentError):
        floe.compress_csv(io.BytesIO(b"1\n"), schema="x,nothing,1\n")


def test_progress(columns):
    calls = []
    size = sum(values.nbytes for values in columns.values())
    frame = floe.compress(columns, progress=lambda done, total: calls.append((done, total)))
    assert calls[-1] == (size, size)
    calls.clear()
    floe.decompress(frame, progress=lambda done, total: calls.append((done, total)))
    assert calls[-1] == (size, size) and calls == sorted(calls) and len(calls) == len(columns)
