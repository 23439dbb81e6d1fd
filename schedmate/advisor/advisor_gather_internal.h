/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The interface between the files that gather evidence. */
#ifndef MODELS_ADVISOR_GATHER_INTERNAL_H
#define MODELS_ADVISOR_GATHER_INTERNAL_H

#include "schedmate/advisor/advisor_gather.h"

/* Finds the listed file to which a path refers. Tries the path relative to the
 * folder of the file `from` (NULL: to the folder to which the command changes),
 * then relative to the root. Then drops the leading folders of the path one by
 * one, because the path may be that of another machine. Returns NULL if there
 * is no such file. */
const char *gather_resolve(const struct gather *gather, const char *from,
                           const char *path);
bool gather_read(struct gather *gather, const char *path, struct text *out);

/* In advisor_evaluate.c. Returns the path of the module that describes the
 * library module `name`; NULL if none does. */
const char *gather_library(const struct gather *gather, struct text name);
/* In advisor_evaluate.c. Evaluates the script and collects the sources that it
 * reaches, their settings and their calls. */
void gather_evaluate(struct gather *gather, const char *script);

/* In advisor_configs.c. Adds the settings of the configuration files that the
 * command or the defaults of options name, and of those that another
 * configuration names as its base. */
void gather_configs(struct gather *gather);

#endif
