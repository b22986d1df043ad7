/* The distinct trigrams of a block, in order, as keys. */
#include "kernels.h"

#define CLASS_BITS 6
#define GRAMS (1 << (3 * CLASS_BITS))

/* The place of the lowest bit of a number that has any. */
static inline uint32_t lowest(uint64_t bits) {
#if defined(__GNUC__)
    return (uint32_t)__builtin_ctzll(bits);
#else
    uint32_t place = 0;
    for (; !(bits & 1); bits >>= 1)
        place++;
    return place;
#endif
}

/* grams(block, classes, number, bits) -> keys as uint32: each gram above `bits` bits that hold the block's number.
   `classes` has the class of each byte, below 64; 0 is in no gram. */
PyObject *clew_grams(PyObject *Py_UNUSED(module), PyObject *arguments) {
    PyObject *owners[2], *keys = NULL;
    Array arrays[2] = {0};
    unsigned int number;
    int bits;
    if (!PyArg_ParseTuple(arguments, "OOIi", &owners[0], &owners[1], &number, &bits))
        return NULL;
    const Py_ssize_t widths[2] = {1, 1};
    if (clew_borrow(owners, widths, 2, -1, arrays) < 0)
        goto end;
    if (arrays[1].count != 256 || bits < 1 || bits > 32 - 3 * CLASS_BITS || number >> bits) {
        PyErr_SetString(PyExc_ValueError, "the classes or the number do not fit");
        goto end;
    }
    const uint8_t *const block = arrays[0].held.buf, *const classes = arrays[1].held.buf;
    uint64_t is_held[GRAMS / 64] = {0};
    Py_ssize_t count = 0;
    uint32_t gram = 0;
    int whole = 0; /* how many neighbours up to here are in some gram */
    for (Py_ssize_t i = 0; i < arrays[0].count; i++) {
        const uint32_t class = classes[block[i]] & ((1 << CLASS_BITS) - 1);
        whole = class ? whole + 1 : 0;
        gram = (gram << CLASS_BITS | class) & (GRAMS - 1);
        const uint64_t bit = (uint64_t)(whole >= 3) << (gram & 63), held = is_held[gram >> 6];
        count += (held & bit) != bit;
        is_held[gram >> 6] = held | bit;
    }
    keys = PyBytes_FromStringAndSize(NULL, count * (Py_ssize_t)sizeof(uint32_t));
    if (keys == NULL)
        goto end;
    char *out = PyBytes_AsString(keys);
    for (uint32_t at = 0; at < GRAMS / 64; at++)
        for (uint64_t rest = is_held[at]; rest; rest &= rest - 1) {
            const uint32_t key = (at << 6 | lowest(rest)) << bits | number;
            memcpy(out, &key, sizeof(key));
            out += sizeof(key);
        }
end:
    clew_give_back(arrays, 2);
    return keys;
}
