"""Where modules live, one family of languages in each file."""
