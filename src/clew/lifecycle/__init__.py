"""What may be believed: states, the completion marker and its proof, the lock of a codebase."""
