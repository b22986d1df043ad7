/* How near rows of bytes are to one vector of bytes. */
#include "kernels.h"

#define MOST_NUMBERS 65536 /* in a row: their products still fit 32 bits */

#if defined(__GNUC__)
#define ALWAYS_INLINE inline __attribute__((always_inline))
#else
#define ALWAYS_INLINE inline
#endif

typedef struct {
    const int8_t *rows;
    const int16_t *wanted;
    const float *lengths;
    float *found;
    Py_ssize_t count, width;
    float length;
} Question;

static ALWAYS_INLINE void answer(const Question *asked) {
    const Py_ssize_t width = asked->width;
    const int16_t *const wanted = asked->wanted;
    float *const found = asked->found;
    for (Py_ssize_t row = 0; row < asked->count; row++) {
        const int8_t *const numbers = asked->rows + row * width;
        int32_t product = 0;
        for (Py_ssize_t i = 0; i < width; i++)
            product += (int16_t)numbers[i] * wanted[i];
        found[row] = (float)product;
    }
    for (Py_ssize_t row = 0; row < asked->count; row++) /* apart, several divisions are done at once */
        found[row] = found[row] / asked->lengths[row] / asked->length;
}

static void answer_anywhere(const Question *asked) { answer(asked); }

/* The same for processors that take 32 bytes at once; which one this is, is asked when it runs. */
#if defined(__GNUC__) && defined(__x86_64__)
__attribute__((target("avx2"))) static void answer_wide(const Question *asked) { answer(asked); }

static int is_wide(void) { return __builtin_cpu_supports("avx2"); }
#else
#define answer_wide answer_anywhere
static int is_wide(void) { return 0; }
#endif

/* cosines(rows, width, wanted, lengths, length, found): the product of each row of `width` int8 with a vector of as many,
   over the length of both (float32), into `found`. Python's lock is not held meanwhile. */
PyObject *clew_cosines(PyObject *Py_UNUSED(module), PyObject *arguments) {
    PyObject *owners[4], *done = NULL;
    Array arrays[4] = {0};
    int16_t *wide = NULL;
    Question asked;
    if (!PyArg_ParseTuple(arguments, "OnOOfO", &owners[0], &asked.width, &owners[1], &owners[2], &asked.length, &owners[3]))
        return NULL;
    const Py_ssize_t widths[4] = {1, 1, sizeof(float), sizeof(float)};
    if (clew_borrow(owners, widths, 4, 3, arrays) < 0)
        goto end;
    asked.count = arrays[2].count;
    if (asked.width < 1 || asked.width > MOST_NUMBERS || arrays[1].count != asked.width ||
        arrays[3].count != asked.count || arrays[0].count % asked.width || arrays[0].count / asked.width != asked.count) {
        PyErr_SetString(PyExc_ValueError, "the rows do not fit the vector, their lengths or the answer");
        goto end;
    }
    wide = PyMem_Malloc((size_t)asked.width * sizeof(int16_t));
    if (wide == NULL) {
        PyErr_NoMemory();
        goto end;
    }
    for (Py_ssize_t i = 0; i < asked.width; i++)
        wide[i] = ((const int8_t *)arrays[1].held.buf)[i];
    asked.rows = arrays[0].held.buf;
    asked.wanted = wide;
    asked.lengths = arrays[2].held.buf;
    asked.found = arrays[3].held.buf;
    Py_BEGIN_ALLOW_THREADS
    if (is_wide())
        answer_wide(&asked);
    else
        answer_anywhere(&asked);
    Py_END_ALLOW_THREADS
    done = Py_NewRef(Py_None);
end:
    PyMem_Free(wide);
    clew_give_back(arrays, 4);
    return done;
}
