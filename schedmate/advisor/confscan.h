/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads configuration files as settings with dotted keys: JSON (of an array
 * only the first item), TOML, INI and the like (lines "key = value"), Python,
 * and the common part of YAML (nested maps, scalars, lists in brackets). Lines
 * that cannot be read are skipped; a JSON file with an error gives no
 * settings. The code is in scan.c. */
#ifndef MODELS_CONFSCAN_H
#define MODELS_CONFSCAN_H

#include "schedmate/advisor/python/settings.h"

/* True if the path has the ending of a configuration file. */
bool conf_is_config(const char *path);
void conf_settings(struct text source, const char *path, struct settings *out);

#endif
