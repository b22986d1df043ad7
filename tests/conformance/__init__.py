"""The official conformance suite of MCP against Clew's own transport: `make conformance`."""
