/* Definitions: from the nodes of a syntax tree to rows of symbols. `collect_symbols` in parse/symbols.py says what a row
   has, and does it where a language has more rules than these. What is seldom in a text, a comment in a signature or a
   letter that is no ASCII, is left to the caller's Python. */
#include "kernels.h"

/* What a kind is, as parse/symbols.py tells it; from the eighth bit on, which of two kinds of one node counts. */
enum { CLASS = 1, FUNCTION = 2, VALUE = 4, LOCAL = 8, CONSTRUCTOR = 16, MEMBER = 32, FREE = 64 };
#define RANK_BITS 8

/* As in parse/symbols.py and parse/comments.py: tests compare what is cut here and there. */
#define MOST_NAME 240
#define MOST_QUALIFIED 1000 /* characters of what goes before a name */
#define MOST_SIGNATURE 240
#define MOST_DOC 300
#define MOST_TAIL 256 /* bytes of white space that are taken off at once */

typedef struct {
    Py_ssize_t start, end, parent, name, name_end, name_byte, doc, doc_end, row; /* -1 for none */
    PyObject *kind, *node;                                                     /* borrowed of the arguments */
    Py_ssize_t order;                                                          /* in which it came */
    int traits;
} Definition;

typedef struct {
    Py_ssize_t start, end;
} Span;

typedef struct {
    const char *content;
    Py_ssize_t size, count, lines, *starts; /* of definitions; of lines, and where each starts */
    Definition *all;
    PyObject *ends, *commented;                 /* where comments end: where they start; lines that are comments */
    PyObject *named, *signature, *clean, *above; /* what is done in Python */
    PyObject *constructor, *method, *child, *body, *start_byte, *end_byte, *empty;
    PyObject *rows;
} Maker;

/* -- texts --------------------------------------------------------------------------------------- */

static int is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }            /* of bytes */
static int is_gap(char c) { return is_space(c) || (c >= '\x1c' && c <= '\x1f'); }       /* of characters */
static int is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/* Take white space off both ends. */
static void strip(const char *content, Py_ssize_t *start, Py_ssize_t *end) {
    while (*start < *end && is_space(content[*start]))
        ++*start;
    while (*end > *start && is_space(content[*end - 1]))
        --*end;
}

static int is_plain_name(const char *text, Py_ssize_t length) {
    if (length < 1 || length > MOST_NAME || !is_letter(text[0]))
        return 0;
    for (Py_ssize_t i = 1; i < length; i++)
        if (!is_letter(text[i]) && !(text[i] >= '0' && text[i] <= '9'))
            return 0;
    return 1;
}

/* Bytes as text for a function that then makes a text of them. */
static PyObject *in_python(PyObject *function, const char *text, Py_ssize_t length) {
    PyObject *const decoded = PyUnicode_DecodeUTF8(text, length, "replace");
    PyObject *const found = decoded == NULL ? NULL : PyObject_CallFunctionObjArgs(function, decoded, NULL);
    Py_XDECREF(decoded);
    return found;
}

/* The head of a definition on one line. */
static PyObject *on_one_line(const Maker *maker, const char *text, Py_ssize_t length) {
    char line[MOST_SIGNATURE + 1];
    Py_ssize_t written = 0;
    int has_gap = 0;
    for (Py_ssize_t i = 0; i < length; i++) {
        if ((unsigned char)text[i] >= 128 || text[i] == '#' || (text[i] == '/' && i + 1 < length && text[i + 1] == '/'))
            return in_python(maker->signature, text, length);
        if (is_gap(text[i])) {
            has_gap = written > 0;
        } else {
            if (has_gap && written < MOST_SIGNATURE)
                line[written++] = ' ';
            if (written < MOST_SIGNATURE)
                line[written++] = text[i];
            has_gap = 0;
        }
    }
    while (written && (line[written - 1] == ' ' || line[written - 1] == '{' || line[written - 1] == ':' ||
                       line[written - 1] == '='))
        written--;
    return PyUnicode_FromStringAndSize(line, written);
}

/* The first paragraph of a docstring, on one line: `clean` in parse/comments.py. */
static PyObject *first_paragraph(const Maker *maker, const char *text, Py_ssize_t length) {
    char paragraph[MOST_DOC];
    Py_ssize_t first = 0, last = length, written = 0;
    while (first < 2 && first < length && strchr("rRbBuUfF", text[first]) != NULL && text[first])
        first++;
    if (first < length && (text[first] == '"' || text[first] == '\'')) {
        const char quote = text[first];
        for (int i = 0; i < 3 && first < length && text[first] == quote; i++)
            first++;
    } else {
        first = 0;
    }
    if (last > first && (text[last - 1] == '"' || text[last - 1] == '\'')) {
        const char quote = text[last - 1];
        for (int i = 0; i < 3 && last > first && text[last - 1] == quote; i++)
            last--;
    }
    while (first < last && written < MOST_DOC) {
        const char *const found = memchr(text + first, '\n', (size_t)(last - first));
        const Py_ssize_t next = found == NULL ? last : found - text;
        Py_ssize_t start = first, end = next;
        for (Py_ssize_t i = start; i < end; i++)
            if ((unsigned char)text[i] >= 128 || text[i] == '<' || (text[i] < ' ' && text[i] != '\t' &&
                                                                   !(text[i] == '\r' && i + 1 == end && end < last)))
                return in_python(maker->clean, text, length);
        strip(text, &start, &end);
        first = next + 1;
        if (start == end && written)
            break;
        if (start == end)
            continue;
        if (strchr("/*-#;%{", text[start]) != NULL || strchr("/}>]", text[end - 1]) != NULL)
            return in_python(maker->clean, text, length); /* a marker of a comment, perhaps */
        if (written)
            paragraph[written++] = ' ';
        const Py_ssize_t room = MOST_DOC - written;
        memcpy(paragraph + written, text + start, (size_t)(end - start < room ? end - start : room));
        written += end - start < room ? end - start : room;
    }
    return PyUnicode_FromStringAndSize(paragraph, written);
}

/* -- which definitions there are, and what is in them ---------------------------------------------- */

static int by_place(const void *one, const void *other) {
    const Definition *const a = one, *const b = other;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->end != b->end)
        return a->end > b->end ? -1 : 1;
    const int first = a->traits >> RANK_BITS, second = b->traits >> RANK_BITS;
    if (first != second)
        return first < second ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

static int by_span(const void *one, const void *other) {
    const Span *const a = one, *const b = other;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return (a->end > b->end) - (a->end < b->end);
}

/* Where a node starts and ends; 0, or -1 with an exception set. */
static int span_of(const Maker *maker, PyObject *node, Span *span) {
    const int64_t start = clew_number_of(node, maker->start_byte);
    const int64_t end = start < 0 ? -1 : clew_number_of(node, maker->end_byte);
    if (end < 0)
        return -1;
    if (start > end || end > maker->size) {
        PyErr_SetString(PyExc_ValueError, "a node stands in its content");
        return -1;
    }
    *span = (Span){(Py_ssize_t)start, (Py_ssize_t)end};
    return 0;
}

/* The spans of nodes in order, in memory that the caller frees; NULL with an exception set. */
static Span *spans_of(const Maker *maker, PyObject *nodes, Py_ssize_t *count) {
    *count = PyTuple_Size(nodes);
    Span *const spans = PyMem_Malloc((size_t)(*count ? *count : 1) * sizeof(Span));
    if (spans == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    for (Py_ssize_t i = 0; i < *count; i++)
        if (span_of(maker, PyTuple_GetItem(nodes, i), &spans[i]) < 0) {
            PyMem_Free(spans);
            return NULL;
        }
    qsort(spans, (size_t)*count, sizeof(Span), by_span);
    return spans;
}

/* Where a definition ends: some grammars put the blank lines and comments that follow into the node. -1 with an
   exception set. */
static Py_ssize_t end_of(const Maker *maker, Py_ssize_t start, Py_ssize_t whole) {
    Py_ssize_t end = whole;
    while (end > start) {
        const char last = maker->content[end - 1];
        if (last == ' ' || last == '\t' || last == '\r' || last == '\n') {
            const Py_ssize_t floor = end - MOST_TAIL > start ? end - MOST_TAIL : start;
            while (end > floor && is_space(maker->content[end - 1]))
                end--;
            continue;
        }
        if (!PyDict_Size(maker->ends))
            return end;
        PyObject *const place = PyLong_FromSsize_t(end);
        PyObject *const comment = place == NULL ? NULL : PyDict_GetItemWithError(maker->ends, place);
        Py_XDECREF(place);
        const Py_ssize_t begin = comment == NULL ? -1 : PyLong_AsSsize_t(comment);
        if (PyErr_Occurred())
            return -1;
        if (begin <= start || begin >= end)
            return end;
        end = begin;
    }
    return whole;
}

/* All definitions, outer before inner, each with its innermost enclosing one; 0, or -1 with an exception set. */
static int find_definitions(Maker *maker, PyObject *kinds, PyObject *imports) {
    Py_ssize_t total = 0, imported = 0, depth = 0;
    Span *left_out = NULL;
    Py_ssize_t *stack = NULL;
    int failed = -1;
    for (Py_ssize_t i = 0; i < PyTuple_Size(kinds); i++) {
        PyObject *kind, *nodes;
        int traits;
        if (!PyTuple_Check(PyTuple_GetItem(kinds, i))) {
            PyErr_SetString(PyExc_TypeError, "a kind is a tuple");
            return -1;
        }
        if (!PyArg_ParseTuple(PyTuple_GetItem(kinds, i), "UiO!", &kind, &traits, &PyTuple_Type, &nodes))
            return -1;
        total += PyTuple_Size(nodes);
    }
    maker->all = PyMem_Malloc((size_t)(total ? total : 1) * sizeof(Definition));
    stack = PyMem_Malloc((size_t)(total ? total : 1) * sizeof(Py_ssize_t));
    left_out = spans_of(maker, imports, &imported);
    if (maker->all == NULL || stack == NULL || left_out == NULL) {
        if (!PyErr_Occurred())
            PyErr_NoMemory();
        goto end;
    }
    Py_ssize_t found = 0;
    for (Py_ssize_t i = 0; i < PyTuple_Size(kinds); i++) {
        PyObject *kind, *nodes;
        int traits;
        if (!PyArg_ParseTuple(PyTuple_GetItem(kinds, i), "UiO!", &kind, &traits, &PyTuple_Type, &nodes))
            goto end;
        for (Py_ssize_t k = 0; k < PyTuple_Size(nodes); k++, found++) {
            PyObject *const node = PyTuple_GetItem(nodes, k);
            Span span;
            if (span_of(maker, node, &span) < 0)
                goto end;
            const Py_ssize_t last = end_of(maker, span.start, span.end);
            if (last < 0)
                goto end;
            maker->all[found] = (Definition){.start = span.start, .end = last, .parent = -1, .name = -1, .name_end = -1,
                                             .name_byte = -1, .doc = -1, .doc_end = -1, .row = -1, .kind = kind,
                                             .node = node, .order = found, .traits = traits};
        }
    }
    qsort(maker->all, (size_t)total, sizeof(Definition), by_place);
    for (Py_ssize_t i = 0; i < total; i++) {
        const Definition *const one = &maker->all[i], *const before = maker->count ? &maker->all[maker->count - 1] : NULL;
        const Span span = {one->start, one->end};
        if (before != NULL && before->start == one->start && before->end == one->end)
            continue;
        if (!imported || bsearch(&span, left_out, (size_t)imported, sizeof(Span), by_span) == NULL)
            maker->all[maker->count++] = *one;
    }
    for (Py_ssize_t i = 0; i < maker->count; i++) {
        while (depth && maker->all[stack[depth - 1]].end < maker->all[i].end)
            depth--;
        maker->all[i].parent = depth ? stack[depth - 1] : -1;
        stack[depth++] = i;
    }
    failed = 0;
end:
    PyMem_Free(stack);
    PyMem_Free(left_out);
    return failed;
}

/* Give each name (docstring) to the innermost definition that contains it; the first one counts. */
static int attach(Maker *maker, PyObject *nodes, int is_name) {
    Py_ssize_t count, depth = 0, next = 0;
    Span *const spans = spans_of(maker, nodes, &count);
    Py_ssize_t *const stack = PyMem_Malloc((size_t)(maker->count ? maker->count : 1) * sizeof(Py_ssize_t));
    const int failed = spans == NULL || stack == NULL ? -1 : 0;
    if (failed && !PyErr_Occurred())
        PyErr_NoMemory();
    for (Py_ssize_t i = 0; !failed && i < count; i++) {
        while (next < maker->count && maker->all[next].start <= spans[i].start)
            stack[depth++] = next++;
        while (depth && maker->all[stack[depth - 1]].end < spans[i].end)
            depth--;
        Definition *const around = depth ? &maker->all[stack[depth - 1]] : NULL;
        if (around == NULL || (is_name ? around->name_end > around->name : around->doc_end > around->doc))
            continue;
        Py_ssize_t start = spans[i].start, end = spans[i].end;
        strip(maker->content, &start, &end);
        if (is_name) {
            around->name = start;
            around->name_end = end;
            around->name_byte = start;
        } else {
            around->doc = start;
            around->doc_end = end;
        }
    }
    PyMem_Free(spans);
    PyMem_Free(stack);
    return failed;
}

/* -- rows ---------------------------------------------------------------------------------------- */

/* The line, from 1, that a place is in. */
static Py_ssize_t line_at(const Maker *maker, Py_ssize_t place) {
    Py_ssize_t low = 0, high = maker->lines;
    while (low < high) {
        const Py_ssize_t middle = low + (high - low) / 2;
        if (maker->starts[middle] <= place)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The innermost definition around one that counts as its owner; -1 for none. */
static Py_ssize_t owner_of(const Maker *maker, const Definition *inner) {
    Py_ssize_t at = inner->parent;
    for (; at >= 0; at = maker->all[at].parent) {
        const Definition *const outer = &maker->all[at];
        if (outer->row < 0)
            continue;
        /* Not so among the declarators of one statement, nor for properties among a constructor's parameters. */
        const int owns = outer->traits & VALUE ? !(inner->traits & VALUE) || inner->start < outer->name_byte
                                               : !(outer->traits & CONSTRUCTOR) || !(inner->traits & MEMBER);
        if (owns)
            return at;
    }
    return -1;
}

static PyObject *signature_of(const Maker *maker, const Definition *one) {
    PyObject *const body = PyObject_CallMethodObjArgs(one->node, maker->child, maker->body, NULL);
    if (body == NULL)
        return NULL;
    int64_t end = -1;
    if (!Py_IsNone(body))
        end = clew_number_of(body, maker->start_byte);
    Py_DECREF(body);
    if (PyErr_Occurred())
        return NULL;
    if (end <= one->name_byte) {
        const char *const found = memchr(maker->content + one->name_byte, '\n', (size_t)(maker->size - one->name_byte));
        end = found != NULL && found - maker->content < one->end ? found - maker->content : one->end;
    }
    if (end > maker->size)
        end = maker->size;
    if (end > one->start + 4 * MOST_SIGNATURE)
        end = one->start + 4 * MOST_SIGNATURE;
    return on_one_line(maker, maker->content + one->start, end > one->start ? (Py_ssize_t)end - one->start : 0);
}

/* What is said of a definition; `floor` is the line above which its owner is spoken of. */
static PyObject *doc_of(const Maker *maker, const Definition *one, Py_ssize_t line, Py_ssize_t floor) {
    if (one->doc_end > one->doc)
        return first_paragraph(maker, maker->content + one->doc, one->doc_end - one->doc);
    if (line - 1 <= floor)
        return Py_NewRef(maker->empty);
    PyObject *const above = PyLong_FromSsize_t(line - 1);
    int is_told = above == NULL ? -1 : PySet_Contains(maker->commented, above);
    Py_XDECREF(above);
    if (is_told == 0) { /* attributes may stand between */
        Py_ssize_t start = maker->starts[line - 2], end = maker->starts[line - 1];
        strip(maker->content, &start, &end);
        const char first = start < end ? maker->content[start] : ' ', second = end - start > 1 ? maker->content[start + 1] : ' ';
        is_told = first == '@' || first == '[' || (first == '#' && (second == '[' || second == '!'));
    }
    if (is_told < 0)
        return NULL;
    return is_told ? PyObject_CallFunction(maker->above, "nn", line, floor) : Py_NewRef(maker->empty);
}

/* Two names with a dot between them, or the one that is not empty; the first is cut. */
static PyObject *dotted(PyObject *one, PyObject *other) {
    if (PyUnicode_GetLength(one) == 0)
        return Py_NewRef(other);
    PyObject *const cut = PyUnicode_Substring(one, 0, MOST_QUALIFIED);
    PyObject *found = NULL;
    if (cut != NULL)
        found = PyUnicode_GetLength(other) ? PyUnicode_FromFormat("%U.%U", cut, other) : Py_NewRef(cut);
    Py_XDECREF(cut);
    return found;
}

/* The name of a definition and what it says goes before it, new references; 0, or -1 with an exception set. */
static int name_of(const Maker *maker, const Definition *one, PyObject **name, PyObject **scope, Py_ssize_t *shift) {
    const char *const text = maker->content + one->name;
    const Py_ssize_t length = one->name_end - one->name;
    *shift = 0;
    if (is_plain_name(text, length)) {
        *name = PyUnicode_FromStringAndSize(text, length);
        *scope = *name == NULL ? NULL : Py_NewRef(maker->empty);
        return *name == NULL ? -1 : 0;
    }
    PyObject *const decoded = PyUnicode_DecodeUTF8(text, length, "replace");
    PyObject *const answer =
        decoded == NULL ? NULL : PyObject_CallFunctionObjArgs(maker->named, decoded, one->kind, NULL);
    Py_XDECREF(decoded);
    int failed = -1;
    if (answer != NULL && !PyTuple_Check(answer))
        PyErr_SetString(PyExc_TypeError, "a tuple is wanted of a name");
    else if (answer != NULL && PyArg_ParseTuple(answer, "UUn", name, scope, shift))
        failed = *shift < 0 || *shift > 3 * length ? -1 : 0; /* a byte that is no text counts as three */
    if (answer != NULL && failed && !PyErr_Occurred())
        PyErr_SetString(PyExc_ValueError, "a name stands in what is written for it");
    *name = failed ? NULL : Py_NewRef(*name);
    *scope = failed ? NULL : Py_NewRef(*scope);
    Py_XDECREF(answer);
    return failed;
}

/* Whether a method has the name of its type: the last part of what goes before it, or its owner's; -1 likewise. */
static int is_constructor(PyObject *name, PyObject *scope, PyObject *owner) {
    Py_ssize_t length, whole;
    const char *const mine = PyUnicode_AsUTF8AndSize(name, &length);
    const char *theirs = mine == NULL ? NULL : PyUnicode_AsUTF8AndSize(PyUnicode_GetLength(scope) ? scope : owner, &whole);
    if (theirs == NULL)
        return -1;
    if (PyUnicode_GetLength(scope))
        for (Py_ssize_t i = whole; i > 0; i--)
            if (theirs[i - 1] == '.') {
                theirs += i;
                whole -= i;
                break;
            }
    return whole == length && memcmp(mine, theirs, (size_t)length) == 0;
}

/* Add the row of a definition, unless it is none; 0, or -1 with an exception set. */
static int add_row(Maker *maker, Definition *one) {
    if (one->name_end <= one->name)
        return 0;
    const Py_ssize_t at = owner_of(maker, one);
    const Definition *const owner = at >= 0 ? &maker->all[at] : NULL;
    if (owner != NULL && one->traits & LOCAL && owner->traits & FUNCTION)
        return 0;
    PyObject *name = NULL, *scope = NULL, *own = NULL, *qualified = NULL, *signature = NULL, *doc = NULL, *row = NULL;
    PyObject *const above = owner != NULL ? PyList_GetItem(maker->rows, owner->row) : NULL;
    PyObject *kind = one->kind;
    Py_ssize_t shift, floor = 0;
    int failed = -1;
    if ((owner != NULL && above == NULL) || name_of(maker, one, &name, &scope, &shift) < 0)
        goto end;
    if (one->traits & FREE && (PyUnicode_GetLength(scope) || (owner != NULL && owner->traits & CLASS))) {
        const int is_made = is_constructor(name, scope, owner != NULL ? PyTuple_GetItem(above, 1) : maker->empty);
        if (is_made < 0)
            goto end;
        kind = is_made ? maker->constructor : maker->method;
    }
    own = dotted(scope, name);
    if (owner != NULL && own != NULL) {
        qualified = dotted(PyTuple_GetItem(above, 2), own);
        floor = PyLong_AsSsize_t(PyTuple_GetItem(above, 6));
    } else {
        qualified = Py_XNewRef(own);
    }
    const Py_ssize_t first = line_at(maker, one->start);
    const Py_ssize_t last = line_at(maker, one->end - 1 > one->start ? one->end - 1 : one->start);
    signature = qualified == NULL ? NULL : signature_of(maker, one);
    doc = signature == NULL ? NULL : doc_of(maker, one, first, floor);
    if (doc == NULL || PyErr_Occurred())
        goto end;
    row = Py_BuildValue("OOOnnnnnOOn", kind, name, qualified, one->start, one->end, one->name_byte + shift, first, last,
                        signature, doc, owner != NULL ? owner->row : (Py_ssize_t)-1);
    if (row == NULL || PyList_Append(maker->rows, row) < 0)
        goto end;
    one->row = PyList_Size(maker->rows) - 1;
    failed = 0;
end:
    Py_XDECREF(name);
    Py_XDECREF(scope);
    Py_XDECREF(own);
    Py_XDECREF(qualified);
    Py_XDECREF(signature);
    Py_XDECREF(doc);
    Py_XDECREF(row);
    return failed;
}

/* Where lines start; 0, or -1 with an exception set. The last one may be empty. */
static int find_lines(Maker *maker) {
    Py_ssize_t count = 1;
    for (const char *at = maker->content; (at = memchr(at, '\n', (size_t)(maker->content + maker->size - at))) != NULL; at++)
        count++;
    maker->starts = PyMem_Malloc((size_t)count * sizeof(Py_ssize_t));
    if (maker->starts == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    maker->starts[maker->lines++] = 0;
    for (const char *at = maker->content; (at = memchr(at, '\n', (size_t)(maker->content + maker->size - at))) != NULL; at++)
        maker->starts[maker->lines++] = at - maker->content + 1;
    return 0;
}

/* symbols(content, ((kind, traits, nodes), ...), imports, names, docs, (ends, commented), (named, signature, clean, above),
   (constructor, method)) -> rows: tuples with the fields of a Symbol, outer before inner. Nodes come in tuples, which keep
   what they hold, whatever is done meanwhile. */
PyObject *clew_symbols(PyObject *Py_UNUSED(module), PyObject *arguments) {
    PyObject *content, *kinds, *imports, *names, *docs, *comments, *functions, *words;
    Maker maker = {0};
    if (!PyArg_ParseTuple(arguments, "SO!O!O!O!O!O!O!", &content, &PyTuple_Type, &kinds, &PyTuple_Type, &imports,
                          &PyTuple_Type, &names, &PyTuple_Type, &docs, &PyTuple_Type, &comments, &PyTuple_Type, &functions,
                          &PyTuple_Type, &words) ||
        !PyArg_ParseTuple(comments, "O!O!", &PyDict_Type, &maker.ends, &PyFrozenSet_Type, &maker.commented) ||
        !PyArg_ParseTuple(functions, "OOOO", &maker.named, &maker.signature, &maker.clean, &maker.above) ||
        !PyArg_ParseTuple(words, "UU", &maker.constructor, &maker.method))
        return NULL;
    maker.content = PyBytes_AsString(content);
    maker.size = PyBytes_Size(content);
    maker.rows = PyList_New(0);
    maker.empty = PyUnicode_FromStringAndSize("", 0);
    maker.child = PyUnicode_InternFromString("child_by_field_name");
    maker.body = PyUnicode_InternFromString("body");
    maker.start_byte = PyUnicode_InternFromString("start_byte");
    maker.end_byte = PyUnicode_InternFromString("end_byte");
    int failed = PyErr_Occurred() != NULL;
    failed = failed || find_lines(&maker) < 0 || find_definitions(&maker, kinds, imports) < 0;
    failed = failed || attach(&maker, names, 1) < 0 || attach(&maker, docs, 0) < 0;
    for (Py_ssize_t i = 0; !failed && i < maker.count; i++)
        failed = add_row(&maker, &maker.all[i]) < 0;
    PyMem_Free(maker.starts);
    PyMem_Free(maker.all);
    Py_XDECREF(maker.empty);
    Py_XDECREF(maker.child);
    Py_XDECREF(maker.body);
    Py_XDECREF(maker.start_byte);
    Py_XDECREF(maker.end_byte);
    if (failed)
        Py_CLEAR(maker.rows);
    return maker.rows;
}
