"""Tables and text as HTML, for notebooks; what names and answers say is escaped."""

import html
from collections.abc import Iterable, Sequence
from typing import Any

from qubopuzzle.errors import printable


def escape(text: str) -> str:
    r"""Text in a page: nothing in it is HTML, or a control character.

    >>> escape("<b>\x1b")
    '&lt;b&gt;?'
    """
    return html.escape(printable(text))


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]], caption: str = "") -> str:
    """A table; numbers stand on the right.

    >>> table(["family", "cost"], [["<field>", 2]])
    '<table><tr><th>family</th><th>cost</th></tr><tr><td>&lt;field&gt;</td>\
<td style="text-align:right">2</td></tr></table>'
    """
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    lines = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    above = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f"<table>{above}<tr>{head}</tr>{lines}</table>"


def _cell(value: Any) -> str:
    if isinstance(value, int | float):
        return f'<td style="text-align:right">{value:,}</td>'
    return f"<td>{escape(str(value))}</td>"


def paragraph(text: str, strong: str = "") -> str:
    """Lines of text, with the beginning in bold."""
    lines = "<br>".join(map(escape, text.split("\n")))
    return f"<p><b>{escape(strong)}</b>{lines}</p>"


def inline(svg: bytes) -> str:
    """An SVG file, to stand in a page; it is never wider than the page.

    >>> inline(b'<?xml version="1.0"?><svg width="9"/>')
    '<svg style="max-width:100%;height:auto" width="9"/>'
    """
    text = svg.decode()
    return '<svg style="max-width:100%;height:auto"' + text[text.index("<svg") + 4 :]
