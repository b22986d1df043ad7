/* Sums over all chunks of a view: what terms are worth in them, and the best of each document. */
#include "kernels.h"

#define MORE(a, b) ((a) > (b) ? (a) : (b))

/* One float, and the greater and the lesser of two without a jump: one that cannot be foretold takes three times as long,
   and of plain C compilers make one. What is no number is less than the other. */
#if defined(__SSE__)
#include <xmmintrin.h>
typedef __m128 One;
#define LOADED(address) _mm_load_ss(address)
#define GREATER(a, b) _mm_max_ss(a, b)
#define LESSER(a, b) _mm_min_ss(a, b)
#define NUMBER(a) _mm_cvtss_f32(a)
#else
typedef float One;
#define LOADED(address) (*(address))
#define GREATER(a, b) ((a) > (b) ? (a) : (b))
#define LESSER(a, b) ((a) < (b) ? (a) : (b))
#define NUMBER(a) (a)
#endif

int clew_borrow_best(PyObject *const *owners, Array *arrays) {
    const Py_ssize_t widths[4] = {sizeof(float), sizeof(int64_t), sizeof(float), sizeof(float)};
    if (clew_borrow(owners, widths, 4, 3, arrays) < 0)
        return -1;
    if (arrays[2].count == 3 && arrays[3].count == arrays[1].count)
        return 0;
    PyErr_SetString(PyExc_ValueError, "the groups do not fit the weights or the answer");
    return -1;
}

int clew_sum_best(const Array *arrays) {
    const float *const values = arrays[0].held.buf, *const weights = arrays[2].held.buf;
    const int64_t *const starts = arrays[1].held.buf;
    float *const found = arrays[3].held.buf;
    const Py_ssize_t groups = arrays[1].count;
    const float nothing = 0;
    const One zero = LOADED(&nothing);
    int64_t start = groups ? starts[0] : 0;
    for (Py_ssize_t group = 0; group < groups; group++) {
        const int64_t end = group + 1 < groups ? starts[group + 1] : arrays[0].count;
        if (start < 0 || start > end || end > arrays[0].count)
            return -1;
        One first = zero, second = zero, third = zero;
        for (const float *at = values + start; at < values + end; at++) {
            const One value = GREATER(LOADED(at), zero), rest = LESSER(value, first);
            first = GREATER(value, first);
            third = GREATER(LESSER(rest, second), third);
            second = GREATER(rest, second);
        }
        found[group] = weights[0] * NUMBER(first) + weights[1] * NUMBER(second) + weights[2] * NUMBER(third);
        start = end;
    }
    return 0;
}

/* best_three(values, starts, weights, found): for each group of float32 values, which begin at `starts` (int64,
   ascending), the sum of its three greatest ones above 0, each times its weight, into `found`. */
PyObject *clew_best_three(PyObject *Py_UNUSED(module), PyObject *arguments) {
    PyObject *owners[4], *done = NULL;
    Array arrays[4] = {0};
    if (!PyArg_ParseTuple(arguments, "OOOO", &owners[0], &owners[1], &owners[2], &owners[3]))
        return NULL;
    if (clew_borrow_best(owners, arrays) == 0) {
        if (clew_sum_best(arrays) < 0)
            PyErr_SetString(PyExc_ValueError, "the groups do not fit the values");
        else
            done = Py_NewRef(Py_None);
    }
    clew_give_back(arrays, 4);
    return done;
}

/* Whether all places, `first` added to each, are below `most`. */
static int are_below(const Array *places, Py_ssize_t first, Py_ssize_t most) {
    const uint32_t *const at = places->held.buf;
    uint32_t greatest = 0;
    for (Py_ssize_t i = 0; i < places->count; i++)
        greatest = MORE(greatest, at[i]);
    return first >= 0 && (places->count == 0 || (first < most && (Py_ssize_t)greatest < most - first));
}

/* add_term(scores, first, places, counts, norms, weight, bare): add to each place (uint32, `first` more) what a term of
   this weight is worth there, by how often (uint8) it stands there. Scores and norms are float32. Where there is a mask
   (uint8) of what is bare, only that counts. */
PyObject *clew_add_term(PyObject *Py_UNUSED(module), PyObject *arguments) {
    PyObject *owners[5], *done = NULL;
    Array arrays[5] = {0};
    Py_ssize_t first;
    float weight;
    if (!PyArg_ParseTuple(arguments, "OnOOOfO", &owners[0], &first, &owners[1], &owners[2], &owners[3], &weight,
                          &owners[4]))
        return NULL;
    const Py_ssize_t widths[5] = {sizeof(float), sizeof(uint32_t), 1, sizeof(float), 1};
    if (clew_borrow(owners, widths, 5, 0, arrays) < 0)
        goto end;
    const Py_ssize_t all = arrays[0].count, bare = arrays[4].count;
    if (arrays[2].count != arrays[1].count || arrays[3].count != all || (bare && bare != all) ||
        !are_below(&arrays[1], first, all)) {
        PyErr_SetString(PyExc_ValueError, "the places do not fit the scores");
        goto end;
    }
    float *const scores = (float *)arrays[0].held.buf + first;
    const uint32_t *const places = arrays[1].held.buf;
    const uint8_t *const counts = arrays[2].held.buf;
    const uint8_t *const is_bare = bare ? (const uint8_t *)arrays[4].held.buf + first : NULL;
    const float *const norms = (const float *)arrays[3].held.buf + first;
    for (Py_ssize_t i = 0; i < arrays[1].count; i++) {
        const float often = counts[i];
        if (is_bare == NULL || is_bare[places[i]])
            scores[places[i]] += often * weight / (often + norms[places[i]]);
    }
    done = Py_NewRef(Py_None);
end:
    clew_give_back(arrays, 5);
    return done;
}

/* take_out(mask, first, places): let the mask (uint8) be 0 at these places (uint32, `first` more). */
PyObject *clew_take_out(PyObject *Py_UNUSED(module), PyObject *arguments) {
    PyObject *owners[2], *done = NULL;
    Array arrays[2] = {0};
    Py_ssize_t first;
    if (!PyArg_ParseTuple(arguments, "OnO", &owners[0], &first, &owners[1]))
        return NULL;
    const Py_ssize_t widths[2] = {1, sizeof(uint32_t)};
    if (clew_borrow(owners, widths, 2, 0, arrays) < 0)
        goto end;
    if (!are_below(&arrays[1], first, arrays[0].count)) {
        PyErr_SetString(PyExc_ValueError, "the places do not fit the mask");
        goto end;
    }
    uint8_t *const mask = (uint8_t *)arrays[0].held.buf + first;
    const uint32_t *const places = arrays[1].held.buf;
    for (Py_ssize_t i = 0; i < arrays[1].count; i++)
        mask[places[i]] = 0;
    done = Py_NewRef(Py_None);
end:
    clew_give_back(arrays, 2);
    return done;
}

/* add_up(values, first, places) -> the sum of the float32 values at these places (uint32, `first` more). */
PyObject *clew_add_up(PyObject *Py_UNUSED(module), PyObject *arguments) {
    PyObject *owners[2], *sum = NULL;
    Array arrays[2] = {0};
    Py_ssize_t first;
    if (!PyArg_ParseTuple(arguments, "OnO", &owners[0], &first, &owners[1]))
        return NULL;
    const Py_ssize_t widths[2] = {sizeof(float), sizeof(uint32_t)};
    if (clew_borrow(owners, widths, 2, -1, arrays) < 0)
        goto end;
    if (!are_below(&arrays[1], first, arrays[0].count)) {
        PyErr_SetString(PyExc_ValueError, "the places do not fit the values");
        goto end;
    }
    const float *const values = (const float *)arrays[0].held.buf + first;
    const uint32_t *const places = arrays[1].held.buf;
    double found = 0;
    for (Py_ssize_t i = 0; i < arrays[1].count; i++)
        found += values[places[i]];
    sum = PyFloat_FromDouble(found);
end:
    clew_give_back(arrays, 2);
    return sum;
}

/* sum_rows(rows, width, places, factors, counts, sums): for each group of `counts` (int64) places the sum of the rows
   of `width` int8 at them, each times its factor (float32), into `sums`. A place below 0 counts for nothing. */
PyObject *clew_sum_rows(PyObject *Py_UNUSED(module), PyObject *arguments) {
    PyObject *owners[5], *done = NULL;
    Array arrays[5] = {0};
    Py_ssize_t width;
    if (!PyArg_ParseTuple(arguments, "OnOOOO", &owners[0], &width, &owners[1], &owners[2], &owners[3], &owners[4]))
        return NULL;
    const Py_ssize_t widths[5] = {1, sizeof(int64_t), sizeof(float), sizeof(int64_t), sizeof(float)};
    if (clew_borrow(owners, widths, 5, 4, arrays) < 0)
        goto end;
    const int8_t *const rows = arrays[0].held.buf;
    const int64_t *const places = arrays[1].held.buf, *const counts = arrays[3].held.buf;
    const float *const factors = arrays[2].held.buf;
    float *sums = arrays[4].held.buf;
    const Py_ssize_t groups = arrays[3].count;
    int fits = width > 0 && arrays[4].count == groups * width && arrays[2].count == arrays[1].count;
    Py_ssize_t total = 0;
    for (Py_ssize_t group = 0; group < groups && fits; group++) {
        fits = counts[group] >= 0 && counts[group] <= arrays[1].count - total;
        total += (Py_ssize_t)counts[group];
    }
    const int64_t most = fits ? arrays[0].count / width : 0;
    for (Py_ssize_t i = 0; i < total && fits; i++)
        fits = places[i] < most;
    if (!fits) {
        PyErr_SetString(PyExc_ValueError, "the places do not fit the rows, or the sums the groups");
        goto end;
    }
    Py_ssize_t at = 0;
    for (Py_ssize_t group = 0; group < groups; group++, sums += width) {
        memset(sums, 0, (size_t)width * sizeof(float));
        for (const Py_ssize_t last = at + (Py_ssize_t)counts[group]; at < last; at++) {
            if (places[at] < 0)
                continue;
            const int8_t *const row = rows + places[at] * width;
            const float factor = factors[at];
            for (Py_ssize_t i = 0; i < width; i++)
                sums[i] += factor * row[i];
        }
    }
    done = Py_NewRef(Py_None);
end:
    clew_give_back(arrays, 5);
    return done;
}
