/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Judges a policy: checks that must hold for every policy, on random workloads,
 * and a score beside known policies. The policy may be built in, a program or a
 * shared object. It is judged in a process of its own, within limits. */
#ifndef SIM_JUDGE_H
#define SIM_JUDGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/units.h"

struct judge_config {
    const char *policy; /* spec of the policy, as for --policy */
    uint32_t n_jobsets; /* number of random jobsets of each check, >= 1 */
    uint64_t seed;
    /* limit on the time for the checks and the score together, us; 0: none */
    sim_span limit;
    uint32_t memory_mib; /* limit on the address space, MiB; 0: no limit */
};

enum judge_state { JUDGE_OPEN, JUDGE_PASSED, JUDGE_FAILED, JUDGE_SKIPPED };

struct judge_check {
    const char *name, *about; /* static texts */
    enum judge_state state;   /* JUDGE_OPEN: the check was not reached, or did
                               * not end */
    uint32_t n_done;          /* number of jobsets that were tried */
    uint32_t n_failed;
    uint32_t first; /* number of the first jobset that failed */
    char why[512];  /* why the first jobset failed, or why the check was
                     * skipped */
};

enum { JUDGE_CHECKS_MAX = 8, JUDGE_RIVALS = 3, JUDGE_WORKLOADS = 3 };

/* Mean completion times on the workloads of the score, and the policies to
 * compare with. */
struct judge_score {
    bool known;
    /* mean JCT of the policy, seconds; 0: its run failed */
    double jct_s[JUDGE_WORKLOADS];
    /* geometric mean, over the workloads, of the mean JCT of fifo divided by
     * that of the policy; 1: like fifo */
    double score;
    const char *rivals[JUDGE_RIVALS]; /* names of the policies to compare with;
                                       * static texts */
    double rival_scores[JUDGE_RIVALS];
    uint64_t n_decisions; /* number of decisions of the policy on all
                           * workloads */
    double decision_us; /* real time of the runs divided by n_decisions, us; it
                           includes the time of the simulator */
};

struct judge_verdict {
    /* why the policy cannot be run at all, such as a wrong setting; "": it can
     */
    char unusable[512];
    struct judge_check checks[JUDGE_CHECKS_MAX];
    uint32_t n_checks;
    struct judge_score score;
    /* why the process of the policy ended early, such as "crashed, signal 11
     * (Segmentation fault)"; "": it ended as it should */
    char ended[256];
};

/* Returns STATUS_BROKEN, with a sentence, if the policy failed a check, or if
 * its process ended early or took longer than the limit. The verdict is then
 * valid, as it is with STATUS_OK. Returns STATUS_USAGE, with out->unusable, if
 * the policy cannot be run, and STATUS_FAILED if the system gave no directory,
 * memory or process for it. */
enum status judge_policy(const struct judge_config *config,
                         struct judge_verdict *out, struct error *err) MUST_USE;

#endif
