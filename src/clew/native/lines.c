/* Lines of joined contents that have a literal, found without Python's lock, and such lines picked out. */
#include "kernels.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define ONES UINT64_C(0x0101010101010101)
#define HIGHS UINT64_C(0x8080808080808080)
#define HAS_ZERO(v) (((v) - ONES) & ~(v) & HIGHS)

/* How a byte counts beside a word that is looked for: in no word, in one, or not to be told without its neighbours. */
enum { APART, WITHIN, UNSURE };

typedef struct {
    int64_t line, start, stop, column;
} Row;

typedef struct {
    Row *rows;
    Py_ssize_t count, room;
} Rows;

static int append(Rows *found, Row row) {
    if (found->count == found->room) {
        const Py_ssize_t room = found->room ? 2 * found->room : 1024;
        Row *rows = realloc(found->rows, (size_t)room * sizeof(Row));
        if (rows == NULL)
            return -1;
        found->rows = rows;
        found->room = room;
    }
    found->rows[found->count++] = row;
    return 0;
}

static int64_t count_line_ends(const uint8_t *at, const uint8_t *end) {
    int64_t count = 0;
    while (at < end) { /* in steps whose counts fit a byte, so that they are taken many bytes at once */
        const uint8_t *stop = end - at > 255 ? at + 255 : end;
        uint8_t part = 0;
        for (; at < stop; at++)
            part += *at == '\n';
        count += part;
    }
    return count;
}

/* The first place of a needle from `at` on, NULL for none: many places at once by its first and last byte. */
static const uint8_t *find(const uint8_t *at, const uint8_t *end, const uint8_t *needle, Py_ssize_t length) {
    if (length == 1)
        return memchr(at, needle[0], (size_t)(end - at));
#if defined(__SSE2__)
    const __m128i head = _mm_set1_epi8((char)needle[0]), tail = _mm_set1_epi8((char)needle[length - 1]);
    for (; end - at >= length + 15; at += 16) {
        const __m128i here = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)at), head);
        const __m128i there = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(at + length - 1)), tail);
        unsigned places = (unsigned)_mm_movemask_epi8(_mm_and_si128(here, there));
        for (; places != 0; places &= places - 1) {
            const uint8_t *const place = at + __builtin_ctz(places);
            if (memcmp(place, needle, (size_t)length) == 0)
                return place;
        }
    }
#endif
    const uint64_t first = ONES * needle[0], last = ONES * needle[length - 1];
    for (; end - at >= length + 7; at += 8) {
        uint64_t here, there;
        memcpy(&here, at, 8);
        memcpy(&there, at + length - 1, 8);
        const uint64_t differs = (here ^ first) | (there ^ last);
        if (HAS_ZERO(differs))
            for (int i = 0; i < 8; i++)
                if (at[i] == needle[0] && memcmp(at + i, needle, (size_t)length) == 0)
                    return at + i;
    }
    for (; end - at >= length; at++)
        if (*at == needle[0] && memcmp(at, needle, (size_t)length) == 0)
            return at;
    return NULL;
}

static int is_plain(const uint8_t *at, const uint8_t *end) {
    uint8_t all = 0;
    for (; at < end; at++)
        all |= *at;
    return all < 128;
}

/* The place in the line from `place` on where the needle stands as a word; NULL where it does not. `unsure` where only
   Python can tell: the place is that of the needle then. */
static const uint8_t *as_word(const uint8_t *content, const uint8_t *place, const uint8_t *stop, const uint8_t *needle,
                              Py_ssize_t length, const uint8_t *kinds, int *unsure) {
    const uint8_t *first_unsure = NULL;
    for (; place != NULL; place = find(place + 1, stop, needle, length)) {
        const uint8_t before = place > content ? kinds[place[-1]] : APART, after = kinds[place[length]];
        if (before == WITHIN || after == WITHIN)
            continue;
        if (before == UNSURE || after == UNSURE) {
            first_unsure = first_unsure != NULL ? first_unsure : place;
            continue;
        }
        *unsure = first_unsure != NULL;
        return place;
    }
    *unsure = first_unsure != NULL;
    return first_unsure;
}

/* The rows of one content that ends before the line end at `end`. */
static int rows_of(const uint8_t *base, const uint8_t *content, const uint8_t *end, const uint8_t *needle,
                   Py_ssize_t length, const uint8_t *kinds, Rows *found) {
    const uint8_t *at = content, *counted = content;
    int64_t line = 1;
    const uint8_t *place;
    while (at < end && (place = find(at, end, needle, length)) != NULL) {
        const uint8_t *start = place, *stop = memchr(place, '\n', (size_t)(end + 1 - place));
        while (start > at && start[-1] != '\n')
            start--;
        int unsure = 0;
        const uint8_t *word = kinds == NULL ? place : as_word(content, place, stop, needle, length, kinds, &unsure);
        if (word != NULL) {
            line += count_line_ends(counted, start);
            counted = start;
            const int64_t column = unsure || !is_plain(start, word) ? 0 : word - start + 1;
            if (append(found, (Row){line, start - base, stop - base, column}) < 0)
                return -1;
        }
        at = stop + 1;
    }
    return 0;
}

/* The rows as four columns of int64. */
static PyObject *as_columns(const Rows *found) {
    PyObject *columns = PyBytes_FromStringAndSize(NULL, found->count * (Py_ssize_t)sizeof(Row));
    if (columns == NULL)
        return NULL;
    char *out = PyBytes_AsString(columns);
    const Py_ssize_t size = found->count * (Py_ssize_t)sizeof(int64_t);
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t i = 0; i < found->count; i++) {
        const Row *row = &found->rows[i];
        char *const to = out + i * (Py_ssize_t)sizeof(int64_t);
        memcpy(to, &row->line, sizeof(int64_t));
        memcpy(to + size, &row->start, sizeof(int64_t));
        memcpy(to + 2 * size, &row->stop, sizeof(int64_t));
        memcpy(to + 3 * size, &row->column, sizeof(int64_t));
    }
    Py_END_ALLOW_THREADS
    return columns;
}

/* Whether the contents of these sizes make up the joined ones, with a line end after each. */
static int sizes_fit(const Array *sizes, const Array *joined) {
    const int64_t *size_of = sizes->held.buf;
    Py_ssize_t sum = 0;
    for (Py_ssize_t i = 0; i < sizes->count; i++) {
        if (size_of[i] < 0 || size_of[i] >= joined->count - sum)
            return 0;
        sum += (Py_ssize_t)size_of[i] + 1;
        if (((const uint8_t *)joined->held.buf)[sum - 1] != '\n')
            return 0;
    }
    return sum == joined->count;
}

/* literal_lines(joined, needle, sizes, kinds) -> columns: of each line that has the needle its number in its content,
   where it starts and stops among the joined, and the column of the first match, 0 where Python must tell. `kinds` has
   what each byte counts beside a word, or is empty. */
PyObject *clew_literal_lines(PyObject *Py_UNUSED(module), PyObject *arguments) {
    PyObject *owners[4], *columns = NULL;
    Array arrays[4] = {0};
    Rows found = {NULL, 0, 0};
    int64_t *size_of = NULL; /* a copy: what is looked at without the lock must not change */
    if (!PyArg_ParseTuple(arguments, "OOOO", &owners[0], &owners[1], &owners[2], &owners[3]))
        return NULL;
    if (!PyBytes_Check(owners[0]) || !PyBytes_Check(owners[1]) || !PyBytes_Check(owners[3])) {
        PyErr_SetString(PyExc_TypeError, "bytes are wanted, which nobody can change meanwhile");
        goto end;
    }
    const Py_ssize_t widths[4] = {1, 1, sizeof(int64_t), 1};
    if (clew_borrow(owners, widths, 4, -1, arrays) < 0)
        goto end;
    const uint8_t *const joined = arrays[0].held.buf, *const needle = arrays[1].held.buf;
    const Py_ssize_t length = arrays[1].count, contents = arrays[2].count;
    const uint8_t *const kinds = arrays[3].count ? arrays[3].held.buf : NULL;
    if (length == 0 || memchr(needle, '\n', (size_t)length) != NULL || (kinds != NULL && arrays[3].count != 256) ||
        !sizes_fit(&arrays[2], &arrays[0])) {
        PyErr_SetString(PyExc_ValueError, "the needle, the sizes or the kinds do not fit");
        goto end;
    }
    size_of = malloc((size_t)contents * sizeof(int64_t) + 1);
    if (size_of == NULL) {
        PyErr_NoMemory();
        goto end;
    }
    memcpy(size_of, arrays[2].held.buf, (size_t)contents * sizeof(int64_t));
    int failed = 0;
    Py_BEGIN_ALLOW_THREADS
    const uint8_t *content = joined;
    for (Py_ssize_t i = 0; i < contents && !failed; i++) {
        failed = rows_of(joined, content, content + size_of[i], needle, length, kinds, &found);
        content += size_of[i] + 1;
    }
    Py_END_ALLOW_THREADS
    columns = failed ? PyErr_NoMemory() : as_columns(&found);
end:
    free(found.rows);
    free(size_of);
    clew_give_back(arrays, 4);
    return columns;
}

/* pick(content, starts, stops) -> the parts of a content, one after the other. */
PyObject *clew_pick(PyObject *Py_UNUSED(module), PyObject *arguments) {
    PyObject *owners[3], *picked = NULL;
    Array arrays[3] = {0};
    if (!PyArg_ParseTuple(arguments, "OOO", &owners[0], &owners[1], &owners[2]))
        return NULL;
    const Py_ssize_t widths[3] = {1, sizeof(int64_t), sizeof(int64_t)};
    if (clew_borrow(owners, widths, 3, -1, arrays) < 0)
        goto end;
    const int64_t *const starts = arrays[1].held.buf, *const stops = arrays[2].held.buf;
    const Py_ssize_t count = arrays[1].count;
    Py_ssize_t total = 0;
    int fits = arrays[2].count == count;
    for (Py_ssize_t i = 0; i < count && fits; i++) {
        fits = starts[i] >= 0 && starts[i] <= stops[i] && stops[i] <= arrays[0].count && total <= PY_SSIZE_T_MAX / 2;
        total += fits ? (Py_ssize_t)(stops[i] - starts[i]) : 0;
    }
    if (!fits) {
        PyErr_SetString(PyExc_ValueError, "a part does not lie in the content");
        goto end;
    }
    picked = PyBytes_FromStringAndSize(NULL, total);
    if (picked == NULL)
        goto end;
    const char *const content = arrays[0].held.buf;
    char *out = PyBytes_AsString(picked);
    for (Py_ssize_t i = 0; i < count; i++) {
        memcpy(out, content + starts[i], (size_t)(stops[i] - starts[i]));
        out += stops[i] - starts[i];
    }
end:
    clew_give_back(arrays, 3);
    return picked;
}

/* line_starts(content) -> where each line starts; the last one may be empty. */
PyObject *clew_line_starts(PyObject *Py_UNUSED(module), PyObject *content) {
    if (!PyBytes_Check(content)) {
        PyErr_SetString(PyExc_TypeError, "bytes have lines");
        return NULL;
    }
    const char *const first = PyBytes_AsString(content), *const last = first + PyBytes_Size(content);
    PyObject *const found = PyList_New(0);
    const char *start = first;
    while (found != NULL && start != NULL) {
        PyObject *const place = PyLong_FromSsize_t(start - first);
        const int failed = place == NULL ? -1 : PyList_Append(found, place);
        Py_XDECREF(place);
        if (failed) {
            Py_DECREF(found);
            return NULL;
        }
        start = memchr(start, '\n', (size_t)(last - start));
        start = start == NULL ? NULL : start + 1;
    }
    return found;
}
