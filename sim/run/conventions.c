/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/run/conventions.h"

#include "sim/base/find.h"

const struct conventions_name conventions_names[] = {
    {"sound", "this simulator's own conventions (default)"},
    {"lucid",
     "the simulator of Lucid (ASPLOS'23); results are equal to the second"},
    {"tiresias", "the simulator of Tiresias (NSDI'19), scheme `count`"},
    {"tiresias-yarn", "the simulator of Tiresias (NSDI'19), scheme `yarn`"},
    {"helios", "the simulator of Helios (SC'21)"},
    {"sia", "the simulator of Sia (SOSP'23)"},
    {NULL, NULL},
};

/* Where a convention is odd, a comment gives its section in the specification
 * of that simulator, such as "lucid 5". */
const struct convention conventions[] = {
    /* Pollux does not distinguish GPU types: sia 12.1. */
    {"sound", "pollux", "throughput", "pooled", "true"},
    /* The remainder of a large job goes to the emptiest node: lucid 5. */
    {"lucid", NULL, "placer", NULL, "consolidate"},
    {"lucid", NULL, "placer", "remainder", "emptiest"},
    {"lucid", NULL, "overhead", NULL, "fixed"},
    {"lucid", NULL, "overhead", "stop_1_s", "40"},
    {"lucid", NULL, "overhead", "stop_8_s", "40"},
    {"lucid", NULL, "overhead", "stop_more_s", "60"},
    /* Each job takes one second more; preemption is by quota: lucid 4, 7. */
    {"lucid", "srtf", "time-law", "lag_s", "1"},
    {"lucid", "srtf", "policy", "ties", "lucid"},
    {"lucid", "srtf", "policy", "preempt", "quota"},
    {"lucid", "srsf", "time-law", "lag_s", "1"},
    {"lucid", "srsf", "policy", "ties", "lucid"},
    {"lucid", "srsf", "policy", "preempt", "quota"},
    /* Jobs that come to an empty queue are ordered by GPUs alone, and so are
     * jobs of equal priority: lucid 6.3. */
    {"lucid", "qssf", "policy", "ties", "size"},
    {"lucid", "qssf", "policy", "newcomers", "by-size"},
    /* The thresholds of the queues: lucid 7.2. */
    {"lucid", "tiresias", "time-law", "lag_s", "1"},
    {"lucid", "tiresias", "policy", "queues", "18000"},
    {"lucid", "tiresias", "policy", "leave", "exceeded"},
    {"lucid", "tiresias", "policy", "round_s", "60"},
    {"lucid", "tiresias", "policy", "preempt", "quota"},

    /* The simulator released with Lucid, including its defects. */
    {"lucid", "lucid", "time-law", NULL, "countdown"},
    {"lucid", "lucid", "time-law", "later_stays_slow", "true"},
    {"lucid", "lucid", "policy", "later_alone", "false"},
    {"lucid", "lucid", "policy", "walks", "once"},
    {"lucid", "lucid", "policy", "memory_mib", "24576"},
    {"lucid", "lucid", "policy", "idle_first", "false"},
    {"lucid", "lucid", "policy", "unknown", "util"},
    {"lucid", "lucid", "policy", "quiet_gpus", "0"},
    {"lucid", "lucid", "policy", "profile_lend_nodes", "0"},
    {"lucid", "lucid", "forecast", NULL, "none"},
    {"lucid", "lucid", "policy", "profiling", "parallel"},
    {"lucid", "lucid", "profilers", NULL, "2"},
    {"lucid", "lucid", "estimators", NULL, "ga2m,history,workload"},

    /* HeliosArtifact is the ancestor of Lucid's simulator. Its preemption costs
     * have more steps (docs/generated_traces.md, philly). */
    {"helios", NULL, "placer", NULL, "consolidate"},
    {"helios", NULL, "placer", "remainder", "emptiest"},
    {"helios", NULL, "overhead", NULL, "fixed"},
    {"helios", "qssf", "policy", "ties", "size"},
    {"helios", "qssf", "policy", "newcomers", "by-size"},
    {"helios", "srtf", "time-law", "lag_s", "1"},
    {"helios", "srtf", "policy", "ties", "lucid"},
    {"helios", "srtf", "policy", "preempt", "quota"},

    /* A job takes any free GPUs, and preemption costs nothing: tiresias 2,
     * 3. */
    {"tiresias", NULL, "placer", NULL, "first-fit"},
    {"tiresias", NULL, "overhead", NULL, "none"},
    {"tiresias", "srtf", "policy", "ties", "tiresias"},
    {"tiresias", "srtf", "policy", "preempt", "quota"},
    {"tiresias", "srsf", "policy", "ties", "tiresias"},
    {"tiresias", "srsf", "policy", "preempt", "quota"},
    {"tiresias", "smallest", "policy", "ties", "submission"},
    {"tiresias", "smallest", "policy", "preempt", "quota"},
    {"tiresias", "tiresias", "policy", "queues", "3250/7200"},
    {"tiresias", "tiresias", "policy", "within", "running-first"},
    {"tiresias", "tiresias", "policy", "wakes", "divided"},
    {"tiresias", "tiresias", "policy", "preempt", "quota"},

    /* All nodes of a job are at one switch, and GPUs come from the first node
     * that fits: tiresias 2. */
    {"tiresias-yarn", NULL, "placer", NULL, "consolidate"},
    {"tiresias-yarn", NULL, "placer", "fit", "first"},
    {"tiresias-yarn", NULL, "placer", "one_rack", "true"},
    {"tiresias-yarn", NULL, "overhead", NULL, "none"},

    /* Time is in whole seconds, and moves between nodes cost nothing: sia 2, 3.
     * No job is profiled, and ties decide the first GPU type: sia 7. */
    {"sia", NULL, "throughput", NULL, "application"},
    {"sia", NULL, "overhead", NULL, "application"},
    {"sia", NULL, "time-law", NULL, "grid"},
    {"sia", NULL, "overhead", "free_moves", "true"},
    {"sia", "sia", "policy", "profile_s", "0"},
    {"sia", "sia", "policy", "first", "tie"},
    {"sia", "pollux", "throughput", "pooled", "true"},
    {NULL, NULL, NULL, NULL, NULL},
};

static const char *name_at(size_t i)
{
    return conventions_names[i].name;
}

enum status conventions_check(const char *name, struct error *err)
{
    size_t i;
    return find_by_name("conventions", name_at, text_from(name), &i, err);
}
