/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the text of a first gate file, which expects no values yet. */
#ifndef STUDY_GATE_INIT_H
#define STUDY_GATE_INIT_H

#include "base/out.h"
#include "commands/run_options.h"

struct gate_first {
    const char *file; /* path of the new file; "-": standard output */
    struct arg_list traces, policies, metrics;
    double tolerance; /* percent, for metrics without their own */
    /* number of replications; 0: the traces themselves */
    uint32_t replications;
    struct run_options *options; /* options that become the settings */
};

/* Writes the text. Paths that are relative to the working directory become
 * relative to the directory of the file. Returns STATUS_USAGE if that directory
 * does not exist or a metric or its tolerance is not valid. */
enum status gate_init(const struct gate_first *first, struct out *out,
                      struct error *err) MUST_USE;

#endif
