/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of the evaluator of Python. A value that only a run of the program
 * would show is unknown. Once a value is in use, only its map changes. */
#ifndef MODELS_ADVISOR_PY_VALUE_H
#define MODELS_ADVISOR_PY_VALUE_H

#include "schedmate/advisor/python/py_node.h"

enum py_type {
    PYV_UNKNOWN,
    PYV_NONE,
    PYV_BOOL,
    PYV_NUMBER,
    PYV_TEXT,
    PYV_LIST,     /* also tuples and sets: map without keys */
    PYV_DICT,     /* map; attributes are keys, too */
    PYV_FUNCTION, /* node, scope, map of marks such as decorators */
    PYV_CLASS,    /* node, scope, map of attributes, bases */
    PYV_OBJECT,   /* of: a class or a library name; map of attributes; call */
    PYV_FILE,     /* a module of the project: file */
    PYV_LIBRARY,  /* text: dotted name of something outside the project */
    PYV_METHOD,   /* of: the object; text: name; node and scope if known */
};

struct py_value;

/* Values by key, in insertion order. */
struct py_map {
    struct py_item {
        struct text key; /* empty for the items of a list */
        struct py_value *value;
    } * at;
    size_t n, cap;
    /* number of undecided conditions around the place where the map was made */
    unsigned maybe;
    /* True if there may be items that are not known. */
    bool open;
};

struct py_file;

/* The names of a function, class or module. */
struct py_scope {
    struct py_map names;
    struct py_map globals; /* names declared as global or nonlocal */
    struct py_scope *up;
    struct py_file *file;
    bool is_class; /* true for a class: its methods do not see these names */
};

/* A module of the project, or one that describes a library. */
struct py_file {
    const char *path;
    /* true if the module describes a library (PY_LIBRARY_PATH) */
    bool is_library;
    struct py_scope scope;
    struct py_value *value;
};

/* A call of something outside the project or of a class of the project, or a
 * loop: a call of "for" or "while". */
struct py_call {
    struct text name; /* dotted, as in torch.optim.SGD; a method: C.name */
    struct py_value *callee, *self;
    struct py_map arguments; /* positional ones without a key */
    const char *where;       /* path:line */
    struct py_value *result;
    /* The calls made while an object of the project is made: indices in the
     * list of all calls, from `first` to before `end`. In a call of "for",
     * `first` is instead the number of loops around this loop in its
     * function. */
    size_t first, end;
    struct text builder; /* innermost function of the project that returns the
                            result; empty: none */
    bool unsure;         /* true if made under an unknown condition */
    /* name to which the result was first assigned, or the variable of a loop;
     * empty: none */
    struct text target;
};

struct py_value {
    enum py_type type;
    uint8_t rank;      /* enum setting_rank: where the value comes from */
    const char *where; /* path:line, path or "command"; NULL: nowhere */
    double number;     /* also 0 or 1 for a truth value */
    struct text text;
    struct py_map *map;
    const struct py_node *node;
    struct py_scope *scope;
    struct py_value *of;
    struct py_value *owner; /* of a method: the class that defines it */
    struct py_file *file;
    struct py_map *bases; /* of a class: its bases */
    struct py_call *call; /* of an object: the call that made it */
};

struct py_value *py_value_new(struct arena *arena, enum py_type type);

/* Both return the value of the item with this key; NULL if there is none, the
 * key is empty or `map` is NULL. */
struct py_value *py_map_get(const struct py_map *map, struct text key);
struct py_value *py_map_find(const struct py_map *map, const char *key);
enum { PY_ITEMS_MAX = 4000 };

/* Sets the value of the item with this key, or appends an item if there is none
 * or the key is empty. Keeps the pointers. A map that has PY_ITEMS_MAX items
 * drops a further one and becomes `open`. */
void py_map_set(struct py_map *map, struct arena *arena, struct text key,
                struct py_value *value);
void py_map_remove(struct py_map *map, struct text key);
/* After a change that is not followed: no item is known any more. */
void py_forget_items(struct py_map *map);

/* True for a truth value, number or text. `value` may be NULL. */
bool py_is_scalar(const struct py_value *value);
bool py_is_text(const struct py_value *value);
bool py_same(const struct py_value *a, const struct py_value *b);

/* Returns a scalar in the form of a setting's value: "true" or "false", the
 * shortest number, or the text. Returns an empty text for any other value. */
struct text py_value_text(const struct py_value *value, struct arena *arena);

/* True if the text is one of the words, a list that ends with NULL. */
bool py_is_one_of(struct text text, const char *const *words);

/* Returns `a`, `between` and `b` joined; only `a` if they are longer than 500
 * bytes together. */
struct text py_join(struct arena *arena, struct text a, const char *between,
                    struct text b);
/* Returns the last component of a dotted name. */
struct text py_last_name(struct text dotted);

/* Whether a condition holds. */
enum py_truth { PY_NO, PY_YES, PY_PERHAPS };
enum py_truth py_truth(const struct py_value *value);

#endif
