/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Puts the estimator layer of tests/support/advice.h on top of the chain of a
 * run, if the scenario has lines "advice". */
#ifndef TESTS_SCENARIOS_OWN_ADVICE_H
#define TESTS_SCENARIOS_OWN_ADVICE_H

#include "tests/scenarios/scenario.h"

struct own_advice {
    struct test_advice rows[LAB_JOBS]; /* indexed by job */
    struct estimator layer;
};

/* Adds the layer to a run that is prepared but not executed. `own` must outlive
 * the run. Returns STATUS_BROKEN if a line names an unknown job. */
enum status own_advice_put(struct own_advice *own,
                           const struct scenario *scenario, struct run *run,
                           struct error *err) MUST_USE;

#endif
