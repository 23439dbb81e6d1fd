/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads configuration files as settings with dotted keys: JSON, TOML, INI,
 * Python, and the common part of YAML (nested maps, scalars, lists of scalars).
 * If a file has an error, the settings before the error are used. */
#ifndef MODELS_CONFSCAN_H
#define MODELS_CONFSCAN_H

#include "models/advisor/python/settings.h"

/* True if the ending of the path is that of a configuration file. */
bool conf_is_config(const char *path);
void conf_settings(struct text source, const char *path, struct settings *out);

#endif
