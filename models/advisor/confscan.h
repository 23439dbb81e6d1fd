/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads configuration files as settings with dotted keys: JSON, TOML, INI,
 * Python, and the common part of YAML (nested maps, scalars, lists of scalars).
 * A file with an error gives the settings before the error. */
#ifndef MODELS_CONFSCAN_H
#define MODELS_CONFSCAN_H

#include "models/advisor/settings.h"

/* True if the path ends like the path of a configuration file. */
bool conf_is_config(const char *path);
void conf_settings(struct text source, const char *path, struct settings *out);

#endif
