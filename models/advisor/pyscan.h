/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads what a Python source sets: options declared by argparse, click or absl
 * with their defaults, fields of data classes, assignments of literals, keyword
 * arguments that are literals. The source is read as text and never run. What
 * cannot be read is skipped. */
#ifndef MODELS_PYSCAN_H
#define MODELS_PYSCAN_H

#include "models/advisor/settings.h"

/* Returns the source with comments and documentation strings blanked out,
 * because a commented-out setting has no effect. Line breaks are kept. */
struct text py_strip(struct text source, struct arena *arena);

/* `source` is stripped. `rank` is SETTING_CONFIG if the file is itself a
 * configuration file; otherwise the kind of statement decides the rank. */
void py_settings(struct text source, const char *path, bool is_config,
                 struct settings *out);

/* Returns the next imported module at or after *at: "a.b" of `import a.b` and
 * `from a.b import c`, with "." in front if it is relative. False at the
 * end. */
bool py_next_import(struct text source, size_t *at,
                    struct text *module) MUST_USE;

/* Reads a number of a literal: 12, 1e-4, 5 * 8, 2 ** 10, int(7e6). */
bool py_number(struct text t, double *out) MUST_USE;

#endif
