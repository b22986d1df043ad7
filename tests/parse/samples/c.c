#include <stdio.h>
#include "shapes.h"

#ifndef SHAPES_C
#define SHAPES_C

/* How many fit. */
#define LIMIT 10
#define SQUARE(x) ((x) * (x))

// A point in the plane.
struct point {
    int x, y;
    struct point *next;
    int (*compare)(const struct point *, const struct point *);
};

typedef struct {
    double width;
    char name[16];
} rect_t;

typedef struct node {
    struct { int inner; } part;
} node_t;

typedef enum { RED, GREEN = 2 } color_t;
typedef unsigned long size_type;
typedef int (*callback_t)(int code, void *data);

enum side { LEFT, RIGHT };

union bits {
    int whole;
    float parts[2];
};

static const char *greeting = "héllo → wörld";
int first, *second, third[3] = {1, 2, 3};
extern int counter;
static callback_t handler;
void (*on_exit_hook)(int);

/* Adds two numbers. */
int add(int a, int b);
char *duplicate(const char *text);

/**
 * Opens a thing.
 *
 * Must be closed.
 */
static struct point *open_point(const char *name, int (*cmp)(int))
{
    int local = SQUARE(2);
    static int calls;
    struct point *made = malloc(sizeof *made);
    calls++;
    if (!made) {
        fprintf(stderr, "größe %s", name);
        return NULL;
    }
    made->compare(made, made);
    return made;
}

int add(int a, int b) { return a + b + cmp_all(first); }

void (*signal_for(int code))(int) { return on_exit_hook; }

#ifdef DEBUG
static int debug_level = 1;
int **table(void) { return 0; }
#else
int debug_flag(void);
#endif

#endif
