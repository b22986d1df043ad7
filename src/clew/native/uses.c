/* The names that a blob uses: where they stand, and what most of them mean there.

   What is seldom is left to the caller's Python, which knows all rules: here are the few that settle most uses. */
#include "kernels.h"

/* -- where they stand ---------------------------------------------------------------------------- */

typedef struct {
    uint32_t start, role, end;
} Place;

static int before(const void *one, const void *other) {
    const Place *const a = one, *const b = other;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->role != b->role)
        return a->role < b->role ? -1 : 1;
    return (a->end > b->end) - (a->end < b->end);
}

/* Add the places of nodes in a list; 0, or -1 with an exception set. */
static int add_places(PyObject *nodes, uint32_t role, PyObject *const *names, Place *places, Py_ssize_t count) {
    for (Py_ssize_t i = 0; i < count; i++) {
        if (PyList_Size(nodes) != count) {
            PyErr_SetString(PyExc_ValueError, "the nodes changed meanwhile");
            return -1;
        }
        PyObject *const node = Py_NewRef(PyList_GetItem(nodes, i));
        const int64_t start = clew_number_of(node, names[0]), end = start < 0 ? -1 : clew_number_of(node, names[1]);
        Py_DECREF(node);
        if (end < 0)
            return -1;
        places[i] = (Place){(uint32_t)start, role, (uint32_t)end};
    }
    return 0;
}

/* uses(refs, types, calls, left_out) -> (starts, ends, roles): the places of three lists of nodes as uint32 and uint8, in
   order. Of those that start together the one of the last list counts, and of its the longest. What starts at one of
   the places left out does not count, nor what has no length. */
PyObject *clew_uses(PyObject *Py_UNUSED(module), PyObject *arguments) {
    PyObject *lists[3], *left_out, *found = NULL, *starts = NULL, *ends = NULL, *roles = NULL;
    PyObject *names[2] = {NULL, NULL};
    Place *places = NULL;
    if (!PyArg_ParseTuple(arguments, "O!O!O!O", &PyList_Type, &lists[0], &PyList_Type, &lists[1], &PyList_Type,
                          &lists[2], &left_out))
        return NULL;
    Py_ssize_t counts[3], total = 0, kept = 0;
    for (int role = 0; role < 3; role++)
        total += counts[role] = PyList_Size(lists[role]);
    names[0] = PyUnicode_InternFromString("start_byte");
    names[1] = PyUnicode_InternFromString("end_byte");
    places = PyMem_Malloc((size_t)(total ? total : 1) * sizeof(Place));
    if (names[0] == NULL || names[1] == NULL || places == NULL) {
        if (!PyErr_Occurred())
            PyErr_NoMemory();
        goto end;
    }
    Place *next = places;
    for (int role = 0; role < 3; next += counts[role++])
        if (add_places(lists[role], (uint32_t)role, names, next, counts[role]) < 0)
            goto end;
    qsort(places, (size_t)total, sizeof(Place), before);
    for (Py_ssize_t i = 0; i < total; i++) {
        if ((i + 1 < total && places[i + 1].start == places[i].start) || places[i].end <= places[i].start)
            continue;
        PyObject *const start = PyLong_FromUnsignedLong(places[i].start);
        const int is_out = start == NULL ? -1 : PySequence_Contains(left_out, start);
        Py_XDECREF(start);
        if (is_out < 0)
            goto end;
        if (!is_out)
            places[kept++] = places[i];
    }
    starts = PyBytes_FromStringAndSize(NULL, kept * (Py_ssize_t)sizeof(uint32_t));
    ends = PyBytes_FromStringAndSize(NULL, kept * (Py_ssize_t)sizeof(uint32_t));
    roles = PyBytes_FromStringAndSize(NULL, kept);
    if (starts == NULL || ends == NULL || roles == NULL)
        goto end;
    for (Py_ssize_t i = 0; i < kept; i++) {
        memcpy(PyBytes_AsString(starts) + 4 * i, &places[i].start, 4);
        memcpy(PyBytes_AsString(ends) + 4 * i, &places[i].end, 4);
        PyBytes_AsString(roles)[i] = (char)places[i].role;
    }
    found = PyTuple_Pack(3, starts, ends, roles);
end:
    PyMem_Free(places);
    Py_XDECREF(names[0]);
    Py_XDECREF(names[1]);
    Py_XDECREF(starts);
    Py_XDECREF(ends);
    Py_XDECREF(roles);
    return found;
}

/* lengths(starts, ends) -> lengths: of spans as uint32, as uint16; what is longer is told as the longest. */
PyObject *clew_lengths(PyObject *Py_UNUSED(module), PyObject *arguments) {
    PyObject *owners[2], *found = NULL;
    Array arrays[2] = {0};
    if (!PyArg_ParseTuple(arguments, "OO", &owners[0], &owners[1]))
        return NULL;
    if (clew_borrow(owners, (const Py_ssize_t[]){4, 4}, 2, -1, arrays) < 0)
        goto end;
    if (arrays[0].count != arrays[1].count) {
        PyErr_SetString(PyExc_ValueError, "every span has a start and an end");
        goto end;
    }
    found = PyBytes_FromStringAndSize(NULL, 2 * arrays[0].count);
    for (Py_ssize_t i = 0; found != NULL && i < arrays[0].count; i++) {
        const uint32_t length = ((const uint32_t *)arrays[1].held.buf)[i] - ((const uint32_t *)arrays[0].held.buf)[i];
        const uint16_t told = length < UINT16_MAX ? (uint16_t)length : UINT16_MAX;
        memcpy(PyBytes_AsString(found) + 2 * i, &told, 2);
    }
end:
    clew_give_back(arrays, 2);
    return found;
}

/* -- what they mean ------------------------------------------------------------------------------ */

#define NAMES_MOST 4096 /* bytes of a path and a name that are joined here */
#define LAST_PART ".__class__"
#define TYPE_ROLE 1 /* the place of "type" among `ROLES` in parse/uses.py */

/* What a scope says of names; all of it borrowed from the scope but for the first. */
typedef struct {
    PyObject *scope, *names, *values, *since;
    int is_class, is_closed;
} Held;

typedef struct {
    PyObject *names, *values, *since, *is_class, *is_closed, *parent, *start; /* the words for what a scope has */
} Attributes;

typedef struct {
    const uint8_t *content;
    Py_ssize_t size;
    PyObject *known, *outside, *given, *apart, *paths, *numbers; /* dicts; `given` and `apart` are sets */
    PyObject *happen, *meaning, *own_class;                     /* what is done in Python */
    PyObject *unknown;                                          /* "?" */
    int is_plain, has_late_names, most_steps;
    Attributes attributes;
} Binder;

static void let_go(Held *held) {
    Py_CLEAR(held->scope);
    Py_CLEAR(held->names);
    Py_CLEAR(held->values);
    Py_CLEAR(held->since);
}

static int is_true(PyObject *object, PyObject *name) {
    PyObject *held = PyObject_GetAttr(object, name);
    const int found = held == NULL ? -1 : PyObject_IsTrue(held);
    Py_XDECREF(held);
    return found;
}

/* Read a scope, which is taken over; 0, or -1 with an exception set. */
static int hold(const Attributes *attributes, PyObject *scope, Held *held) {
    let_go(held);
    held->scope = scope;
    held->names = PyObject_GetAttr(scope, attributes->names);
    held->values = held->names == NULL ? NULL : PyObject_GetAttr(scope, attributes->values);
    held->since = held->values == NULL ? NULL : PyObject_GetAttr(scope, attributes->since);
    if (held->since == NULL)
        return -1;
    if (!PyDict_Check(held->names) || !PyDict_Check(held->values) || !PyDict_Check(held->since)) {
        PyErr_SetString(PyExc_TypeError, "a scope has dicts of names");
        return -1;
    }
    held->is_class = is_true(scope, attributes->is_class);
    held->is_closed = held->is_class < 0 ? -1 : is_true(scope, attributes->is_closed);
    return held->is_closed < 0 ? -1 : 0;
}

/* Forget an error over lone halves of pairs, which have no UTF-8: no path that is looked for here has any. */
static void forgive(void) {
    if (PyErr_ExceptionMatches(PyExc_UnicodeError))
        PyErr_Clear();
}

static int is_empty(PyObject *text) { return PyUnicode_GetLength(text) == 0; }

/* Whether a name is bound in a scope only after a place; -1 with an exception set. */
static int is_bound_later(const Held *held, PyObject *name, Py_ssize_t place) {
    PyObject *const since = PyDict_Size(held->since) ? PyDict_GetItemWithError(held->since, name) : NULL;
    const Py_ssize_t first = since == NULL ? 0 : PyLong_AsSsize_t(since);
    return PyErr_Occurred() ? -1 : first > place;
}

/* What a bare name at a place means by the scopes around it: a new reference with `is_variable` set, or NULL without an
   exception where that takes more rules than are here. */
static PyObject *look_up(const Binder *binder, const Held *around, PyObject *name, Py_ssize_t place, int *is_variable) {
    Held further = {0};
    const Held *held = around;
    PyObject *found = NULL;
    for (;;) {
        PyObject *const meant = Py_XNewRef(PyDict_GetItemWithError(held->names, name));
        const int is_later = meant == NULL ? 0 : is_bound_later(held, name, place);
        /* In the scope where it is asked for it is not there yet, so one further out is meant; what a function asks for
           further out may come later. */
        const int is_passed = is_later > 0 && held == around;
        if (meant != NULL && !is_passed) {
            const int is_seldom = is_later < 0 || (is_later && !binder->has_late_names) ||
                                  (held->is_class && (held != around || !is_empty(meant)));
            *is_variable = is_empty(meant);
            if (!is_seldom && *is_variable) {
                PyObject *const value = PyDict_GetItemWithError(held->values, name);
                found = Py_NewRef(value == NULL || is_empty(value) ? binder->unknown : value);
            } else if (!is_seldom) {
                found = Py_NewRef(meant);
            }
            Py_DECREF(meant);
            break;
        }
        Py_XDECREF(meant);
        if (PyErr_Occurred() || held->is_closed)
            break;
        PyObject *const parent = PyObject_GetAttr(held->scope, binder->attributes.parent);
        if (parent == NULL || Py_IsNone(parent)) {
            if (parent != NULL && binder->has_late_names && PyUnicode_CompareWithASCIIString(name, "super") != 0) {
                *is_variable = 0;
                found = PyUnicode_FromFormat("G%U", name); /* nothing binds it: it is global */
            }
            Py_XDECREF(parent);
            break;
        }
        if (hold(&binder->attributes, parent, &further) < 0)
            break;
        held = &further;
    }
    let_go(&further);
    if (PyErr_Occurred())
        Py_CLEAR(found);
    return found;
}

static int ends_a_name(uint8_t byte) {
    return (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') || byte == ')' ||
           byte == ']' || byte == '_';
}

/* What a member is of what ends right before its dot; likewise. */
static PyObject *member(const Binder *binder, Py_ssize_t start, Py_ssize_t end) {
    char joined[NAMES_MOST];
    PyObject *const place = PyLong_FromSsize_t(start), *const last = PyLong_FromSsize_t(start - 1);
    PyObject *found = NULL;
    const int is_given = place == NULL || last == NULL ? -1 : PySet_Contains(binder->given, place);
    PyObject *const path = is_given != 0 ? NULL : PyDict_GetItemWithError(binder->paths, last);
    if (path == NULL)
        goto end;
    Py_ssize_t length;
    const char *const text = PyUnicode_AsUTF8AndSize(path, &length);
    if (text == NULL)
        forgive();
    if (text == NULL || length == 0 || text[0] == 'P' || length + end - start + 1 > NAMES_MOST)
        goto end;
    if (text[0] == '?')
        length = 1;
    int steps = 0;
    for (Py_ssize_t i = 0; i < length; i++)
        steps += text[i] == '.' || text[i] == '(';
    if (steps >= binder->most_steps)
        goto end;
    memcpy(joined, text, (size_t)length);
    joined[length] = '.';
    memcpy(joined + length + 1, binder->content + start, (size_t)(end - start));
    found = PyUnicode_DecodeUTF8(joined, length + 1 + end - start, "replace");
end:
    Py_XDECREF(place);
    Py_XDECREF(last);
    return found;
}

/* What a use means by the rules that are here, likewise. */
static PyObject *plain_meaning(const Binder *binder, const Held *around, Py_ssize_t start, Py_ssize_t end, int role,
                               int *is_variable) {
    const uint8_t sign = start > 0 ? binder->content[start - 1] : ' ';
    if (sign == '.' && start > 1 && ends_a_name(binder->content[start - 2]))
        return member(binder, start, end);
    if (sign == '.' || sign == ':' || sign == '>' || sign == '$' || role == TYPE_ROLE)
        return NULL;
    PyObject *const name = PyUnicode_DecodeUTF8((const char *)binder->content + start, end - start, "replace");
    PyObject *const found = name == NULL ? NULL : look_up(binder, around, name, start, is_variable);
    Py_XDECREF(name);
    return found;
}

/* What a call answered, if that is a tuple; else NULL with an exception set. */
static PyObject *as_tuple(PyObject *answer) {
    if (answer != NULL && !PyTuple_Check(answer)) {
        Py_DECREF(answer);
        PyErr_SetString(PyExc_TypeError, "a tuple is wanted of what is done in Python");
        return NULL;
    }
    return answer;
}

/* The same by all rules. */
static PyObject *full_meaning(const Binder *binder, const Held *around, Py_ssize_t start, Py_ssize_t end, int role,
                              int *is_variable) {
    PyObject *scope = Py_NewRef(around->scope), *path = NULL;
    PyObject *const place = PyLong_FromSsize_t(start);
    PyObject *const first = place == NULL ? NULL : Py_XNewRef(PyDict_GetItemWithError(binder->outside, place));
    Py_XDECREF(place);
    if (first != NULL) { /* it is read outside of what begins before */
        PyObject *const begin = PyObject_GetAttr(scope, binder->attributes.start);
        const int is_before = begin == NULL ? -1 : PyObject_RichCompareBool(begin, first, Py_LT);
        PyObject *const parent = is_before > 0 ? PyObject_GetAttr(scope, binder->attributes.parent) : NULL;
        Py_XDECREF(begin);
        if (parent != NULL && !Py_IsNone(parent)) {
            Py_DECREF(scope);
            scope = parent;
        } else {
            Py_XDECREF(parent);
        }
        Py_DECREF(first);
    }
    PyObject *const answer =
        PyErr_Occurred() ? NULL : as_tuple(PyObject_CallFunction(binder->meaning, "Onni", scope, start, end, role));
    Py_DECREF(scope);
    if (answer != NULL && PyArg_ParseTuple(answer, "Up", &path, is_variable))
        Py_INCREF(path);
    else
        path = NULL;
    Py_XDECREF(answer);
    return path;
}

/* The number of a path, given in order; -1 with an exception set. */
static int64_t number_in(PyObject *numbers, PyObject *path) {
    PyObject *number = Py_XNewRef(PyDict_GetItemWithError(numbers, path));
    if (number == NULL && !PyErr_Occurred()) {
        number = PyLong_FromSsize_t(PyDict_Size(numbers));
        if (number != NULL && PyDict_SetItem(numbers, path, number) < 0)
            Py_CLEAR(number);
    }
    const long long found = number == NULL ? -1 : PyLong_AsLongLong(number);
    Py_XDECREF(number);
    if ((found < 0 || found > UINT32_MAX) && !PyErr_Occurred())
        PyErr_SetString(PyExc_ValueError, "a reference has a number of 32 bits");
    return PyErr_Occurred() ? -1 : found;
}

/* Settle one use: what it refers to goes into `number`; 0, or -1 with an exception set. */
static int settle(const Binder *binder, const Held *around, Py_ssize_t start, Py_ssize_t end, int role, uint32_t *number) {
    PyObject *const place = PyLong_FromSsize_t(start), *last = NULL;
    PyObject *path = place == NULL ? NULL : Py_XNewRef(PyDict_GetItemWithError(binder->known, place));
    int is_variable = 0, failed = -1;
    *number = 0;
    if (path != NULL && !PyUnicode_Check(path)) {
        PyErr_SetString(PyExc_TypeError, "what is known of a use is a text");
        goto end;
    }
    if (path != NULL && is_empty(path)) {
        failed = 0;
        goto end;
    }
    if (path == NULL && place != NULL && !PyErr_Occurred()) {
        const int is_plain = binder->is_plain &&
                             (!PyDict_Size(binder->outside) || PyDict_Contains(binder->outside, place) == 0) &&
                             (!PySet_Size(binder->apart) || PySet_Contains(binder->apart, place) == 0);
        if (is_plain)
            path = plain_meaning(binder, around, start, end, role, &is_variable);
        if (path == NULL && !PyErr_Occurred())
            path = full_meaning(binder, around, start, end, role, &is_variable);
    }
    Py_ssize_t length;
    const Py_ssize_t tail = (Py_ssize_t)strlen(LAST_PART);
    const char *const text = path == NULL ? NULL : PyUnicode_AsUTF8AndSize(path, &length);
    if (path != NULL && text == NULL)
        forgive();
    if (path == NULL || PyErr_Occurred() || (last = PyLong_FromSsize_t(end)) == NULL)
        goto end;
    PyObject *kept = path;
    if (text != NULL && length >= tail && memcmp(text + length - tail, LAST_PART, (size_t)tail) == 0)
        kept = PyObject_CallFunctionObjArgs(binder->own_class, path, NULL);
    else
        Py_INCREF(kept);
    failed = kept == NULL || PyDict_SetItem(binder->paths, last, kept) < 0 ? -1 : 0;
    Py_XDECREF(kept);
    if (failed == 0 && !is_variable && !(text != NULL && length == 1 && text[0] == '?')) {
        const int64_t found = number_in(binder->numbers, path);
        failed = found < 0 ? -1 : 0;
        *number = (uint32_t)found;
    }
end:
    Py_XDECREF(place);
    Py_XDECREF(last);
    Py_XDECREF(path);
    return failed;
}

static int spell(Attributes *attributes) {
    attributes->names = PyUnicode_InternFromString("names");
    attributes->values = PyUnicode_InternFromString("values");
    attributes->since = PyUnicode_InternFromString("since");
    attributes->is_class = PyUnicode_InternFromString("is_class");
    attributes->is_closed = PyUnicode_InternFromString("is_closed");
    attributes->parent = PyUnicode_InternFromString("parent");
    attributes->start = PyUnicode_InternFromString("start");
    return PyErr_Occurred() ? -1 : 0;
}

static void forget(Attributes *attributes) {
    Py_CLEAR(attributes->names);
    Py_CLEAR(attributes->values);
    Py_CLEAR(attributes->since);
    Py_CLEAR(attributes->is_class);
    Py_CLEAR(attributes->is_closed);
    Py_CLEAR(attributes->parent);
    Py_CLEAR(attributes->start);
}

/* Scopes, outer before inner, and those around a place that moves forward. */
typedef struct {
    PyObject *all;
    const int64_t *starts, *ends;
    const uint16_t *owners; /* of which definition each is part */
    Py_ssize_t count, next, depth, *stack;
} Walk;

/* Go on to a place: `around` becomes the scope there, `until` where that ends, `owner` whose it is; 0, or -1 with an
   exception set. */
static int go_to(const Binder *binder, Walk *walk, Py_ssize_t place, Held *around, Py_ssize_t *until, uint16_t *owner) {
    while (walk->next < walk->count && walk->starts[walk->next] <= place)
        walk->stack[walk->depth++] = walk->next++;
    while (walk->depth > 1 && walk->ends[walk->stack[walk->depth - 1]] <= place)
        walk->depth--;
    Py_ssize_t at = 0; /* some below may have ended */
    for (Py_ssize_t k = walk->depth - 1; k > 0 && at == 0; k--)
        at = walk->ends[walk->stack[k]] > place ? walk->stack[k] : 0;
    *until = (Py_ssize_t)walk->ends[at];
    if (walk->next < walk->count && walk->starts[walk->next] < *until)
        *until = (Py_ssize_t)walk->starts[walk->next];
    *owner = walk->owners[at];
    return hold(&binder->attributes, Py_NewRef(PyTuple_GetItem(walk->all, at)), around);
}

/* Where an event happens; -1 for none, or with an exception set. */
static Py_ssize_t place_of(PyObject *events, Py_ssize_t number) {
    PyObject *const event = number < PyTuple_Size(events) ? PyTuple_GetItem(events, number) : NULL;
    if (event != NULL && (!PyTuple_Check(event) || PyTuple_Size(event) < 1)) {
        PyErr_SetString(PyExc_TypeError, "an event is a tuple that begins with its place");
        return -1;
    }
    const Py_ssize_t place = event == NULL ? -1 : PyLong_AsSsize_t(PyTuple_GetItem(event, 0));
    if (event != NULL && place < 0 && !PyErr_Occurred())
        PyErr_SetString(PyExc_ValueError, "an event has a place");
    return place;
}

/* refer(content, (starts, ends, roles), events, (scopes, their starts, their ends, their owners), (happen, meaning,
   own_class), (known, outside, given, apart, paths, numbers), is_plain, has_late_names, most_steps) -> (of_use, callers,
   happened):
   `refer` in parse/referring.py says what it does. Numbers of references are uint32, of callers and owners uint16. */
PyObject *clew_refer(PyObject *Py_UNUSED(module), PyObject *arguments) {
    PyObject *owners[6], *content, *uses, *events, *scopes, *steps, *tables, *done = NULL, *of_use = NULL, *callers = NULL;
    Array arrays[6] = {0};
    Held around = {0};
    Binder binder = {0};
    Walk walk = {0};
    /* Tuples: they keep what they hold, whatever is done meanwhile. */
    if (!PyArg_ParseTuple(arguments, "SO!O!O!O!O!ppi", &content, &PyTuple_Type, &uses, &PyTuple_Type, &events,
                          &PyTuple_Type, &scopes, &PyTuple_Type, &steps, &PyTuple_Type, &tables, &binder.is_plain,
                          &binder.has_late_names, &binder.most_steps) ||
        !PyArg_ParseTuple(uses, "OOS", &owners[0], &owners[1], &owners[2]) ||
        !PyArg_ParseTuple(scopes, "O!OOO", &PyTuple_Type, &walk.all, &owners[3], &owners[4], &owners[5]) ||
        !PyArg_ParseTuple(steps, "OOO", &binder.happen, &binder.meaning, &binder.own_class) ||
        !PyArg_ParseTuple(tables, "O!O!O!O!O!O!", &PyDict_Type, &binder.known, &PyDict_Type, &binder.outside, &PySet_Type,
                          &binder.given, &PySet_Type, &binder.apart, &PyDict_Type, &binder.paths, &PyDict_Type,
                          &binder.numbers))
        return NULL;
    const Py_ssize_t widths[6] = {4, 4, 1, 8, 8, 2};
    if (clew_borrow(owners, widths, 6, -1, arrays) < 0)
        goto end;
    binder.content = (const uint8_t *)PyBytes_AsString(content);
    binder.size = PyBytes_Size(content);
    binder.unknown = PyUnicode_InternFromString("?");
    const Py_ssize_t count = arrays[0].count;
    if (arrays[1].count != count || arrays[2].count != count) {
        PyErr_SetString(PyExc_ValueError, "every use has a start, an end and a role");
        goto end;
    }
    walk.count = PyTuple_Size(walk.all);
    walk.starts = arrays[3].held.buf;
    walk.ends = arrays[4].held.buf;
    walk.owners = arrays[5].held.buf;
    if (!walk.count || arrays[3].count != walk.count || arrays[4].count != walk.count || arrays[5].count != walk.count) {
        PyErr_SetString(PyExc_ValueError, "there is a scope, and each has a start, an end and an owner");
        goto end;
    }
    walk.stack = PyMem_Malloc((size_t)walk.count * sizeof(Py_ssize_t));
    if (walk.stack == NULL) {
        PyErr_NoMemory();
        goto end;
    }
    walk.stack[0] = 0;
    walk.next = walk.depth = 1;
    of_use = PyBytes_FromStringAndSize(NULL, count * (Py_ssize_t)sizeof(uint32_t));
    callers = PyBytes_FromStringAndSize(NULL, count * (Py_ssize_t)sizeof(uint16_t));
    if (spell(&binder.attributes) < 0 || of_use == NULL || callers == NULL || binder.unknown == NULL)
        goto end;
    Py_ssize_t happened = 0, until = 0, next = place_of(events, 0);
    uint16_t caller = 0;
    for (Py_ssize_t i = 0; i < count && !PyErr_Occurred(); i++) {
        const Py_ssize_t start = ((const uint32_t *)arrays[0].held.buf)[i], end = ((const uint32_t *)arrays[1].held.buf)[i];
        if (start >= end || end > binder.size) {
            PyErr_SetString(PyExc_ValueError, "a use stands in its content");
            goto end;
        }
        while (next >= 0 && next <= start) {
            PyObject *const nothing = PyObject_CallFunctionObjArgs(binder.happen, PyTuple_GetItem(events, happened), NULL);
            if (nothing == NULL)
                goto end;
            Py_DECREF(nothing);
            next = place_of(events, ++happened);
        }
        if ((start >= until || i == 0) && go_to(&binder, &walk, start, &around, &until, &caller) < 0)
            goto end;
        uint32_t number;
        if (settle(&binder, &around, start, end, ((const uint8_t *)arrays[2].held.buf)[i], &number) < 0)
            goto end;
        memcpy(PyBytes_AsString(of_use) + 4 * i, &number, 4);
        memcpy(PyBytes_AsString(callers) + 2 * i, &caller, 2);
    }
    if (!PyErr_Occurred())
        done = Py_BuildValue("OOn", of_use, callers, happened);
end:
    clew_give_back(arrays, 6);
    PyMem_Free(walk.stack);
    let_go(&around);
    forget(&binder.attributes);
    Py_XDECREF(binder.unknown);
    Py_XDECREF(of_use);
    Py_XDECREF(callers);
    return done;
}
