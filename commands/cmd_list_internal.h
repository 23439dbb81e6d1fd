/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kinds of things that `list` can name, and how it shows one thing. The
 * files of `list` share this header. */
#ifndef SIM_CMD_LIST_INTERNAL_H
#define SIM_CMD_LIST_INTERNAL_H

#include <jansson.h>

#include "base/option.h"

/* A thing of any kind: a policy, an estimator, a cluster. */
struct list_item {
    const char *name, *summary;
    const char *source;           /* source of its figures; NULL: none */
    const struct option *options; /* its settings; NULL: none */
    size_t config_size;           /* bytes that the settings fill */
    const char *reach; /* what naming it does outside the simulation, as in
                        * struct option; NULL: nothing */
    /* true if the thing can write what it learned from a trace */
    bool explains;
};

/* What --explain shows of an item besides its settings. */
enum list_more {
    MORE_NOTHING,
    MORE_COLUMNS,  /* the columns of a trace format */
    MORE_ROWS,     /* the keys or columns of another format */
    MORE_SAMPLING, /* the sampling settings, which all language models have */
};

/* Fills *out with item `i` of a kind, from 0. Returns false after the last
 * item. */
typedef bool list_item_at(size_t i, struct list_item *out);

struct list_kind {
    const char *name; /* plural, as in `list policies`; NULL: the last kind */
    bool is_model;    /* true if the kind is also part of `list models` */
    list_item_at *at;
    enum list_more more;
};
extern const struct list_kind list_kinds[];

struct out;

#endif
