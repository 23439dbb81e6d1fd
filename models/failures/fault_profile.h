/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Profiles of the fault model `hardware`. Each one holds what is known of the
 * faults of one cluster. fault_profiles.json has the figures with their
 * sources; embed_fault_profiles.py compiles them in. */
#ifndef MODELS_FAULT_PROFILE_H
#define MODELS_FAULT_PROFILE_H

#include "base/option.h"
#include "models/failures/fault.h"

struct fault_profile {
    const char *name, *summary;
    /* A row for each member of struct fault_figures, in order: its name, value
     * (number), unit and meaning (help), and source with status. */
    const struct option *rows;
};
/* All profiles; ends with a profile without a name. */
extern const struct fault_profile fault_profiles[];
/* The names of the profiles, for an option of choices; ends with NULL. */
extern const char *const fault_profile_names[];

/* Figures of one kind of fault; the kinds are the scopes (fault.h). */
struct fault_risk {
    double rate;  /* faults per 1000 days that the node is in service; storage:
                     per 1000 days of a virtual cluster */
    double shape; /* shape of the Weibull distribution, > 0; 1: exponential */
    /* Mean and standard deviation of the natural logarithm of the repair time
     * in hours; not used for storage. */
    double repair_mu, repair_sigma;
};

struct fault_figures {
    struct fault_risk risk[FAULT_N_SCOPES];
    double repair_max_s; /* longest time of a repair, seconds */
    /* chance that a fault other than a storage fault is hidden, 0..1 */
    double hidden_share;
    /* hidden fault: mean time until a job that starts on the node fails,
     * seconds */
    double relapse_s;
    double storage_share; /* chance that a storage fault hits a job, 0..1 */
    /* 1: the hazard grows with the faults of the node; 0: it does not */
    double frailty;
    double frailty_new; /* hazard of a node without faults, divided by the mean
                           hazard */
    double frailty_a, frailty_b; /* after k faults the hazard is 1 + a k^b times
                                    that of a node without faults */
    double frailty_most;         /* more faults count as this many */
    /* 1: faults come in batches and again after repairs; 0: they do not */
    double bursts;
    /* bursts: share of all faults that neither follow another one in a batch
     * nor come again soon after a repair */
    double burst_own;
    double burst_chance; /* chance that a fault begins a batch */
    /* mean number of further faults of a batch, of the same kind and on other
     * nodes; >= 1 */
    double burst_size;
    double burst_s;        /* a batch is over after this time, seconds */
    double refault_chance; /* chance that a fault of the same kind comes again
                              soon after a repair of at most a day */
    /* chance of such a fault after a repair of more than a day */
    double refault_long_chance;
    /* Mean and standard deviation of the natural logarithm of the hours from
     * the repair to the fault that comes again. */
    double refault_mu, refault_sigma;
};

#endif
