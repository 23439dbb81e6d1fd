/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A description of a cluster while it is built. Only for describe.c (shorthand)
 * and describe_file.c (JSON). */
#ifndef SIM_DESCRIBE_INTERNAL_H
#define SIM_DESCRIBE_INTERNAL_H

#include "sim/run/describe.h"

struct builder {
    struct arena *arena;
    struct gpu_type_spec types[CLUSTER_TYPES_MAX];
    const char **vcs;
    struct node_group *groups;
    struct capacity_change *changes;
    size_t n_types, n_vcs, n_groups, n_changes;
    size_t cap_vcs, cap_groups, cap_changes;
    const char *path;
};

/* Returns the number of the GPU type `name`, which is added if it is new;
 * UINT16_MAX if there are too many types. */
uint16_t builder_type(struct builder *b, struct text name);
/* Returns the number of the virtual cluster `name`, which is added if it is
 * new; UINT16_MAX if there are too many. */
uint16_t builder_vc(struct builder *b, struct text name);
void builder_group(struct builder *b, struct node_group group);
void builder_change(struct builder *b, struct capacity_change change);

/* Fills the builder from the JSON file b->path. Returns STATUS_USAGE if the
 * file cannot be opened, and STATUS_BAD_INPUT if it is not a description. */
enum status describe_file(struct builder *b, struct error *err) MUST_USE;

#endif
