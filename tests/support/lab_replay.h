/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a lab and computes its results, as the command `run` does. */
#ifndef TESTS_SUPPORT_LAB_REPLAY_H
#define TESTS_SUPPORT_LAB_REPLAY_H

#include "commands/cmd_run.h"
#include "tests/support/lab.h"

/* Runs the lab with its trace and its cluster in place of those of `config`.
 * Returns false if the run failed. Otherwise, also after an incomplete run, the
 * caller frees *out with replay_fini. */
bool lab_replay(const struct lab *lab, struct run_config config,
                struct replay *out, struct error *err);

#endif
