/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a program without a shell and reads its standard output. */
#ifndef SIM_WATCH_PROGRAM_OUTPUT_H
#define SIM_WATCH_PROGRAM_OUTPUT_H

#include "base/text.h"

/* Runs argv[0], found by $PATH, with empty input and TZ=UTC. Its messages go to
 * standard error. *out becomes its output, whose `at` the caller frees.
 * STATUS_FAILED if the program cannot be run, does not end within `limit`
 * microseconds, writes more than 256 MiB, or ends with a status other than 0;
 * *out is then empty. A program that does not end in time or writes too much is
 * killed, and waited for at most five seconds more. */
enum status program_output(const char *const *argv, sim_span limit,
                           struct text *out, struct error *err) MUST_USE;

#endif
