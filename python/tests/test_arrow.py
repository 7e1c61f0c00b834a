"""Do PyArrow, Polars, pandas and DuckDB take tables as they are, and floe theirs?"""

import io
import subprocess
import sys

import numpy as np
import pytest

import floe

pyarrow = pytest.importorskip("pyarrow")

ROWS = 5000
CSV = b"time,count,price,name,flag\n2020-01-01 00:00:00,1,2.5,a,1\n2020-01-01 00:00:01,,3.25,\xc3\xbc,0\n,3,,,1\n"


@pytest.fixture(scope="module")
def columns():
    rng = np.random.default_rng(1)
    return {
        "time": np.arange(ROWS).astype("M8[s]"),
        "price": rng.normal(size=ROWS).round(3),
        "flag": rng.integers(0, 2, ROWS).astype(bool),
        "half": rng.normal(size=ROWS).astype("f2"),
        "single": rng.normal(size=ROWS).astype("f4"),
        **{f"{t[0]}{8 * int(t[1])}": rng.integers(0, 100, ROWS).astype(t) for t in "i1 i2 i4 i8 u1 u2 u4 u8".split()},
    }


def test_pyarrow(columns):
    table = pyarrow.table(floe.open(floe.compress(columns)))
    assert table.column_names == list(columns) and table.num_rows == ROWS
    table.validate(full=True)
    for name, values in columns.items():
        again = table[name].to_numpy()
        assert again.dtype == values.dtype and np.array_equal(again, values), name
        assert table[name].null_count == 0


def test_batches_outlive_the_file(columns):
    with floe.open(floe.compress(columns)) as file:
        reader = pyarrow.RecordBatchReader.from_stream(file)
        batches = list(reader)
    assert sum(batch.num_rows for batch in batches) == ROWS
    assert batches[0]["price"].to_numpy()[:10].tolist() == columns["price"][:10].tolist()


def test_csv_with_missing_cells():
    table = pyarrow.table(floe.open(floe.compress_csv(io.BytesIO(CSV))))
    table.validate(full=True)
    assert table["count"].to_pylist() == [1, None, 3]
    assert table["price"].to_pylist() == [2.5, 3.25, None]
    assert table["name"].to_pylist() == ["a", "ü", None]
    assert table["time"].null_count == 1 and table["time"].type == pyarrow.timestamp("s")


def test_empty():
    table = pyarrow.table(floe.open(floe.compress({"a": np.zeros(0), "b": np.zeros(0, bool)})))
    assert table.num_rows == 0 and table.column_names == ["a", "b"]


def test_unused_streams_are_freed(columns):
    import gc
    import weakref

    file = floe.open(floe.compress(columns))
    alive = weakref.ref(file)
    capsule = file.__arrow_c_stream__()
    del capsule, file
    gc.collect()
    assert alive() is None


def test_errors_reach_the_reader(columns):
    file = floe.open(floe.compress(columns))
    reader = pyarrow.RecordBatchReader.from_stream(file)
    file.close()
    with pytest.raises(OSError, match="closed"):
        list(reader)


def test_polars(columns):
    polars = pytest.importorskip("polars")
    columns = {name: values for name, values in columns.items() if name != "half"}
    frame = polars.DataFrame(floe.open(floe.compress(columns)))
    assert frame.shape == (ROWS, len(columns))
    for name, values in columns.items():
        if name != "time":
            assert np.array_equal(frame[name].to_numpy(), values), name
    frame = polars.DataFrame(floe.open(floe.compress_csv(io.BytesIO(CSV))))
    assert frame["count"].to_list() == [1, None, 3] and frame["name"].to_list() == ["a", "ü", None]


def test_selections(columns):
    many = {name: np.concatenate([values, values]) for name, values in columns.items()}
    many["price"] = np.concatenate([columns["price"], 100 + columns["price"]])
    with floe.open(floe.compress(many)) as file:
        part = pyarrow.table(file.select(["u64", "price"], slice(100, 6000)))
        assert part.column_names == ["u64", "price"] and part.num_rows == 5900
        assert np.array_equal(part["price"].to_numpy(), many["price"][100:6000])
        assert pyarrow.table(file.select(rows=slice(-5, None)))["i32"].to_pylist() == many["i32"][-5:].tolist()
        assert pyarrow.table(file.select(rows=slice(5, 5))).num_rows == 0
        assert pyarrow.table(file.select(between={"price": (1000, 2000)})).num_rows == 0
        assert pyarrow.table(file.select(between={"price": (50, 100)})).num_rows == len(many["price"])
        with pytest.raises(KeyError):
            file.select(["nothing"])
        with pytest.raises(floe.InvalidArgumentError):
            file.select(rows=slice(0, 9, 2))


def test_segments_are_left_out_by_their_bounds():
    rows = 1 << 21  # two segments
    values = np.arange(rows, dtype="i4")
    with floe.open(floe.compress({"x": values, "nan": np.full(rows, np.nan, "f4")}, "speed")) as file:
        high = pyarrow.table(file.select(["x"], between={"x": (rows - 10, rows)}))
        assert high.num_rows == rows // 2 and high["x"][0].as_py() == rows // 2
        assert pyarrow.table(file.select(["x"], slice(5, rows), {"x": (0, 7)})).num_rows == rows // 2 - 5


def test_duckdb_pandas_and_polars(columns):
    duckdb, pandas, polars = map(pytest.importorskip, ("duckdb", "pandas", "polars"))
    trades = floe.open(floe.compress({name: column for name, column in columns.items() if name != "half"}))
    found = duckdb.sql("select count(*), sum(u32), max(price) from trades where i16 < 50").fetchall()
    low = columns["i16"] < 50
    assert found == [(low.sum(), columns["u32"][low].sum(), columns["price"][low].max())]
    frame = pandas.DataFrame.from_arrow(trades.select(["price", "i64"]))
    assert np.array_equal(frame["i64"], columns["i64"]) and np.array_equal(frame["price"], columns["price"])
    assert np.array_equal(polars.DataFrame(trades)["single"], columns["single"])


def test_tables_of_others(columns, tmp_path):
    """They keep their types; nothing becomes one array of float64."""
    pandas, polars = map(pytest.importorskip, ("pandas", "polars"))
    expected = floe.compress(columns)
    table = pyarrow.table(floe.open(expected))
    for source in (table, polars.from_arrow(table), floe.open(expected)):
        assert floe.compress(source) == expected
    frame = pandas.DataFrame({name: columns[name] for name in ("price", "i32", "flag", "time")})
    floe.save(tmp_path / "p.floe", frame)
    loaded = floe.load(tmp_path / "p.floe")
    assert all(
        loaded[name].dtype == columns[name].dtype and np.array_equal(loaded[name], columns[name]) for name in loaded
    )
    with pytest.raises(floe.UnsupportedError, match="plan of the file"):
        floe.plan(pyarrow.table({"a": ["x"]}))
    assert floe.plan(table, "speed").column_names == list(columns)


def test_parquet(columns, tmp_path):
    import pyarrow.parquet

    table = pyarrow.table(floe.open(floe.compress(columns)))
    pyarrow.parquet.write_table(table, tmp_path / "t.parquet")
    for words in (["compress", "t.parquet"], ["decompress", "-o", "again.parquet", "t.parquet.floe"]):
        subprocess.run([sys.executable, "-m", "floe", *words], cwd=tmp_path, check=True, capture_output=True)
    again = pyarrow.parquet.read_table(tmp_path / "again.parquet")
    assert all(np.array_equal(again[name], table[name]) for name in columns)
