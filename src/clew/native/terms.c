/* The terms of chunks: words are cut out, taken apart and counted here, and what the term of a part is, is asked for once.

   A table keeps the hashes of the terms of each word that was met. Asking runs Python, and another thread may use the
   same table meanwhile: nothing of it is held across that. */
#include "kernels.h"

#define MOST_COUNTED 255 /* of one term: frequencies are bytes */
#define MOST_KEPT_BYTES 255 /* of a word; longer ones are data, and asked for each time */
#define FIRST_ROOM 4096
#define MOST_PARTS 64 /* that `Terms` can be told to take a word apart into */

typedef struct {
    uint64_t hash;
    uint32_t word, terms; /* where they are kept */
    uint8_t length, is_used;
    uint16_t count;
} Entry;

typedef struct {
    PyObject_HEAD
    PyObject *expand;
    Py_ssize_t limit, count, room;     /* words at the most, words, entries */
    Py_ssize_t most_bytes, most_parts; /* of a word that is taken apart */
    uint64_t seed;                 /* so that no source can be written whose words all meet in the table */
    Entry *entries;
    uint8_t *words;
    uint32_t *terms;
    uint32_t words_size, words_room, terms_size, terms_room;
} Terms;

/* What a chunk has: distinct terms in the order in which they come first, each with its count. */
typedef struct {
    uint32_t *terms, *places; /* places: numbers of terms and 1 more, by their hash; 0 where there is none */
    uint8_t *counts;
    Py_ssize_t size, room, total; /* room: a power of two, at least twice the size */
    uint32_t seed;
} Counted;

static int is_word(uint8_t byte) {
    return byte > 127 || byte == '_' || (byte >= '0' && byte <= '9') || ((byte | 32) >= 'a' && (byte | 32) <= 'z');
}

static uint64_t hash_of(const uint8_t *word, Py_ssize_t length, uint64_t hash) {
    for (; length >= 8; length -= 8, word += 8) {
        uint64_t part;
        memcpy(&part, word, 8);
        hash = (hash ^ part) * UINT64_C(0x9E3779B97F4A7C15);
        hash ^= hash >> 29;
    }
    uint64_t rest = (uint64_t)length << 56;
    memcpy(&rest, word, (size_t)length);
    hash = (hash ^ rest ^ (uint64_t)length << 59) * UINT64_C(0xBF58476D1CE4E5B9);
    return hash ^ hash >> 32;
}

/* -- the words that are known ---------------------------------------------------------------------- */

static Entry *entry_of(const Terms *self, const uint8_t *word, Py_ssize_t length, uint64_t hash) {
    for (uint64_t at = hash;; at++) {
        Entry *entry = &self->entries[at & (uint64_t)(self->room - 1)];
        if (!entry->is_used || (entry->hash == hash && entry->length == length &&
                                memcmp(self->words + entry->word, word, (size_t)length) == 0))
            return entry;
    }
}

static int make_room(Terms *self) {
    const Py_ssize_t room = self->room ? 2 * self->room : FIRST_ROOM;
    Entry *entries = PyMem_Calloc((size_t)room, sizeof(Entry)), *old = self->entries;
    if (entries == NULL)
        return -1;
    for (Py_ssize_t i = 0; i < self->room; i++)
        if (old[i].is_used) {
            uint64_t at = old[i].hash;
            while (entries[at & (uint64_t)(room - 1)].is_used)
                at++;
            entries[at & (uint64_t)(room - 1)] = old[i];
        }
    PyMem_Free(old);
    self->entries = entries;
    self->room = room;
    return 0;
}

/* Room for `more` items in an array that grows; -1 where there is none. */
static int grow(void **array, size_t item, uint32_t size, uint32_t *room, size_t more) {
    if (size + more <= *room)
        return 0;
    const size_t wanted = 2 * (size + more);
    void *grown = wanted <= UINT32_MAX ? PyMem_Realloc(*array, wanted * item) : NULL;
    if (grown == NULL)
        return -1;
    *array = grown;
    *room = (uint32_t)wanted;
    return 0;
}

static int keep(Terms *self, const uint8_t *word, Py_ssize_t length, uint64_t hash, const uint32_t *terms,
                Py_ssize_t count) {
    if (self->count >= self->limit) {
        memset(self->entries, 0, (size_t)self->room * sizeof(Entry));
        self->count = 0;
        self->words_size = self->terms_size = 0;
    }
    if (2 * (self->count + 1) > self->room && make_room(self) < 0)
        return -1;
    Entry *entry = entry_of(self, word, length, hash);
    if (entry->is_used) /* another thread was sooner */
        return 0;
    if (grow((void **)&self->words, 1, self->words_size, &self->words_room, (size_t)length) < 0 ||
        grow((void **)&self->terms, sizeof(uint32_t), self->terms_size, &self->terms_room, (size_t)count) < 0)
        return -1;
    memcpy(self->words + self->words_size, word, (size_t)length);
    if (count) /* else there may be no array yet */
        memcpy(self->terms + self->terms_size, terms, (size_t)count * sizeof(uint32_t));
    *entry = (Entry){hash, self->words_size, self->terms_size, (uint8_t)length, 1, (uint16_t)count};
    self->words_size += (uint32_t)length;
    self->terms_size += (uint32_t)count;
    self->count++;
    return 0;
}

/* -- the terms of one chunk ------------------------------------------------------------------------ */

static uint32_t *place_of(Counted *counted, uint32_t term) {
    for (uint32_t at = (term * counted->seed) >> 7;; at++) {
        uint32_t *place = &counted->places[at & (uint32_t)(counted->room - 1)];
        if (*place == 0 || counted->terms[*place - 1] == term)
            return place;
    }
}

static int widen(Counted *counted) {
    const Py_ssize_t room = counted->room ? 2 * counted->room : 1024;
    uint32_t *places = PyMem_Calloc((size_t)room, sizeof(uint32_t));
    uint32_t *terms = PyMem_Realloc(counted->terms, (size_t)(room / 2) * sizeof(uint32_t));
    counted->terms = terms != NULL ? terms : counted->terms;
    uint8_t *counts = PyMem_Realloc(counted->counts, (size_t)(room / 2));
    counted->counts = counts != NULL ? counts : counted->counts;
    if (places == NULL || terms == NULL || counts == NULL) {
        PyMem_Free(places);
        return -1;
    }
    PyMem_Free(counted->places);
    counted->places = places;
    counted->room = room;
    for (Py_ssize_t i = 0; i < counted->size; i++)
        *place_of(counted, terms[i]) = (uint32_t)i + 1;
    return 0;
}

static int count_terms(Counted *counted, const uint32_t *terms, Py_ssize_t count) {
    for (Py_ssize_t i = 0; i < count; i++) {
        if (2 * (counted->size + 1) > counted->room && widen(counted) < 0)
            return -1;
        uint32_t *place = place_of(counted, terms[i]);
        if (*place == 0) {
            counted->terms[counted->size] = terms[i];
            counted->counts[counted->size] = 1;
            *place = (uint32_t)++counted->size;
        } else if (counted->counts[*place - 1] < MOST_COUNTED) {
            counted->counts[*place - 1]++;
        }
        counted->total++;
    }
    return 0;
}

/* Count the terms of a word, if they are wanted, and keep them; -1 without an exception where there is no room. */
static int take(Terms *self, const uint8_t *word, Py_ssize_t length, uint64_t hash, const uint32_t *terms,
                Py_ssize_t count, Counted *counted) {
    if (counted != NULL && count_terms(counted, terms, count) < 0)
        return -1;
    return length <= MOST_KEPT_BYTES && count <= UINT16_MAX ? keep(self, word, length, hash, terms, count) : 0;
}

/* Ask Python for the terms of a word and take them; the first goes into `first`, if there is one. How many there are, or
   -1 with an exception set. */
static Py_ssize_t ask(Terms *self, const uint8_t *word, Py_ssize_t length, uint64_t hash, Counted *counted,
                      uint32_t *first) {
    PyObject *given = PyBytes_FromStringAndSize((const char *)word, length);
    PyObject *answer = given != NULL ? PyObject_CallFunctionObjArgs(self->expand, given, NULL) : NULL;
    Py_XDECREF(given);
    if (answer == NULL)
        return -1;
    char *bytes;
    Py_ssize_t size, count = -1;
    if (PyBytes_AsStringAndSize(answer, &bytes, &size) == 0) {
        uint32_t *terms = PyMem_Malloc((size_t)size + 1);
        if (terms != NULL) {
            memcpy(terms, bytes, (size_t)size);
            count = size / (Py_ssize_t)sizeof(uint32_t);
            *first = count ? terms[0] : 0;
            if (take(self, word, length, hash, terms, count, counted) < 0)
                count = -1;
        }
        PyMem_Free(terms);
        if (count < 0)
            PyErr_NoMemory();
    }
    Py_DECREF(answer);
    return count;
}

/* -- words that are taken apart -------------------------------------------------------------------- */

static int is_upper(uint8_t byte) { return byte >= 'A' && byte <= 'Z'; }
static int is_lower(uint8_t byte) { return byte >= 'a' && byte <= 'z'; }
static int is_digit(uint8_t byte) { return byte >= '0' && byte <= '9'; }

/* Where the part of a word that begins at a place ends: `HTTP` and `Server` of `HTTPServer`, digits for themselves. */
static Py_ssize_t part_end(const uint8_t *word, Py_ssize_t length, Py_ssize_t at) {
    const Py_ssize_t begin = at;
    if (is_digit(word[at])) {
        while (at < length && is_digit(word[at]))
            at++;
        return at;
    }
    while (at < length && is_upper(word[at]))
        at++;
    if (at < length && is_lower(word[at])) {
        if (at - begin > 1)
            return at - 1; /* the last one begins the next part */
        while (at < length && is_lower(word[at]))
            at++;
    }
    return at;
}

/* The hash of a term, its bytes in the order in which Python writes them: CRC-32. */
static uint32_t term_of(const uint8_t *text, Py_ssize_t length) {
    static const uint32_t halves[16] = {
        0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
        0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
    };
    uint32_t sum = ~UINT32_C(0), term;
    for (Py_ssize_t i = 0; i < length; i++) {
        sum ^= text[i];
        sum = sum >> 4 ^ halves[sum & 15];
        sum = sum >> 4 ^ halves[sum & 15];
    }
    sum = ~sum;
    const uint8_t bytes[4] = {(uint8_t)sum, (uint8_t)(sum >> 8), (uint8_t)(sum >> 16), (uint8_t)(sum >> 24)};
    memcpy(&term, bytes, 4);
    return term;
}

/* Take a word of ASCII apart, and take the terms of its parts and of the whole. 1 where that was done, 0 where it is for
   Python to say, -1 with an exception set. `_expand` in tokens.py says the same. */
static int take_apart(Terms *self, const uint8_t *word, Py_ssize_t length, uint64_t hash, Counted *counted) {
    uint8_t small[MOST_KEPT_BYTES];
    uint32_t terms[MOST_PARTS + 1];
    Py_ssize_t ends[MOST_PARTS], starts[MOST_PARTS], parts = 0, count = 0;
    if (length > self->most_bytes)
        return 0;
    for (Py_ssize_t at = 0; at < length; at++) {
        if (word[at] > 127)
            return 0;
        small[at] = is_upper(word[at]) ? word[at] | 32 : word[at];
    }
    for (Py_ssize_t at = 0; at < length; at++) {
        if (word[at] == '_')
            continue;
        if (parts == self->most_parts)
            return 0;
        starts[parts] = at;
        at = ends[parts++] = part_end(word, length, at);
        at--;
    }
    const int is_one = parts == 1 && ends[0] - starts[0] == length;
    if (is_one && memcmp(small, word, (size_t)length) == 0)
        return 0; /* a part itself */
    for (Py_ssize_t part = 0; part <= parts; part++) {
        uint32_t term;
        if (part == parts) {
            if (is_one || parts == 0)
                break;
            term = term_of(small, length);
        } else {
            const uint8_t *const begin = small + starts[part];
            const Py_ssize_t size = ends[part] - starts[part];
            const uint64_t of_part = hash_of(begin, size, self->seed);
            const Entry *const entry = entry_of(self, begin, size, of_part);
            Py_ssize_t known = entry->count;
            if (!entry->is_used)
                known = ask(self, begin, size, of_part, NULL, &term); /* the table may be another now */
            else if (known)
                term = self->terms[entry->terms];
            if (known != 1)
                return known < 0 ? -1 : 0;
        }
        Py_ssize_t same = 0;
        while (same < count && terms[same] != term)
            same++;
        terms[same] = term;
        count += same == count;
    }
    if (take(self, word, length, hash, terms, count, counted) < 0) {
        PyErr_NoMemory();
        return -1;
    }
    return 1;
}

static int count_words(Terms *self, const uint8_t *at, const uint8_t *end, Counted *counted) {
    for (;;) {
        while (at < end && !is_word(*at))
            at++;
        if (at == end)
            return 0;
        const uint8_t *word = at;
        while (at < end && is_word(*at))
            at++;
        const uint64_t hash = hash_of(word, at - word, self->seed);
        const Entry *entry = at - word <= MOST_KEPT_BYTES ? entry_of(self, word, at - word, hash) : NULL;
        if (entry != NULL && entry->is_used) {
            if (count_terms(counted, self->terms + entry->terms, entry->count) < 0) {
                PyErr_NoMemory();
                return -1;
            }
            continue;
        }
        const int done = take_apart(self, word, at - word, hash, counted);
        uint32_t unused;
        if (done < 0 || (done == 0 && ask(self, word, at - word, hash, counted, &unused) < 0))
            return -1;
    }
}

/* pack(scope, text) -> (number of terms, distinct terms, their frequencies): those of both together. */
static PyObject *pack(Terms *self, PyObject *arguments) {
    PyObject *owners[2], *result = NULL;
    Array arrays[2] = {0};
    Counted counted = {NULL, NULL, NULL, 0, 0, 0, (uint32_t)self->seed | 1};
    if (!PyArg_ParseTuple(arguments, "OO", &owners[0], &owners[1]))
        return NULL;
    const Py_ssize_t widths[2] = {1, 1};
    if (clew_borrow(owners, widths, 2, -1, arrays) < 0)
        goto end;
    for (int i = 0; i < 2; i++) {
        const uint8_t *const first = arrays[i].held.buf;
        if (count_words(self, first, first + arrays[i].count, &counted) < 0)
            goto end;
    }
    result = Py_BuildValue("ny#y#", counted.total, (const char *)(counted.size ? counted.terms : &counted.seed),
                           counted.size * (Py_ssize_t)sizeof(uint32_t),
                           (const char *)(counted.size ? counted.counts : (uint8_t *)""), counted.size);
end:
    PyMem_Free(counted.terms);
    PyMem_Free(counted.places);
    PyMem_Free(counted.counts);
    clew_give_back(arrays, 2);
    return result;
}

static PyObject *make(PyTypeObject *type, PyObject *arguments, PyObject *Py_UNUSED(named)) {
    PyObject *expand, *salt = NULL;
    Py_ssize_t limit, most_bytes, most_parts;
    if (!PyArg_ParseTuple(arguments, "Onnn", &expand, &limit, &most_bytes, &most_parts))
        return NULL;
    if (most_bytes > MOST_KEPT_BYTES || most_parts < 0 || most_parts > MOST_PARTS) {
        PyErr_SetString(PyExc_ValueError, "words are not taken apart into so much");
        return NULL;
    }
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    Terms *self = (Terms *)allocate(type, 0);
    if (self == NULL)
        return NULL;
    self->expand = Py_NewRef(expand);
    self->limit = limit > 1 ? limit : 1;
    self->most_bytes = most_bytes;
    self->most_parts = most_parts;
    salt = PyUnicode_FromString("clew.native"); /* whose hash differs from process to process */
    self->seed = salt != NULL ? (uint64_t)PyObject_Hash(salt) * UINT64_C(0x9E3779B97F4A7C15) : 0;
    Py_XDECREF(salt);
    if (salt == NULL || make_room(self) < 0) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    return (PyObject *)self;
}

static void end(Terms *self) {
    PyTypeObject *type = Py_TYPE((PyObject *)self);
    PyObject_GC_UnTrack(self);
    Py_CLEAR(self->expand);
    PyMem_Free(self->entries);
    PyMem_Free(self->words);
    PyMem_Free(self->terms);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

static int visit(Terms *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE((PyObject *)self));
    Py_VISIT(self->expand);
    return 0;
}

static int forget(Terms *self) {
    Py_CLEAR(self->expand);
    return 0;
}

static PyMethodDef methods[] = {{"pack", (PyCFunction)pack, METH_VARARGS, NULL}, {NULL, NULL, 0, NULL}};

static PyType_Slot slots[] = {
    {Py_tp_new, make},        {Py_tp_dealloc, end}, {Py_tp_traverse, visit},
    {Py_tp_clear, forget},    {Py_tp_methods, methods}, {0, NULL},
};

/* Terms(expand, limit, most_bytes, most_parts): `expand` gives the hashes of the terms of a word, four bytes each. Words of
   ASCII up to so many bytes and parts are taken apart here, so that it is asked for their parts alone. */
PyType_Spec clew_terms_spec = {
    "clew.native._kernels.Terms", sizeof(Terms), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots,
};
