"""How `string.Template` is written: an object by its text, `Template('$name owes')`. Knows no frame."""

import string
from collections.abc import Callable
from typing import Any


def _template(renderer: Any, value: string.Template) -> str:
    plain = vars(value).keys() == {"template"}
    return f"Template({renderer.text(value.template)})" if plain else "?Template with attributes of its own"


CONTENTS: dict[type, Callable[[Any, Any], str]] = {string.Template: _template}
MAKERS: dict[str, Callable[..., object]] = {"Template": string.Template}
