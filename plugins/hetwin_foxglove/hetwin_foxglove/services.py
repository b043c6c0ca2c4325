"""The services ``hetwin/control`` and ``hetwin/hand_over`` without ROS: requests and responses are JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from rosbags.interfaces import Nodetype
from rosbags.typesys import get_types_from_msg

from hetwin_suite.command import resource
from hetwin_suite.viewer import typestore

CONTROL, HAND_OVER = "/hetwin/control", "/hetwin/hand_over"
COMMANDS = ("pause", "go_on", "step", "next_event", "pace")
"""Values of the field ``command`` of the service control."""
TYPES = {CONTROL: "ControlRun", HAND_OVER: "HandOver"}
"""Service -> its ROS type in ``srv/``."""

Schema = dict[str, Any]
"""A JSON schema."""

_WORDS = {"string": "string", "bool": "boolean", "float32": "number", "float64": "number"}

Carry = Callable[[str, Mapping[str, Any]], str | None]
"""Executes a request, given the name of the service and its fields; returns None, or the reason of a refusal."""


def services(sdk: Any, carry: Carry, now_ns: Callable[[], int]) -> list[Any]:
    """Return the services for a server of the SDK.

    Args:
        sdk: Foxglove's SDK.
        carry: executes a request; called from a thread of the SDK.
        now_ns: returns the simulated time of the run [ns].
    """

    def service(name: str, kind: str) -> Any:
        asked, answered = service_schemas(kind)

        def respond(request: Any) -> bytes:
            response: dict[str, Any] = {"accepted": False, "reason": ""}
            try:
                fields = read_request(request.payload, asked)
                response["reason"] = carry(name, fields) or ""
                response["accepted"] = not response["reason"]
            except ValueError as error:
                response["reason"] = str(error)
            if "time" in answered["properties"]:
                sec, nanosec = divmod(now_ns(), 1_000_000_000)
                response["time"] = {"sec": sec, "nanosec": nanosec}
            return json.dumps(response).encode()

        described = sdk.ServiceSchema(
            f"hetwin/srv/{kind}",
            request=_schema(sdk, f"{kind}_Request", asked),
            response=_schema(sdk, f"{kind}_Response", answered),
        )
        return sdk.Service(name, schema=described, handler=respond)

    return [service(name, kind) for name, kind in TYPES.items()]


def service_schemas(kind: str) -> tuple[Schema, Schema]:
    """Return the JSON schemas of request and response of a service type of hetwin."""
    text = (resource("srv") / f"{kind}.srv").read_text(encoding="utf-8")
    asked, _, answered = text.partition("---\n")
    name = f"hetwin/msg/{kind}"
    request, response = (
        _definition_schema(name, typestore().fielddefs | get_types_from_msg(half, name))
        for half in (asked, answered)
    )
    return request, response


def _definition_schema(typename: str, definitions: Mapping[str, Any]) -> Schema:
    """Return the JSON schema of a type from parsed message definitions, as in rosbags."""
    _, parts = definitions[typename]
    properties = {name: _field(kind, definitions) for name, kind in parts}
    return {"type": "object", "title": typename, "properties": properties}


def _field(kind: Any, definitions: Mapping[str, Any]) -> Schema:
    node, content = kind
    if node is Nodetype.NAME:
        return _definition_schema(content, definitions)
    if node is Nodetype.BASE:
        return {"type": _WORDS.get(content[0], "integer")}
    return {"type": "array", "items": _field(content[0], definitions)}


def read_request(payload: bytes, schema: Schema) -> dict[str, Any]:
    """Return the fields of a request; missing ones are empty or 0.

    Raises:
        ValueError: if the payload is no JSON object, or has a field that is unknown or of another type.
    """
    try:
        given = json.loads(payload or b"{}")
    except ValueError as error:
        raise ValueError(f"the request is not JSON: {error}") from None
    if not isinstance(given, dict):
        raise ValueError(f"the request is {payload[:40]!r}; expected a JSON object")
    known = schema["properties"]
    unknown = sorted(set(given) - set(known))
    if unknown:
        raise ValueError(f"no such field: {', '.join(unknown)}; expected {', '.join(known)}")
    return {name: _read(name, given.get(name), kind["type"]) for name, kind in known.items()}


_READERS: dict[str, tuple[type | tuple[type, ...], Any, str]] = {
    "string": (str, "", "a text"),
    "integer": (int, 0, "a whole number"),
    "number": ((int, float), 0.0, "a number"),
}


def _read(name: str, value: Any, kind: str) -> Any:
    types, default, words = _READERS[kind]
    if value is None:
        return default
    if not isinstance(value, types) or isinstance(value, bool):
        raise ValueError(f"{name} is {value!r}; expected {words}")
    return value


def _schema(sdk: Any, name: str, schema: Schema) -> Any:
    data = json.dumps(schema | {"title": name}).encode()
    return sdk.MessageSchema(
        encoding="json", schema=sdk.Schema(name=name, encoding="jsonschema", data=data)
    )
