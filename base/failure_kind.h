/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kinds of failures, by who has to act (Acme, NSDI '24, section 5 and
 * table 3). */
#ifndef SIM_BASE_FAILURE_KIND_H
#define SIM_BASE_FAILURE_KIND_H

enum failure_kind {
    FAILURE_INFRASTRUCTURE, /* hardware, network, storage; the operator acts */
    FAILURE_FRAMEWORK,      /* a library or its use; the user acts */
    FAILURE_SCRIPT,         /* code, data or settings of the user, who acts */
    FAILURE_OTHER,          /* time limit, cancelled, preempted, ... */
    FAILURE_N_KINDS
};
/* Failures of simulated jobs are of the kinds before this one. */
#define FAILURE_N_SIMULATED FAILURE_OTHER

#endif
