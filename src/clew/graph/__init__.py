"""What the names of a codebase lead to: modules, references, calls, with the evidence for each."""
