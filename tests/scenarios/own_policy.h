/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a scenario under a policy that is in no registry: the script or the
 * packer of tests/probes. */
#ifndef TESTS_SCENARIOS_OWN_POLICY_H
#define TESTS_SCENARIOS_OWN_POLICY_H

#include "tests/probes/packer.h"
#include "tests/scenarios/scenario.h"

struct own_policy {
    const struct scenario *scenario;
    struct deed deeds[SCRIPT_DEEDS];
    struct deed_script script, *script_at;
    struct packer_config packer;
};

/* Replaces the policy of a run that is prepared but not executed; does nothing
 * if the scenario has a policy of the registry. `own` must outlive the run.
 * Returns STATUS_BROKEN if a deed names an unknown job or GPU type. */
enum status own_policy_put(struct own_policy *own,
                           const struct scenario *scenario, struct run *run,
                           struct error *err) MUST_USE;
/* Must be called after the run. Returns STATUS_BROKEN if a deed was never done,
 * if a deed was refused that should not have been or the reverse, or if the
 * script was shown other events than expected. If the scenario expects a broken
 * plan, the deeds are not checked. */
enum status own_policy_check(const struct own_policy *own,
                             struct error *err) MUST_USE;

#endif
