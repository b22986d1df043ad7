"""Where modules live, by family of languages: each module has one class with `find` and `inside`."""
