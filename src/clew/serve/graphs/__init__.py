"""The graph as every interface shows it: references, calls, the map, imports."""
