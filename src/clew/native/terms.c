/* The terms of chunks: words are cut out and counted here, and what a word's terms are is asked for once.

   A table keeps the hashes of the terms of each word that was met. Asking runs Python, and another thread may use the
   same table meanwhile: nothing of it is held across that. */
#include "kernels.h"

#define MOST_COUNTED 255 /* of one term: frequencies are bytes */
#define MOST_KEPT_BYTES 255 /* of a word; longer ones are data, and asked for each time */
#define FIRST_ROOM 4096

typedef struct {
    uint64_t hash;
    uint32_t word, terms; /* where they are kept */
    uint8_t length, is_used;
    uint16_t count;
} Entry;

typedef struct {
    PyObject_HEAD
    PyObject *expand;
    Py_ssize_t limit, count, room; /* words at the most, words, entries */
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

/* Ask Python for the terms of a word, count and keep them; -1 with an exception set. */
static int ask(Terms *self, const uint8_t *word, Py_ssize_t length, uint64_t hash, Counted *counted) {
    PyObject *given = PyBytes_FromStringAndSize((const char *)word, length);
    PyObject *answer = given != NULL ? PyObject_CallFunctionObjArgs(self->expand, given, NULL) : NULL;
    Py_XDECREF(given);
    if (answer == NULL)
        return -1;
    char *bytes;
    Py_ssize_t size;
    int failed = -1;
    if (PyBytes_AsStringAndSize(answer, &bytes, &size) == 0) {
        const Py_ssize_t count = size / (Py_ssize_t)sizeof(uint32_t);
        uint32_t *terms = PyMem_Malloc((size_t)size + 1);
        if (terms != NULL) {
            memcpy(terms, bytes, (size_t)size);
            failed = count_terms(counted, terms, count);
            if (!failed && length <= MOST_KEPT_BYTES && count <= UINT16_MAX)
                failed = keep(self, word, length, hash, terms, count);
        }
        PyMem_Free(terms);
        if (failed)
            PyErr_NoMemory();
    }
    Py_DECREF(answer);
    return failed;
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
        } else if (ask(self, word, at - word, hash, counted) < 0) {
            return -1;
        }
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
    Py_ssize_t limit;
    if (!PyArg_ParseTuple(arguments, "On", &expand, &limit))
        return NULL;
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    Terms *self = (Terms *)allocate(type, 0);
    if (self == NULL)
        return NULL;
    self->expand = Py_NewRef(expand);
    self->limit = limit > 1 ? limit : 1;
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

/* Terms(expand, limit): `expand` gives the hashes of the terms of a word, four bytes each. */
PyType_Spec clew_terms_spec = {
    "clew.native._kernels.Terms", sizeof(Terms), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots,
};
