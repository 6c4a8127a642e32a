"""Every answer that a test receives is compared with botocore's model, member by member.

A client leaves out what it does not know without a word, so a misspelt member would go unseen.
"""

import json

JSON_TYPES = {
    "string": str, "character": str, "blob": str, "boolean": bool, "integer": int, "long": int,
    "float": (int, float), "double": (int, float), "timestamp": (int, float),
}
# What the service sends although its own model does not know it.
UNMODELLED = {"TableThroughputModeSummary"}


def watch(session):
    """Checks the answers of every client that the session makes from now on."""
    session.events.register("after-call", check)


def check(http_response, model, **_):
    body = json.loads(http_response.content or b"{}")
    if http_response.status_code == 200:
        compare(body, model.output_shape, model.name)
        return
    code = body.pop("__type").split("#")[1]
    errors = {shape.name: shape for shape in model.error_shapes}
    members = dict(errors[code].members) if code in errors else {}
    # botocore reads the text of an error under either name.
    text = {name: body.pop(name) for name in ("message", "Message") if name in body}
    assert all(isinstance(value, str) for value in text.values())
    for name, value in body.items():
        assert name in members, f"{model.name}, {code}: the model has no member {name}"
        compare(value, members[name], f"{model.name}.{code}.{name}")


def compare(value, shape, place):
    if shape is None or shape.type_name == "structure":
        assert isinstance(value, dict), f"{place} is no structure: {value!r}"
        members = {m.serialization.get("name", n): m for n, m in shape.members.items()} if shape else {}
        for name, inner in value.items():
            if name in UNMODELLED:
                continue
            assert name in members, f"{place}: the model has no member {name}"
            compare(inner, members[name], f"{place}.{name}")
    elif shape.type_name == "list":
        assert isinstance(value, list), f"{place} is no list: {value!r}"
        for inner in value:
            compare(inner, shape.member, f"{place}[]")
    elif shape.type_name == "map":
        assert isinstance(value, dict), f"{place} is no map: {value!r}"
        for inner in value.values():
            compare(inner, shape.value, f"{place}{{}}")
    else:
        expected = JSON_TYPES[shape.type_name]
        is_right = isinstance(value, expected) and (expected is bool or not isinstance(value, bool))
        assert is_right, f"{place} is no {shape.type_name}: {value!r}"
        enum = getattr(shape, "enum", None)
        assert not enum or value in enum, f"{place}: {value} is none of {enum}"
