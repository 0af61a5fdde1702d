"""Every format by its name. What one of them needs is imported when it is used."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from debugger.export.material import Material
from debugger.export.pictures import Wish


class Format(StrEnum):
    """What a recording can be exported as."""

    HTML = "html"
    MARKDOWN = "markdown"
    MERMAID = "mermaid"
    SVG = "svg"
    JSONL = "jsonl"
    SCENARIO = "scenario"
    PYTEST = "pytest"
    OTLP = "otlp"


def written(form: Format, material: Material, wish: Wish) -> Iterable[str]:
    """The text of an export, piece by piece; `wish` is for pictures. Raises BadInput."""
    match form:
        case Format.HTML:
            from debugger.export.page import page

            return page(material)
        case Format.MARKDOWN:
            from debugger.export.markdown import markdown

            return markdown(material)
        case Format.MERMAID:
            from debugger.export.mermaid import mermaid

            return mermaid(material)
        case Format.SVG:
            from debugger.export.pictures import picture

            return [picture(material, wish)]
        case Format.JSONL:
            from debugger.export.jsonl import jsonl

            return jsonl(material)
        case Format.SCENARIO:
            from debugger.export.scenario import scenarios

            return scenarios(material)
        case Format.PYTEST:
            from debugger.export.pytest_file import test_file

            return test_file(material)
        case Format.OTLP:
            from debugger.export.otlp import otlp_json

            return otlp_json(material)
