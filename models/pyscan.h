/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a Python source sets: options declared by argparse, click or absl with
 * their defaults, fields of data classes, assignments of literals, keyword
 * arguments of literals. Read as text, never run; what it cannot read it passes
 * over. */
#ifndef MODELS_PYSCAN_H
#define MODELS_PYSCAN_H

#include "models/settings.h"

/* The source with comments and documentation strings blanked out, line breaks
 * kept: what is commented out is not what runs. */
struct text py_strip(struct text source, struct arena *arena);

/* `source` is stripped. `rank` is SETTING_CONFIG if the file is itself a
 * configuration; else ranks are by the kind of statement. */
void py_settings(struct text source, const char *path, bool is_config,
                 struct settings *out);

/* The next imported module at or behind *at: "a.b" of `import a.b`,
 * `from a.b import c`; with "." in front if it is relative. False at the
 * end. */
bool py_next_import(struct text source, size_t *at,
                    struct text *module) MUST_USE;

/* A number of a literal: 12, 1e-4, 5 * 8, 2 ** 10, int(7e6). */
bool py_number(struct text t, double *out) MUST_USE;

#endif
