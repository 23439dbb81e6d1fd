/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `trace generate`, called by the command `trace`. */
#ifndef SIM_CMD_GENERATE_H
#define SIM_CMD_GENERATE_H

#include "sim/base/error.h"

/* argv[0] is the name of the command. */
enum status trace_generate(int argc, char **argv, struct error *err) MUST_USE;

#endif
