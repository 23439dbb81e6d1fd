/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Settings in text that is not run: configuration files, and Python sources.
 *
 * Reads configuration files as settings with dotted keys: JSON (of an array
 * only the first item), TOML, INI and the like (lines "key = value"), Python,
 * and the common part of YAML (nested maps, scalars, lists in brackets). Lines
 * that cannot be read are skipped; a JSON file with an error gives no
 * settings. */
#ifndef SIM_SCAN_H
#define SIM_SCAN_H

#include "schedmate/advisor/python/settings.h"

/* True if the path has the ending of a configuration file. */
bool conf_is_config(const char *path);

void conf_settings(struct text source, const char *path, struct settings *out);

/* Finds the settings in a Python source: options declared by argparse, click or
 * absl with their defaults, fields of data classes, assignments of literals,
 * items of dictionaries and keyword arguments that are literals, and the number
 * of rounds of a loop over epochs. The source is read as text and never run.
 * Anything else is skipped. */

/* Adds the settings of a source that py_strip returned. If the source is a
 * configuration file (`is_config`), all settings have rank SETTING_CONFIG;
 * otherwise the rank depends on the kind of statement. */
void py_settings(struct text source, const char *path, bool is_config,
                 struct settings *out);

/* Sets *module to the next imported module at or after the line at *at: "a.b"
 * of `import a.b` and `from a.b import c`, with "." in front if it is relative;
 * of `import a, b` only the first. Moves *at to the next line. Returns false if
 * there is no further import. */
bool py_next_import(struct text source, size_t *at,
                    struct text *module) MUST_USE;

#endif
