"""How the bundled embedding model is made: mine, vocabulary, train, evaluate. Not part of the package."""
