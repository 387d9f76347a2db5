"""The rules of the format, as data: id, level, the sentence that a rule stands for, a function that looks.

To add a rule, write one function in the module of what it is about (see `registry`), and its examples in
`examples/<ID>/bad` and `examples/<ID>/good`.
"""

# The order of the imports is that of the rules in lists.
from opsetdocs.rules import opset, operator, kept, function, doc  # noqa: F401, I001
from opsetdocs.rules.registry import MUST, NOTE, RULES, SHOULD, Rule, element_name, near_rules, run

__all__ = ["MUST", "NOTE", "RULES", "SHOULD", "Rule", "element_name", "near_rules", "run"]
