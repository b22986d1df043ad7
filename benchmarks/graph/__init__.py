"""How right the graph is: Clew's edges against what type checkers say of the same code."""
