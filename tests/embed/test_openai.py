"""The HTTP provider: what is asked again, what is not, what is refused, and that nothing tells the key."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from email.utils import formatdate
from typing import Any

import numpy as np
import pytest

from clew.embed import openai
from clew.embed.openai import OpenAIBackend
from clew.embed.provider import Patience, Provider
from clew.errors import ProviderError
from tests.embed.server import KEY, EmbeddingServer, Fault, body, data, refusal, serving, silence, vector_of

TEXTS = ["steal a car", "cook some food", "read a file"]
PATIENCE = Patience(20.0, attempts=3)


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with serving() as made:
        yield made


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai, "FIRST_PAUSE_S", 0.01)


def backend(server: EmbeddingServer, **more: Any) -> OpenAIBackend:
    return OpenAIBackend(server.url, server.model, **more)


def rows(server: EmbeddingServer, **more: Any) -> list[Any]:
    return backend(server, **more).embed(TEXTS, PATIENCE, is_query=False)


def expected(server: EmbeddingServer) -> list[list[float]]:
    return [vector_of(text, server.dimension) for text in TEXTS]


def test_one_request_for_a_batch(server: EmbeddingServer) -> None:
    assert rows(server) == expected(server)
    assert server.requests == [{"model": "tiny", "input": TEXTS}]
    assert "Authorization" not in server.headers[0]


def test_key_and_dimension_are_sent(server: EmbeddingServer) -> None:
    server.key = KEY
    assert rows(server, key=KEY, dimension=64) == expected(server)
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert server.requests[0]["dimensions"] == 64


def test_rows_in_another_order_are_put_right(server: EmbeddingServer) -> None:
    server.faults = [data(lambda found: found[::-1])]
    assert rows(server) == expected(server)


def test_rows_without_an_index_are_taken_as_they_come(server: EmbeddingServer) -> None:
    server.faults = [data(lambda found: [{"embedding": row["embedding"]} for row in found])]
    assert rows(server) == expected(server)


@pytest.mark.parametrize(
    "faults",
    [
        [refusal(500), refusal(500)],
        [refusal(429), refusal(503)],
        [refusal(429, Retry_After="0")],
        [refusal(429, Retry_After="soon")],
        [body(b'{"data": [{"embed')],
        [body(b'{"data": []', Content_Length="500")],
        [body(b"")],
        [body(b"Bad gateway", 502)],
        [body(b"<html>busy</html>", 503)],
    ],
    ids=["500 twice", "429 and 503", "at once", "no number", "cut JSON", "cut body", "nothing", "text", "page"],
)
def test_what_passes_is_asked_again(server: EmbeddingServer, faults: list[Fault]) -> None:
    server.faults = list(faults)
    assert rows(server) == expected(server)
    assert len(server.requests) == len(faults) + 1


def test_a_server_that_says_when_is_believed(server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai, "FIRST_PAUSE_S", 0.0)
    server.faults = [refusal(429, Retry_After="0.3")]
    began = time.monotonic()
    rows(server)
    assert time.monotonic() - began >= 0.3


def test_a_date_is_a_pause_too() -> None:
    assert 50 < (openai._asked_pause(formatdate(time.time() + 60, usegmt=True)) or 0) <= 60
    assert openai._asked_pause(formatdate(time.time() - 60, usegmt=True)) == 0
    assert openai._asked_pause("-5") is None


def test_a_pause_of_an_hour_is_not_waited_for(server: EmbeddingServer) -> None:
    server.always = refusal(429, "quota", Retry_After="3600")
    with pytest.raises(ProviderError, match=r"429 \(quota\).*3600 s"):
        rows(server)
    assert len(server.requests) == 1


def test_pauses_grow_and_differ() -> None:
    many = [[openai._pause(attempt) for _ in range(200)] for attempt in range(1, 12)]
    for attempt, pauses in enumerate(many, start=1):
        most = min(openai.FIRST_PAUSE_S * 2 ** (attempt - 1), openai.MOST_PAUSE_S)
        assert all(most / 2 <= pause <= most for pause in pauses)
        assert len(set(pauses)) > 100


def test_it_gives_up_and_says_why(server: EmbeddingServer) -> None:
    server.always = refusal(500, "out of memory")
    with pytest.raises(ProviderError, match=r"500 \(out of memory\), 3 times; try again later"):
        rows(server)
    assert len(server.requests) == 3


def test_a_timeout_is_asked_again(server: EmbeddingServer) -> None:
    server.faults = [silence]
    found = backend(server).embed(TEXTS, Patience(0.3, attempts=2), is_query=False)
    assert found == expected(server)
    server.faults = [silence, silence]
    with pytest.raises(ProviderError, match="did not answer within 0 s, 2 times"):
        backend(server).embed(TEXTS, Patience(0.3, attempts=2), is_query=False)


def test_nobody_there() -> None:
    with serving() as server:
        pass
    with pytest.raises(ProviderError, match="could not be reached"):
        rows(server)


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (refusal(400, "input too long"), r"400 \(input too long\); check embedding_model"),
        (refusal(401, "bad key"), r"401 \(bad key\); check embedding_key"),
        (refusal(403), "403 .*check embedding_key"),
        (refusal(404, "no such model"), r"404 \(no such model\); check embedding_url .*embedding_model"),
        (refusal(413), "413 .*embedding_batch smaller"),
        (refusal(422), "422 .*embedding_batch smaller"),
        (refusal(418), "418 .*check embedding_url"),
        (refusal(307, Location="http://127.0.0.1:1/v1/embeddings"), "answered 307"),
        (refusal(302, Location="http://127.0.0.1:1/v1/embeddings"), "answered 302"),
        (body(b"<!doctype html><html>Welcome</html>"), "a web page; check embedding_url"),
        (body(b"<html>Not here</html>", 404), r"answered 404; check"),
        (body(b"[]"), "gave no embeddings"),
        (body(b'{"error": "model is loading"}'), r"gave no embeddings \(model is loading\)"),
        (body(b'{"data": [1, 2, 3]}'), "gave no embeddings"),
        (data(lambda found: found[:2]), "2 vectors for 3 texts"),
        (data(lambda found: [*found, found[0]]), "4 vectors for 3 texts"),
        (data(lambda found: [{**row, "index": 0} for row in found]), "without saying which text"),
        (data(lambda found: [{**row, "index": "x"} for row in found]), "without saying which text"),
    ],
)
def test_what_cannot_pass_is_not_asked_again(server: EmbeddingServer, fault: Fault, message: str) -> None:
    server.always = fault
    with pytest.raises(ProviderError, match=message):
        rows(server)
    assert len(server.requests) == 1


def test_an_answer_is_bounded(server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai, "MAX_ANSWER_BYTES", 1_000)
    with pytest.raises(ProviderError, match="larger than 1000 bytes"):
        rows(server)


@pytest.mark.parametrize("fault", [None, refusal(500, f"the key {KEY} is odd"), refusal(400, KEY)])
def test_the_key_is_in_no_message(server: EmbeddingServer, fault: Fault | None) -> None:
    server.key, server.always = KEY + "x", fault  # a server that repeats what it got
    made = backend(server, key=KEY)
    with pytest.raises(ProviderError) as caught:
        made.embed(TEXTS, PATIENCE, is_query=False)
    error: BaseException | None = caught.value
    while error is not None:
        assert KEY not in str(error)
        error = error.__cause__ or error.__context__
    assert KEY not in repr(made)


def test_waiting_can_be_ended(server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai, "FIRST_PAUSE_S", 60.0)
    server.always = refusal(500)
    cancelled = threading.Event()
    threading.Timer(0.2, cancelled.set).start()
    with pytest.raises(ProviderError):
        backend(server).embed(TEXTS, Patience(20.0, 6, cancelled), is_query=False)
    assert len(server.requests) == 2


def test_no_proxy_for_this_machine(server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    assert rows(server) == expected(server)
    assert openai._is_here("http://localhost:11434/v1") and openai._is_here("http://[::1]:80/v1")
    assert not openai._is_here("https://api.example.com/v1")


# -- what every provider's answer goes through ------------------------------------------------------


def provider(server: EmbeddingServer, **more: Any) -> Provider:
    return Provider(backend(server), **more)


def encode(made: Provider) -> Any:
    return made.encode_batch(TEXTS, PATIENCE)


def test_vectors_have_length_one(server: EmbeddingServer) -> None:
    made = provider(server)
    assert made.dimension == 0
    found = encode(made)
    assert found.dtype == np.float32 and np.allclose(np.linalg.norm(found, axis=1), 1)
    assert made.dimension == 64
    assert np.allclose(np.linalg.norm(made.encode_query("cook")), 1)
    assert made.encode_texts(TEXTS).shape == (3, 64)


def with_first(value: Any) -> Fault:
    return data(lambda found: [{**found[0], "embedding": value}, *found[1:]])


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (with_first([float("nan")] * 64), "not finite"),
        (with_first([float("inf")] * 64), "not finite"),
        (with_first([1e60] * 64), "not finite"),
        (with_first([1.0] * 63), "several lengths"),
        (with_first("AAAA"), "no number"),
        (data(lambda found: [{**row, "embedding": [1.0] * 20_000} for row in found]), "more than 16384"),
        (with_first([None] * 64), "not finite|no number"),
        (with_first([[1.0] * 64]), "several lengths"),
        (data(lambda found: [{**row, "embedding": []} for row in found]), "3 × 0 numbers"),
        (data(lambda found: [{**row, "embedding": 1.0} for row in found]), "3 numbers for 3 texts"),
    ],
)
def test_what_is_no_vector_is_refused(server: EmbeddingServer, fault: Fault, message: str) -> None:
    made = provider(server)
    server.always = fault
    with pytest.raises(ProviderError, match=message):
        encode(made)
    assert made.dimension == 0, "nothing was learned of it"


def test_a_text_that_says_nothing_may_have_the_zero_vector(server: EmbeddingServer) -> None:
    server.faults = [with_first([0.0] * 64)]
    found = encode(provider(server))
    assert not found[0].any() and found[1].any()
    server.always = data(lambda rows: [{**row, "embedding": [0.0] * 64} for row in rows])
    with pytest.raises(ProviderError, match="a vector of zeros"):
        provider(server).ready()


def test_the_dimension_is_learned_and_kept(server: EmbeddingServer) -> None:
    kept: list[int] = []
    made = provider(server, recall=lambda: kept[-1] if kept else 0, note=kept.append)
    made.ready()
    made.ready()
    encode(made)
    assert kept == [64]
    assert len(server.requests) == 2
    again = provider(server, recall=lambda: kept[-1], note=kept.append)
    again.ready()
    assert again.dimension == 64 and len(server.requests) == 2, "what is known is not asked for"
    server.dimension = 32
    encode(again)
    assert (again.dimension, kept) == (32, [64, 32])


def test_a_dimension_that_was_asked_for_is_kept_to(server: EmbeddingServer) -> None:
    made = provider(server, dimension=32)
    with pytest.raises(ProviderError, match="64 numbers, not 32 as embedding_dimension says"):
        encode(made)
    assert made.dimension == 32


def test_a_question_that_got_no_answer_spares_the_next_ones(
    server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = provider(server)
    server.always = refusal(401, "bad key")
    for _ in range(3):
        with pytest.raises(ProviderError, match="bad key"):
            made.encode_query("cook")
    assert len(server.requests) == 1
    server.always = None
    moment = time.monotonic() + 40
    monkeypatch.setattr("clew.embed.provider.time.monotonic", lambda: moment)
    assert made.encode_query("cook").any()


def test_texts_are_bounded(server: EmbeddingServer) -> None:
    made = provider(server)
    made.encode_query("x " * 20_000)
    made.encode_texts(["x " * 20_000])
    assert {len(json.dumps(request)) < 7_000 for request in server.requests} == {True}
