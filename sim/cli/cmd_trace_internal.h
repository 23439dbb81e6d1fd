/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the subcommands of `trace`, each of which has its own file. */
#ifndef SIM_CMD_TRACE_INTERNAL_H
#define SIM_CMD_TRACE_INTERNAL_H

#include "sim/cli/cli.h"

extern const struct command command_trace;

extern const struct command trace_command_info, trace_command_guess,
    trace_command_validate, trace_command_convert, trace_command_fidelity,
    trace_command_generate, trace_command_resample;

/* Finds a format by name, if traces can be written in it. */
struct trace_ops;
enum status trace_find_target(const char *name, const struct trace_ops **out,
                              struct error *err) MUST_USE;

#endif
