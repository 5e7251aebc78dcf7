"""Tables "in the paper / in lissom": which function computes which numbered equation of a paper.

A docstring says `Equations: 003 (9), (10)-(12).`; `paper-003.yaml` says what the equations state, which tests show
them, and why nothing computes an equation; `equation_table` joins the two, `lissom theory equations 003` prints it.
"""

from lissom.theory.equation_tables.equation_marks import Mark, find_marks
from lissom.theory.equation_tables.papers import Item, Paper, PrintedEquation, paper_keys, read_paper
from lissom.theory.equation_tables.tables import TableRow, equation_table, write_equations, write_items

__all__ = [
    "Item",
    "Mark",
    "Paper",
    "PrintedEquation",
    "TableRow",
    "equation_table",
    "find_marks",
    "paper_keys",
    "read_paper",
    "write_equations",
    "write_items",
]
