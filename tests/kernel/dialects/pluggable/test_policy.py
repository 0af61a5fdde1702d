"""Which policy rule decides: specificity, defaults, and what cannot be asked about (spec C.5, vectors G149 to G159)."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from kernel.dialects.pluggable.session.policy import Decision, Risk, Subject, ToolKind, evaluate, specificity


@dataclass(frozen=True)
class Rule:
    """A policy rule as the configuration has it."""

    name: str
    action: str
    tool_name: str | None = None
    provider: str | None = None
    risk: str | None = None
    kind: str | None = None


def rules(text: str) -> list[Rule]:
    """`provider=fs deny; tool_name=write allow`: each is named after its place, R1 and on."""
    found = []
    for number, line in enumerate(filter(None, text.split("; ")), 1):
        *criteria, action = line.split()
        found.append(Rule(f"R{number}", action, **dict(each.split("=") for each in criteria)))
    return found


def call(text: str) -> Subject:
    """`fs.write resource high` as what rules look at."""
    name, kind, risk = text.split()
    provider, _, tool = name.partition(".")
    return Subject(tool, provider, Risk(risk), None if kind == "-" else ToolKind(kind))


RESOURCE, DATA, INTERACTIVE = "fs.write resource high", "fs.read data_source read_only", "ui.ask interactive read_only"


@pytest.mark.parametrize(
    ("number", "text", "subject", "decision", "by", "rule"),
    [
        ("149", "provider=fs deny; tool_name=write allow", RESOURCE, "allow", "policy:R2", "PL-POLICY-RULE"),
        ("151", "risk=high deny; kind=resource allow", RESOURCE, "deny", "policy:R1", "PL-POLICY-RULE"),
        ("153a", "", RESOURCE, "ask", "policy:default", "PL-POLICY-DEFAULT"),
        ("153b", "", DATA, "allow", "policy:default", "PL-POLICY-DEFAULT"),
        ("153c", "", INTERACTIVE, "allow", "policy:default", "PL-POLICY-DEFAULT"),
        ("153d", "", "fs.write - high", "ask", "policy:default", "PL-POLICY-DEFAULT"),
        ("155", "provider=fs ask", DATA, "deny", "policy:R1", "PL-POLICY-DOWNGRADE"),
        ("155a", "provider=ui ask", INTERACTIVE, "deny", "policy:R1", "PL-POLICY-DOWNGRADE"),
        ("155b", "provider=fs ask", RESOURCE, "ask", "policy:R1", "PL-POLICY-RULE"),
        ("157", "kind=data_source deny", INTERACTIVE, "allow", "policy:default", "PL-POLICY-DEFAULT"),
        ("159", "tool_name=write deny; provider=fs deny", RESOURCE, "deny", "policy:R1", "PL-POLICY-RULE"),
        ("tool alone outranks the other three", "provider=fs risk=high kind=resource deny; tool_name=write allow",
         RESOURCE, "allow", "policy:R2", "PL-POLICY-RULE"),
        ("two outrank one", "tool_name=write allow; tool_name=write kind=resource deny",
         RESOURCE, "deny", "policy:R2", "PL-POLICY-RULE"),
        ("an empty match matches all", "allow", RESOURCE, "allow", "policy:R1", "PL-POLICY-RULE"),
        ("and yields to any other", "deny; kind=resource allow", RESOURCE, "allow", "policy:R2", "PL-POLICY-RULE"),
        ("names are not globs", "tool_name=wri* deny", RESOURCE, "ask", "policy:default", "PL-POLICY-DEFAULT"),
        ("a full name is not the bare one", "tool_name=fs.write deny",
         RESOURCE, "ask", "policy:default", "PL-POLICY-DEFAULT"),
    ],
)  # fmt: skip
def test_a_call_is_decided_by_the_most_specific_rule(
    number: str, text: str, subject: str, decision: str, by: str, rule: str
) -> None:
    """The row's rules decide about the row's call, and the rule that was applied is named."""
    judgement = evaluate(rules(text), call(subject))
    assert (judgement.decision, judgement.decided_by, judgement.rule) == (Decision(decision), by, rule)
    assert judgement.is_downgraded is (rule == "PL-POLICY-DOWNGRADE")


def test_specificity_compares_flags_in_order() -> None:
    """Tool name, provider, risk, kind: the first difference decides, however many follow (spec C.5)."""
    [tool, provider, risk, kind, nothing, all_but_tool] = rules(
        "tool_name=a allow; provider=a allow; risk=low allow; kind=resource allow; allow; "
        "provider=a risk=low kind=resource allow"
    )
    ordered = [nothing, kind, risk, provider, all_but_tool, tool]
    assert sorted(ordered, key=specificity) == ordered


def test_why_says_how_many_rules_matched() -> None:
    """Whoever reads the why learns that another rule would have said something else."""
    judgement = evaluate(rules("provider=fs deny; tool_name=write allow"), call(RESOURCE))
    assert judgement.why == "rule 'R2' says allow, the most specific of 2 that match"


def test_rules_of_a_configuration_are_rules() -> None:
    """What the settings module makes of a policy block is what is evaluated here."""
    from kernel.dialects.pluggable.agent_hcl.settings import PolicyRule
    from kernel.values import Place

    rule = PolicyRule("no-shell", None, "shell", None, None, "deny", Place("agent.hcl", 1, 1))
    assert evaluate([rule], call("shell.run resource high")).decided_by == "policy:no-shell"
