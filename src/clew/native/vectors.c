/* How near rows of bytes are to one vector of bytes, beside Python: in a thread that never needs its lock. */
#include "kernels.h"

#if !defined(_WIN32)
#include <unistd.h>
#endif
#if defined(__GNUC__) && defined(__x86_64__)
#include <immintrin.h>
#endif

#define MOST_NUMBERS 65536 /* in a row: their products still fit 32 bits */
#define BLOCK 256          /* rows that are compared at once */
#define MOST_HELPERS 4     /* for several questions at once */
#define AHEAD 2048         /* bytes that memory is asked for in advance: processors do not look beyond a page */

#if defined(__GNUC__)
#define ALWAYS_INLINE inline __attribute__((always_inline))
#define FETCH(address) __builtin_prefetch(address)
#else
#define ALWAYS_INLINE inline
#define FETCH(address) ((void)(address))
#endif

/* Rows, and where their cosines go: one after the other, or each to its place. */
typedef struct {
    const int8_t *rows;
    const float *lengths;
    const int64_t *places; /* or NULL */
    float *answer;
    Py_ssize_t count, room; /* of rows, and of what the answer holds */
} Piece;

/* What is to be done. Whoever has time does it block by block: a helper, and who waits for it. A helper that comes late
   finds nothing left to do, so that nobody need wait for it; whoever lets go last frees this. */
typedef struct {
    PyThread_type_lock turn; /* held to look at or change the next four */
    Py_ssize_t next, left;   /* blocks: the first that nobody has taken, how many are not done */
    int holders, fits;
    PyThread_type_lock done; /* held until all is done */
    Py_ssize_t count, width, blocks;
    Piece *pieces;
    int8_t *wanted;
    float length;
    int is_wide;
    const Array *best; /* values, where their groups start, weights, the answer; NULL where there are none */
} Work;

typedef struct {
    PyObject_HEAD Work *work;
    Array *arrays; /* that its pieces lie in, four of each */
    Py_ssize_t borrowed;
    Array best[4];
} Nearness;

/* The product of a row with the vector, from one number on. */
static ALWAYS_INLINE int32_t product_from(Py_ssize_t first, const int8_t *numbers, const int8_t *wanted, Py_ssize_t width) {
    int32_t product = 0;
    for (Py_ssize_t i = first; i < width; i++)
        product += (int16_t)numbers[i] * (int16_t)wanted[i];
    return product;
}

static void products_anywhere(const Work *work, const int8_t *numbers, Py_ssize_t count, float *found) {
    for (Py_ssize_t row = 0; row < count; row++, numbers += work->width) {
        for (Py_ssize_t i = 0; i < work->width; i += 64)
            FETCH((const char *)numbers + AHEAD + i);
        found[row] = (float)product_from(0, numbers, work->wanted, work->width);
    }
}

/* The same for processors that take 32 bytes at once; which one this is, is asked when it runs. They multiply bytes
   without widening them first, if one of the two has no sign: that of the row goes to what is wanted. Two products fit
   16 bits as long as nothing wanted is -128. */
#if defined(__GNUC__) && defined(__x86_64__)
#define TOGETHER 4 /* rows */
__attribute__((target("avx2"))) static void products_wide(const Work *work, const int8_t *numbers, Py_ssize_t count,
                                                          float *found) {
    const Py_ssize_t width = work->width, whole = width - width % 32;
    const __m256i ones = _mm256_set1_epi16(1);
    Py_ssize_t row = 0;
    for (; row + TOGETHER <= count; row += TOGETHER, numbers += TOGETHER * width) {
        __m256i sums[TOGETHER] = {_mm256_setzero_si256(), _mm256_setzero_si256(), _mm256_setzero_si256(),
                                  _mm256_setzero_si256()};
        for (Py_ssize_t i = 0; i < TOGETHER * width; i += 64)
            FETCH((const char *)numbers + AHEAD + i);
        for (Py_ssize_t i = 0; i < whole; i += 32) {
            const __m256i wanted = _mm256_loadu_si256((const void *)(work->wanted + i));
            for (int k = 0; k < TOGETHER; k++) {
                const __m256i held = _mm256_loadu_si256((const void *)(numbers + k * width + i));
                const __m256i pairs = _mm256_maddubs_epi16(_mm256_abs_epi8(held), _mm256_sign_epi8(wanted, held));
                sums[k] = _mm256_add_epi32(sums[k], _mm256_madd_epi16(pairs, ones));
            }
        }
        const __m256i halves =
            _mm256_hadd_epi32(_mm256_hadd_epi32(sums[0], sums[1]), _mm256_hadd_epi32(sums[2], sums[3]));
        int32_t products[TOGETHER];
        _mm_storeu_si128((void *)products,
                         _mm_add_epi32(_mm256_castsi256_si128(halves), _mm256_extracti128_si256(halves, 1)));
        for (int k = 0; k < TOGETHER; k++)
            found[row + k] = (float)(products[k] + product_from(whole, numbers + k * width, work->wanted, width));
    }
    products_anywhere(work, numbers, count - row, found + row);
}

static int is_wide(const int8_t *wanted, Py_ssize_t width) {
    return __builtin_cpu_supports("avx2") && memchr(wanted, -128, (size_t)width) == NULL;
}
#else
#define products_wide products_anywhere
static int is_wide(const int8_t *Py_UNUSED(wanted), Py_ssize_t Py_UNUSED(width)) { return 0; }
#endif

static Py_ssize_t blocks_of(const Piece *piece) { return (piece->count + BLOCK - 1) / BLOCK; }

/* The cosines of one block; whether all have a place. A place is looked at as it is used: others may have changed it. */
static int measure_block(const Work *work, Py_ssize_t block) {
    const Piece *piece = work->pieces;
    while (block >= blocks_of(piece))
        block -= blocks_of(piece++);
    const Py_ssize_t first = block * BLOCK, count = piece->count - first < BLOCK ? piece->count - first : BLOCK;
    float found[BLOCK];
    const int8_t *const numbers = piece->rows + first * work->width;
    if (work->is_wide)
        products_wide(work, numbers, count, found);
    else
        products_anywhere(work, numbers, count, found);
    for (Py_ssize_t row = 0; row < count; row++) /* apart, several divisions are done at once */
        found[row] = found[row] / piece->lengths[first + row] / work->length;
    if (piece->places == NULL) {
        memcpy(piece->answer + first, found, (size_t)count * sizeof(float));
        return 1;
    }
    int fits = 1;
    for (Py_ssize_t row = 0; row < count; row++) {
        const int64_t place = piece->places[first + row];
        if (place >= 0 && place < piece->room)
            piece->answer[place] = found[row];
        fits = fits && place < piece->room;
    }
    return fits;
}

/* Do what nobody else does, without Python's lock; who does the last block ends it. */
static void help(Work *work) {
    for (;;) {
        PyThread_acquire_lock(work->turn, WAIT_LOCK);
        const Py_ssize_t block = work->next < work->blocks ? work->next++ : -1;
        PyThread_release_lock(work->turn);
        if (block < 0)
            return;
        const int fits = measure_block(work, block);
        PyThread_acquire_lock(work->turn, WAIT_LOCK);
        work->fits = work->fits && fits;
        const int is_last = --work->left == 0;
        PyThread_release_lock(work->turn);
        if (is_last) {
            if (work->best != NULL && clew_sum_best(work->best) < 0)
                work->fits = 0; /* nobody else looks at it before the next line */
            PyThread_release_lock(work->done);
        }
    }
}

static void dispose(Work *work) {
    if (work->turn != NULL)
        PyThread_free_lock(work->turn);
    if (work->done != NULL)
        PyThread_free_lock(work->done);
    free(work->pieces);
    free(work->wanted);
    free(work);
}

static void let_go(Work *work) {
    PyThread_acquire_lock(work->turn, WAIT_LOCK);
    const int is_last = --work->holders == 0;
    PyThread_release_lock(work->turn);
    if (is_last)
        dispose(work);
}

/* A thread that waits for work as long as the process lives: to wake it takes a twentieth of a millisecond, while a new
   one is left on the processor that began it, which is busy, for three. */
typedef struct {
    PyThread_type_lock wake; /* held until there is something to do */
    Work *work;              /* NULL while it is idle */
} Helper;

static Helper helpers[MOST_HELPERS];
static int helper_count;
static PyThread_type_lock table; /* held to look at the helpers, but for who holds Python's lock and changes the count */

static void serve(void *held) {
    Helper *const self = held;
    for (;;) {
        PyThread_acquire_lock(self->wake, WAIT_LOCK);
        help(self->work);
        let_go(self->work);
        PyThread_acquire_lock(table, WAIT_LOCK);
        self->work = NULL;
        PyThread_release_lock(table);
    }
}

/* A process that was forked off has none of the threads of the other. */
static void forget_lost(void) {
#if !defined(_WIN32)
    static pid_t mine;
    if (mine != getpid()) {
        mine = getpid();
        memset(helpers, 0, sizeof(helpers));
        helper_count = 0;
        table = NULL;
    }
#endif
}

/* Another helper, idle; NULL where there are enough, or the system has no room for one. */
static Helper *make_helper(void) {
    if (helper_count == MOST_HELPERS || (table == NULL && (table = PyThread_allocate_lock()) == NULL))
        return NULL;
    Helper *const made = &helpers[helper_count];
    if (made->wake == NULL && (made->wake = PyThread_allocate_lock()) == NULL)
        return NULL;
    PyThread_acquire_lock(made->wake, NOWAIT_LOCK);
    if (PyThread_start_new_thread(serve, made) == (unsigned long)-1)
        return NULL;
    helper_count++;
    return made;
}

/* Give work to a helper, if any is idle. Python's lock is held. */
static void ask_for_help(Work *work) {
    Helper *found = NULL;
    forget_lost();
    if (table != NULL) {
        PyThread_acquire_lock(table, WAIT_LOCK);
        for (int i = 0; i < helper_count && found == NULL; i++)
            found = helpers[i].work == NULL ? &helpers[i] : NULL;
        PyThread_release_lock(table);
    }
    if (found == NULL)
        found = make_helper();
    if (found != NULL) {
        work->holders = 2; /* it is still ours alone */
        found->work = work;
        PyThread_release_lock(found->wake);
    }
}

static Work *make_work(PyObject *vector, float length, Py_ssize_t count) {
    Array given[1] = {0};
    const Py_ssize_t widths[1] = {1};
    Work *work = NULL;
    if (clew_borrow(&vector, widths, 1, -1, given) < 0)
        goto end;
    const Py_ssize_t width = given[0].count;
    if (width < 1 || width > MOST_NUMBERS) {
        PyErr_SetString(PyExc_ValueError, "no vector has so many numbers");
        goto end;
    }
    work = calloc(1, sizeof(Work));
    if (work == NULL) {
        PyErr_NoMemory();
        goto end;
    }
    *work = (Work){.turn = PyThread_allocate_lock(), .holders = 1, .fits = 1, .done = PyThread_allocate_lock(),
                   .width = width, .pieces = calloc((size_t)count + 1, sizeof(Piece)),
                   .wanted = malloc((size_t)width), .length = length};
    if (work->turn == NULL || work->done == NULL || work->pieces == NULL || work->wanted == NULL) {
        dispose(work);
        work = NULL;
        PyErr_NoMemory();
        goto end;
    }
    memcpy(work->wanted, given[0].held.buf, (size_t)width);
    work->is_wide = is_wide(work->wanted, width);
end:
    clew_give_back(given, 1);
    return work;
}

static int take_piece(Nearness *self, PyObject *given) {
    PyObject *owners[4];
    if (!PyTuple_Check(given)) {
        PyErr_SetString(PyExc_TypeError, "a piece is a tuple");
        return -1;
    }
    if (!PyArg_ParseTuple(given, "OOOO", &owners[0], &owners[1], &owners[2], &owners[3]))
        return -1;
    const Py_ssize_t widths[4] = {1, sizeof(float), sizeof(int64_t), sizeof(float)};
    Work *const work = self->work;
    Array *const arrays = self->arrays + self->borrowed;
    self->borrowed += 4; /* what of them was not borrowed is nothing to give back */
    if (clew_borrow(owners, widths, 4, 3, arrays) < 0)
        return -1;
    const Py_ssize_t rows = arrays[1].count;
    if (arrays[0].count % work->width || arrays[0].count / work->width != rows ||
        (arrays[2].count ? arrays[2].count : arrays[3].count) != rows) {
        PyErr_SetString(PyExc_ValueError, "the rows do not fit the vector, their lengths or the answer");
        return -1;
    }
    Piece *const piece = &work->pieces[work->count++];
    *piece = (Piece){arrays[0].held.buf, arrays[1].held.buf, arrays[2].count ? arrays[2].held.buf : NULL,
                     arrays[3].held.buf, rows, arrays[3].count};
    work->blocks += blocks_of(piece);
    return 0;
}

static int take_all(Nearness *self, PyObject *pieces, PyObject *best) {
    const Py_ssize_t count = PyTuple_Size(pieces);
    self->arrays = PyMem_Calloc((size_t)count + 1, 4 * sizeof(Array));
    if (self->arrays == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; i++)
        if (take_piece(self, PyTuple_GetItem(pieces, i)) < 0)
            return -1;
    if (!PyTuple_Size(best))
        return 0;
    PyObject *owners[4];
    if (!PyArg_ParseTuple(best, "OOOO", &owners[0], &owners[1], &owners[2], &owners[3]) ||
        clew_borrow_best(owners, self->best) < 0)
        return -1;
    self->work->best = self->best;
    return 0;
}

static PyObject *make(PyTypeObject *type, PyObject *arguments, PyObject *Py_UNUSED(named)) {
    PyObject *vector, *pieces, *best;
    float length;
    int is_aside;
    if (!PyArg_ParseTuple(arguments, "OfO!O!p", &vector, &length, &PyTuple_Type, &pieces, &PyTuple_Type, &best,
                          &is_aside))
        return NULL;
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    Nearness *self = (Nearness *)allocate(type, 0);
    if (self == NULL)
        return NULL;
    self->work = make_work(vector, length, PyTuple_Size(pieces));
    if (self->work == NULL || take_all(self, pieces, best) < 0) {
        Py_DECREF(self);
        return NULL;
    }
    Work *const work = self->work;
    work->left = work->blocks;
    if (work->blocks)
        PyThread_acquire_lock(work->done, WAIT_LOCK);
    else if (work->best != NULL && clew_sum_best(work->best) < 0)
        work->fits = 0;
    if (is_aside && work->blocks)
        ask_for_help(work);
    return (PyObject *)self;
}

/* wait(): until all is in the arrays that were given for it; what nobody has begun is done here. */
static PyObject *wait(Nearness *self, PyObject *Py_UNUSED(none)) {
    Work *const work = self->work;
    Py_BEGIN_ALLOW_THREADS
    help(work);
    PyThread_acquire_lock(work->done, WAIT_LOCK);
    PyThread_release_lock(work->done);
    Py_END_ALLOW_THREADS
    if (work->fits)
        return Py_NewRef(Py_None);
    PyErr_SetString(PyExc_ValueError, "the places or the groups do not fit the answer");
    return NULL;
}

/* Nobody may write into arrays that were given back: what nobody has begun is not done any more, the rest waited for. */
static void end(Nearness *self) {
    PyTypeObject *type = Py_TYPE((PyObject *)self);
    Work *const work = self->work;
    if (work != NULL) {
        PyThread_acquire_lock(work->turn, WAIT_LOCK);
        const Py_ssize_t skipped = work->blocks - work->next;
        work->next = work->blocks;
        work->left -= skipped;
        const int is_done = skipped ? work->left == 0 : 0;
        PyThread_release_lock(work->turn);
        if (work->blocks && !is_done) {
            PyThread_acquire_lock(work->done, WAIT_LOCK);
            PyThread_release_lock(work->done);
        }
        let_go(work);
    }
    clew_give_back(self->arrays, (int)self->borrowed);
    clew_give_back(self->best, 4);
    PyMem_Free(self->arrays);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

static PyMethodDef methods[] = {{"wait", (PyCFunction)wait, METH_NOARGS, NULL}, {NULL, NULL, 0, NULL}};

static PyType_Slot slots[] = {{Py_tp_new, make}, {Py_tp_dealloc, end}, {Py_tp_methods, methods}, {0, NULL}};

/* Nearness(vector, length, pieces, best, is_aside): begin to compare a vector of int8, whose length is told, with the rows
   of some pieces, each (rows, lengths, places or nothing, answer): the cosine of each row, by its length, goes to its place
   in the answer, if it has one, or to the next. Then `best` of them, if any: (values, starts, weights, answer) as for
   `best_three`. If it is not aside, all of it is done by who waits. */
PyType_Spec clew_nearness_spec = {"clew.native._kernels.Nearness", sizeof(Nearness), 0, Py_TPFLAGS_DEFAULT, slots};
