"""The bundled model: what it promises its callers, and that it still knows what belongs together."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from clew import tokens
from clew.embed import static
from clew.embed.encoder import Encoder
from clew.embed.static import MODEL, StaticEncoder
from clew.parse.extract import extract

pytestmark = pytest.mark.usefixtures("either_way")

SNIPPETS = {
    "read": "def load_settings(path):\n    with open(path) as file:\n        return json.load(file)\n",
    "retry": "func retryRequest(client *http.Client, attempts int) error {\n  time.Sleep(backoff)\n}\n",
    "sort": "fn merge_sorted(left: Vec<i32>, right: Vec<i32>) -> Vec<i32> { let mut out = Vec::new(); }",
    "hash": "String passwordDigest(byte[] salt) { return hex(MessageDigest.getInstance(SHA256).digest(salt)); }",
    "draw": "function drawRectangle(canvas, width, height, color) { canvas.fillRect(0, 0, width, height); }",
    "mail": "def send_message(smtp, recipients, subject):\n    smtp.sendmail(sender, recipients, body)\n",
}


@pytest.fixture(scope="module")
def encoder() -> StaticEncoder:
    return StaticEncoder()


def packed(text: str) -> tuple[bytes, bytes]:
    return tokens.pack_terms(tokens.text_terms(text.encode()))


def test_it_is_an_encoder(encoder: StaticEncoder) -> None:
    held: Encoder = encoder
    assert (held.provider, held.dimension) == ("clew", 256)
    assert held.model.startswith("static-code-")


def test_vectors_have_length_one(encoder: StaticEncoder) -> None:
    vectors = encoder.encode_texts(list(SNIPPETS.values()))
    assert vectors.shape == (len(SNIPPETS), encoder.dimension) and vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert np.isclose(np.linalg.norm(encoder.encode_query("read a file")), 1, atol=1e-5)


def test_the_same_text_has_the_same_vector(encoder: StaticEncoder) -> None:
    texts = list(SNIPPETS.values())
    assert np.array_equal(encoder.encode_texts(texts), StaticEncoder().encode_texts(texts))
    assert np.array_equal(encoder.encode_query("parse a date"), StaticEncoder().encode_query("parse a date"))


def test_neighbours_in_a_batch_do_not_matter(encoder: StaticEncoder) -> None:
    together = encoder.encode_texts(list(SNIPPETS.values()))
    alone = np.concatenate([encoder.encode_texts([text]) for text in SNIPPETS.values()])
    assert np.allclose(together, alone, atol=1e-6)


def test_a_batch_in_several_slices_is_the_same(encoder: StaticEncoder, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = [packed(text) for text in (*SNIPPETS.values(), "", *SNIPPETS.values())]
    terms, freqs = [t for t, _ in pairs], [f for _, f in pairs]
    whole = encoder.encode_packed(terms, freqs)
    monkeypatch.setattr(static, "BATCH_TERMS", 10)
    assert np.allclose(encoder.encode_packed(terms, freqs), whole, atol=1e-6)


def test_packed_terms_say_what_the_text_says(encoder: StaticEncoder) -> None:
    source = SNIPPETS["read"].encode()
    (chunk,) = extract(source, "python").chunks
    from_index = encoder.encode_packed([chunk.terms], [chunk.freqs])
    from_text = encoder.encode_texts(["load_settings\n" + SNIPPETS["read"]])  # a chunk has its definition's name on top
    assert np.allclose(from_index, from_text, atol=1e-6)


def test_order_of_terms_does_not_matter(encoder: StaticEncoder) -> None:
    one, other = encoder.encode_texts(["alpha beta gamma", "gamma alpha beta"])
    assert np.allclose(one, other, atol=1e-5)


def test_nothing_has_the_zero_vector(encoder: StaticEncoder) -> None:
    assert not encoder.encode_query("").any() and not encoder.encode_query("!? {}").any()
    assert not encoder.encode_texts(["", "  \n"]).any()
    assert encoder.encode_packed([], []).shape == (0, encoder.dimension)
    vectors = encoder.encode_packed(*zip(packed(""), packed("read file"), packed(""), strict=True))
    assert [bool(row.any()) for row in vectors] == [False, True, False]


def test_words_of_a_question_need_not_count_alike(encoder: StaticEncoder) -> None:
    text = "parseDate retry parse"
    plain, retry = encoder.encode_query(text), encoder.encode_query("retry")
    for weights in ((1, 1, 1), (3, 3, 3)):
        assert all(np.allclose(vector, plain, atol=1e-6) for vector in encoder.encode_weighted(text, weights))
    shares = []
    for weight in (0.1, 0.5, 1, 5):
        weighted, alike = encoder.encode_weighted(text, (1, weight, 1))
        assert np.allclose(alike, plain, atol=1e-6)
        shares.append(float(weighted @ retry))
    assert shares == sorted(shares) and shares[0] < shares[-1] - 0.2
    with pytest.raises(ValueError, match="zip"):
        encoder.encode_weighted(text, (1, 1))


def test_unknown_terms_do_no_harm(encoder: StaticEncoder) -> None:
    query = encoder.encode_query("zzqxv qwxzk vvxqj")
    assert np.isfinite(query).all() and np.linalg.norm(query) <= 1 + 1e-5
    plain, noisy = encoder.encode_query("retry a request"), encoder.encode_query("retry a request zzqxv")
    assert plain @ noisy > 0.5  # an unknown name counts, but does not take over


def test_hostile_bytes_are_only_bytes(encoder: StaticEncoder) -> None:
    terms = [b"\x00\x00\x00\x00\xff\xff\xff\xff", b"\xff\xff\xff\xff"]
    vectors = encoder.encode_packed(terms, [b"\x00\xff", b"\x01"])
    assert np.isfinite(vectors).all()
    assert np.isfinite(encoder.encode_query("\udcff surrogate \x00")).all()


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("read the configuration from a file", "read"),
        ("repeat a failed http call after a delay", "retry"),
        ("combine two ordered lists", "sort"),
        ("hash a password with a salt", "hash"),
        ("paint a box on the screen", "draw"),
        ("deliver an email to somebody", "mail"),
    ],
)
def test_a_question_finds_its_answer(encoder: StaticEncoder, question: str, answer: str) -> None:
    scores = encoder.encode_texts(list(SNIPPETS.values())) @ encoder.encode_query(question)
    assert list(SNIPPETS)[int(scores.argmax())] == answer


@pytest.mark.parametrize(
    ("near", "far"),
    [(("remove", "delete"), "draw"), (("directory", "folder"), "password"), (("fetch", "download"), "matrix")],
)
def test_words_that_mean_the_same_are_near(encoder: StaticEncoder, near: tuple[str, str], far: str) -> None:
    one, other = encoder.encode_texts(list(near))
    (stranger,) = encoder.encode_texts([far])
    assert one @ other > one @ stranger + 0.1


def test_nothing_is_read_before_it_is_needed() -> None:
    code = (
        "import sys, clew.embed.encoder, clew.embed.static as s; e = s.StaticEncoder(); "
        "print('numpy' in sys.modules, '_weights' in vars(e)); e.encode_query('a'); print('numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False", "True"]


def test_a_missing_model_is_told_by_its_path(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"hashes\.npy"):
        StaticEncoder(tmp_path).encode_query("a")


def test_the_model_is_as_its_card_says() -> None:
    card = json.loads((MODEL / "model.json").read_text("utf-8"))
    rows, hashes = np.load(MODEL / "rows.npy", mmap_mode="r"), np.load(MODEL / "hashes.npy")
    assert rows.shape == (card["terms"] + card["buckets"], card["dimension"]) and rows.dtype == np.int8
    assert len(hashes) == card["terms"] and (np.diff(hashes.astype(np.int64)) > 0).all()
    assert sum(path.stat().st_size for path in MODEL.iterdir()) <= 20_000_000


def test_synonyms_are_terms_that_mean_about_the_same(encoder: StaticEncoder) -> None:
    def hashed(word: str) -> int:
        return int.from_bytes(tokens.term_hash(tokens.terms_of(word)[0]), "little")

    for word, meant in (("delete", "remove"), ("directory", "dir"), ("authenticate", "auth"), ("error", "err")):
        found = dict(encoder.synonyms(hashed(word)))
        assert hashed(meant) in found and hashed(word) not in found
        assert 0 < len(found) <= 5 and all(0.44 < near <= 1 for near in found.values())
    assert encoder.synonyms(hashed("qwertyuiopasdf")) == []
