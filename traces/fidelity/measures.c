/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/fidelity/measures.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void measures_add(struct measures *measures, double value, const char *fmt, ...)
{
    va_list args;
    measures->at = mem_grow(measures->at, &measures->cap, measures->n + 1,
                            sizeof *measures->at);
    struct measure *m = &measures->at[measures->n++];
    va_start(args, fmt);
    vsnprintf(m->name, sizeof m->name, fmt, args);
    va_end(args);
    m->value = isfinite(value) ? value : NAN;
}

double measures_find(const struct measures *measures, const char *name)
{
    for (size_t i = 0; i < measures->n; i++) {
        if (strcmp(measures->at[i].name, name) == 0)
            return measures->at[i].value;
    }
    return NAN;
}

void measures_fini(struct measures *measures)
{
    free(measures->at);
    *measures = (struct measures){0};
}
