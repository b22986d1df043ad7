/* Looks at many files at once without Python's lock: threads that search would wait for it after each. */
#include "kernels.h"

#define NUMBERS 4 /* size, times of modification and of change in nanoseconds, inode */

#if !defined(_WIN32)
#include <sys/stat.h>

#if defined(__APPLE__)
#define TIME(found, which) (found).st_##which##timespec
#else
#define TIME(found, which) (found).st_##which##tim
#endif
#define NANOSECONDS(time) ((int64_t)(time).tv_sec * 1000000000 + (time).tv_nsec)

static int is_same(const char *path, const int64_t *expected) {
    struct stat found;
    return lstat(path, &found) == 0 && (int64_t)found.st_size == expected[0] &&
           NANOSECONDS(TIME(found, m)) == expected[1] && NANOSECONDS(TIME(found, c)) == expected[2] &&
           (int64_t)found.st_ino == expected[3];
}
#else
static int is_same(const char *Py_UNUSED(path), const int64_t *Py_UNUSED(expected)) { return 0; /* cannot tell */ }
#endif

/* unchanged(paths, stats) -> a byte for each path: 1 where it has these four numbers, 0 where it has others, or is gone,
   or cannot be told of. `paths`: bytes that end with a zero byte each, one after the other; `stats`: int64. */
PyObject *clew_unchanged(PyObject *Py_UNUSED(module), PyObject *arguments) {
    PyObject *owners[2], *flags = NULL;
    Array arrays[2] = {0};
    int64_t *stats = NULL; /* a copy: what is looked at without the lock must not change */
    if (!PyArg_ParseTuple(arguments, "OO", &owners[0], &owners[1]))
        return NULL;
    if (!PyBytes_Check(owners[0])) {
        PyErr_SetString(PyExc_TypeError, "bytes are wanted, which nobody can change meanwhile");
        return NULL;
    }
    const Py_ssize_t widths[2] = {1, sizeof(int64_t)};
    if (clew_borrow(owners, widths, 2, -1, arrays) < 0)
        goto end;
    const char *const paths = arrays[0].held.buf;
    const Py_ssize_t count = arrays[1].count / NUMBERS;
    Py_ssize_t ends = 0;
    for (Py_ssize_t i = 0; i < arrays[0].count; i++)
        ends += paths[i] == '\0';
    if (arrays[1].count % NUMBERS || ends != count || (arrays[0].count && paths[arrays[0].count - 1] != '\0')) {
        PyErr_SetString(PyExc_ValueError, "each path ends with a zero byte and has four numbers");
        goto end;
    }
    stats = malloc((size_t)arrays[1].held.len + 1);
    flags = PyBytes_FromStringAndSize(NULL, count);
    if (stats == NULL || flags == NULL) {
        Py_CLEAR(flags);
        PyErr_NoMemory();
        goto end;
    }
    memcpy(stats, arrays[1].held.buf, (size_t)arrays[1].held.len);
    char *const out = PyBytes_AsString(flags);
    Py_BEGIN_ALLOW_THREADS
    const char *path = paths;
    for (Py_ssize_t i = 0; i < count; i++) {
        out[i] = (char)is_same(path, stats + NUMBERS * i);
        path += strlen(path) + 1;
    }
    Py_END_ALLOW_THREADS
end:
    free(stats);
    clew_give_back(arrays, 2);
    return flags;
}
