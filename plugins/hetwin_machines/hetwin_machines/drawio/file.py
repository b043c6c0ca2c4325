"""Read draw.io files, plain or compressed, and write plain ones; entities are not expanded and sizes are limited."""

from __future__ import annotations

import base64
import binascii
import math
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from urllib.parse import unquote_to_bytes
from xml.sax.saxutils import quoteattr

from hetwin_machines.drawio.sheets import Box, Kind, Shape, Sheet, Wire, style_of
from hetwin_suite.engine import XmlElement, parse_xml, read_xml

MAX_PAGE_BYTES = 16 * 1024 * 1024
"""Maximum size of a compressed page after decompression."""
_EXPECTED = "a draw.io drawing: <mxfile> with <diagram>, or <mxGraphModel>"
_ENDS = ("sourcePoint", "targetPoint")


def read_sheets(file: Path) -> tuple[Sheet, ...]:
    """Return the pages of a drawing.

    Raises:
        BadInput: if the file is not a drawing, with the line and the text that is wrong.
    """
    root = read_xml(file)
    if root.tag == "mxGraphModel":
        return (_sheet(file.stem, root),)
    if root.tag != "mxfile":
        raise root.bad("is not a draw.io drawing", root.tag, _EXPECTED)
    pages = tuple(
        _sheet(page.attributes.get("name", f"page_{i}"), _model(page))
        for i, page in enumerate(root.all("diagram"), 1)
    )
    if not pages:
        raise root.bad("has no page", expected=_EXPECTED)
    return pages


def _model(page: XmlElement) -> XmlElement:
    plain = page.child("mxGraphModel")
    if plain is not None:
        return plain
    try:
        unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
        packed = base64.b64decode(page.text.strip(), validate=True)
        text = unpacker.decompress(packed, MAX_PAGE_BYTES)
    except (binascii.Error, ValueError, zlib.error) as error:
        raise page.bad(f"does not contain a page: {error}", expected=_EXPECTED) from None
    if unpacker.unconsumed_tail or not unpacker.eof:
        raise page.bad(f"is incomplete, or unpacks to more than {MAX_PAGE_BYTES} bytes")
    return parse_xml(unquote_to_bytes(text), page.file)


def _sheet(name: str, model: XmlElement) -> Sheet:
    shapes: list[Shape] = []
    wires: list[Wire] = []
    cells = [(id_, label, cell) for id_, label, cell in _cells(model.need("root"))]
    wire_ids = {id_ for id_, _, cell in cells if cell.attributes.get("edge") == "1"}
    known: set[str] = set()
    for id_, label, cell in cells:
        if id_ in known:
            raise cell.bad("has the id of another shape", id_, "a unique id")
        known.add(id_)
        if id_ in wire_ids:
            wires.append(_wire(id_, label, cell))
        elif cell.attributes.get("vertex") == "1":
            parent = cell.attributes.get("parent", "")
            shapes.append(_shape(id_, label, cell, parent if parent in wire_ids else ""))
    return Sheet(name, tuple(shapes), tuple(wires))


def _cells(root: XmlElement) -> Iterator[tuple[str, str, XmlElement]]:
    """Yield id, label and cell of everything drawn; draw.io wraps cells that have custom data."""
    for child in root.all("mxCell", "object", "UserObject"):
        cell = child if child.tag == "mxCell" else child.need("mxCell")
        label = child.attributes.get("value" if child is cell else "label", "")
        yield child.need_attribute("id"), label, cell


def _shape(id_: str, label: str, cell: XmlElement, on: str) -> Shape:
    text = cell.attributes.get("style", "")
    geometry = cell.child("mxGeometry")
    sizes = [_number(geometry, name) for name in ("x", "y", "width", "height")]
    return Shape(id_, Kind.NOTE if on else _kind(text), label, Box(*sizes), text, on)


def _kind(style: str) -> Kind:
    settings = style_of(style)
    names = {*settings, settings.get("shape", "")}
    if "ellipse" in names or "doubleEllipse" in names:
        return Kind.CIRCLE
    if "rhombus" in names:
        return Kind.DIAMOND
    return Kind.HEXAGON if "hexagon" in names else Kind.NOTE


def _wire(id_: str, label: str, cell: XmlElement) -> Wire:
    ends = (cell.attributes.get("source", ""), cell.attributes.get("target", ""))
    geometry = cell.child("mxGeometry")
    points = tuple(_points(geometry)) if geometry is not None else ()
    return Wire(id_, *ends, label, points, cell.attributes.get("style", ""))


def _points(geometry: XmlElement) -> Iterator[tuple[str, float, float]]:
    for point in geometry.all("mxPoint"):
        if point.attributes.get("as") in _ENDS:
            yield point.attributes["as"], _number(point, "x"), _number(point, "y")
    for corners in geometry.all("Array"):
        for point in corners.all("mxPoint"):
            yield "", _number(point, "x"), _number(point, "y")


def _number(element: XmlElement | None, name: str) -> float:
    if element is None:
        return 0.0
    value = element.number_attribute(name, 0.0)
    if not math.isfinite(value):
        raise element.bad(f"{name} is not finite", value, "a number of pixels")
    return value


def text_of_sheets(sheets: Sequence[Sheet]) -> str:
    """Return the text of an uncompressed draw.io file."""
    pages = "".join(_page(sheet, i) for i, sheet in enumerate(sheets))
    return f'<mxfile host="hetwin" compressed="false">\n{pages}</mxfile>\n'


def _page(sheet: Sheet, number: int) -> str:
    cells = "".join([*map(_shape_text, sheet.shapes), *map(_wire_text, sheet.wires)])
    return (
        f'  <diagram id="page{number}" name={_quote(sheet.name)}>\n    <mxGraphModel>\n      <root>\n'
        f'        <mxCell id="0"/>\n        <mxCell id="1" parent="0"/>\n{cells}'
        "      </root>\n    </mxGraphModel>\n  </diagram>\n"
    )


def _shape_text(shape: Shape) -> str:
    box = shape.box
    size = f'x="{box.x!r}" y="{box.y!r}" width="{box.width!r}" height="{box.height!r}"'
    relative = ' relative="1"' if shape.on else ""
    geometry = f'<mxGeometry {size}{relative} as="geometry"/>'
    parts = [("id", shape.id), ("value", shape.label), ("style", shape.style)]
    attributes = [*parts, ("vertex", "1"), ("parent", shape.on or "1")]
    return f"        <mxCell {_attributes(attributes)}>{geometry}</mxCell>\n"


def _wire_text(wire: Wire) -> str:
    ends = "".join(
        f'<mxPoint x="{x!r}" y="{y!r}" as="{name}"/>' for name, x, y in wire.points if name
    )
    corners = "".join(f'<mxPoint x="{x!r}" y="{y!r}"/>' for name, x, y in wire.points if not name)
    array = f'<Array as="points">{corners}</Array>' if corners else ""
    parts = [("id", wire.id), ("value", wire.label), ("style", wire.style), ("edge", "1")]
    parts += [("parent", "1"), ("source", wire.source), ("target", wire.target)]
    geometry = f'<mxGeometry relative="1" as="geometry">{ends}{array}</mxGeometry>'
    attributes = [(name, value) for name, value in parts if value or name == "value"]
    return f"        <mxCell {_attributes(attributes)}>{geometry}</mxCell>\n"


def _attributes(pairs: Iterable[tuple[str, str]]) -> str:
    return " ".join(f"{name}={_quote(value)}" for name, value in pairs)


def _quote(text: str) -> str:
    return quoteattr(text)
