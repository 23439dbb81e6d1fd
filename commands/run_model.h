/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The language model that the user names for a simulation. The code is in
 * cmd_run.c. */
#ifndef SIM_RUN_MODEL_H
#define SIM_RUN_MODEL_H

#include "schedmate/live/backend.h"
#include "sim/results/manifest.h"
#include "sim/run/run.h"

/* Opens the language model that `config` names, and sets config->model unless
 * the model is "rules". *out is NULL on an error or if `config` names none;
 * otherwise the caller owns it and closes it after the run. */
enum status run_model_open(struct run_config *config, struct backend **out,
                           struct error *err) MUST_USE;
/* Fills *out with how the questions were answered; all zeroes if `backend` is
 * NULL or "rules". */
void run_model_account(struct backend *backend, struct provenance_model *out);

#endif
