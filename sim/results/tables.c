/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All columns and keys of the files of a result, with their rules: what the
 * writers write, what `verify` checks, what the reference page says, and what
 * tests/random/damages.py damages. */
#include "sim/results/advice.h"
#include "sim/results/deadlines.h"
#include "sim/results/evictions.h"
#include "sim/results/failures.h"
#include "sim/results/manifest.h"
#include "sim/results/report.h"
#include "sim/results/series.h"

#define NO_COLUMN \
    { \
        .name = NULL \
    }

static const struct column summary_keys[] = {
    KEY("policy", "", "text, manifest policy", "as in manifest.json"),
    KEY("placer", "", "text, manifest placer", "as in manifest.json"),
    KEY("rules", "", "text, manifest rules", "as in manifest.json"),
    KEY("cluster", "", "text, manifest cluster.name", "as in manifest.json"),
    KEY("format", "", "text, manifest input.format", "format of the trace"),
    KEY("identity", "", "object, law summary", "what makes results comparable"),
    KEY("complete", "", "flag, law summary", "true: each job finished"),
    KEY("unfinished", "jobs", "count, bounds summary",
        "that wait, run or were rejected, or were given up after 65,535 "
        "starts"),
    KEY("unfinished_why", "", "text?, bounds summary",
        "the first such job and why; only if there is one"),
    KEY("finished_share", "", "share or null?, law summary",
        "recorded running time x GPUs of the jobs that finished / that of all; "
        "only if some did not"),
    KEY("knowledge", "", "object?, bounds knowledge", "what the policy knew"),
    KEY("remarks", "", "list, manifest remarks", "as in manifest.json"),
    KEY("remark_ranks", "", "list, manifest remark_ranks",
        "as in manifest.json"),
    KEY("outcomes", "", "object, law metrics", "jobs by how they ended"),
    KEY("metrics", "", "object, law metrics", "of all jobs"),
    KEY("profiling", "", "object?, law profiling", ""),
    KEY("packing", "", "object?, law packing", ""),
    KEY("elastic", "", "object?, law elastic", ""),
    KEY("failures", "", "object?, law failures", ""),
    KEY("evictions", "", "object?, law evictions", ""),
    KEY("deadlines", "", "object?, law deadlines", ""),
    KEY("classes", "", "object?, law classes", ""),
    KEY("advice", "", "object?, law advice", ""),
    KEY("gpu_time", "", "object?, law gpu_time", ""),
    KEY("counts", "", "object?, given", "what the policy counted"),
    NO_COLUMN};

/* Values by names that a run gives. */
#define NAMED(array, unit, rule, help) \
    static const struct column array[] = {KEY("*", unit, rule, help), NO_COLUMN}
NAMED(outcome_keys, "jobs", "count, law metrics", "jobs with this outcome");
NAMED(group_keys, "", "object, law metrics", "the group of this name");
NAMED(policy_count_keys, "", "count, given",
      "counted by the policy; docs/policies says what each policy counts");
NAMED(failure_word_keys, "", "count, law failures", "of this word");
NAMED(cause_keys, "", "object, law failures", "the cause of this name");
NAMED(advice_word_keys, "", "count, law advice", "of this word");
NAMED(pair_keys, "", "object, bounds packing", "a pair");
NAMED(remark_keys, "", "text, manifest remarks.*", "a remark");
NAMED(rank_keys, "", "text, manifest remark_ranks.*", "its rank");
NAMED(manifest_remark_keys, "", "text, given",
      "a remark; summary.json has it too");
NAMED(manifest_rank_keys, "", "text, one of conclusion numbers detail",
      "its rank");
NAMED(column_keys, "", "text, given", "a column");
NAMED(dropped_keys, "rows", "count, given",
      "of the trace, dropped for this reason");
NAMED(selection_keys, "", "text, manifest provenance.options.*",
      "`vc`, `from`, `to` or `jobs`, as given");
NAMED(owner_keys, "", "object, given", "of the settings of this owner");
NAMED(setting_keys, "", "text, given", "a setting; summary.json does not tell");
NAMED(name_keys, "", "text, given", "a name that no node has");
NAMED(row_keys, "", "object, given", "an element");
NAMED(change_rows, "", "list, bounds attempts", "a change of a node");
NAMED(source_keys, "", "text, given", "a source");
NAMED(figure_keys, "", "object, given", "the figure of this name");
NAMED(output_keys, "", "digest, bounds manifest", "SHA-256 of this file");
NAMED(argument_keys, "", "text, given", "an argument");
NAMED(option_keys, "", "text or null, given",
      "an option, as given; trace: null in a run that begins from a state");
NAMED(library_keys, "", "text, given", "version of this library");

static const struct column quota_count_keys[] = {
    KEY("quota_borrowed_starts", "", "count?, bounds quota",
        "starts beyond the nominal quota"),
    KEY("quota_reclaims", "", "count?, bounds quota",
        "times that jobs were stopped for a virtual cluster"),
    KEY("quota_victims", "jobs", "count?, bounds quota",
        "jobs stopped so, counted each time"),
    KEY("quota_victim_gpu_s", "GPU s", "count?, bounds quota",
        "time that the attempts stopped so had lasted"),
    NO_COLUMN};
static const struct column jobs_skipped[] = {
    KEY("jobs_skipped", "", "text?, bounds gpu_time",
        "why the time of jobs is not divided; only then"),
    NO_COLUMN};
static const struct column packing_parts[] = {
    KEY("by_pace", "", "object, bounds packing", "see below"),
    KEY("pairs", "", "list, bounds packing", "see below"), NO_COLUMN};

static const struct column input_keys[] = {
    KEY("format", "", "text, given", "format of the trace"),
    KEY("sha256", "", "digest, given", "of the bytes as stored"),
    KEY("rows", "rows", "count, law manifest", "jobs, and what was dropped"),
    KEY("jobs", "jobs", "count, law manifest", "rows of jobs.csv"),
    KEY("dropped", "", "object, given", "rows by the reason of dropping them"),
    KEY("time_zero", "", "date, given", "first submission, UTC"),
    KEY("selection", "", "object?, given", "what of the trace was asked for"),
    NO_COLUMN};
static const struct column counted_keys[] = {
    KEY("warmup", "", "text, law counted", "as given; 0: not given"),
    KEY("cooldown", "", "text, law counted", "as given; 0: not given"),
    KEY("from_s", "s", "time, law counted", "first submission that counts"),
    KEY("to_s", "s", "time, law counted", "last submission that counts"),
    KEY("jobs", "jobs", "count, law counted", "that count"),
    NO_COLUMN};
static const struct column file_keys[] = {
    KEY("what", "", "text, given", "what the run read it for"),
    KEY("sha256", "", "digest, given", "of the file"), NO_COLUMN};
static const struct column cluster_keys[] = {
    KEY("name", "", "text, given", "name of the cluster"),
    KEY("source", "", "text or null, given",
        "where its description comes from"),
    KEY("share_limit", "jobs",
        "count, manifest configuration.engine.share_limit",
        "most jobs on one GPU"),
    KEY("groups", "", "list, given", "its nodes"),
    KEY("vcs_without_nodes", "", "list?, given", "see above"),
    KEY("types_without_nodes", "", "list?, given", "see above"),
    KEY("quotas", "", "list?, bounds quota",
        "quotas and cohorts, parents first"),
    KEY("llm_gpus", "GPUs", "count?, law manifest",
        "of the cluster that serve the language model"),
    KEY("changes", "", "list, bounds attempts", "changes of nodes"),
    NO_COLUMN};
static const struct column group_of_nodes_keys[] = {
    KEY("nodes", "nodes", "count, bounds sweep",
        "equal nodes, one after another"),
    KEY("gpus", "GPUs", "count, bounds sweep", "of each"),
    KEY("type", "", "text, bounds sweep", "GPU type"),
    KEY("speed", "", "number, bounds sweep",
        "of the type, that of the trace is 1"),
    KEY("vc", "", "text, bounds sweep", "virtual cluster"),
    KEY("profiler", "", "flag, bounds profiling",
        "true: set aside for profiling"),
    NO_COLUMN};
static const struct column quota_keys[] = {
    KEY("vc", "", "text?, bounds quota", "virtual cluster"),
    KEY("cohort", "", "text?, bounds quota", "cohort, if it is one"),
    KEY("parent", "", "count?, bounds quota", "row of its cohort, from 0"),
    KEY("nominal", "GPUs", "count, bounds quota", "its own"),
    KEY("borrowing_limit", "GPUs", "count?, bounds quota",
        "most beyond its own"),
    KEY("lending_limit", "GPUs", "count?, bounds quota", "most that it lends"),
    KEY("reclaim", "", "text?, one of lower lower-or-newer never",
        "which jobs of others that borrow its jobs may have stopped; missing: "
        "any"),
    KEY("within", "", "text?, one of lower lower-or-newer any",
        "which of its own jobs its jobs may have stopped; missing: none"),
    NO_COLUMN};
static const struct column change_keys[] = {
    KEY("0", "s", "time, rises", "when"),
    KEY("1", "", "count, bounds attempts", "node, from 0"),
    KEY("2", "", "text, one of down up lent back", "what became of it"),
    KEY("3", "", "text or null, given", "why"), NO_COLUMN};
static const struct column note_keys[] = {
    KEY("about", "", "text, bounds manifest", "OWNER: KEY of a setting"),
    KEY("source", "", "text, given", "source of its value"), NO_COLUMN};
static const struct column workload_keys[] = {
    KEY("sources", "", "list, given", "of the figures"),
    KEY("profiles", "", "list, given", "what the jobs train"), NO_COLUMN};
static const struct column profile_keys[] = {
    KEY("model", "", "text, given", "model"),
    KEY("dataset", "", "text, given", "data set; empty: any"),
    KEY("batch_size", "", "count, given", "0: any"),
    KEY("amp", "", "flag?, given", "true: mixed precision"),
    KEY("jobs", "jobs", "count, given", "that train it"),
    KEY("similar", "", "flag, given", "true: figures of a similar model"),
    KEY("figures", "", "object, given", "figures that are known"),
    NO_COLUMN};
static const struct column figure_value_keys[] = {
    KEY("value", "", "signed, given", "in the unit of the figure's name"),
    KEY("status", "", "text, one of measured fitted assumed",
        "how it is known"),
    KEY("source", "", "count, bounds manifest", "row of sources, from 0"),
    NO_COLUMN};
static const struct column timeline_keys[] = {
    KEY("from", "", "text?, given", "as given"),
    KEY("to", "", "text?, given", "as given"),
    KEY("vcs", "", "list, given", "as given"), NO_COLUMN};
static const struct column provenance_file_keys[] = {
    KEY("what", "", "text, manifest files.*.what", "what the run read it for"),
    KEY("path", "", "text, given", "as given"),
    KEY("sha256", "", "digest, manifest files.*.sha256", "of the file"),
    NO_COLUMN};
static const struct column model_keys[] = {
    KEY("backend", "", "text, given",
        "who answered: http, replay, http with a recording"),
    KEY("asked", "", "count, bounds manifest", "questions"),
    KEY("hits", "", "count, bounds manifest", "that a recording answered"),
    KEY("served", "", "count, bounds manifest", "that a server answered"),
    KEY("misses", "", "count, bounds manifest", "without an answer"),
    NO_COLUMN};

#define TABLE(file, path, array, words) \
    { \
        file, path, (const void *)(array), sizeof *(array), words \
    }
#define SUMMARY(path, array, words) TABLE("summary.json", path, array, words)
#define KEYS(path, array, words) TABLE("manifest.json", path, array, words)
#define GROUPS "by_vc.* by_gpus.* by_outcome.* by_type.* by_user.*"
#define IN_GROUPS(name) \
    "by_vc.*." name " by_gpus.*." name " by_outcome.*." name \
    " by_type.*." name " by_user.*." name

const struct result_table result_tables[] = {
    TABLE("jobs.csv", NULL, job_columns,
          "One row per job, in the order of submission. The columns up to "
          "`metadata` are Batsim's; for a job with several attempts they "
          "hold its first start, its end and the GPUs of its last attempt. "
          "Tools that take `starting_time` to `finish_time` times "
          "`allocated_resources` for GPU time (Evalys: utilisation, Gantt "
          "charts, queue) are right with this file only if no job was "
          "stopped, moved, resized, profiled or retried: give them "
          "`attempts.csv`. `--columns` writes only some columns, in this "
          "order; `--columns short` those Batsim columns that differ from "
          "job to job. `compare` needs `job_id`, `submission_time`, "
          "`turnaround_time`, `queue_delay` and `outcome`; `verify`, "
          "`report` and `explain` name the columns that they miss."),
    TABLE("jobs.csv", NULL, job_terms_columns,
          "Only if the trace gives jobs deadlines or priorities, also:"),
    TABLE("jobs.csv", NULL, job_class_columns,
          "Only if a job is of class spot, also:"),
    TABLE("jobs.csv", NULL, job_extra_columns,
          "Only if `--columns` names them:"),
    TABLE("attempts.csv", NULL, attempt_columns,
          "One row per stay of a job on GPUs, job by job as in `jobs.csv`, "
          "attempts in the order of time; jobs that never started have "
          "none. Written only if it says more than `jobs.csv`: jobs may "
          "change their size, or an attempt shared a GPU, was for "
          "profiling or did not end its job; `--attempts` writes it in any "
          "case. Without it, each job that started ran once, from "
          "`starting_time` to `finish_time` on `allocated_resources`, and "
          "tools read `jobs.csv`. Otherwise this is the file for Batsim's "
          "tools and Evalys: they take each row as a job that is submitted "
          "when the attempt begins to wait. The sum of `execution_time` x "
          "GPUs is `held_gpu_hours` of the summary, and no GPU is in two "
          "rows at one time unless GPUs are shared. Then it is in the row "
          "of each holder, and Evalys, which adds rows up, can show more "
          "GPUs in use than there are; `gpus_busy` of `series.csv` counts "
          "each once."),
    TABLE("failures.csv", NULL, failure_columns,
          "One row per fault and job that it made fail, in the order of "
          "time; a fault that made none fail when it struck has one row "
          "without a job, and a failure of a job's own has no fault. "
          "Written if the run has a fault model (`--faults`) or a job "
          "failed. Faults after the last move of a job are left out. One "
          "seed gives the same faults under every policy, and the same "
          "`detected` and `delay` of the n-th failure of a job under a "
          "rule that draws them."),
    TABLE("advice.csv", NULL, advice_columns,
          "One row per question that a module of SchedMate asked about a "
          "job, in the order of time. Written if the run has such a module "
          "(`--policy NAME+schedmate`). The servers of the language model "
          "work on one question at a time, first come first served."),
    TABLE("series.csv", NULL, series_columns,
          "A row every `--series-interval` seconds, with the state after "
          "all events of its time; rows that repeat the one before are "
          "left out."),
    TABLE("series_vc.csv and series_type.csv", NULL, series_by_columns,
          "On request (`--series by=vc,type`): at the times of series.csv, "
          "a row for each virtual cluster or GPU type whose values changed."),
    KEYS("", manifest_keys, "Objects and values, in this order."),
    KEYS("columns", column_keys, "Columns of jobs.csv."),
    KEYS("input", input_keys, "The trace."),
    KEYS("input.dropped", dropped_keys, "Rows of the trace."),
    KEYS("input.selection", selection_keys, "Of the options."),
    KEYS("counted", counted_keys, "Only with `--warmup` or `--cooldown`."),
    KEYS("files", row_keys, "Each file that was read."),
    KEYS("files.*", file_keys, "Of each file."),
    KEYS("remarks", manifest_remark_keys, "The gravest first."),
    KEYS("remark_ranks", manifest_rank_keys, "By remark."),
    KEYS("configuration", owner_keys,
         "Owners of settings, such as `policy sjf`."),
    KEYS("configuration.*", setting_keys, "Of each owner."),
    KEYS("cluster", cluster_keys, "The cluster."),
    KEYS("cluster.groups", row_keys, "Groups of nodes."),
    KEYS("cluster.groups.*", group_of_nodes_keys, "Of each group."),
    KEYS("cluster.vcs_without_nodes cluster.types_without_nodes", name_keys,
         "Names that jobs and series may have."),
    KEYS("cluster.quotas", row_keys, "Quotas and cohorts."),
    KEYS("cluster.quotas.*", quota_keys, "Of each; `vc` or `cohort` names it."),
    KEYS("cluster.changes", change_rows,
         "Changes of nodes, in the order of time."),
    KEYS("cluster.changes.*", change_keys,
         "Elements of each, by their places."),
    KEYS("notes", row_keys, "Settings that were not measured on this cluster."),
    KEYS("notes.*", note_keys, "Of each."),
    KEYS("workloads", workload_keys,
         "Only if figures of what the jobs train are known."),
    KEYS("workloads.sources", source_keys, "Sources of figures."),
    KEYS("workloads.profiles", row_keys, "What the jobs train."),
    KEYS("workloads.profiles.*", profile_keys, "Of each."),
    KEYS("workloads.profiles.*.figures", figure_keys, "Figures."),
    KEYS("workloads.profiles.*.figures.*", figure_value_keys,
         "Of each figure."),
    KEYS("outputs", output_keys, "Files of the result, but manifest.json."),
    KEYS("provenance", provenance_keys,
         "Read by `schedsim verify --again DIR` and by `--config "
         "DIR/manifest.json`."),
    KEYS("provenance.arguments", argument_keys, "Arguments."),
    KEYS("provenance.options", option_keys, "By name."),
    KEYS("provenance.timeline", timeline_keys, "Of `--timeline`."),
    KEYS("provenance.timeline.vcs", argument_keys, "Virtual clusters."),
    KEYS("provenance.files", row_keys, "Each file that was read."),
    KEYS("provenance.files.*", provenance_file_keys, "Of each file."),
    KEYS("provenance.language_model", model_keys, "Of the answers."),
    KEYS("provenance.libraries", library_keys, "By name."),
    SUMMARY("", summary_keys,
            "What was run, how it ended, and the metrics; an object for each "
            "feature that the run used."),
    SUMMARY("identity", identity_columns,
            "Under `identity`, as text: two results are compared only where "
            "these are equal (`compare --baseline`)."),
    SUMMARY("knowledge", knowledge_columns,
            "Under `knowledge`: what the policy knew about its jobs. Missing "
            "if it asked for no belief."),
    SUMMARY("remarks", remark_keys, "The gravest first."),
    SUMMARY("remark_ranks", rank_keys, "By remark."),
    SUMMARY("outcomes", outcome_keys, "Only outcomes that a job has."),
    SUMMARY("metrics", run_scalars, "The whole run."),
    SUMMARY("metrics " GROUPS, scalars, "Sums, of all jobs and of each group."),
    SUMMARY("metrics " GROUPS, over_columns, "Only with `--wait-over`, also:"),
    SUMMARY("metrics", jain_columns, "Only with `--by user`, also:"),
    SUMMARY("metrics " GROUPS, metrics,
            "Distributions; of groups only `jct_s`, `queue_delay_s` and "
            "`rho`."),
    SUMMARY("metrics.* failures.detect_s failures.pending_s "
            "failures.restart_s " IN_GROUPS("*"),
            distribution_columns,
            "Of each distribution, over the jobs for which it is defined; if "
            "there is none, only `count`. Those of `failures` have no "
            "interval of the mean."),
    SUMMARY("metrics.* " IN_GROUPS("*"), lack_columns,
            "Only if there is no interval, also:"),
    SUMMARY("", grouping_columns, "Groups: objects beside `metrics`."),
    SUMMARY("by_vc by_gpus by_outcome by_type by_user", group_keys,
            "One member a group."),
    SUMMARY("profiling", profiling_scalars,
            "Under `profiling`, if the cluster has profiler nodes or lends "
            "some."),
    SUMMARY("failures", failure_scalars,
            "Under `failures`, if there is a `failures.csv`."),
    SUMMARY("failures", failure_span_columns, "Spans:"),
    SUMMARY("failures", failure_groupings, "Objects of counts:"),
    SUMMARY("failures.by_scope failures.by_kind failures.by_verdict",
            failure_word_keys, "Counts by word."),
    SUMMARY("failures.by_cause", cause_keys, "Causes."),
    SUMMARY("failures.by_cause.*", failure_cause_columns, "Of each cause."),
    SUMMARY("gpu_time", gpu_time_scalars,
            "Under `gpu_time`, if there is a `failures.csv` or an "
            "`advice.csv`, or if the run has a monitor. Two identities, each "
            "with its error: held = useful + lost + overhead + slowed, of "
            "jobs (skipped for elastic jobs, and `jobs_skipped` says "),
    SUMMARY("gpu_time", jobs_skipped, "Only if jobs are elastic, also:"),
    SUMMARY("evictions", eviction_scalars,
            "Under `evictions`, if the run has a monitor (`--monitor`, or a "
            "policy with `+tracker`). The attempts themselves are `evicted` "
            "in `attempts.csv`."),
    SUMMARY("deadlines", deadline_scalars,
            "Under `deadlines`, if a job that counts has a deadline."),
    SUMMARY("classes", class_scalars,
            "Under `classes`, if a job is of class spot (`--job-classes`). "
            "Only jobs that count."),
    SUMMARY("advice", advice_scalars,
            "Under `advice`, if there is an `advice.csv`. A question is a "
            "row that a server of the language model worked on."),
    SUMMARY("advice", advice_groupings, "Objects of counts:"),
    SUMMARY("advice.by_module advice.by_basis", advice_word_keys,
            "Counts by word."),
    SUMMARY("elastic", elastic_scalars,
            "Under `elastic`, if the throughput model knows how jobs scale "
            "(`application`)."),
    SUMMARY("counts", policy_count_keys,
            "What the policy has counted of its own work."),
    SUMMARY("counts", quota_count_keys, "Under quotas (`+quota`), also:"),
    SUMMARY("packing", packing_scalars,
            "Under `packing`, if GPUs may be shared. A job is co-located "
            "while another job holds one of its GPUs; its pace (relative "
            "speed) is its rate / the rate that it would have alone."),
    SUMMARY("packing", packing_parts, "Objects:"),
    SUMMARY("packing.by_pace", speed_columns,
            "Share of the GPU time of co-located jobs; none if there is no "
            "such time."),
    SUMMARY("packing.pairs", pair_keys,
            "Which models shared GPUs, the 32 pairs with most GPU time."),
    SUMMARY("packing.pairs.*", pair_columns, "Of each pair."),
    {.file = NULL},
};
