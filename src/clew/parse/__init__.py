"""Bytes in, facts out. Touches no disk but its own query files, and never raises on bad source."""
