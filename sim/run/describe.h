/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Descriptions of clusters: named presets, the shorthand of the command line,
 * and JSON files.
 *
 *   venus                     a preset
 *   8x8:A800                  8 nodes of 8 GPUs
 *   6x4:T4+3x8:RTX@2.5        two kinds of node; @2.5 is the speed of the
 *                             second: work per time, where the reference
 *                             type has 1
 *   prod=4x8:A800,dev=1x8     virtual clusters
 *   7x8:A800+1x8:A800:profiler
 *                             the last node is set aside for profiling
 *   cluster.json              a file; `schedsim list --explain cluster-file`
 *                             lists its keys */
#ifndef SIM_DESCRIBE_H
#define SIM_DESCRIBE_H

#include <jansson.h>

#include "base/state/cluster.h"
#include "base/text.h"

struct preset {
    const char *name, *shorthand, *source;
};
extern const struct preset presets[]; /* ends with a NULL name */

/* A key of a cluster file: of the top-level object, or of the elements of a
 * list. */
struct cluster_key {
    const char *list; /* name of the list; "": the top-level object */
    const char *key;  /* name of the key; NULL: the last row of the table */
    const char *unit;
    bool required;
    const char *help;
};
extern const struct cluster_key cluster_keys[];

#define CLUSTER_KEYS_MAX 16
/* Lists the keys of the elements of `list`, or of the top-level object if
 * `list` is "". *out ends with NULL. */
void describe_keys_of(const char *list, const char *out[CLUSTER_KEYS_MAX]);

/* Finds the preset `text`, or parses it as shorthand, or reads it as a file, in
 * that order. Everything in *out is static or lives in the arena. Returns
 * STATUS_USAGE if the text is none of these, and STATUS_BAD_INPUT if a file is
 * not a description. */
enum status describe_cluster(const char *text, struct arena *arena,
                             struct cluster_spec *out,
                             struct error *err) MUST_USE;

/* Reads a description as in a cluster file. `path`: the file that has it, for
 * messages. */
enum status describe_json(const json_t *root, const char *path,
                          struct arena *arena, struct cluster_spec *out,
                          struct error *err) MUST_USE;

/* Returns the memory of a GPU of a well-known type, MiB; 0: not known. */
double describe_type_memory(struct text name);

/* True if describe_cluster takes `text` for the path of a file. */
bool describe_is_file(const char *text);

/* In describe_accounts.c. Reads the value of "accounts" in the cluster file
 * `path`; NULL: the file has none, and *out stays as it is. */
enum status describe_accounts(const json_t *list, const char *path,
                              struct arena *arena, struct accounts *out,
                              struct error *err) MUST_USE;

/* Puts all nodes into one virtual cluster called "all". */
void describe_as_one(struct cluster_spec *spec, struct arena *arena);

#endif
