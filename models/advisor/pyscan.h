/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads what a Python source sets: options declared by argparse, click or absl
 * with their defaults, fields of data classes, assignments of literals, keyword
 * arguments that are literals. The source is read as text and never run. What
 * cannot be read is skipped. */
#ifndef MODELS_PYSCAN_H
#define MODELS_PYSCAN_H

#include "models/advisor/settings.h"

/* Adds the settings of a source that py_strip returned. If the file is itself a
 * configuration file (`is_config`), all have rank SETTING_CONFIG; otherwise the
 * kind of statement decides the rank. */
void py_settings(struct text source, const char *path, bool is_config,
                 struct settings *out);

/* Returns the next imported module at or after *at: "a.b" of `import a.b` and
 * `from a.b import c`, with "." in front if it is relative. False at the
 * end. */
bool py_next_import(struct text source, size_t *at,
                    struct text *module) MUST_USE;

#endif
