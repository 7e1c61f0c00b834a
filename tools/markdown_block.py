"""How do measured numbers get into a page that people write? Between two comments that name the block; all else stays as it is.

    <!-- begin NAME (written by ...) -->
    replaced
    <!-- end NAME -->
"""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path


def replace_block(page: Path, name: str, text: str) -> None:
    """Raises ValueError unless the page has exactly one such block."""
    block = re.compile(rf"(<!-- begin {re.escape(name)}\b[^>]*-->\n).*?(<!-- end {re.escape(name)} -->)", re.DOTALL)
    new_page, count = block.subn(lambda match: f"{match[1]}{text.rstrip()}\n{match[2]}", page.read_text(encoding="utf-8"))
    if count != 1:
        raise ValueError(f"{page.name} has {count} blocks named {name}, not one")
    page.write_text(new_page, encoding="utf-8")


def table(header: Sequence[str], rows: Iterable[Sequence[str]], left_columns: int = 1) -> str:
    """A Markdown table; the first columns are aligned left, the others right."""
    rule = ["---" if column < left_columns else "---:" for column in range(len(header))]
    return "\n".join("| " + " | ".join(row) + " |" for row in (header, rule, *rows))
