"""Connects agents: writes Clew's entry into the MCP configuration of other programs, and takes it out again."""
