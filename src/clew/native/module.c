/* The module `clew.native._kernels`: its table of functions, and how arrays are borrowed.

   Every function has a twin in Python beside its only caller, which says what it does; tests hold the two equal.
   All offsets and counts that come from outside are checked before memory is touched. Those that are followed without
   Python's lock are bytes, a copy, or checked as they are used: nobody can change them after the check. */
#include "kernels.h"

int clew_borrow(PyObject *const *owners, const Py_ssize_t *widths, int count, int written, Array *arrays) {
    for (int i = 0; i < count; i++) {
        Py_buffer *const held = &arrays[i].held;
        if (PyObject_GetBuffer(owners[i], held, i == written ? PyBUF_WRITABLE : PyBUF_SIMPLE) < 0) {
            held->obj = NULL;
            return -1;
        }
        if (held->len % widths[i]) {
            PyErr_Format(PyExc_ValueError, "an array of %zd bytes has no items of %zd", held->len, widths[i]);
            return -1;
        }
        if (held->len && (uintptr_t)held->buf % (size_t)widths[i]) {
            PyErr_SetString(PyExc_ValueError, "the items of an array lie at places of their own size");
            return -1;
        }
        arrays[i].count = held->len / widths[i];
    }
    for (int i = 0; i < count && written >= 0; i++) { /* what was checked must not change as the answer is written */
        const char *const begin = arrays[i].held.buf, *const answer = arrays[written].held.buf;
        if (i != written && begin < answer + arrays[written].held.len && answer < begin + arrays[i].held.len) {
            PyErr_SetString(PyExc_ValueError, "the answer lies in what it is made of");
            return -1;
        }
    }
    return 0;
}

void clew_give_back(Array *arrays, int count) {
    for (int i = 0; i < count; i++)
        if (arrays[i].held.obj != NULL)
            PyBuffer_Release(&arrays[i].held);
}

int64_t clew_number_of(PyObject *object, PyObject *name) {
    PyObject *held = PyObject_GetAttr(object, name);
    if (held == NULL)
        return -1;
    const long long found = PyLong_AsLongLong(held);
    Py_DECREF(held);
    if (PyErr_Occurred())
        return -1;
    if (found < 0 || found > UINT32_MAX) {
        PyErr_SetString(PyExc_ValueError, "a place is a number of 32 bits");
        return -1;
    }
    return found;
}

static PyMethodDef functions[] = {
    {"unpack_all", clew_unpack_all, METH_O, NULL},
    {"literal_lines", clew_literal_lines, METH_VARARGS, NULL},
    {"pick", clew_pick, METH_VARARGS, NULL},
    {"line_starts", clew_line_starts, METH_O, NULL},
    {"unchanged", clew_unchanged, METH_VARARGS, NULL},
    {"grams", clew_grams, METH_VARARGS, NULL},
    {"best_three", clew_best_three, METH_VARARGS, NULL},
    {"add_term", clew_add_term, METH_VARARGS, NULL},
    {"take_out", clew_take_out, METH_VARARGS, NULL},
    {"add_up", clew_add_up, METH_VARARGS, NULL},
    {"sum_rows", clew_sum_rows, METH_VARARGS, NULL},
    {"uses", clew_uses, METH_VARARGS, NULL},
    {"lengths", clew_lengths, METH_VARARGS, NULL},
    {"refer", clew_refer, METH_VARARGS, NULL},
    {"group", clew_group, METH_VARARGS, NULL},
    {"symbols", clew_symbols, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

#define VERSION 6 /* as in __init__.py */

static int begin(PyObject *module) {
    if (PyModule_AddIntMacro(module, VERSION) < 0)
        return -1;
    PyType_Spec *const types[] = {&clew_terms_spec, &clew_nearness_spec};
    for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
        PyObject *type = PyType_FromModuleAndSpec(module, types[i], NULL);
        const int failed = type == NULL ? -1 : PyModule_AddType(module, (PyTypeObject *)type);
        Py_XDECREF(type);
        if (failed < 0)
            return -1;
    }
    return 0;
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, begin}, {0, NULL}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "clew.native._kernels", NULL, 0, functions, slots, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__kernels(void) { return PyModuleDef_Init(&definition); }
