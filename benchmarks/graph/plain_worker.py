"""`python -m benchmarks.graph.plain_worker`: a parsing process that reads nothing of what names mean."""

from __future__ import annotations

from unittest import mock

from clew.index import worker
from clew.parse import extract as extraction
from clew.parse.links import no_links

if __name__ == "__main__":
    with mock.patch.object(extraction, "collect_links", lambda *_: no_links()):
        worker.main()
