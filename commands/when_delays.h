/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the answers of `when` with --what-if or --versus. */
#ifndef COMMANDS_WHEN_DELAYS_H
#define COMMANDS_WHEN_DELAYS_H

#include "sim/when/delays.h"

/* `job`: the identifier of the only job that is asked about; NULL: all. */
void when_delays_print(const struct delays *delays, const char *job);
enum status when_delays_write(const struct delays *delays, const char *job,
                              struct error *err) MUST_USE;

#endif
