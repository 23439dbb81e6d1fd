/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a program without a shell and reads what it writes. */
#ifndef SIM_WATCH_PROGRAM_OUTPUT_H
#define SIM_WATCH_PROGRAM_OUTPUT_H

#include "sim/base/text.h"

/* Runs argv[0], found by $PATH, with empty input and TZ=UTC, for at most
 * `limit`. The messages of the program go to standard error. *out becomes its
 * output (the caller frees out->at), at most 256 MiB. STATUS_FAILED if the
 * program cannot be run, does not end, or ends with another status than 0. */
enum status program_output(const char *const *argv, sim_span limit,
                           struct text *out, struct error *err) MUST_USE;

#endif
