/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints what `trace fidelity` measured beside the real values. */
#ifndef SIM_FIDELITY_PRINT_H
#define SIM_FIDELITY_PRINT_H

#include "traces/fidelity/bars.h"

/* The measures of n traces, and the bars that judge them. */
struct fidelity_report {
    const char *const *paths;        /* path of each trace */
    const struct measures *measured; /* measures of each trace */
    size_t n;
    /* real values and bars; bars->n 0: there are none, and the measures stand
     * alone */
    const struct bars *bars;
    bool all; /* true: also prints figures that have neither a real value nor a
               * bar */
    const char *against; /* the cluster or the file with the real values; NULL:
                          * none */
};

/* Prints a table. Returns the number of bars that fail. */
size_t fidelity_print(const struct fidelity_report *report);
/* Writes JSON to standard output; *failed is the number of bars that fail. */
enum status fidelity_write(const struct fidelity_report *report, size_t *failed,
                           struct error *err) MUST_USE;

#endif
