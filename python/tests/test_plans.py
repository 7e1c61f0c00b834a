"""Do plans say what compression makes of data, and do notebooks get whole pictures?"""

import xml.dom.minidom

import numpy as np

import floe


def check_markup(html):
    xml.dom.minidom.parseString(f"<div>{html.replace('<br>', '<br/>')}</div>")


def test_array():
    whole = np.cumsum(np.random.default_rng(1).integers(-3, 4, 300_000)).astype("i4")
    plan = floe.plan(whole)
    assert plan.source_bytes == whole.nbytes
    frame_bytes = len(floe.compress(whole))
    assert 0 < plan.stored_bytes <= frame_bytes < plan.stored_bytes + 10_000
    assert plan.ratio > 2
    stream = plan.segments[0]["columns"][0]["streams"][0]
    tree = plan.segments[0]["stored"]["columns"][0]["trees"][0]
    assert tree in [candidate["tree"] for candidate in stream["candidates"]]
    assert stream["nodes"][0]["encoding"].startswith(tree.split(",")[0].split("(")[0])
    assert tree in str(plan)
    html = plan._repr_html_()
    assert "<svg" in html and tree in html
    check_markup(html)


def test_table_with_hostile_names():
    table = {"<script>": np.arange(1000), "b&c": np.arange(1000.0)}
    plan = floe.plan(table)
    assert len(plan.segments[0]["columns"]) == 2
    html = plan._repr_html_()
    assert "<script>" not in html and "&lt;script&gt;" in html
    check_markup(html)
    with floe.open(floe.compress(table)) as file:
        for html in (file._repr_html_(), file.plan._repr_html_()):
            assert "<script>" not in html
            check_markup(html)
        assert "b&c" in str(file.plan)


def test_nothing_and_scalars():
    assert floe.plan(np.zeros(0)).segments == []
    check_markup(floe.plan(np.zeros(0))._repr_html_())
    assert floe.plan(np.float32(3)).source_bytes == 4
