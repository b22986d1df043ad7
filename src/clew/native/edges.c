/* The uses of a file, put together: those that lead from one definition to one other in one role are an edge. */
#include "kernels.h"

#define OWN_ROLE 255 /* of a reference whose uses keep their roles */

typedef struct {
    uint32_t slot, caller_and_role, place;
} Group;

static int before(const void *one, const void *other) {
    const Group *const a = one, *const b = other;
    if (a->slot != b->slot)
        return a->slot < b->slot ? -1 : 1;
    if (a->caller_and_role != b->caller_and_role)
        return a->caller_and_role < b->caller_and_role ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

/* The places of some uses as little-endian numbers of 32 bits. */
static PyObject *sites_of(const Group *groups, Py_ssize_t count, const uint32_t *starts) {
    PyObject *const found = PyBytes_FromStringAndSize(NULL, 4 * count);
    uint8_t *next = found == NULL ? NULL : (uint8_t *)PyBytes_AsString(found);
    for (Py_ssize_t i = 0; next != NULL && i < count; i++)
        for (uint32_t start = starts[groups[i].place], k = 0; k < 4; k++, start >>= 8)
            *next++ = (uint8_t)start;
    return found;
}

/* Add a row: what is at the end, the source and the role, what else is said of the end and of the reference, the sites. */
static int add_row(PyObject *rows[2], PyObject *end, uint64_t source, uint32_t role, uint32_t evidence, PyObject *sites) {
    const Py_ssize_t parts = PyTuple_Check(end) ? PyTuple_Size(end) : 0;
    PyObject *row = NULL;
    if (sites == NULL)
        return -1;
    if (parts == 2)
        row = Py_BuildValue("OKIOIO", PyTuple_GetItem(end, 0), (unsigned long long)source, role, PyTuple_GetItem(end, 1),
                            evidence, sites);
    else if (parts == 1)
        row = Py_BuildValue("OKIO", PyTuple_GetItem(end, 0), (unsigned long long)source, role, sites);
    else
        PyErr_SetString(PyExc_TypeError, "an end is a node and its tier, or a name");
    const int failed = row == NULL ? -1 : PyList_Append(rows[parts == 1], row);
    Py_XDECREF(row);
    return failed;
}

/* group((starts, refs, callers, roles), (slots, roles, evidence), ends, (base, nodes, whole), (own_starts, own_nodes)) ->
   (edges, loose): `group` in graph/grouping.py says what it does. `refs` are uint16 or uint32 by their size, callers and
   nodes uint16, own nodes int64, roles bytes, all else uint32. */
PyObject *clew_group(PyObject *Py_UNUSED(module), PyObject *arguments) {
    PyObject *owners[10], *used, *leads, *ends, *sources, *own, *found = NULL, *rows[2] = {NULL, NULL};
    Array arrays[10] = {0};
    Group *groups = NULL;
    unsigned long long base;
    unsigned int whole;
    if (!PyArg_ParseTuple(arguments, "O!O!O!O!O!", &PyTuple_Type, &used, &PyTuple_Type, &leads, &PyTuple_Type, &ends,
                          &PyTuple_Type, &sources, &PyTuple_Type, &own) ||
        !PyArg_ParseTuple(used, "OOOS", &owners[0], &owners[1], &owners[2], &owners[3]) ||
        !PyArg_ParseTuple(leads, "OSO", &owners[4], &owners[5], &owners[6]) ||
        !PyArg_ParseTuple(sources, "KOI", &base, &owners[7], &whole) ||
        !PyArg_ParseTuple(own, "OO", &owners[8], &owners[9]))
        return NULL;
    const Py_ssize_t widths[10] = {4, 2, 2, 1, 4, 1, 4, 2, 4, 8};
    if (clew_borrow(owners, widths, 10, -1, arrays) < 0)
        goto end;
    const Py_ssize_t count = arrays[0].count, known = arrays[4].count, slots = PyTuple_Size(ends);
    const int is_wide = count && arrays[1].count == 2 * count;
    const uint32_t *const starts = arrays[0].held.buf, *const slot_of = arrays[4].held.buf;
    const uint32_t *const evidence = arrays[6].held.buf, *const own_starts = arrays[8].held.buf;
    const uint16_t *const callers = arrays[2].held.buf, *const nodes = arrays[7].held.buf;
    const uint8_t *const roles = arrays[3].held.buf, *const role_of = arrays[5].held.buf;
    const int64_t *const own_nodes = arrays[9].held.buf;
    if (arrays[1].count != (is_wide ? 2 : 1) * count || arrays[2].count != count || arrays[3].count != count ||
        arrays[5].count != known || arrays[6].count != known || arrays[9].count != arrays[8].count ||
        count > UINT32_MAX || (is_wide && (uintptr_t)arrays[1].held.buf % 4)) {
        PyErr_SetString(PyExc_ValueError, "every use and every reference has all that is said of them");
        goto end;
    }
    groups = PyMem_Malloc((size_t)(count ? count : 1) * sizeof(Group));
    rows[0] = PyList_New(0);
    rows[1] = PyList_New(0);
    if (groups == NULL || rows[0] == NULL || rows[1] == NULL) {
        if (!PyErr_Occurred())
            PyErr_NoMemory();
        goto end;
    }
    Py_ssize_t kept = 0, next = 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        const uint32_t ref = is_wide ? ((const uint32_t *)arrays[1].held.buf)[i] : ((const uint16_t *)arrays[1].held.buf)[i];
        if (ref >= known || slot_of[ref] >= slots || (arrays[7].count && callers[i] != whole && callers[i] >= arrays[7].count)) {
            PyErr_SetString(PyExc_ValueError, "a use has a reference that is known, and a definition around it");
            goto end;
        }
        if (slot_of[ref] == 0)
            continue;
        while (next < arrays[8].count && own_starts[next] < starts[i])
            next++;
        if (next < arrays[8].count && own_starts[next] == starts[i]) { /* what is named there is not used */
            PyObject *const end = PyTuple_GetItem(ends, slot_of[ref]);
            PyObject *const target = PyTuple_Check(end) && PyTuple_Size(end) == 2 ? PyTuple_GetItem(end, 0) : NULL;
            if (target != NULL && PyLong_Check(target) && PyLong_AsLongLong(target) == own_nodes[next])
                continue;
            if (PyErr_Occurred())
                goto end;
        }
        const uint32_t role = role_of[ref] == OWN_ROLE ? roles[i] : role_of[ref];
        groups[kept++] = (Group){slot_of[ref], (uint32_t)callers[i] << 8 | role, (uint32_t)i};
    }
    qsort(groups, (size_t)kept, sizeof(Group), before);
    for (Py_ssize_t first = 0, last; first < kept; first = last) {
        const Group *const group = &groups[first];
        for (last = first + 1; last < kept && groups[last].slot == group->slot &&
                               groups[last].caller_and_role == group->caller_and_role;)
            last++;
        const uint32_t caller = group->caller_and_role >> 8, place = group->place;
        const uint32_t ref =
            is_wide ? ((const uint32_t *)arrays[1].held.buf)[place] : ((const uint16_t *)arrays[1].held.buf)[place];
        const uint32_t node = caller == whole || !arrays[7].count ? caller : nodes[caller];
        PyObject *const sites = sites_of(group, last - first, starts);
        const int failed = add_row(rows, PyTuple_GetItem(ends, group->slot), base | node, group->caller_and_role & 255,
                                   evidence[ref], sites);
        Py_XDECREF(sites);
        if (failed < 0)
            goto end;
    }
    found = PyTuple_Pack(2, rows[0], rows[1]);
end:
    clew_give_back(arrays, 10);
    PyMem_Free(groups);
    Py_XDECREF(rows[0]);
    Py_XDECREF(rows[1]);
    return found;
}
