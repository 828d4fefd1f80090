"""Writes wordline/experiment.py from the JSON Schema of results.

    python3 python/generate.py [SCHEMA] > python/wordline/experiment.py

The tests compare the two; with UPDATE_REFERENCE=1 they write the file (`make reference`).
"""

from __future__ import annotations

import json
import re
import sys
import textwrap
from pathlib import Path
from typing import Any

SCHEMA = Path(__file__).parent / "../docs/reference/result.schema.json"

HEAD = '''"""Experiments as typed classes. Generated from the JSON Schema of results by ``python/generate.py``; do not edit.

A field that is not given is as the command has it without its flag. Lists take any sequence.

>>> from wordline.experiment import Experiment, RawWorkload
>>> experiment = Experiment(
...     targets=["em064lx@stm32h755-qspi"],
...     workload=RawWorkload(operations=["write"], access_bytes=[2048], total_bytes=1 << 20),
... )
>>> experiment.to_dict()["workload"]["kind"]
'raw'
>>> Experiment.from_dict({"targets": [], "sed": 1})
Traceback (most recent call last):
    ...
wordline._errors.ExperimentError: Experiment has no field 'sed'; did you mean seed?
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Union

from wordline._model import Model
'''

# Endings of the variants of a choice, where they are not that of the choice itself.
SUFFIX = {"AccessSource": ("", "Access"), "DramTest": ("Dram", "Test"), "HostTest": ("Host", "Test"),
          "KvTest": ("Kv", "Test"), "Workload": ("", "Workload")}


def title(name: str) -> str:
    return "".join(word.capitalize() for word in re.split(r"[-_ ]", name))


class Generator:
    def __init__(self, schema: dict[str, Any]) -> None:
        self.definitions = schema["$defs"]
        self.done: set[str] = set()
        self.classes: list[str] = []
        self.aliases: list[str] = []
        self.registry: list[str] = []
        self.names: list[str] = []

    def type_of(self, schema: dict[str, Any]) -> tuple[str, str | None]:
        """The annotation of a value, and the part that it holds."""
        if "$ref" in schema:
            name = schema["$ref"].removeprefix("#/$defs/")
            return self.define(name)
        for key in ("anyOf", "oneOf"):
            if key in schema:
                types = [self.type_of(one) for one in schema[key]]
                nested = next((part for _, part in types if part), None)
                names = [name for name, _ in types if name != "None"]
                return " | ".join(dict.fromkeys(names)), nested
        kinds = schema.get("type")
        if isinstance(kinds, list):
            kinds = next(kind for kind in kinds if kind != "null")
        if kinds == "array":
            name, nested = self.type_of(schema.get("items", {}))
            return f"Sequence[{name}]", nested
        if kinds == "object":
            name, _ = self.type_of(schema.get("additionalProperties") or {})
            return f"Mapping[str, {name}]", None
        simple = {"integer": "int", "number": "float", "string": "str", "boolean": "bool", "null": "None"}
        return simple.get(str(kinds), "Any"), None

    def define(self, name: str) -> tuple[str, str | None]:
        """A definition of the schema, by its name."""
        schema = self.definitions[name]
        if "properties" in schema:
            if name not in self.done:
                self.done.add(name)
                self.write_class(name, schema, {})
                self.registry.append(f'"{name}": {name},')
            return name, name
        choices = schema.get("oneOf") or schema.get("anyOf")
        if choices and all("const" in one for one in choices):
            if name not in self.done:
                self.done.add(name)
                self.write_literal(name, schema, choices)
            return name, None
        if choices and all(one.get("type") == "object" for one in choices):
            if name not in self.done:
                self.done.add(name)
                self.write_choice(name, choices)
            return name, name
        return self.type_of(schema)

    def write_literal(self, name: str, schema: dict[str, Any], choices: list[dict[str, Any]]) -> None:
        values = ", ".join(json.dumps(one["const"]) for one in choices)
        self.aliases.append(wrapped(f"{name} = Literal[{values}]"))
        words = [f"``{one['const']}``: {flat(one.get('description', ''))}" for one in choices]
        self.aliases.append(docstring(schema.get("description", ""), words, ""))
        self.names.append(name)

    def write_choice(self, name: str, choices: list[dict[str, Any]]) -> None:
        before, after = SUFFIX[name]
        made: list[str] = []
        entries: list[str] = []
        field = "kind"
        for one in choices:
            properties = one.get("properties", {})
            if "kind" not in properties:
                # The name of its only field tells it apart.
                field = ""
                kind = one["required"][0]
                cls = f"{before}{title(kind)}{after}"
                self.write_class(cls, one, {})
                entries.append(f'"{kind}": {cls},')
                made.append(cls)
                continue
            kind = properties["kind"]["const"]
            if "oneOf" in one:
                inner: list[str] = []
                for variant in one["oneOf"]:
                    of = variant["properties"]["of"]["const"]
                    cls = f"{before}{title(kind)}{title(of)}{after}"
                    whole = {**variant, "properties": {**properties, **variant["properties"]}}
                    whole.setdefault("description", one.get("description", ""))
                    self.write_class(cls, whole, {"kind": kind, "of": of})
                    inner.append(f'"{of}": {cls}')
                    made.append(cls)
                entries.append(f'"{kind}": ("of", {{{", ".join(inner)}}}),')
                continue
            cls = f"{before}{title(kind)}{after}"
            self.write_class(cls, one, {"kind": kind})
            entries.append(f'"{kind}": {cls},')
            made.append(cls)
        self.classes.append(wrapped(f"{name} = Union[{', '.join(made)}]") + "\n")
        self.names.append(name)
        body = "\n".join(f"        {entry}" for entry in entries)
        self.registry.append(f'"{name}": ("{field}", {{\n{body}\n    }}),')

    def write_class(self, name: str, schema: dict[str, Any], constants: dict[str, str]) -> None:
        fields = {one: of for one, of in schema["properties"].items() if one not in constants}
        required = [one for one in schema.get("required", []) if one in fields]
        # What names files and targets first, then in the order of the schema.
        types = {one: self.type_of(of) for one, of in fields.items()}
        nested = {one: part for one, (_, part) in types.items() if part}
        about = [f"``{one}``: {flat(of.get('description', ''))}" for one, of in fields.items()]
        if required:
            about.append(f"A whole document states {', '.join(required)}.")
        lines = [f"class {name}(Model):", docstring(schema.get("description", name), about, "    "), ""]
        lines.append(f"    __slots__ = {slots(fields)}")
        lines.append("    _fields = __slots__")
        if constants:
            lines.append(f"    _constants = {json.dumps(constants)}")
        if nested:
            lines.append(f"    _nested = {json.dumps(nested)}")
        if fields:
            lines.extend(["", "    def __init__(", "        self,", "        *,"])
            lines.extend(f"        {one}: {kind} | None = None," for one, (kind, _) in types.items())
            lines.append("    ) -> None:")
            lines.extend(f"        self.{one} = {one}" for one in fields)
        self.classes.append("\n".join(lines) + "\n")
        self.names.append(name)

    def text(self) -> str:
        self.define("Experiment")
        names = "\n".join(f'    "{name}",' for name in sorted(self.names))
        registry = "\n".join(f"    {entry}" for entry in self.registry)
        classes = "\n\n".join(self.classes)
        aliases = "\n".join(self.aliases)
        return (f"{HEAD}\n__all__ = [\n{names}\n]\n\n{aliases}\n\n\n{classes}\n\n"
                f"Model._registry.update({{\n{registry}\n}})\n")


def flat(text: str) -> str:
    return " ".join(text.split())


def wrapped(text: str) -> str:
    if len(text) <= 110:
        return text
    head, rest = text.split("[", 1)
    body = rest[:-1].replace("Literal", "")
    lines = textwrap.wrap(body, 100, break_long_words=False, break_on_hyphens=False)
    return f"{head}[\n" + "\n".join(f"    {line}" for line in lines) + "\n]"


def slots(fields: dict[str, Any]) -> str:
    if not fields:
        return "()"
    lines = textwrap.wrap(", ".join(json.dumps(one) for one in fields) + ",", 100)
    return "(\n" + "\n".join(f"        {line}" for line in lines) + "\n    )"


def docstring(head: str, items: list[str], indent: str) -> str:
    head = flat(head) or "A choice."
    lines = textwrap.wrap(head, 108)
    if items:
        lines.append("")
        for item in items:
            lines.extend(textwrap.wrap(item, 106, initial_indent="- ", subsequent_indent="  "))
    text = "\n".join(f"{indent}{line}".rstrip() for line in lines).lstrip()
    text = text.replace("\\", "\\\\").replace('"""', "'''")
    return f'{indent}"""{text}\n{indent}"""' if "\n" in text else f'{indent}"""{text}"""'


def generate(schema: Path = SCHEMA) -> str:
    return Generator(json.loads(schema.read_text(encoding="utf-8"))).text()


if __name__ == "__main__":
    sys.stdout.write(generate(Path(sys.argv[1]) if len(sys.argv) > 1 else SCHEMA))
