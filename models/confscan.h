/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Configuration files as settings with dotted keys: JSON, TOML and INI, the
 * common part of YAML (nested maps, scalars, lists of scalars), Python. Reads
 * what it can; a file with an error gives what stands before it. */
#ifndef MODELS_CONFSCAN_H
#define MODELS_CONFSCAN_H

#include "models/settings.h"

/* By the end of the path's name; false if it is no configuration file. */
bool conf_is_config(const char *path);
void conf_settings(struct text source, const char *path, struct settings *out);

#endif
