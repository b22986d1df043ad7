"""Interfaces: the only code that knows JSON, HTTP, MCP or standard output. They call `Engine` alone."""
