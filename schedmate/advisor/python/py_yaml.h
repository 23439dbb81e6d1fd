/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads YAML with libyaml. */
#ifndef MODELS_ADVISOR_PY_YAML_H
#define MODELS_ADVISOR_PY_YAML_H

#include "schedmate/advisor/python/py_value.h"
#include "schedmate/advisor/python/settings.h"

/* Returns the value of a YAML text, NULL if it has none. Documents that are
 * maps are merged into one. An alias means the value of its anchor, and `<<`
 * merges maps. Nodes that aliases repeat are counted again, so that the work is
 * bounded; after an error or too many nodes the rest is left out. */
struct py_value *py_yaml_value(struct text source, const char *path,
                               enum setting_rank rank, struct arena *arena);

#endif
