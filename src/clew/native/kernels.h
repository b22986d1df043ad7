/* What the kernels share: buffers of arrays, and which functions make up the module. */
#ifndef CLEW_KERNELS_H
#define CLEW_KERNELS_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* One contiguous array of items of a given size, borrowed from whatever owns it. */
typedef struct {
    Py_buffer held;
    Py_ssize_t count;
} Array;

/* Borrow what owns arrays whose items have these widths, the one at `written` to be written to (-1 for none), which
   must lie apart from the others; 0, or -1 with an exception set. */
int clew_borrow(PyObject *const *owners, const Py_ssize_t *widths, int count, int written, Array *arrays);
void clew_give_back(Array *arrays, int count);

/* A number that an object has as an attribute; -1 with an exception set where it is none of 32 bits. */
int64_t clew_number_of(PyObject *object, PyObject *name);

/* unpack.c */
PyObject *clew_unpack_all(PyObject *module, PyObject *packed);
/* lines.c */
PyObject *clew_literal_lines(PyObject *module, PyObject *arguments);
PyObject *clew_pick(PyObject *module, PyObject *arguments);
PyObject *clew_line_starts(PyObject *module, PyObject *content);
/* stats.c */
PyObject *clew_unchanged(PyObject *module, PyObject *arguments);
/* grams.c */
PyObject *clew_grams(PyObject *module, PyObject *arguments);
/* scores.c */
PyObject *clew_best_three(PyObject *module, PyObject *arguments);
PyObject *clew_add_term(PyObject *module, PyObject *arguments);
PyObject *clew_take_out(PyObject *module, PyObject *arguments);
PyObject *clew_add_up(PyObject *module, PyObject *arguments);
PyObject *clew_sum_rows(PyObject *module, PyObject *arguments);
/* What `best_three` is given, borrowed; 0, or -1 with an exception set. What it does, without Python's lock: 0, or -1
   where the groups do not fit the values, which is seen as they are looked at. */
int clew_borrow_best(PyObject *const *owners, Array *arrays);
int clew_sum_best(const Array *arrays);
/* vectors.c */
extern PyType_Spec clew_nearness_spec;
/* uses.c */
PyObject *clew_uses(PyObject *module, PyObject *arguments);
PyObject *clew_lengths(PyObject *module, PyObject *arguments);
PyObject *clew_refer(PyObject *module, PyObject *arguments);
/* edges.c */
PyObject *clew_group(PyObject *module, PyObject *arguments);
/* symbols.c */
PyObject *clew_symbols(PyObject *module, PyObject *arguments);
/* terms.c */
extern PyType_Spec clew_terms_spec;

#endif
