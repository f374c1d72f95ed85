"""RFC 6902, as far as the engine's review uses it: `add` and `replace`. A path that leads nowhere raises."""

from plain_json import Json, JsonObject


def apply_json_patch(document: Json, operations: list[JsonObject]) -> Json:
    """The document after the operations; the one given stays as it was."""
    for operation in operations:
        tokens = [token.replace("~1", "/").replace("~0", "~") for token in operation["path"].split("/")[1:]]
        document = _patched(document, tokens, operation)
    return document


def _patched(target: Json, tokens: list[str], operation: JsonObject) -> Json:
    if not tokens:
        return operation["value"]
    name, *rest = tokens
    is_list = isinstance(target, list)
    key = (len(target) if name == "-" else int(name)) if is_list else name
    changed = target.copy()
    match operation["op"]:
        case "add" if is_list and not rest:
            changed.insert(key, operation["value"])
        case "add" if not rest:
            changed[key] = operation["value"]
        case "add" | "replace":
            changed[key] = _patched(target[key], rest, operation)
        case other:
            raise AssertionError(f'the patch has the operation "{other}"')
    return changed
