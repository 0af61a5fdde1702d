"""What may be written at the cursor: `|` in a text is the cursor."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debugger.json_offers import Offers, offers
from kernel.dialects import REGISTRY, named
from kernel.shapes import ANYTHING, TEXT, WHOLE, YES_OR_NO, Listing, Member, Object, Shape, one_of, record

ITEM: Shape = Object(
    "item",
    lambda: (
        Member("kind", one_of(["text", "image"]), is_needed=True),
        Member("text", TEXT, only_with=("kind", "text")),
        Member("url", TEXT, only_with=("kind", "image")),
        Member("inner", Listing("list of items", lambda: ITEM)),
    ),
)
SHAPE = record(
    "thing",
    Member("name", TEXT),
    Member("count", WHOLE),
    Member("is_fine", YES_OR_NO, is_nullable=True),
    Member("color", one_of(["red", "green", "dark red"])),
    Member("items", Listing("list of items", lambda: ITEM)),
    Member("data", ANYTHING),
    Member("allow", record("allow"), group="verdict"),
    Member("deny", record("deny", Member("reason", TEXT)), group="verdict"),
)


def found(text: str, shape: Shape = SHAPE) -> Offers:
    before, _, after = text.partition("|")
    return offers(before + after, len(before), shape)


def names(text: str) -> str:
    return " ".join(each.name.replace(" ", "_") for each in found(text).offers)


@pytest.mark.parametrize(
    ("text", "offered"),
    [
        ("|", "{}"),
        ("{|}", "name count is_fine color items data allow deny"),
        ("{\n  |", "name count is_fine color items data allow deny"),
        ('{"na|', "name"),
        ('{"na|me": 1}', "name"),
        ("{na|", "name"),
        ('{"a|', "allow name data"),
        ('{"name": "a", |"count": 1, "data": {}}', "is_fine color items allow deny"),
        ('{"name": "a" |}', "count is_fine color items data allow deny"),
        ('{"name": "a"\n  |\n  "count": 1}', "is_fine color items data allow deny"),
        ('{"name": | "count": 1}', '""'),
        ('{"ite| "name": 1}', "items"),
        ('{"color": | "green"}', "red green dark_red"),
        ('{"items": | []}', ""),
        ("| {}", ""),
        ('{"deny": {}, |}', "name count is_fine color items data"),
        ('{"deny": {|}}', "reason"),
        ('{"color": |}', "red green dark_red"),
        ('{"color":|}', "red green dark_red"),
        ('{"color": "re|', "red green dark_red"),
        ('{"color": "red|"}', "red dark_red"),
        ('{"color": d|}', "dark_red red"),
        ('{"is_fine": |}', "true false null"),
        ('{"is_fine": t|, "name": ""}', "true"),
        ('{"items": |}', "[]"),
        ('{"items": [|]}', "{}"),
        ('{"items": [{}|]}', "{}"),
        ('{"items": [{|}]}', "kind inner"),
        ('{"items": [{"kind": "text", |}]}', "text inner"),
        ('{"items": [{"kind": "image", |}]}', "url inner"),
        ('{"items": [{|, "kind": "image"}]}', "url inner"),
        ('{"items": [{"inner": [{"kind": |}]}]}', "text image"),
        ('{"name": "in the| text"}', ""),
        ('{"name"|: 1}', ""),
        ('{"strange": |}', ""),
        ('{"strange": {|}}', ""),
        ('{"name": "}{[", "data": [1, {"a": 2}], |}', "count is_fine color items allow deny"),
        ("{}|", ""),
        ('{"name": "a" co|}', "count color"),
        ('{"name": "a" "co|}', "count color"),
    ],
)  # fmt: skip
def test_what_is_offered_where(text: str, offered: str) -> None:
    """Members that are missing and not excluded, words, and what containers begin with."""
    assert names(text) == offered


@pytest.mark.parametrize(
    ("text", "name", "then"),
    [
        ("{|}", "name", '{"name": "|"}'),
        ("{|}", "count", '{"count": 0|}'),
        ("{|}", "color", '{"color": |}'),
        ("{|}", "items", '{"items": [|]}'),
        ("{|}", "deny", '{"deny": {|}}'),
        ('{"co|": 1}', "count", '{"count"|: 1}'),
        ('{"co|"}', "count", '{"count": 0|}'),
        ('{|"count": 1}', "name", '{"name": "|","count": 1}'),
        ('{"name": "a"|}', "count", '{"name": "a", "count": 0|}'),
        ('{\n  "name": "a"\n  |\n}', "count", '{\n  "name": "a",\n  "count": 0|\n}'),
        ('{"name": "a" co|}', "count", '{"name": "a", "count": 0|}'),
        ('{"color": |}', "red", '{"color": "red"|}'),
        ('{"color": "gr|een"}', "green", '{"color": "green"|}'),
        ('{"color": |"green"}', "red", '{"color": "red"|}'),
        ('{"color": | "name": 1}', "red", '{"color": "red"|, "name": 1}'),
        ('{"items": [{}|]}', "{}", '{"items": [{}, {|}]}'),
        ("|", "{}", "{|}"),
    ],
)
def test_taking_an_offer_leaves_whole_json(text: str, name: str, then: str) -> None:
    """Commas that are missing come with it, and the cursor stands where one goes on."""
    at = found(text)
    offer = next(each for each in at.offers if each.name == name)
    plain = text.replace("|", "", 1)
    end = at.start + len(offer.text) - offer.back
    written = plain[: at.start] + offer.text + plain[at.end :]
    assert f"{written[:end]}|{written[end:]}" == then


def test_what_an_offer_is_stands_beside_it() -> None:
    """Its kind, whether it is needed, and that null is another thing than leaving it out."""
    told = {each.name: each.detail for each in found('{"items": [{|}]}').offers}
    assert told == {"kind": "word, needed", "inner": "list of items"}
    told = {each.name: each.detail for each in found('{"is_fine": |}').offers}
    assert told["null"] == "not the same as leaving it out"
    assert {each.name: each.detail for each in found("{|}").offers}["is_fine"] == "true or false or null"
    assert found('{"items": [{}, {"kind": |}]}').path == ("items", 1, "kind")


DIALECTS = [named(registered.name) for registered in REGISTRY]


@given(st.data())
def test_nothing_that_is_offered_breaks_a_payload_of_any_dialect(data: st.DataObject) -> None:
    """At any place of a whole text: it is JSON before, and JSON after."""
    dialect = data.draw(st.sampled_from(DIALECTS))
    point = data.draw(st.sampled_from(dialect.points))
    shape = dialect.payload_shape(point)
    text = json.dumps(dialect.sample_payload(point, data.draw(st.integers(0, 5))).view, indent=2)
    cursor = data.draw(st.integers(0, len(text)))
    at = offers(text, cursor, shape)
    assert 0 <= at.start <= at.end <= len(text)
    for each in at.offers:
        if not each.goes_on:
            json.loads(text[: at.start] + each.text + text[at.end :])


@given(st.text(alphabet='{}[]:,"\\ \nab1', max_size=40), st.integers(-3, 45))
def test_no_text_is_too_broken(text: str, cursor: int) -> None:
    """Whatever is typed: offers, or none."""
    at = offers(text, cursor, SHAPE)
    assert at.start <= at.end
