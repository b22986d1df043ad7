"""The candidate index (Tantivy): proposes chunks that hold a query's terms, and never scores an answer.

Its statistics mix every branch and what is deleted, so scores come from the snapshot instead. Documents
are added only after their facts are in the database, and removed only by the sweep. One directory an
epoch; which one is in use, and up to which facts it is complete, stands in the database.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from clew.errors import StoreCorrupt, StoreFull

CHUNK_BITS = 16  # a chunk's id is its facts' id shifted by this, plus its ordinal
_HEAP_BYTES = 48_000_000
_SMALL_HEAP_BYTES = 15_000_000  # the least that Tantivy takes
_FULL = ("StorageFull", "QuotaExceeded", "No space left", "os error 28", "os error 122")
_SHOWN_CHARACTERS = 300  # of its errors, which quote whole files


class LexicalIndex:
    """The candidate index of one store."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._opened: dict[int, Any] = {}

    def candidates(
        self, epoch: int, terms: Sequence[str], limit: int, *, facts: Sequence[int] | None = None
    ) -> list[int]:
        """Ids of the chunks that match `terms` best, among those of `facts` if given."""
        import tantivy

        query_of, occur = tantivy.Query, tantivy.Occur
        with self._translated(epoch):
            index = self._open(epoch)
            index.reload()
            searcher, schema = index.searcher(), index.schema
            clauses = [(occur.Should, query_of.term_query(schema, "text", term, "freq")) for term in terms]
            query = query_of.boolean_query(clauses)
            if facts is not None:
                allowed = query_of.const_score_query(query_of.term_set_query(schema, "facts", list(facts)), 0.0)
                query = query_of.boolean_query([(occur.Must, query), (occur.Must, allowed)])
            hits = searcher.search(query, limit, count=False).hits
            found: list[int] = searcher.fast_field_values("chunk", [address for _, address in hits])
            return found

    @contextmanager
    def writer(self, epoch: int, *, create: bool = False, large: bool = False) -> Iterator[Writer]:
        """Add and remove documents; they are durable when the block ends. Only under the store's lock."""
        with self._translated(epoch):
            index = self._create(epoch) if create else self._open(epoch)  # a lost one must not seem empty
            writer = index.writer(_HEAP_BYTES if large else _SMALL_HEAP_BYTES, 1)
            try:
                yield Writer(writer, index.schema)
                writer.commit()
                writer.wait_merging_threads()
            except BaseException:
                with suppress(ValueError):  # a writer that has failed already has nothing to take back
                    writer.rollback()
                raise

    def facts_held(self, epoch: int) -> list[int]:
        """The facts of every live document, for checks; slow."""
        import tantivy

        with self._translated(epoch):
            index = self._open(epoch)
            index.reload()
            searcher = index.searcher()
            if not searcher.num_docs:
                return []
            hits = searcher.search(tantivy.Query.all_query(), searcher.num_docs, count=False).hits
            chunks = searcher.fast_field_values("chunk", [address for _, address in hits])
            return [chunk >> CHUNK_BITS for chunk in chunks]

    def dead_share(self, epoch: int) -> float:
        """How much of the index is documents that were removed but still take room; a damaged one cannot tell."""
        try:
            segments = json.loads((self._path(epoch) / "meta.json").read_text(encoding="utf-8"))["segments"]
            total = sum(segment["max_doc"] for segment in segments)
            dead = sum((segment["deletes"] or {}).get("num_deleted_docs", 0) for segment in segments)
        except (OSError, ValueError, KeyError, TypeError):
            return 0.0
        return dead / total if total else 0.0

    def drop_other_epochs(self, epoch: int) -> None:
        """Remove the directories of epochs no longer in use."""
        for path in self._directory.glob("*"):
            if path.name != str(epoch):
                shutil.rmtree(path, ignore_errors=True)  # a reader on Windows may hold it: the next sweep does it

    @contextmanager
    def _translated(self, epoch: int) -> Iterator[None]:
        """Errors of Tantivy, which are all of one kind, as Clew's own."""
        try:
            yield
        except ValueError as error:
            self._opened.pop(epoch, None)
            path = self._path(epoch)
            if any(sign in str(error) for sign in _FULL):
                raise StoreFull(f"no room left on the disk for {path}; free some and run the command again") from error
            text = str(error)[:_SHOWN_CHARACTERS]
            raise StoreCorrupt(
                f"the candidate index at {path} is damaged ({text}); `clew repair` rebuilds it"
            ) from error

    def _path(self, epoch: int) -> Path:
        return self._directory / str(epoch)

    def _open(self, epoch: int) -> Any:
        import tantivy

        if epoch not in self._opened:
            self._opened[epoch] = tantivy.Index.open(str(self._path(epoch)))
        return self._opened[epoch]

    def _create(self, epoch: int) -> Any:
        import tantivy

        builder = tantivy.SchemaBuilder()
        builder.add_unsigned_field("chunk", indexed=False, fast=True)
        builder.add_unsigned_field("facts", indexed=True)
        builder.add_text_field("text", tokenizer_name="whitespace", index_option="freq")
        path = self._path(epoch)
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir(parents=True)
        self._opened[epoch] = tantivy.Index(builder.build(), path=str(path))
        return self._opened[epoch]


class Writer:
    """Adds and removes the documents of whole facts."""

    def __init__(self, writer: Any, schema: Any) -> None:
        self._writer, self._schema = writer, schema

    def add(self, facts: int, texts: Iterable[str]) -> None:
        """One document for each chunk of `facts`, in order."""
        import tantivy

        for ordinal, text in enumerate(texts):
            document = tantivy.Document()
            document.add_unsigned("chunk", facts << CHUNK_BITS | ordinal)
            document.add_unsigned("facts", facts)
            document.add_text("text", text)
            self._writer.add_document(document)

    def remove(self, facts: int) -> None:
        """Every document of `facts`; none is fine."""
        import tantivy

        # Not delete_documents_by_term: in an unsigned field it removes nothing (tantivy 0.27).
        self._writer.delete_documents_by_query(tantivy.Query.term_query(self._schema, "facts", facts))
