"""Compares edges with facts: precision, recall, and which of them disagree.

A site is a place where a name stands. Checkers accept one or more definitions there, or say that it is a library's
name or a local variable. Each edge is right, wrong or, without an opinion, uncounted; a site with a fact is found when
one edge at it is right. Main calls: `Scorer`, `score`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from benchmarks.graph.calls import CallCounts, Callers
from benchmarks.graph.edges import Edge
from benchmarks.graph.facts import Fact, Truth
from benchmarks.graph.judged import Judgements

Key = tuple[str, int, int]

APART = frozenset({"import", "string", "key"})  # roles that have figures of their own
NO_SYMBOL = frozenset({"attribute"})  # kinds that recall leaves out: Clew has no symbol for `self.x = ...`
_CONSTRUCTORS = frozenset({"__init__", "__new__", "constructor"})


@dataclass(slots=True)
class Site:
    """What checkers say of one place."""

    role: str
    is_call: bool
    facts: list[Fact] = field(default_factory=list)
    elsewhere: set[str] = field(default_factory=set)
    found: set[str] = field(default_factory=set)  # tiers of the edges that were right
    edges: int = 0

    @property
    def is_wanted(self) -> bool:
        """Whether an edge must be here: a symbol is meant, and no branch of the code means a library's."""
        return bool(self.facts) and not self.elsewhere and any(fact.kind not in NO_SYMBOL for fact in self.facts)


class Disagreement(NamedTuple):
    """An edge that no checker accepts, or (without an edge) a fact that Clew has not."""

    key: Key
    edge: Edge | None
    site: Site


@dataclass(slots=True)
class Counts:
    """Of edges and the sites that they should be at."""

    right: int = 0
    wrong: int = 0
    phantom: int = 0  # of the wrong ones: a library's name or a local variable is meant
    found: int = 0
    wanted: int = 0

    def as_json(self) -> dict[str, Any]:
        return {
            "precision": _ratio(self.right, self.right + self.wrong),
            "recall": _ratio(self.found, self.wanted),
            "edges": self.right + self.wrong,
            "phantom": self.phantom,
            "wanted": self.wanted,
        }


@dataclass(slots=True)
class Report:
    """All figures for one project."""

    tiers: dict[str, Counts] = field(default_factory=lambda: defaultdict(Counts, all=Counts()))
    imports: Counts = field(default_factory=Counts)
    kinds: dict[str, Counts] = field(default_factory=lambda: defaultdict(Counts))
    calls: CallCounts = field(default_factory=CallCounts)
    only_clew: int = 0  # sites with an edge, but no opinion
    only_checker: int = 0  # sites with a fact, but no edge at all
    sorts: Counter[str] = field(default_factory=Counter)  # of all disagreements
    disagreements: list[Disagreement] = field(default_factory=list)  # as many as were to be kept

    def as_json(self) -> dict[str, Any]:
        return {
            **self.tiers["all"].as_json(),
            "only_clew": self.only_clew,
            "only_checker": self.only_checker,
            "disagreements": dict(self.sorts.most_common()),
            "tiers": {tier: counts.as_json() for tier, counts in sorted(self.tiers.items()) if tier != "all"},
            "recall_by_kind": {
                kind: {"recall": _ratio(counts.found, counts.wanted), "wanted": counts.wanted}
                for kind, counts in sorted(self.kinds.items())
            },
            "imports": self.imports.as_json(),
            "calls": self.calls.as_json(),
        }


class Scorer:
    """Sees one edge after the other, so that a stream of millions can be scored in several ways at once."""

    def __init__(
        self, truth: Truth, *, checkers: Collection[str] = (), judgements: Judgements | None = None, keep: int = 0
    ) -> None:
        self._project, self._files = truth.project, frozenset(truth.files)
        self._sites = sites_of(truth, checkers)
        self._callers = Callers(truth.definitions)
        self._judgements = judgements or Judgements()
        self._alone: set[Key] = set()
        self._keep = keep
        self._report = Report()

    def see(self, edge: Edge) -> None:
        """Count one edge."""
        key = (edge.path, edge.line, edge.column)
        site = self._sites.get(key)
        if site is None:
            if edge.role != "import" and edge.path in self._files:
                self._alone.add(key)
            return
        site.edges += 1
        accepted = next((fact for fact in site.facts if matches(edge, fact)), None)
        is_right = accepted is not None or self._judgements.edge_is_right(self._project, edge)
        report = self._report
        _count(report, edge, site, is_right)
        if site.role in APART:
            return
        if site.is_call:
            callee = (accepted.target_path, accepted.name) if accepted else (edge.target_path, edge.target_name)
            report.calls.saw(self._callers.of(edge.path, edge.line), callee, is_right)
        if not is_right:
            report.sorts[sort_of(edge, site)] += 1
            if len(report.disagreements) < self._keep:
                report.disagreements.append(Disagreement(key, edge, site))

    def report(self) -> Report:
        """The figures, once all edges were seen."""
        report = self._report
        report.only_clew = len(self._alone)
        for key, site in self._sites.items():
            if site.role in APART - {"import"} or not site.facts or self._judgements.fact_is_wrong(self._project, key):
                continue
            if site.role == "import":
                report.imports.wanted += 1
                report.imports.found += bool(site.found)
                continue
            if not site.elsewhere:
                report.kinds[site.facts[0].kind].wanted += 1
                report.kinds[site.facts[0].kind].found += bool(site.found)
            if site.is_wanted:
                self._want(key, site)
        return report

    def _want(self, key: Key, site: Site) -> None:
        report = self._report
        for tier, counts in report.tiers.items():
            counts.wanted += 1
            counts.found += bool(site.found) if tier == "all" else tier in site.found
        if site.is_call and len(site.facts) == 1:
            fact = site.facts[0]
            report.calls.want(self._callers.of(key[0], key[1]), (fact.target_path, fact.name))
        if not site.edges:
            report.only_checker += 1
            report.sorts[sort_of(None, site)] += 1
            report.disagreements.append(Disagreement(key, None, site))


def score(truth: Truth, edges: Iterable[Edge]) -> Report:
    """Compare edges with what all checkers say."""
    scorer = Scorer(truth, keep=10_000)
    for edge in edges:
        scorer.see(edge)
    return scorer.report()


def sites_of(truth: Truth, checkers: Collection[str] = ()) -> dict[Key, Site]:
    """What is said of each place by these checkers, or by all; what scopes alone tell always counts."""
    wanted = {*checkers, "scopes"} if checkers else None
    sites: dict[Key, Site] = {}
    for fact in truth.facts:
        if wanted is None or wanted.intersection(fact.by):
            key = (fact.path, fact.line, fact.column)
            sites.setdefault(key, Site(fact.role, fact.is_call)).facts.append(fact)
    for row in truth.elsewhere:
        if wanted is None or wanted.intersection(row.by):
            key = (row.path, row.line, row.column)
            sites.setdefault(key, Site(row.role, row.is_call)).elsewhere.add(row.where)
    return sites


def matches(edge: Edge, fact: Fact) -> bool:
    """Whether both point at the same definition: the same file and name, and one of its lines or its qualified name."""
    if edge.target_path != fact.target_path:
        return False
    if fact.kind == "module":
        return edge.target_line <= 1 and "." not in edge.target_name
    mine, theirs = _owner(edge.target_name), _owner(fact.name)
    if fact.kind == "macro":  # one for each branch of an #if, of which a compiler sees the one that holds
        return mine.rpartition(".")[2] == theirs.rpartition(".")[2]
    if mine == theirs or ("clang" in fact.by and theirs.endswith(f".{mine}")):  # namespaces that a macro opens
        return True
    is_same_line = edge.target_line in (fact.target_line, *fact.also)
    return is_same_line and mine.rpartition(".")[2] == theirs.rpartition(".")[2]


def _owner(name: str) -> str:
    """A constructor stands for its class: `C()` may point at either."""
    owner, _, last = name.rpartition(".")
    return owner if owner and (last in _CONSTRUCTORS or last == owner.rpartition(".")[2]) else name


def _count(report: Report, edge: Edge, site: Site, is_right: bool) -> None:
    if site.role in APART:
        groups = [report.imports] if site.role == "import" else []
    else:
        groups = [report.tiers["all"], report.tiers[edge.tier]]
    for counts in groups:
        counts.right += is_right
        counts.wrong += not is_right
        counts.phantom += not is_right and not site.facts
    if is_right:
        site.found.add(edge.tier)


def sort_of(edge: Edge | None, site: Site) -> str:
    """Why an edge is wrong, or that it is missing."""
    if edge is None:
        return "missing"
    if site.facts:
        return "other target"
    return "library" if "library" in site.elsewhere else "local"


def _ratio(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None
