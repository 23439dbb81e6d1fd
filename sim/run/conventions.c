/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/run/conventions.h"

#include "base/find.h"
#include "sim/run/describe.h"

const struct conventions_name conventions_names[] = {
    {"sound", "this simulator's own conventions (default)"},
    {"lucid",
     "the simulator of Lucid (ASPLOS'23); results are equal to the second"},
    {"tiresias", "the simulator of Tiresias (NSDI'19), scheme `count`"},
    {"tiresias-yarn", "the simulator of Tiresias (NSDI'19), scheme `yarn`"},
    {"helios", "the simulator of Helios (SC'21)"},
    {"slurm", "Slurm 22.05: fifo is sched/builtin, backfill sched/backfill"},
    {"sia", "the simulator of Sia (SOSP'23)"},
    {"pollux", "the simulator of Pollux (OSDI'21)"},
    {NULL, NULL},
};

/* Macros for the rows. CONVENTIONS_OPTION: the preset sets the option `key_` of
 * `owner_`. PLUGIN: it gives --`owner_` the value `name_`, which is a plug-in
 * for most owners. */
#define EVERY_POLICY NULL

#define CONVENTIONS_OPTION(preset_, policy_, owner_, key_, value_) \
    { \
        .preset = (preset_), .policy = (policy_), .owner = (owner_), \
        .key = (key_), .value = (value_) \
    }

#define PLUGIN(preset_, policy_, owner_, name_) \
    CONVENTIONS_OPTION(preset_, policy_, owner_, NULL, name_)

/* Where a convention is odd, a comment gives its section in our written
 * specification of that simulator, such as "lucid 5"; the specifications are
 * not part of the repository. */
const struct convention conventions[] = {
    /* Pollux does not distinguish GPU types: sia 12.1. */
    CONVENTIONS_OPTION("sound", "pollux", "throughput", "pooled", "true"),
    /* The policies of these simulators read the true run times; only Lucid's
     * own policy, further down, estimates them. */
    PLUGIN("lucid", EVERY_POLICY, "estimators", "oracle"),
    PLUGIN("helios", EVERY_POLICY, "estimators", "oracle"),
    PLUGIN("tiresias", EVERY_POLICY, "estimators", "oracle"),
    PLUGIN("tiresias-yarn", EVERY_POLICY, "estimators", "oracle"),
    /* The remainder of a large job goes to the emptiest node: lucid 5. */
    PLUGIN("lucid", EVERY_POLICY, "placer", "consolidate"),
    CONVENTIONS_OPTION("lucid", EVERY_POLICY, "placer", "remainder",
                       "emptiest"),
    PLUGIN("lucid", EVERY_POLICY, "overhead", "fixed"),
    CONVENTIONS_OPTION("lucid", EVERY_POLICY, "overhead", "stop_1_s", "40"),
    CONVENTIONS_OPTION("lucid", EVERY_POLICY, "overhead", "stop_8_s", "40"),
    CONVENTIONS_OPTION("lucid", EVERY_POLICY, "overhead", "stop_more_s", "60"),
    /* Each job takes one second more; preemption is by quota: lucid 4, 7. */
    CONVENTIONS_OPTION("lucid", "srtf", "time-law", "lag_s", "1"),
    CONVENTIONS_OPTION("lucid", "srtf", "policy", "ties", "lucid"),
    CONVENTIONS_OPTION("lucid", "srtf", "policy", "preempt", "quota"),
    CONVENTIONS_OPTION("lucid", "srsf", "time-law", "lag_s", "1"),
    CONVENTIONS_OPTION("lucid", "srsf", "policy", "ties", "lucid"),
    CONVENTIONS_OPTION("lucid", "srsf", "policy", "preempt", "quota"),
    /* Jobs that come to an empty queue are ordered by GPUs alone, and so are
     * jobs of equal priority: lucid 6.3. */
    CONVENTIONS_OPTION("lucid", "qssf", "policy", "ties", "size"),
    CONVENTIONS_OPTION("lucid", "qssf", "policy", "newcomers", "by-size"),
    /* Each job takes one second more; preemption is by quota: lucid 4, 7. Two
     * queues, and a decision each minute: lucid 7.2. */
    CONVENTIONS_OPTION("lucid", "tiresias", "time-law", "lag_s", "1"),
    CONVENTIONS_OPTION("lucid", "tiresias", "policy", "queues", "18000"),
    CONVENTIONS_OPTION("lucid", "tiresias", "policy", "leave", "exceeded"),
    CONVENTIONS_OPTION("lucid", "tiresias", "policy", "round_s", "60"),
    CONVENTIONS_OPTION("lucid", "tiresias", "policy", "preempt", "quota"),

    /* The simulator released with Lucid, including its defects. */
    PLUGIN("lucid", "lucid", "time-law", "countdown"),
    CONVENTIONS_OPTION("lucid", "lucid", "time-law", "later_stays_slow",
                       "true"),
    CONVENTIONS_OPTION("lucid", "lucid", "policy", "later_alone", "false"),
    CONVENTIONS_OPTION("lucid", "lucid", "policy", "walks", "once"),
    CONVENTIONS_OPTION("lucid", "lucid", "policy", "memory_mib", "24576"),
    CONVENTIONS_OPTION("lucid", "lucid", "policy", "idle_first", "false"),
    CONVENTIONS_OPTION("lucid", "lucid", "policy", "unknown", "util"),
    CONVENTIONS_OPTION("lucid", "lucid", "policy", "quiet_gpus", "0"),
    CONVENTIONS_OPTION("lucid", "lucid", "policy", "profile_lend_nodes", "0"),
    PLUGIN("lucid", "lucid", "forecast", "none"),
    CONVENTIONS_OPTION("lucid", "lucid", "policy", "profiling", "parallel"),
    PLUGIN("lucid", "lucid", "profilers", "2"),
    PLUGIN("lucid", "lucid", "estimators", "ga2m,history,workload"),

    /* HeliosArtifact is the ancestor of Lucid's simulator, but its preemption
     * costs have more steps (docs/generated_traces.md, philly). */
    PLUGIN("helios", EVERY_POLICY, "placer", "consolidate"),
    CONVENTIONS_OPTION("helios", EVERY_POLICY, "placer", "remainder",
                       "emptiest"),
    PLUGIN("helios", EVERY_POLICY, "overhead", "fixed"),
    CONVENTIONS_OPTION("helios", "qssf", "policy", "ties", "size"),
    CONVENTIONS_OPTION("helios", "qssf", "policy", "newcomers", "by-size"),
    CONVENTIONS_OPTION("helios", "srtf", "time-law", "lag_s", "1"),
    CONVENTIONS_OPTION("helios", "srtf", "policy", "ties", "lucid"),
    CONVENTIONS_OPTION("helios", "srtf", "policy", "preempt", "quota"),

    /* A job takes any free GPUs, and preemption costs nothing: tiresias 2,
     * 3. */
    PLUGIN("tiresias", EVERY_POLICY, "placer", "first-fit"),
    PLUGIN("tiresias", EVERY_POLICY, "overhead", "none"),
    CONVENTIONS_OPTION("tiresias", "srtf", "policy", "ties", "tiresias"),
    CONVENTIONS_OPTION("tiresias", "srtf", "policy", "preempt", "quota"),
    CONVENTIONS_OPTION("tiresias", "srsf", "policy", "ties", "tiresias"),
    CONVENTIONS_OPTION("tiresias", "srsf", "policy", "preempt", "quota"),
    CONVENTIONS_OPTION("tiresias", "smallest", "policy", "ties", "submission"),
    CONVENTIONS_OPTION("tiresias", "smallest", "policy", "preempt", "quota"),
    CONVENTIONS_OPTION("tiresias", "tiresias", "policy", "queues", "3250/7200"),
    CONVENTIONS_OPTION("tiresias", "tiresias", "policy", "within",
                       "running-first"),
    CONVENTIONS_OPTION("tiresias", "tiresias", "policy", "wakes", "divided"),
    CONVENTIONS_OPTION("tiresias", "tiresias", "policy", "preempt", "quota"),

    /* All nodes of a job are at one switch, and GPUs come from the first node
     * that fits: tiresias 2. */
    PLUGIN("tiresias-yarn", EVERY_POLICY, "placer", "consolidate"),
    CONVENTIONS_OPTION("tiresias-yarn", EVERY_POLICY, "placer", "fit", "first"),
    CONVENTIONS_OPTION("tiresias-yarn", EVERY_POLICY, "placer", "one_rack",
                       "true"),
    PLUGIN("tiresias-yarn", EVERY_POLICY, "overhead", "none"),

    /* Time is in whole seconds, and moves between nodes cost nothing: sia 2, 3.
     * No job is profiled, and all GPU types count as equal for a first start:
     * sia 7. */
    PLUGIN("sia", EVERY_POLICY, "throughput", "application"),
    PLUGIN("sia", EVERY_POLICY, "overhead", "application"),
    PLUGIN("sia", EVERY_POLICY, "time-law", "grid"),
    CONVENTIONS_OPTION("sia", EVERY_POLICY, "overhead", "free_moves", "true"),
    CONVENTIONS_OPTION("sia", "sia", "policy", "profile_s", "0"),
    CONVENTIONS_OPTION("sia", "sia", "policy", "first", "tie"),
    CONVENTIONS_OPTION("sia", "pollux", "throughput", "pooled", "true"),

    /* Sia's simulator is its descendant; here, each move costs a restart, and
     * some applications have limits of their own. */
    PLUGIN("pollux", EVERY_POLICY, "throughput", "application"),
    CONVENTIONS_OPTION("pollux", EVERY_POLICY, "throughput", "constants",
                       "pollux"),
    PLUGIN("pollux", EVERY_POLICY, "overhead", "application"),
    PLUGIN("pollux", EVERY_POLICY, "time-law", "grid"),
    CONVENTIONS_OPTION("pollux", "pollux", "throughput", "pooled", "true"),

    /* Slurm plans by time limits, which are whole minutes: slurm 2. The other
     * settings of its plan are defaults; depth is bf_max_job_test. */
    PLUGIN("slurm", EVERY_POLICY, "estimators", "declared:step_s=60"),
    PLUGIN("slurm", EVERY_POLICY, "placer", "runs"),
    CONVENTIONS_OPTION("slurm", "backfill", "policy", "plan", "slurm"),
    CONVENTIONS_OPTION("slurm", "backfill", "policy", "depth", "500"),
    {.preset = NULL},
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

/* The named clusters, in the shorthand of describe.h, each with its source. In
 * a preset with several GPU types, all types count as equally fast (@1) for
 * jobs that no model of throughput describes; a remark of the run says so. */

const struct preset presets[] = {
    {.name = "a800-64",
     .shorthand = "8x8:A800",
     .source = "SchedMate's physical cluster: 64 A800 GPUs"},
    {.name = "a800-128",
     .shorthand = "16x8:A800",
     .source = "twice the physical cluster of SchedMate: 128 A800 GPUs"},
    {.name = "philly",
     .shorthand = "6214e9=64x8:P,7f04ca=32x8:P,11cb48=16x8:P,b436b2=64x8:P,"
                  "ee9e8c=64x8:P,e13805=16x8:P,6c71a0=32x8:P,2869ce=16x8:P,"
                  "ed69ec=8x8:P,103959=8x8:P,0e4a51=32x8:P",
     .source = "nodes by virtual cluster as HeliosArtifact assumes them, 8 "
               "GPUs each"},
    {.name = "venus",
     .shorthand =
         "vcEwI=9x8:V100,vcWoR=5x8:V100,vcHvQ=8x8:V100,vcvGl=20x8:V100,"
         "vc8Gr=6x8:V100,vcKeu=12x8:V100,vcKrE=4x8:V100,vcYVn=11x8:V100,"
         "vchbv=4x8:V100,vcLTP=8x8:V100,vchA3=3x8:V100,vcJsw=32x8:V100,"
         "vcefl=10x8:V100,vcvlY=2x8:V100,vcgkz=1x8:V100",
     .source = "Lucid's Venus configuration, September 2020: 135 nodes"},
    {.name = "saturn",
     .shorthand = "260x8:V100",
     .source = "2,080 GPUs in the Helios summary; its virtual clusters are not "
               "public"},
    {.name = "seren",
     .shorthand = "286x8:A100",
     .source = "Acme (NSDI'24): 286 nodes of 8 A100"},
    {.name = "kalos",
     .shorthand = "302x8:A100",
     .source = "Acme (NSDI'24): 302 nodes of 8 A100"},
    {.name = "sia-hetero",
     .shorthand = "6x4:T4@1+2x8:A100@1+3x8:RTX2080Ti@1",
     .source = "Sia (SOSP'23), heterogeneous setting: 64 GPUs of three types"},
    {.name = "sia-hetero-2x",
     .shorthand = "12x4:T4@1+4x8:A100@1+6x8:RTX2080Ti@1",
     .source = "twice the heterogeneous setting of Sia: 128 GPUs"},
    {.name = "sia-hetero-4x",
     .shorthand = "24x4:T4@1+8x8:A100@1+12x8:RTX2080Ti@1",
     .source = "four times"},
    {.name = "sia-hetero-8x",
     .shorthand = "48x4:T4@1+16x8:A100@1+24x8:RTX2080Ti@1",
     .source = "eight times"},
    {.name = "sia-hetero-16x",
     .shorthand = "96x4:T4@1+32x8:A100@1+48x8:RTX2080Ti@1",
     .source = "16 times"},
    {.name = "sia-hetero-32x",
     .shorthand = "192x4:T4@1+64x8:A100@1+96x8:RTX2080Ti@1",
     .source = "32 times: 2,048 GPUs"},
    {.name = "sia-homo",
     .shorthand = "16x4:T4",
     .source = "Sia, homogeneous setting: 64 T4"},
    {.name = "sia-phoebe",
     .shorthand = "2x8:A100@1+1x4:RTX6000@1+3x8:RTX2080Ti@1",
     .source = "Sia's physical cluster: 44 GPUs of three types"},
    {.name = NULL},
};
