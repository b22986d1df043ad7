"""The order of files for a query: what their chunks, names, definitions and places say, weighed.

Every weight is a share of what the best body match is worth; `benchmarks/retrieval/README.md` has what each
brought when it was left out. Files of several codebases are weighed against each other. Main calls:
`measure` for each codebase, then `weigh`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from clew import tokens
from clew.embed.encoder import Asked
from clew.search.best import best_chunks
from clew.search.paths import idf
from clew.search.query import Query
from clew.search.view import Near, View

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

BODY = 1.0  # the best chunks of a file by BM25
BODY_ALONE = 1.4  # the same, where there is no model to share the work with
DENSE = 0.70  # the same by meaning
PROVIDED = 0.35  # the same as a provider's model sees it: half, for a second opinion; a poor model does no harm then
STEM = 1.05  # how much of the file's name the query says: the more, the sooner it says it
DEFINITION = 0.70  # the file defines a name that the query spells out
ONE_NAME = 3.0  # times that, when the query is nothing but the name
DECLARED = 0.25  # times that, for a function of C that another file defines: so little that no name makes up for it
IN_TESTS = 0.5  # times that, in a test: names there are made up for it
SYNONYM = 0.6  # of a word of the file's name that the query says otherwise, times how close the two are
REEXPORT = 1.0  # of a definition: it hands on a name that nothing here defines
NAMES = 0.45  # its path and the names it defines, by meaning
QUOTED = 20.0  # the file has the text that the query quotes: more than all else together
PATH = 20.0  # the query gives its path, or the end of it: likewise
BELOW_PATH = 1.0  # the query gives a directory above it
DIRECTORY = 0.40  # the words of its directories
ABOUT = 0.23  # what the file says of itself at its top, where there is no model that reads it too
USED = 0.60  # many other files use what it defines: most others have less to say
DEFINITIONS = 0.14  # it defines much: the place where things are done, not where they are used
DEPTH = -0.30  # deeper than most: a detail
TEST = -1.00  # tests repeat what they test, more often than the code says it
HEADER = -0.30  # a header whose source is there: it declares what that does
BEHIND = 0.01  # how far behind it a header comes at the least
PROSE = -1.20  # documents speak of the code; who asks wants the code
LEGACY = -0.60  # kept for those who have not moved on, or not written by hand
MIN_DEPTH, MAX_DEPTH = -0.5, 1.5  # directories less or more than most that still count
DIRECTORY_B = 0.5  # how much a long path is discounted
K1 = 1.2
SURE = 0.8  # words this close count as the same
ALONE_CHUNKS = 5_000  # fewer are scored in the time that a thread takes to begin

FUNCTION_BODY, FUNCTION_DENSE = 0.4, 0.48  # what places a chunk: words, meaning
FUNCTION_PROVIDED = 0.24  # half of the bundled model's part, as for files

_ASKS_FOR_TESTS = frozenset("test spec mock fixtur benchmark exampl".split())
_ASKS_FOR_PROSE = frozenset("doc document readm changelog guid tutori".split())
_ASKS_FOR_LEGACY = frozenset("legaci compat deprec vendor generat old".split())
_ASKS_FOR_HEADERS = frozenset({"header"})
_KIND_WORTH = {
    **dict.fromkeys("class interface struct enum trait protocol type object module record union".split(), 1.2),
    **dict.fromkeys("variable constant field property".split(), 0.7),
    **dict.fromkeys("key section element rule".split(), 0.3),  # of data and prose: nothing is done there
}


@dataclass
class Measured:
    """What one codebase says of a query, before it is weighed."""

    view: View
    body: Floats  # of each chunk
    cosine: Floats | None  # of each chunk
    shares: dict[str, tuple[float, Floats]]  # of each document or file: weight, values to take as shares of the best
    centred: dict[str, tuple[float, Floats]]  # likewise, above the mean
    plain: dict[str, Floats]  # of each file, weighed already
    provided: Floats | None = None  # of each chunk, by a provider's model
    alike: Floats | None = None  # the query with all words alike, where `cosine` is of another

    @cached_property
    def legs(self) -> dict[str, tuple[Floats, float, float]]:
        """What speaks for a chunk: values, above what they count, and what one is worth."""
        legs = {"body": (self.body, 0.0, FUNCTION_BODY / max(_most(self.body), 1e-9))}
        models = (("dense", FUNCTION_DENSE, self.cosine), ("provided", FUNCTION_PROVIDED, self.provided))
        for name, weight, cosine in models:
            if cosine is not None and len(cosine):
                mean, best = float(cosine.mean()), _most(cosine)
                if best > mean:
                    legs[name] = (cosine, mean, weight / (best - mean))
        return legs


@dataclass(slots=True)
class Ranking:
    """Every file's score, and what it is the sum of."""

    total: Floats
    features: Mapping[str, Floats]


class Meaning(NamedTuple):
    """How near every chunk is to a query, by each model that is asked: begun, and waited for when it is called."""

    own: Callable[[], Near] | None
    provided: Callable[[], Near] | None


def begin_meaning(view: View, asked: Asked) -> Meaning:
    """Begin what takes longest and needs no Python, beside all the rest."""
    aside = len(view.chunks) > ALONE_CHUNKS
    own = None if asked.vector is None else view.near(asked.vector, aside=aside)
    others = None if asked.provided is None else view.near(asked.provided, provided=True, aside=aside)
    return Meaning(own, others)


def measure(
    view: View,
    query: Query,
    definitions: Mapping[int, float],
    asked: Asked,
    meaning: Meaning,
    quoting: frozenset[int] = frozenset(),
) -> Measured:
    """Measure every file; `definitions` has what each facts defines of the query, `asked` the query as the models see
    it, `meaning` what `begin_meaning` gave for it, `quoting` the blobs with what the query quotes."""
    import numpy as np

    hashes = [tokens.term_number(term) for term in query.terms]
    body = view.words.scores(hashes, asked.synonyms)
    has_model = asked.vector is not None
    shares = {"body": (BODY if has_model else BODY_ALONE, best_chunks(view, body))}
    if not has_model:
        shares["about"] = (ABOUT, view.about(hashes)[view.document])
    defined = np.zeros(len(view.facts), np.float32)
    for facts, value in definitions.items():
        place = int(np.searchsorted(view.facts, facts))
        if place < len(view.facts) and int(view.facts[place]) == facts:
            defined[place] = value
    plain = {
        "used": USED * view.used,
        "definitions": DEFINITIONS * view.extent,
        "definition": DEFINITION * (ONE_NAME if query.is_one_name else 1.0) * _settled(view, query, defined),
        **_path_features(view, query, asked),
    }
    if quoting:
        plain["quoted"] = QUOTED * np.fromiter(
            (file.blob in quoting for file in view.files), np.float32, len(view.files)
        )
    shares["directory"] = (DIRECTORY, _directory_scores(view, query))
    own, beside = meaning.own and meaning.own(), meaning.provided and meaning.provided()
    models = (("dense", DENSE, own), ("provided", PROVIDED, beside))
    centred = {name: (weight, near.best) for name, weight, near in models if near is not None}
    if own is not None:
        centred["names"] = (NAMES, own.files)
    cosine, provided = own and own.chunks, beside and beside.chunks
    return Measured(view, body, cosine, shares, centred, plain, provided, asked.alike)


def by_meaning(item: Measured) -> Measured:
    """The same without words, names and places."""
    import numpy as np

    nothing = np.zeros(len(item.view.files), np.float32)
    kept = {"definition": nothing, "stem": nothing}
    body = {"body": (BODY, nothing)}
    return Measured(item.view, item.body * 0, item.cosine, body, item.centred, kept, item.provided, item.alike)


def weigh(measured: Sequence[Measured]) -> list[Ranking]:
    """The score of every file of these codebases, on one scale."""
    import numpy as np

    rankings = [dict(item.plain) for item in measured]
    for name in measured[0].shares if measured else ():
        best = max(_most(item.shares[name][1]) for item in measured)
        for item, features in zip(measured, rankings, strict=True):
            weight, values = item.shares[name]
            features[name] = values * (weight / best) if best > 0 else values
    for name in measured[0].centred if measured else ():
        every = np.concatenate([item.centred[name][1] for item in measured])
        mean, best = (float(every.mean()), _most(every)) if len(every) else (0.0, 0.0)
        for item, features in zip(measured, rankings, strict=True):
            weight, values = item.centred[name]
            features[name] = (
                (values - mean) * (weight / (best - mean)) if best > mean else (values > 0).astype(np.float32) * weight
            )
    return [_ranked(item, features) for item, features in zip(measured, rankings, strict=True)]


def _ranked(item: Measured, features: dict[str, Floats]) -> Ranking:
    """The sum of the features; a header comes after its source, unless the query names what only the header has."""
    import numpy as np

    total: Floats = np.zeros(len(item.view.files), np.float32)
    for values in features.values():
        total += values
    headers, sources = item.view.headers, item.view.sources
    if "header" not in features or not len(headers):
        return Ranking(total, features)
    cut = np.minimum(total[sources] - BEHIND - total[headers], 0) * (features["header"][headers] < 0)
    for name in {"definition", "path", "quoted"} & features.keys():
        cut *= features[name][headers] <= features[name][sources]
    total[headers] += cut
    features["header"] = features["header"].copy()  # the same array serves other queries
    features["header"][headers] += cut
    return Ranking(total, features)


def chunk_scores(item: Measured, places: Any = slice(None)) -> Floats:
    """What places some chunks."""
    legs = item.legs.values()
    scores: Floats = sum((values[places] - low) * worth for values, low, worth in legs)
    return scores


def line_scores(item: Measured, places: Any) -> Floats:
    """What places chunks within their files. All words count alike here: what the files are about is settled."""
    scores = chunk_scores(item, places)
    if item.alike is not None and "dense" in item.legs:
        cosine, _, worth = item.legs["dense"]
        scores = scores + (item.view.cosines_at(places, item.alike) - cosine[places]) * worth
    return scores


def definition_value(name: str, wanted: str, kind: str, depth: int) -> float:
    """What one definition of a queried name is worth, before it is shared among the files that have one."""
    value = (1.0 if name == wanted else 0.6) * _KIND_WORTH.get(kind, 1.0)
    return value * 0.7 if depth > 1 else value


def shared_among(files: int) -> float:
    """A name that many files define is worth less in each."""
    return 1 / (1 + 0.15 * (files - 1))


def _path_features(view: View, query: Query, models: Asked) -> dict[str, Any]:
    terms = frozenset(query.terms)
    asked = tuple(
        bool(terms & words) for words in (_ASKS_FOR_TESTS, _ASKS_FOR_PROSE, _ASKS_FOR_LEGACY, _ASKS_FOR_HEADERS)
    )
    versions = _asked_versions(view, query)
    return {
        "stem": _stem_scores(view, query, models),
        **view.kept(("kinds", asked, versions), lambda: _kinds(view, asked, versions)),
        **({"path": _named_paths(view, query)} if query.paths else {}),
    }


def _kinds(view: View, asked: Sequence[bool], versions: frozenset[str]) -> dict[str, Any]:
    """What kinds of files count for a query that asks for tests, prose, what is left behind and headers or does not,
    and for files of these versions, though there are newer ones."""
    import numpy as np

    paths = view.paths

    def penalty(mask: Any, weight: float, is_asked: bool) -> Any:
        return mask.astype(np.float32) * (0.0 if is_asked else weight)

    for_tests, for_prose, for_legacy, for_headers = asked
    legacy = penalty(paths.is_legacy, LEGACY, for_legacy)
    legacy[[*paths.superseded]] = 0.0
    legacy[_superseded(view, versions)] = LEGACY
    depth = DEPTH * np.clip(paths.depth_beyond, MIN_DEPTH, MAX_DEPTH)
    return {
        "depth": np.where(legacy < 0, np.minimum(depth, 0.0), depth),  # what is left behind often lies at the top
        "test": penalty(paths.is_test, TEST, for_tests),
        "header": penalty(view.is_header, HEADER, for_headers),
        "prose": penalty(paths.is_prose, PROSE, for_prose),
        "legacy": legacy,
    }


def _named_paths(view: View, query: Query) -> Any:
    """Which files the query gives the path of."""
    import numpy as np

    found = np.zeros(len(view.files), np.float32)
    for wanted in query.paths:
        if "/" in wanted:
            below = view.paths.files_having(f"/{wanted}/")
            found[below] = np.maximum(found[below], BELOW_PATH)
    for wanted in query.paths:
        found[view.paths.files_having(f"/{wanted}\n")] = PATH
    return found


def _settled(view: View, query: Query, defined: Any) -> Any:
    """What each file defines of the query. Where a newer version defines it too, an older one counts for nothing; where
    all that is asked is a name, one in a test counts less."""
    found = _newest(view, query, defined)
    if query.is_one_name and _ASKS_FOR_TESTS.isdisjoint(query.terms):
        found[view.paths.is_test] *= IN_TESTS
    return found


def _newest(view: View, query: Query, defined: Any) -> Any:
    found, superseded = defined[view.document], _superseded(view, _asked_versions(view, query))
    if superseded and found.any():
        older = found[superseded]
        found[superseded] = 0.0
        if not found.any():
            found[superseded] = older
    return found


def _superseded(view: View, versions: frozenset[str]) -> list[int]:
    """The files that a newer version stands beside, but for those of some versions."""
    return [place for place, version in view.paths.superseded.items() if version not in versions]


def _asked_versions(view: View, query: Query) -> frozenset[str]:
    """The versions that a query names, of those that have a newer one."""
    return frozenset(word.lower() for word in query.words) & view.paths.old_versions


def _stem_scores(view: View, query: Query, models: Asked) -> Any:
    """How much of each file's name the query says, and how soon."""
    import numpy as np

    paths = view.paths
    said = np.zeros(paths.count, np.float32)
    closest: dict[str, float] = {}
    for wanted in (*query.content, *query.joined):
        count = query.count(wanted)
        for word, value in paths.stem_words_like(wanted):
            closest[word] = max(count * value, closest.get(word, 0.0))
        for term in tokens.terms_of(wanted)[:1]:
            for other, near in models.synonyms(tokens.term_number(term)):
                for word in paths.stem_words_of(other):
                    closest[word] = max(count * near * SYNONYM, closest.get(word, 0.0))
    for word in query.initials:
        if len(paths.files_with_stem(word)):
            closest[word] = max(SURE, closest.get(word, 0.0))
    for word, value in closest.items():
        said[paths.files_with_stem(word)] += value * paths.weight(word)
    said *= STEM / paths.stem_weights
    return said


def _directory_scores(view: View, query: Query) -> Any:
    import numpy as np

    paths = view.paths
    scores = np.zeros(paths.count, np.float32)
    counts: dict[str, float] = {}
    for word in (*query.content, *query.joined):
        for term in tokens.terms_of(word)[:1]:
            counts.setdefault(term, query.count(word))
    for term, weight in (dict.fromkeys(sorted(query.initials), 1.0) | counts).items():
        places, often = paths.files_in(term)
        if len(places):
            norm = K1 * (1 - DIRECTORY_B + DIRECTORY_B * paths.directory_lengths[places])
            scores[places] += weight * idf(paths.count, len(places)) * often * (K1 + 1) / (often + norm)
    return scores


def _most(values: Any) -> float:
    return float(values.max()) if len(values) else 0.0
