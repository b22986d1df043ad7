"""C: every edge of small projects, and those that must not be there."""

from __future__ import annotations

from tests.graph.project import Project


def test_includes_declarations_structs_and_macros() -> None:
    project = Project({
        "include/app/list.h": """\
            #define MAX_ITEMS 10

            enum mode { MODE_FAST, MODE_SLOW };

            struct item {
                struct item *next;
                int size;
            };

            typedef struct item item_t;

            item_t *list_new(void);
            int list_count(const item_t *list);
            """,
        "src/list.c": """\
            #include <stdlib.h>
            #include <app/list.h>

            static int step(int n) { return n + 1; }

            item_t *list_new(void) {
                return malloc(sizeof(item_t));
            }

            int list_count(const item_t *list) {
                int n = 0;
                while(list->next) {
                    list = list->next;
                    n = step(n);
                }
                return n > MAX_ITEMS ? MODE_SLOW : n;
            }
            """,
        "src/main.c": """\
            #include "app/list.h"

            int step(int n);

            int main(void) {
                struct item *first = list_new(), *other;
                other->next->size = 1;
                list_new()->size = MODE_FAST;
                return list_count(first) + step(1);
            }
            """,
    })  # fmt: skip
    assert project.edges() == {
        "include/app/list.h:6 item -> include/app/list.h:item proven",
        "include/app/list.h:10 item -> include/app/list.h:item proven",
        "include/app/list.h:12 item_t -> include/app/list.h:item_t proven",
        "include/app/list.h:13 item_t -> include/app/list.h:item_t proven",
        "src/list.c:6 item_t -> include/app/list.h:item_t proven",
        "src/list.c:7 item_t -> include/app/list.h:item_t proven",
        "src/list.c:10 item_t -> include/app/list.h:item_t proven",
        "src/list.c:12 next -> include/app/list.h:item.next typed",
        "src/list.c:13 next -> include/app/list.h:item.next typed",
        "src/list.c:14 step -> src/list.c:step proven",
        "src/list.c:16 MAX_ITEMS -> include/app/list.h:MAX_ITEMS proven",
        "src/list.c:16 MODE_SLOW -> include/app/list.h:mode.MODE_SLOW proven",
        "src/main.c:6 item -> include/app/list.h:item proven",
        "src/main.c:6 list_new -> src/list.c:list_new proven",
        "src/main.c:7 next -> include/app/list.h:item.next typed",
        "src/main.c:7 size -> include/app/list.h:item.size typed",
        "src/main.c:8 list_new -> src/list.c:list_new proven",
        "src/main.c:8 size -> include/app/list.h:item.size typed",
        "src/main.c:8 MODE_FAST -> include/app/list.h:mode.MODE_FAST proven",
        "src/main.c:9 list_count -> src/list.c:list_count proven",
        "src/main.c:9 step -> src/main.c:step proven",
    }


def test_no_phantoms() -> None:
    """A library's function, a name that is not included, shadowed names, two bodies for two systems."""
    project = Project({
        "a/util.h": "int init(void);\nint both(void);\n",
        "a/util.c": '#include "util.h"\n\nint init(void) { return 1; }\n',
        "a/unix.c": '#include "util.h"\n\nint both(void) { return 1; }\n',
        "a/win.c": '#include "util.h"\n\nint both(void) { return 2; }\n',
        "a/main.c": """\
            #include <string.h>
            #include "util.h"

            int use(int init) {
                return init + strlen("x") + hidden();
            }

            int main(void) { return init() + both(); }
            """,
        "b/util.h": "int init(void);\n",
        "b/util.c": '#include "util.h"\n\nint init(void) { return 2; }\nint hidden(void) { return 3; }\n',
        "b/main.c": '#include "util.h"\n\nint main(void) { return init(); }\n',
        "b/string.h": "int strlen(const char *text);\n",
    })  # fmt: skip
    assert project.edges() == {
        "a/main.c:8 init -> a/util.c:init proven",
        "a/main.c:8 both -> a/util.h:both proven",
        "b/main.c:3 init -> b/util.c:init proven",
    }


def test_what_is_there_under_a_condition_may_be_a_librarys() -> None:
    project = Project({
        "setup.h": """\
            #ifndef SETUP_H
            #define SETUP_H
            #ifdef __VMS
            #define getenv vms_getenv
            struct timeval { long tv_sec; };
            #endif
            #ifdef DEBUG
            #define LOG(x) print(x)
            #else
            #define LOG(x)
            #endif
            #define ALWAYS 1
            struct item { int size; int more; int others; int rest; };
            int first(void); int second(void); int third(void); int fourth(void); int fifth(void);
            #endif
            """,
        "main.c": """\
            #include "setup.h"
            int main(void) {
              struct timeval tv;
              struct item it;
              getenv("HOME");
              LOG(ALWAYS);
              return tv.tv_sec + it.size;
            }
            """,
    })  # fmt: skip
    assert {edge for edge in project.edges("main.c") if ": proven" not in edge} == {
        "main.c:3 timeval -> setup.h:timeval unique",
        "main.c:4 item -> setup.h:item proven",
        "main.c:5 getenv -> setup.h:getenv unique",
        "main.c:6 LOG -> setup.h:LOG proven",
        "main.c:6 ALWAYS -> setup.h:ALWAYS proven",
        "main.c:7 tv_sec -> setup.h:timeval.tv_sec unique",
        "main.c:7 size -> setup.h:item.size typed",
    }
