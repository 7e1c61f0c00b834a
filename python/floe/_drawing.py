"""Tables and pictures of frames and plans for notebooks: HTML and SVG that need nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any

_NODE_WIDTH, _NODE_HEIGHT, _COLUMN_WIDTH, _ROW_HEIGHT, _MARGIN = 132, 40, 212, 54, 6


def bytes_text(count: int) -> str:
    """ "1.5 kB"."""
    size = float(count)
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} TB"


class _Markup(str):
    """Text that is HTML already."""


def table_html(head: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    """Cells are texts, or HTML if they are _Markup."""

    def cells(row: Iterable[Any], tag: str) -> str:
        return "".join(f"<{tag}>{cell if isinstance(cell, _Markup) else escape(str(cell))}</{tag}>" for cell in row)

    body = "".join(f"<tr>{cells(row, 'td')}</tr>" for row in rows)
    return f"<table><thead><tr>{cells(head, 'th')}</tr></thead><tbody>{body}</tbody></table>"


def _code(*texts: str) -> _Markup:
    return _Markup("<br>".join(f"<code>{escape(text)}</code>" for text in texts))


def info_html(name: str, info: dict[str, Any]) -> str:
    rows = [(key.replace("_", " "), value) for key, value in info.items() if key != "columns"]
    html = f"<b>{escape(name or 'frame')}</b>" + table_html(("what", "value"), rows)
    if "columns" in info:
        html += table_html(("column", "type", "decimals"), info["columns"])
    return html


def stored_html(plan: Any) -> str:
    names = plan.column_names or ["array"]
    rows = []
    for number, segment in zip(range(100), plan, strict=False):
        for name, column in zip(names, segment["columns"], strict=True):
            trees = _code(*column["trees"])
            rows.append((number, segment["first"], segment["count"], name, bytes_text(column["stored_bytes"]), trees))
    html = table_html(("segment", "first", "count", "column", "stored", "trees"), rows)
    return html + (f"<p>… of {len(plan)} segments</p>" if len(plan) > 100 else "")


def plan_html(plan: Any) -> str:
    html = f"<p>{bytes_text(plan.source_bytes)} → {bytes_text(plan.stored_bytes)}, ratio <b>{plan.ratio:.2f}</b></p>"
    if not plan.segments:
        return html
    first = plan.segments[0]
    for number, column in enumerate(first["columns"]):
        stored = first["stored"]["columns"][number]
        if plan.column_names:
            html += f"<h4>{escape(plan.column_names[number])}</h4>"
        for stream, tree in zip(column["streams"], stored["trees"], strict=False):
            html += f"<p>{stream['word_count']} words of {stream['words']} → {bytes_text(stream['stored_bytes'])}</p>"
            html += tree_svg(stream["nodes"]) + _candidates_html(stream, tree)
    return html


def _candidates_html(stream: dict[str, Any], tree: str) -> str:
    if not stream["candidates"]:
        return ""
    rows = [
        (
            "*" if candidate["tree"] == tree else "",
            _code(candidate["tree"]),
            bytes_text(candidate["encoded_bytes"]),
            f"{candidate['estimated_decode_nanoseconds']:.2f}",
        )
        for candidate in stream["candidates"]
    ]
    return table_html(("", "candidate", "bytes", "decode, ns per word"), rows)


def tree_svg(nodes: list[dict[str, Any]]) -> str:
    """A tree of encodings from left to right; nodes are in pre-order. Colours follow the page."""
    if not nodes:
        return ""
    positions: list[tuple[float, float, int]] = [(0.0, 0.0, 0)] * len(nodes)
    leaves = 0

    def place(node: int, parent: int, depth: int) -> int:
        nonlocal leaves
        following, heights = node + 1, []
        for _ in range(nodes[node]["child_count"]):
            child = following
            following = place(child, node, depth + 1)
            heights.append(positions[child][1])
        if heights:
            y = (heights[0] + heights[-1]) / 2
        else:
            y = _MARGIN + _ROW_HEIGHT * leaves
            leaves += 1
        positions[node] = (_MARGIN + depth * _COLUMN_WIDTH, y, parent)
        return following

    place(0, 0, 0)
    whole = max(nodes[0]["encoded_bytes"], 1)
    drawn = "".join(_edge_svg(positions[positions[i][2]], positions[i], nodes[i]["role"]) for i in range(1, len(nodes)))
    drawn += "".join(_node_svg(node, position, whole) for node, position in zip(nodes, positions, strict=True))
    width = max(x for x, _, _ in positions) + _NODE_WIDTH + _MARGIN
    height = leaves * _ROW_HEIGHT + _MARGIN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="tree of encodings" width="{width:.0f}" '
        f'height="{height}" viewBox="0 0 {width:.0f} {height}" font-family="sans-serif" font-size="12" '
        f'fill="currentColor">{drawn}</svg>'
    )


def _edge_svg(start: tuple[float, float, int], end: tuple[float, float, int], role: str) -> str:
    x0, y0, x1, y1 = start[0] + _NODE_WIDTH, start[1] + _NODE_HEIGHT / 2, end[0], end[1] + _NODE_HEIGHT / 2
    bend = (x1 - x0) / 2
    return (
        f'<path d="M{x0} {y0}C{x0 + bend} {y0} {x1 - bend} {y1} {x1} {y1}" fill="none" stroke="currentColor" '
        f'stroke-opacity=".5"/><text x="{x1 - 6}" y="{y1 - 5}" font-size="11" text-anchor="end" opacity=".7">'
        f"{escape(role)}</text>"
    )


def _node_svg(node: dict[str, Any], position: tuple[float, float, int], whole: int) -> str:
    x, y, _ = position
    share = min(1.0, node["encoded_bytes"] / whole)
    return (
        f"<g><title>{escape(node['encoding'])}: {node['word_count']} words, {bytes_text(node['word_bytes'])} in, "
        f'{bytes_text(node["encoded_bytes"])} out</title><rect x="{x}" y="{y}" width="{_NODE_WIDTH}" '
        f'height="{_NODE_HEIGHT}" rx="7" fill="#2a6fdb" fill-opacity=".12" stroke="currentColor" stroke-opacity=".3"/>'
        f'<rect x="{x + 8}" y="{y + _NODE_HEIGHT - 5}" width="{(_NODE_WIDTH - 16) * share:.1f}" height="3" '
        f'fill="#2a6fdb"/>'
        f'<text x="{x + 9}" y="{y + 16}" font-weight="600">{escape(node["encoding"])}</text>'
        f'<text x="{x + 9}" y="{y + 30}" font-size="11" opacity=".7">{bytes_text(node["encoded_bytes"])}</text></g>'
    )
