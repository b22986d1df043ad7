/* Sums over all chunks of a view: what terms are worth in them, and the best of each document. */
#include "kernels.h"

#define MORE(a, b) ((a) > (b) ? (a) : (b))
#define LESS(a, b) ((a) > (b) ? (b) : (a))

/* best_three(values, starts, weights, found): for each group of float32 values, which begin at `starts` (int64,
   ascending), the sum of its three greatest ones above 0, each times its weight, into `found`. */
PyObject *clew_best_three(PyObject *Py_UNUSED(module), PyObject *arguments) {
    PyObject *owners[4], *done = NULL;
    Array arrays[4] = {0};
    if (!PyArg_ParseTuple(arguments, "OOOO", &owners[0], &owners[1], &owners[2], &owners[3]))
        return NULL;
    const Py_ssize_t widths[4] = {sizeof(float), sizeof(int64_t), sizeof(float), sizeof(float)};
    for (int i = 0; i < 4; i++)
        if (clew_borrow(owners[i], widths[i], i == 3, &arrays[i]) < 0)
            goto end;
    const float *const values = arrays[0].held.buf, *const weights = arrays[2].held.buf;
    const int64_t *const starts = arrays[1].held.buf;
    float *const found = arrays[3].held.buf;
    const Py_ssize_t groups = arrays[1].count;
    int64_t before = 0;
    int fits = arrays[2].count == 3 && arrays[3].count == groups;
    for (Py_ssize_t group = 0; group < groups && fits; group++) {
        fits = starts[group] >= before && starts[group] <= arrays[0].count;
        before = starts[group];
    }
    if (!fits) {
        PyErr_SetString(PyExc_ValueError, "the groups do not fit the values");
        goto end;
    }
    for (Py_ssize_t group = 0; group < groups; group++) {
        const float *const last = values + (group + 1 < groups ? starts[group + 1] : arrays[0].count);
        float first = 0, second = 0, third = 0;
        for (const float *at = values + starts[group]; at < last; at++) { /* no branch: none could be foretold */
            float rest = LESS(first, *at);
            first = MORE(first, *at);
            third = MORE(third, LESS(second, rest));
            second = MORE(second, rest);
        }
        found[group] = weights[0] * first + weights[1] * second + weights[2] * third;
    }
    done = Py_NewRef(Py_None);
end:
    clew_give_back(arrays, 4);
    return done;
}

/* add_scores(scores, places, frequencies, norms, weight): add to each place (int64) what a term of this weight is worth
   there, by how often it stands there; all else is float32. */
PyObject *clew_add_scores(PyObject *Py_UNUSED(module), PyObject *arguments) {
    PyObject *owners[4], *done = NULL;
    Array arrays[4] = {0};
    float weight;
    if (!PyArg_ParseTuple(arguments, "OOOOf", &owners[0], &owners[1], &owners[2], &owners[3], &weight))
        return NULL;
    const Py_ssize_t widths[4] = {sizeof(float), sizeof(int64_t), sizeof(float), sizeof(float)};
    for (int i = 0; i < 4; i++)
        if (clew_borrow(owners[i], widths[i], i == 0, &arrays[i]) < 0)
            goto end;
    float *const scores = arrays[0].held.buf;
    const int64_t *const places = arrays[1].held.buf;
    const float *const frequencies = arrays[2].held.buf, *const norms = arrays[3].held.buf;
    int fits = arrays[2].count == arrays[1].count && arrays[3].count == arrays[0].count;
    for (Py_ssize_t i = 0; i < arrays[1].count && fits; i++)
        fits = places[i] >= 0 && places[i] < arrays[0].count;
    if (!fits) {
        PyErr_SetString(PyExc_ValueError, "the places do not fit the scores");
        goto end;
    }
    for (Py_ssize_t i = 0; i < arrays[1].count; i++)
        scores[places[i]] += frequencies[i] * weight / (frequencies[i] + norms[places[i]]);
    done = Py_NewRef(Py_None);
end:
    clew_give_back(arrays, 4);
    return done;
}

/* sum_rows(rows, width, places, factors, counts, sums): for each group of `counts` (int64) places the sum of the rows of
   `width` int8 at them, each times its factor (float32), into `sums`. A place below 0 counts for nothing. */
PyObject *clew_sum_rows(PyObject *Py_UNUSED(module), PyObject *arguments) {
    PyObject *owners[5], *done = NULL;
    Array arrays[5] = {0};
    Py_ssize_t width;
    if (!PyArg_ParseTuple(arguments, "OnOOOO", &owners[0], &width, &owners[1], &owners[2], &owners[3], &owners[4]))
        return NULL;
    const Py_ssize_t widths[5] = {1, sizeof(int64_t), sizeof(float), sizeof(int64_t), sizeof(float)};
    for (int i = 0; i < 5; i++)
        if (clew_borrow(owners[i], widths[i], i == 4, &arrays[i]) < 0)
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
    Py_BEGIN_ALLOW_THREADS
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
    Py_END_ALLOW_THREADS
    done = Py_NewRef(Py_None);
end:
    clew_give_back(arrays, 5);
    return done;
}
