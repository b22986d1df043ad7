/* LZ4 blocks, each with its size before it, unpacked one after the other without Python's lock.

   The format is LZ4's block format: a token (lengths of literals and of a match), the literals, how far back the match
   lies. A block may be damaged: nothing is read beyond it, and nothing written beyond the size it claims. */
#include "kernels.h"

#define MARK "\xef\xbb\xbf" /* of UTF-8, at the beginning of a content: no part of its first line */
#define MOST_FOR_A_BYTE 255 /* more than a packed byte can become */
#define STEP 16
#define NEAR 32 /* bytes that a token with two short lengths neither reads nor writes beyond */

typedef struct {
    const uint8_t *bytes;
    Py_ssize_t length;
    Py_ssize_t size; /* unpacked, as the block claims */
} Block;

/* A length that goes on in further bytes while these are 255; -1 where the block ends before it does. */
static Py_ssize_t whole_length(Py_ssize_t length, const uint8_t **at, const uint8_t *end) {
    if (length != 15)
        return length;
    uint8_t more;
    do {
        if (*at == end)
            return -1;
        more = *(*at)++;
        length += more;
    } while (more == 255);
    return length;
}

static int unpack(const uint8_t *at, const uint8_t *end, uint8_t *const first, uint8_t *const last) {
    uint8_t *out = first;
    for (;;) {
        if (at == end)
            return -1;
        const uint8_t token = *at++;
        if (token >> 4 != 15 && (token & 15) != 15 && end - at >= NEAR && last - out >= NEAR) {
            memcpy(out, at, STEP);
            const uint8_t *const after = at + (token >> 4);
            uint8_t *const place = out + (token >> 4);
            const Py_ssize_t back = after[0] | after[1] << 8;
            if (back >= 8 && back <= place - first) { /* then no eight bytes reach into themselves */
                const uint8_t *const from = place - back;
                memcpy(place, from, 8);
                memcpy(place + 8, from + 8, 8);
                memcpy(place + 16, from + 16, 2);
                at = after + 2;
                out = place + (token & 15) + 4;
                continue;
            }
        }
        Py_ssize_t length = whole_length(token >> 4, &at, end);
        if (length < 0 || length > end - at || length > last - out)
            return -1;
        if (length <= STEP && end - at >= STEP && last - out >= STEP)
            memcpy(out, at, STEP); /* most are short, and one copy of a fixed size is soonest done */
        else
            memcpy(out, at, (size_t)length);
        at += length;
        out += length;
        if (at == end)
            return out == last ? 0 : -1; /* the last token has literals only */
        if (end - at < 2)
            return -1;
        const Py_ssize_t back = at[0] | at[1] << 8;
        at += 2;
        length = whole_length(token & 15, &at, end);
        if (length < 0 || back == 0 || back > out - first)
            return -1;
        length += 4;
        if (length > last - out)
            return -1;
        const uint8_t *from = out - back;
        uint8_t *const stop = out + length;
        if (back >= STEP && last - stop >= STEP) {
            for (; out < stop; out += STEP, from += STEP)
                memcpy(out, from, STEP);
            out = stop;
        } else {
            while (out < stop)
                *out++ = *from++; /* the match may reach into what it becomes */
        }
    }
}

/* Sizes of the blocks of a list; how much room their contents take with a line end after each, or -1. */
static Py_ssize_t read_sizes(PyObject *packed, Block *blocks, Py_ssize_t count) {
    Py_ssize_t total = 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        char *bytes;
        Py_ssize_t length;
        if (PyBytes_AsStringAndSize(PyList_GetItem(packed, i), &bytes, &length) < 0)
            return -1;
        if (length < 4) {
            PyErr_SetString(PyExc_ValueError, "a block has no size");
            return -1;
        }
        const uint8_t *head = (const uint8_t *)bytes;
        const uint32_t size = head[0] | (uint32_t)head[1] << 8 | (uint32_t)head[2] << 16 | (uint32_t)head[3] << 24;
        if ((Py_ssize_t)(size / MOST_FOR_A_BYTE) > length || total > PY_SSIZE_T_MAX / 2) {
            PyErr_Format(PyExc_ValueError, "a block of %zd bytes claims to have been %u", length, (unsigned)size);
            return -1;
        }
        blocks[i] = (Block){head + 4, length - 4, (Py_ssize_t)size};
        total += (Py_ssize_t)size + 1;
    }
    return total;
}

/* unpack_all(packed: list[bytes]) -> (joined, sizes as int64): contents without their marks, a line end after each. */
PyObject *clew_unpack_all(PyObject *Py_UNUSED(module), PyObject *packed) {
    if (!PyList_Check(packed)) {
        PyErr_SetString(PyExc_TypeError, "a list of packed contents is wanted");
        return NULL;
    }
    const Py_ssize_t count = PyList_Size(packed);
    PyObject *joined = NULL, *sizes = NULL, *kept = PyList_GetSlice(packed, 0, count); /* nobody takes one away */
    Block *blocks = PyMem_Malloc((size_t)(count ? count : 1) * sizeof(Block));
    if (blocks == NULL || kept == NULL) {
        PyErr_NoMemory();
        goto end;
    }
    const Py_ssize_t total = read_sizes(kept, blocks, count);
    if (total < 0)
        goto end;
    joined = PyBytes_FromStringAndSize(NULL, total);
    sizes = PyBytes_FromStringAndSize(NULL, count * (Py_ssize_t)sizeof(int64_t));
    if (joined == NULL || sizes == NULL)
        goto end;
    uint8_t *const first = (uint8_t *)PyBytes_AsString(joined), *out = first;
    char *const size_of = PyBytes_AsString(sizes);
    Py_ssize_t damaged = -1;
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t i = 0; i < count; i++) {
        int64_t size = blocks[i].size;
        if (unpack(blocks[i].bytes, blocks[i].bytes + blocks[i].length, out, out + size) < 0) {
            damaged = i;
            break;
        }
        if (size >= 3 && memcmp(out, MARK, 3) == 0) {
            size -= 3;
            memmove(out, out + 3, (size_t)size);
        }
        memcpy(size_of + i * (Py_ssize_t)sizeof(int64_t), &size, sizeof(int64_t));
        out += size;
        *out++ = '\n';
    }
    Py_END_ALLOW_THREADS
    if (damaged >= 0) {
        PyErr_Format(PyExc_ValueError, "block %zd of %zd is none", damaged + 1, count);
        Py_CLEAR(joined);
    } else if (out - first < total) { /* there were marks */
        PyObject *shorter = PyBytes_FromStringAndSize((const char *)first, out - first);
        Py_DECREF(joined);
        joined = shorter;
    }
end:
    PyMem_Free(blocks);
    Py_XDECREF(kept);
    PyObject *found = joined != NULL && sizes != NULL ? PyTuple_Pack(2, joined, sizes) : NULL;
    Py_XDECREF(joined);
    Py_XDECREF(sizes);
    return found;
}
