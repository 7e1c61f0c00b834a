"""Do the pages of `floe plan --picture` and `floe bench --picture` show in a browser what they should? In headless Chromium."""

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

BUILDS = Path(__file__).resolve().parents[3] / "build"
PROGRAM = next((path for path in [*BUILDS.glob("python/*/floe"), *BUILDS.glob("*/floe")] if path.is_file()), None)
ACCENT = (42, 111, 219)  # the colour of lines and marked points on a light page

pytestmark = [
    pytest.mark.skipif(PROGRAM is None, reason="the program is not built"),
    pytest.mark.skipif(shutil.which("chromium") is None, reason="Chromium is not installed"),
]


def browse(page, *options):
    # A sandbox of its own cannot be had by root in a container; the page is our own.
    words = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1100,1600"]
    done = subprocess.run(
        [*words, f"--user-data-dir={page.parent / 'profile'}", *options, page.as_uri()],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    return done.stdout


def seen(page):
    """What is drawn, as an array of pixels."""
    image = pytest.importorskip("PIL.Image")
    picture = page.with_suffix(".png")
    browse(page, f"--screenshot={picture}")
    return np.asarray(image.open(picture).convert("RGB")).astype(int)


def count(pixels, colour):
    return int((np.abs(pixels - colour).sum(axis=2) < 12).sum())


def table_of(dom):
    """Cells of all rows, as the browser read them."""
    rows = re.findall(r"<tr[^>]*>(.*?)</tr>", dom, re.DOTALL)
    return [[re.sub(r"<[^>]+>", "", cell) for cell in re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row, re.DOTALL)] for row in rows]


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    noise = np.random.default_rng(1).normal(size=1 << 16)
    np.save("walk & <more>.npy", (280 + np.cumsum(noise) / 100).round(2).astype("f4"))
    lines = (f"{index},{10 + (index * 7 % 100) / 100:.2f}\n" for index in range(20000))
    Path("prices.csv").write_text("time,price\n" + "".join(lines))
    return tmp_path


def test_bench(data):
    page = data / "bench.html"
    names = ["walk & <more>.npy", "prices.csv"]
    options = ["bench", "--runs", "3", "--goal", "speed,balance", "--picture", page, *names]
    said = subprocess.run([PROGRAM, *options], capture_output=True, text=True, check=True).stdout
    dom = browse(page, "--dump-dom")
    assert "<h2>walk &amp; &lt;more&gt;.npy</h2>" in dom and "<h2>prices.csv</h2>" in dom
    rows = [row for row in table_of(dom) if row[0] != "codec, goal or tree"]
    assert {"spspeed", "gfc", "speed", "balance"} <= {row[0] for row in rows}
    for name, ratio, compress, decompress in rows:  # on a busy machine a speed may be 0.00
        assert f" {name} " in said and ratio in said and float(ratio) > 1 and float(compress) >= 0 and float(decompress) >= 0
    assert dom.count('<svg class="frontier"') == 4  # decompression and compression of two files
    for line in re.findall(r'<path class="line" d="([^"]*)"', dom):
        assert re.fullmatch(r"M60 [\d.]+H[\d.]+(V[\d.]+H[\d.]+)*", line)
    pixels = seen(page)
    assert count(pixels, ACCENT) > 500 and count(pixels, (255, 255, 255)) > 100_000


def test_unbeaten_points_are_marked(data):
    """The line of a drawing passes through exactly those points that none beats."""
    page = data / "bench.html"
    subprocess.run([PROGRAM, "bench", "--runs", "3", "--picture", page, "walk & <more>.npy"], capture_output=True, check=True)
    drawing = re.search(r'<svg class="frontier".*?</svg>', page.read_text(), re.DOTALL)[0]
    points = re.findall(r'<circle class="(\w+)" cx="([\d.]+)" cy="([\d.]+)"', drawing)
    positions = [(float(x), -float(y), mark) for mark, x, y in points]
    for x, y, mark in positions:
        is_beaten = any(a >= x and b >= y and (a > x or b > y) for a, b, _ in positions)
        if is_beaten:
            assert mark == "node"
    assert any(mark == "share" for _, _, mark in positions)


def test_plan(data):
    page = data / "plan.html"
    subprocess.run([PROGRAM, "plan", "--picture", page, "prices.csv"], capture_output=True, check=True)
    dom = browse(page, "--dump-dom")
    assert "<title>Plan of prices.csv</title>" in dom
    for text in ("time", "price", "20000", "ratio", "columns"):
        assert text in dom
    assert dom.count('<svg class="tree"') >= 2
    assert "bitpack" in dom
    pixels = seen(page)
    assert count(pixels, ACCENT) > 200 and len(np.unique(pixels.reshape(-1, 3), axis=0)) > 20


def test_bench_writes_no_page_of_nothing(data):
    page = data / "bench.html"
    done = subprocess.run([PROGRAM, "bench", "--picture", page, "missing.npy"], capture_output=True)
    assert done.returncode == 1 and not page.exists()
    page.write_text("kept")
    done = subprocess.run([PROGRAM, "bench", "--runs", "3", "--picture", page, "prices.csv"], capture_output=True)
    assert done.returncode == 1 and page.read_text() == "kept"
