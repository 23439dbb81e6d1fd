/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Errors that `verify` must find. The test puts each error alone into a correct
 * result. */
#ifndef TESTS_UNIT_SIM_VERIFY_DAMAGES_H
#define TESTS_UNIT_SIM_VERIFY_DAMAGES_H

#include <stddef.h>

/* An error in one file of a result. */
struct damage {
    const char *file;
    /* for PART: the changed text comes after this text; for CELL: "JOB
     * COLUMN"; for ALL: NULL */
    const char *where;
    const char *from; /* text to be replaced; NULL: the whole cell or file */
    const char *to;   /* replacement */
    /* text that verify must print; NULL: it accepts the file, in which another
     * value is as possible */
    const char *words;
};
#define CELL(file_, where_, to_, words_) \
    { \
        .file = file_, .where = where_, .to = to_, .words = words_ \
    }
#define PART(file_, where_, from_, to_, words_) \
    { \
        .file = file_, .where = where_, .from = from_, .to = to_, \
        .words = words_ \
    }
#define ALL(file_, to_, words_) \
    { \
        .file = file_, .to = to_, .words = words_ \
    }

/* A trace that is run, and the errors that are put into the result. */
struct verify_world {
    const char *name, *rows;
    const char *cluster; /* a description; NULL: the options name one */
    const char *options[16];
    const struct damage *damages;
    size_t n;
};
#define DAMAGES(rows) .damages = (rows), .n = sizeof(rows) / sizeof *(rows)

/* The columns of jobs.csv that verify needs, and one that it cannot check
 * without others. */
#define VERIFIED_COLUMNS \
    "job_id,submission_time,requested_number_of_resources,success," \
    "starting_time,finish_time,turnaround_time,stretch," \
    "allocated_resources,user,vc,gpu_type," \
    "duration,queue_delay,held,running,work,overhead,lost,preemptions," \
    "attempts,slowdown,slowdown_by_load,rho,outcome,shared"

/* Errors in a result without attempts.csv: job j0 runs on GPUs 0-3 from 0 s on,
 * job j1 on GPUs 4-5 from 10 s on. */
static const struct damage plain_damages[] = {
    CELL("jobs.csv", "j1 shared", "1", "job j1: attempts.csv is missing"),
    CELL("jobs.csv", "j1 outcome", "given-up",
         "job j1: attempts.csv is missing"),
    CELL("jobs.csv", "j1 attempts", "2", "job j1: 2 attempts, 1 listed"),
    CELL("jobs.csv", "j1 preemptions", "1", "job j1: 1 preemptions, 0 listed"),
    CELL("jobs.csv", "j1 allocated_resources", "3-4",
         "1 jobs hold already (limit 1)"),
    CELL("jobs.csv", "j1 allocated_resources", "4",
         "job j1: holds 1 GPUs, its gang is 2"),
    CELL("jobs.csv", "j1 allocated_resources", "4-x", "not a value"),
    CELL("jobs.csv", "j1 allocated_resources", "", "holds no GPU"),
    CELL("jobs.csv", "j1 starting_time", "9", "before its submission"),
    CELL("jobs.csv", "j1 running", "49", "job j1: running is"),
    CELL("jobs.csv", "j0 allocated_resources", "x", "'x' is not a value"),
    CELL("jobs.csv", "j0 allocated_resources", "3-0", "'3-0' is not a value"),
    CELL("jobs.csv", "j0 allocated_resources", "0-3 0-3 0-3",
         "'0-3 0-3 0-3' is not a value"),
    CELL("jobs.csv", "j0 gpu_type", "Z", "is 'Z', but no node has this type"),
    CELL("jobs.csv", "j1 vc", "b", "vc: 'b' is not a value"),
    CELL("jobs.csv", "j1 preemptions", "5000000000",
         "preemptions: '5000000000' is not a value"),
    CELL("jobs.csv", "j1 preemptions", "9999999999999999999",
         "preemptions: '9999999999999999999' is not a whole number"),
    CELL("jobs.csv", "j1 requested_time", "-2", "'-2' is not a time or -1"),
    CELL("jobs.csv", "j1 requested_time", "x", "'x' is not a time or -1"),
    CELL("jobs.csv", "j1 slowdown", "-1", "'-1' is not a ratio"),
    CELL("jobs.csv", "j1 slowdown", "x", "'x' is not a ratio"),
    PART("jobs.csv", "outcome", "outcome,shared,reason", "outcome,shared",
         "jobs.csv:1: the end: is not the column reason"),
    ALL("summary.json", "[]", "summary.json: is not an object"),
    ALL("summary.json", "{", "summary.json:1:"),
    ALL("manifest.json", "{\"outputs\": {}}", "is not a manifest"),
    CELL("jobs.csv", "j1 duration", "2305843009214", "is not a time"),
    CELL("jobs.csv", "j1 work", "-2305843009214", "is not a length of time"),
};

/* Errors in a result with preemptions, virtual clusters and GPU types. */
static const struct damage srtf_damages[] = {
    CELL("attempts.csv", "j2 allocated_resources", "9-12", "not a value"),
    CELL("attempts.csv", "j2 allocated_resources", "4-7",
         "job j2, attempt at 20.000000 s: is outside its virtual cluster"),
    CELL("attempts.csv", "j2 allocated_resources", "8-10",
         "job j2, attempt at 20.000000 s: holds 3 GPUs, its gang is 4"),
    CELL("attempts.csv", "j2 allocated_resources", "8-9 8-9",
         "names a GPU twice"),
    CELL("attempts.csv", "j1 allocated_resources", "3-4",
         "is on GPUs of several types"),
    CELL("attempts.csv", "j5 allocated_resources", "0",
         "1 jobs hold already (limit 1)"),
    CELL("jobs.csv", "j2 duration", "99", "job j2: work is 100.000000 s"),
    CELL("jobs.csv", "j2 work", "99", "job j2: running is 100.000000 s"),
    CELL("jobs.csv", "j0 overhead", "29", "job j0: running is"),
    CELL("jobs.csv", "j4 lost", "19", "job j4: work is"),
    CELL("jobs.csv", "j3 queue_delay", "0", "job j3: queue_delay is"),
    CELL("jobs.csv", "j3 waiting_time", "1",
         "waiting_time: is '1', but starting_time - submission_time is"),
    CELL("jobs.csv", "j3 turnaround_time", "1",
         "turnaround_time: is '1', but finish_time - submission_time is"),
    CELL("jobs.csv", "j3 execution_time", "1",
         "execution_time: is '1', but finish_time - starting_time is"),
    CELL("attempts.csv", "j2 starting_time", "19",
         "starting_time: job j2, attempt at 19.000000 s: starts before"),
    CELL("jobs.csv", "j0 starting_time", "1", "job j0: starting_time is"),
    CELL("jobs.csv", "j0 attempts", "3", "job j0: 3 attempts, 2 listed"),
    CELL("jobs.csv", "j0 preemptions", "2", "job j0: 2 preemptions, 1 listed"),
    CELL("jobs.csv", "j0 running", "1", "job j0: running is"),
    CELL("jobs.csv", "j0 slowdown", "2", "job j0: slowdown"),
    CELL("jobs.csv", "j3 rho", "2.5", "job j3: rho"),
    CELL("jobs.csv", "j3 slowdown_by_load", "2.5", "job j3: slowdown_by_load"),
    PART("summary.json", "goodput", ": 0.", ": 1.", "summary.metrics.goodput"),
    PART("summary.json", "useful_gpu_hours", ": ", ": 1",
         "summary.metrics.useful_gpu_hours"),
    CELL("jobs.csv", "j3 success", "1",
         "success: is '1', but the outcome says otherwise"),
    CELL("jobs.csv", "j3 outcome", "unfinished",
         "outcome: is 'unfinished', but finish_time says otherwise"),
    CELL("jobs.csv", "j3 submission_time", "10",
         "submission_time: is '10', but rises from row to row"),
    CELL("jobs.csv", "j3 vc", "c", "not a value"),
    CELL("attempts.csv", "j4 how", "finished", "runs again after its end"),
    CELL("attempts.csv", "j4 how", "fallen", "how: 'fallen' is not"),
    PART("attempts.csv", "\nj4", "j4", "j9", "'j9' is not a job of jobs.csv"),
    PART("attempts.csv", "\nj2", "j2", "j1", "job j1: 1 attempts, 2 listed"),
    PART("attempts.csv", "how", "how", "hwo", "hwo: is not the column how"),
    CELL("attempts.csv", "j0 submission_time", "1",
         "submission_time: is '1', but the job began to wait at"),
    CELL("attempts.csv", "j0 requested_number_of_resources", "3",
         "requested_number_of_resources: is '3', but the job's row in "),
    CELL("attempts.csv", "j2 success", "0",
         "success: is '0', but the attempt did not end so"),
    CELL("attempts.csv", "j4 final_state", "RUNNING",
         "final_state: is 'RUNNING', but the attempt did not end so"),
    CELL("attempts.csv", "j2 waiting_time", "1",
         "waiting_time: is '1', but starting_time - submission_time is"),
    CELL("attempts.csv", "j2 execution_time", "1",
         "execution_time: is '1', but finish_time - starting_time is"),
    CELL("attempts.csv", "j2 turnaround_time", "1",
         "turnaround_time: is '1', but finish_time - submission_time is"),
    CELL("attempts.csv", "j2 finish_time", "121", "turnaround_time: is"),
    CELL("attempts.csv", "j2 attempt", "2",
         "attempt: is '2', but attempts are numbered from 1 on"),
    CELL("attempts.csv", "j2 gpus", "3",
         "gpus: is '3', but allocated_resources says otherwise"),
    CELL("attempts.csv", "j2 gpu_type", "B",
         "gpu_type: is 'B', but allocated_resources says otherwise"),
    CELL("attempts.csv", "j2 nodes", "1",
         "nodes: is '1', but allocated_resources says otherwise"),
    CELL("attempts.csv", "j2 nodes", "1-2",
         "nodes: is '1-2', but allocated_resources says otherwise"),
    CELL("attempts.csv", "j2 nodes", "3", "nodes: '3' is not a value"),
    CELL("attempts.csv", "j2 shared", "1",
         "job j2: shared is 0, its attempts give 1"),
    CELL("attempts.csv", "j2 idle", "1", "idle + work is not"),
    CELL("attempts.csv", "j2 idle", "-1", "idle: '-1' is not a time"),
    CELL("attempts.csv", "j2 work", "99", "idle + work is not"),
    CELL("attempts.csv", "j0 resume", "7", "job j0: overhead is"),
    CELL("attempts.csv", "j4 lost", "1", "job j4: lost is"),
    CELL("attempts.csv", "j2 metadata", "x", "attempts.csv: was changed after"),
    CELL("jobs.csv", "j2 allocated_resources", "8-10",
         "job j2: allocated_resources differs from that of its last attempt"),
    PART("jobs.csv", "\nj7", "j7", "j7,x", "cells, but the header names"),
    PART("jobs.csv", "rho", "rho", "roh", "roh: is not the column rho"),
    PART("series.csv", "\n60,", ",8,", ",7,", "series.csv:4: gpus_up: is 7"),
    PART("series.csv", "\n1080,", ",0,", ",1,",
         "series.csv:10: gpus_busy: is 1"),
    PART("summary.json", "\"knowledge\"", "oracle, an upper bound",
         "truth with errors", "summary.knowledge.mark: is 'truth with errors'"),
    PART("summary.json", "\"knowledge\"", "\"oracle\"", "\"none\"",
         "summary.knowledge.run_times: is 'none'"),
    PART("summary.json", "\"knowledge\"", "\"run times", "\"times",
         "summary.knowledge: words, run_times and answered"),
    PART("summary.json", "\"knowledge\"", "\"answered\": 1",
         "\"answered\": 0.5", "summary.knowledge.answered: is 0.5"),
    PART("summary.json", "jct_s", "\"p50\": ", "\"p50\": 1",
         "summary.metrics.jct_s.p50"),
    PART("summary.json", "allocation", ": 0.", ": 1.",
         "summary.metrics.allocation"),
    PART("summary.json", "fragmentation", ": 0.", ": 1.",
         "summary.metrics.fragmentation"),
    PART("summary.json", "utilisation", "utilisation", "usage",
         "summary.metrics.utilisation: is missing"),
    PART("summary.json", "utilisation", "utilisation", "usage",
         "summary.metrics.usage: is not a key of this file"),
    PART("summary.json", "by_vc", "\"jobs\": ", "\"jobs\": 1",
         "summary.by_vc.a.jobs"),
    PART("summary.json", "by_outcome", "\"mean\": ", "\"mean\": 1",
         "summary.by_outcome.completed.jct_s.mean"),
    PART("summary.json", "\"outcomes\"", "\"failed\": 1", "\"failed\": 2",
         "summary.outcomes.failed"),
    PART("summary.json", "policy", "srtf", "fifo",
         "summary.json: was changed after"),
    PART("manifest.json", "changes", "60,", "55,", "under running jobs"),
    PART("manifest.json", "changes", "90,", "50000,", "is down"),
    PART("manifest.json", "input", "\"jobs\": 8", "\"jobs\": 9",
         "manifest.input.jobs: is 9, the files give 8"),
    PART("manifest.json", "groups", "\"profiler\": false", "\"profiler\": true",
         "runs on a node for profiling"),
    PART("manifest.json", "outputs", "jobs.csv", "../x", "is not a file"),
    PART("manifest.json", "seed", "seed", "sead", "is not a manifest"),
    CELL("attempts.csv", "j2 finish_time", "19", "ends before it starts"),
    PART("attempts.csv", "allocated_resources", "8-11", "8-9 8-11",
         "names a GPU twice"),
    PART("failures.csv", "hits", "\n60,", "\n2000,",
         "time: is after the end of the run"),
    PART("failures.csv", "hits", "node,down,1,,a", "node,down,1,,b",
         "vc: is not that of the node"),
    PART("failures.csv", "hits", "node,down,1,,a", "gpu,down,1,4,a",
         "gpu: is not one of the node"),
    PART("failures.csv", "hits",
         "60,1,node,down,1,,a,failure,infrastructure,0,0,1,30,j4,1,1,resume,"
         "retry,,0,66.666501,,,20,80,126.666501",
         "60,,,,,,,failure,infrastructure,,,,,,,,,,,,,,,,,",
         "has neither a fault nor a job"),
    PART("failures.csv", "hits", "1,1,resume", "0,1,resume",
         "attempt: did not fail at this time"),
    PART("failures.csv", "hits", "1,1,resume", "1,1,give-up",
         "verdict: the job was not given up"),
    PART("failures.csv", "hits", "1,1,resume", "1,1,go-on",
         "verdict: is not a known word"),
    PART("failures.csv", "hits", "resume,retry,,0,66.666501",
         "resume,retry,,0,", "delay: is shorter than detected"),
    PART("failures.csv", "hits", "60,1,node", "60,9,node",
         "fault: is not counted from 1"),
    PART("series.csv", "\n1080", "8\n", "8\n9990,12,0,0,0,0,0,0,9\n",
         "time: is after the last change"),
    PART("summary.json", "\"complete\"", "false", "0",
         "complete: is 0, which is not 0 or 1"),
    PART("summary.json", "\"complete\"", "false", "true",
         "complete: is true, the files give false"),
    PART("summary.json", "\"unfinished\"", "1", "false",
         "unfinished: is false, which is not a whole number"),
    PART("summary.json", "\"unfinished\"", "1", "1.5",
         "unfinished: is 1.5, which is not a whole number"),
    PART("summary.json", "\"unfinished\"", "1", "2",
         "unfinished: is 2, jobs.csv gives 1"),
    PART("summary.json", "\"unfinished\"", "1", "0",
         "unfinished: is 0, jobs.csv gives 1"),
    PART("summary.json", "\"unfinished\"", "1", "0",
         "unfinished_why: should not be there"),
    PART("summary.json", "\"finished_share\"", "_share", "_shade",
         "finished_share: is missing"),
    PART("summary.json", "unfinished\"", "unfinished_why", "unfinished_wha",
         "unfinished_why: is missing"),
    PART("summary.json", "\"metrics\"", "1080", "[]",
         "makespan_s: is a list, which is not a time"),
    PART("summary.json", "\"metrics\"", "1080", "\"x\"",
         "makespan_s: is 'x', which is not a time"),
    PART("summary.json", "\"metrics\"", "1080", "\"-1\"",
         "makespan_s: is '-1', which is not a time"),
    PART("summary.json", "\"trace\"", "\": \"", "\": \"x",
         "identity.trace: is 'x"),
    PART("summary.json", "\"trace\"", "\": \"ea", "\": \"xx",
         "which is not 64 hexadecimal digits"),
    PART("summary.json", "\"knowledge\"", "\"words\"", "\"wards\"",
         "summary.knowledge.words: is missing"),
    PART("summary.json", "\"knowledge\"", "\"answered\": 1",
         "\"answered\": 1.5", "summary.knowledge.answered: is 1.5"),
    PART("summary.json", "\"knowledge\"", "\"answered\": 1",
         "\"answered\": null", "words, run_times and answered contradict"),
    PART("summary.json", "\"remarks\"", "[", "{\"x\": 1}, \"x\": [",
         "summary.remarks: is an object, which is not a list"),
    PART("manifest.json", "\"cluster\": {", "\"name\"", "\"nane\"",
         "summary.cluster: is 'a=1x4:A@1+1x4:B@1,b=1x4:A', "
         "manifest.cluster.name is missing"),
    PART("manifest.json", "\"engine\"", "\"share_limit\": \"1\"",
         "\"share_limit\": \"x\"", "manifest.cluster.share_limit: is 1"),
    PART("manifest.json", "\"engine\"", "\"share_limit\"", "\"share-limit\"",
         "manifest.cluster.share_limit: is 1"),
    PART("manifest.json", "\"share_limit\": 1,", "1", "0", "is not a manifest"),
    PART("manifest.json", "series_interval_s", "30", "0", "is not a manifest"),
    PART("manifest.json", "end_s", "1080", "\"-1\"", "is not a manifest"),
    PART("manifest.json", "end_s", "1080", "-1", "is not a manifest"),
    PART("manifest.json", "end_s", "1080", "\"x\"", "is not a manifest"),
    PART("manifest.json", "end_s", "1080", "\"5000000000000\"",
         "is not a manifest"),
    PART("manifest.json", "end_s", "1080", "\"1079\"", "ends later"),
    PART("manifest.json", "end_s", "1080", "[]", "is not a manifest"),
    PART("manifest.json", "end_s", "1080", "1e300", "is not a manifest"),
    PART("manifest.json", "\"schedsim\"", "\"schedsim\"", "\"schedsym\"",
         "manifest.schedsim: is missing"),
    PART("manifest.json", "\"policy\": \"srtf\"", "srtf", "fifo",
         "manifest.policy: is 'fifo', configuration.policy.name is 'srtf'"),
    PART("manifest.json", "\"policy\": \"srtf\"", "srtf", "srt",
         "manifest.policy: is 'srt', configuration.policy.name is 'srtf'"),
    PART("manifest.json", "\"policy\": \"srtf\"", "\"srtf\"", "1",
         "manifest.policy: is '', configuration.policy.name is 'srtf'"),
    PART("manifest.json", "\"policy\": {", "name", "nane",
         "manifest.policy: is 'srtf', configuration.policy.name is ''"),
    PART("manifest.json", "\"speed\"", "1", "0", "is not a group of nodes"),
    PART("manifest.json", "\"nodes\"", "1", "0", "is not a group of nodes"),
    PART("manifest.json", "\"nodes\"", "1", "65535", "is not a group of nodes"),
    PART("manifest.json", "\"gpus\"", "4", "0", "is not a group of nodes"),
    PART("manifest.json", "\"gpus\"", "4", "65", "is not a group of nodes"),
    PART("manifest.json", "\"changes\"",
         "1,\n        \"down\",\n        \"failure\"", "1", "is not [time"),
    PART("manifest.json", "\"changes\"", "60", "\"x\"", "is not [time"),
    PART("manifest.json", "\"changes\"", "\"down\"", "1", "is not [time"),
    PART("manifest.json", "\"changes\"", "1,", "-1,", "is not [time"),
    PART("manifest.json", "\"changes\"", "1,", "3,", "is not [time"),
    PART("manifest.json", "\"changes\"", "90", "59", "is before the one above"),
    PART("manifest.json", "\"changes\"", "\"up\"", "\"down\"",
         "series.csv:5: gpus_up"),
    PART("manifest.json", "\"changes\"", "\"down\"", "\"up\"",
         "after: the node did not go down"),
    PART("manifest.json", "\"changes\": [", "[", "[\"x\", ", "is not [time"),
    PART("manifest.json", "\"groups\"", "\"groups\"",
         "\"types_without_nodes\": [1], \"groups\"", "is not a text"),
    PART("manifest.json", "\"outputs\"", "failures.csv", "failuras.csv",
         "outputs: 'failures.csv' is not listed"),
    PART("manifest.json", "\"outputs\"", "series.csv", "serias.csv",
         "outputs: 'series.csv' is not listed"),
    PART("manifest.json", "\"overhead fixed\"", "\"1800\"", "\"x\"", NULL),
    PART("manifest.json", "\"seed\": \"0\"", "0", "x", "is not a whole number"),
    PART("manifest.json", "\"seed\": \"0\"", "0", "1",
         "manifest.seed: is '1', the files give '0'"),
    PART("failures.csv", "hits", ",20,80,", ",20,81,",
         "lost_gpu_s: is not lost x GPUs"),
    PART("failures.csv", "hits", ",20,80,", ",10,40,",
         "lost: is not the work since the last checkpoint"),
    PART("failures.csv", "hits", ",20,80,", ",30,120,",
         "lost: is more than the attempt did"),
    PART("failures.csv", "hits", "resume,retry,,0,66.666501,,,20,80",
         "restart,retry,,0,66.666501,,,10,40",
         "lost: is not all work of the job"),
    PART("failures.csv", "hits", "resume,retry,,0,66.666501,,,20,80",
         "restart,retry,,0,66.666501,,,30,120",
         "lost: is not all work of the job"),
    PART("failures.csv", "hits", "down,1,", "down,9,",
         "node: is not in the cluster"),
    PART("failures.csv", "hits", "66.666501,,", "66.666501,0,300",
         "suspect: stayed in service"),
    PART("failures.csv", "hits", "66.666501,,", "66.666501,9,300",
         "suspect: is not in the cluster"),
    PART("failures.csv", "hits", "66.666501,,", "66666.6,0,300",
         "delay: the next attempt began before its end"),
    PART("failures.csv", "hits", "66.666501,,", ",0,300",
         "delay: is shorter than detected"),
    PART("manifest.json", "\"configuration\"", "{",
         "{\"time-law grid\": {\"step_s\": \"1\"},", NULL),
    PART("manifest.json", "\"estimator\"", "\"oracle\"",
         "\"same-application,profiled,oracle\"", NULL),
    PART("manifest.json", "\"estimator\"", "\"oracle\"", "\"workload\"",
         "summary.knowledge.answered: is 1, which the estimators"),
    PART("summary.json", "\"knowledge\"", "\"answered\": 1", "\"answered\": -1",
         "summary.knowledge.answered: is -1, which the estimators"),
    PART("summary.json", "\"knowledge\"", "run_times", "run_timez",
         "words, run_times and answered contradict"),
    PART("manifest.json", "series_interval_s", "_interval_s", "_interval_x",
         "manifest.series_interval_s: is missing"),
    PART("manifest.json", "\"provenance\"", "\"provenance\"", "\"provenence\"",
         "manifest.provenence: is not a key"),
    PART("manifest.json", "\"provenance\"", "{",
         "{\"language_model\": {\"backend\": \"http\", \"asked\": 3, \"hits\": "
         "1,"
         " \"served\": 1, \"misses\": 0},",
         "asked, hits, served, misses: do not add up"),
    PART("manifest.json", "\"provenance\"", "{",
         "{\"language_model\": {\"backend\": \"http\", \"asked\": 2, \"hits\": "
         "1,"
         " \"served\": 1, \"misses\": 0},",
         NULL),
    PART("manifest.json", "\"provenance\"", "{", "{\"language_model\": {},",
         "manifest.provenance.language_model.asked: is missing"),
    PART("manifest.json", "\"notes\"", "\"notes\"",
         "\"workloads\": {\"sources\": [\"a\"], \"profiles\": [{\"model\": "
         "\"m\", "
         "\"dataset\": \"\", \"batch_size\": 0, \"jobs\": 1, \"similar\": "
         "false, "
         "\"figures\": {\"x\": {\"value\": 1, \"status\": \"assumed\", "
         "\"source\": 1}}}]}, \"notes\"",
         "profiles.0.figures.x.source: is not in sources"),
    ALL("manifest.json", "{}", "is not a manifest"),
    PART("attempts.csv", "\nj0",
         ",0,10,30,0\nj0,native,,10,4,-1,1,COMPLETED_SUCCESSFULLY,60,1020,1080,"
         "50,1070,1.04902,0-3,-1,,2,finished,4,A,0,0,0,0,1020,0,0",
         ",0,2e12,30,0\nj0,native,,10,4,-1,1,COMPLETED_SUCCESSFULLY,60,1020,"
         "1080,50,1070,1.04902,0-3,-1,,2,finished,4,A,0,0,0,0,2e12,0,0",
         "its attempts give 230584300921"),
    PART("attempts.csv", "\nj0",
         ",0,10,30,0\nj0,native,,10,4,-1,1,COMPLETED_SUCCESSFULLY,60,1020,1080,"
         "50,1070,1.04902,0-3,-1,,2,finished,4,A,0,0,0,0,1020,0,0",
         ",0,10,2e12,0\nj0,native,,10,4,-1,1,COMPLETED_SUCCESSFULLY,60,1020,"
         "1080,50,1070,1.04902,0-3,-1,,2,finished,4,A,0,0,0,0,1020,2e12,0",
         "its attempts give -230584300921"),
};

/* Errors in a result with profiling and sharing. */
static const struct damage profile_damages[] = {
    CELL("attempts.csv", "j0 finish_time", "101",
         "is profiled for 101.000000 s, the limit is "
         "100.000000 s"),
    CELL("attempts.csv", "j0 finish_time", "99",
         "is profiled for 99.000000 s, the limit is 100.000000 "
         "s"),
    CELL("attempts.csv", "j0 profiling", "0", "runs on a node for profiling"),
    PART("manifest.json", "changes", "lent", "down",
         "profiles on a node for jobs"),
    PART("manifest.json", "changes", "lent", "lend", "up|down|lent|back"),
    PART("manifest.json", "changes", "100,", "200,",
         "summary.profiling.lent_gpu_hours"),
    PART("manifest.json", "changes", "0,", "50,",
         "node 1 is lent at 50.000000 s under running jobs"),
    PART("summary.json", "\"profiling\"", "profiled_jobs\": 3",
         "profiled_jobs\": 4", "summary.profiling.profiled_jobs"),
    PART("summary.json", "\"profiling\"", "finished_jobs\": 1",
         "finished_jobs\": 0", "summary.profiling.finished_jobs"),
    PART("summary.json", "\"profiling\"", "\"use\": 0.", "\"use\": 1.",
         "summary.profiling.use"),
    PART("summary.json", "\"profiling\"", "delay_mean_s\": ",
         "delay_mean_s\": 1", "summary.profiling.delay_mean_s"),
    PART("summary.json", "\"profiling\"", "delay_max_s\": ", "delay_max_s\": 1",
         "summary.profiling.delay_max_s"),
    PART("summary.json", "\"profiling\"", "wait_mean_s\": ", "wait_mean_s\": 1",
         "summary.profiling.wait_mean_s"),
    PART("summary.json", "\"profiling\"", "lent_gpu_hours\": 0",
         "lent_gpu_hours\": 1", "summary.profiling.lent_gpu_hours"),
    PART("summary.json", "\"profiling\"", "cut_short\": 0", "cut_short\": null",
         "summary.profiling.cut_short: is null, which is not a whole number"),
    PART("summary.json", "\"profiling\"", "profiling", "profilinx",
         "summary.profiling: is missing"),
    PART("summary.json", "\"packing\"", "\"jobs\": ", "\"jobs\": 1",
         "summary.packing.jobs"),
    PART("summary.json", "\"packing\"", "busy_share\": 0.", "busy_share\": 1.",
         "summary.packing.busy_share"),
    CELL("attempts.csv", "j4 profiling", "1", "profiles on a node for jobs"),
    PART("summary.json", "\"packing\"", "pace_mean\": ", "pace_mean\": 9",
         "summary.packing.pace_mean, pairs.*.pace: 9"),
    PART("summary.json", "\"packing\"", "pace_mean\": 0.", "pace_mean\": 0.0",
         "summary.packing.pace_mean, pairs.*.pace: 0.0"),
    PART("summary.json", "\"by_pace\"", ": 1", ": 0.5",
         "summary.packing.by_pace.tiny, medium, jumbo, worse: are 0.5"),
    PART("attempts.csv", "profiled", "profiled", "failed",
         "summary.profiling.cut_short: is 0, the files give 1"),
    PART("summary.json", "\"pairs\"", "[",
         "[{\"a\": \"x\", \"b\": \"x\", \"gpu_hours\": 0.001, \"pace\": 1},",
         "is more than that of the pair above"),
    PART("summary.json", "\"pairs\"", "\"pace\": 0", "\"pace\": 1",
         "pace_mean, pairs.*.pace"),
    PART("manifest.json", "\"files\"", "\"files\"",
         "\"counted\": {\"warmup\": \"1000000\", \"cooldown\": \"0\"}, "
         "\"files\"",
         "summary.profiling.wait_mean_s: is"),
    PART("attempts.csv", "\nj0",
         "0,100,100,0,100,1,4,-1,,1,profiled,1,GPU,2,0,1",
         "0,0,0,0,0,,4,-1,,1,profiled,1,GPU,2,0,0", "job j0: running is"),
};

/* Errors in a result with a monitor: job j1 joins j0 at 10 s, is evicted at 60
 * s with 25 s of work, and runs again from 125 to 165 s. */
static const struct damage eviction_damages[] = {
    PART("attempts.csv", "j1,", "evicted", "stopped",
         "job j1: 0 preemptions, 1 listed"),
    PART("attempts.csv", "j1,", "evicted", "ousted", "not a value"),
    CELL("attempts.csv", "j1 shared", "0", "evicted: did not share GPUs"),
    CELL("attempts.csv", "j1 lost", "24",
         "evicted: lost is not all work of the job"),
    CELL("attempts.csv", "j1 how", "profiled",
         "summary.evictions.evictions: is 1, the files give 0"),
    PART("attempts.csv", "2,finished,1,A", "0,0,0,", "0,1,0,",
         "shares GPUs although the job was evicted before"),
    PART("manifest.json", "\"monitor perfect\"", "\"lose_work\": \"true\"",
         "\"lose_work\": \"false\"", "evicted: lost is not 0"),
    PART("manifest.json", "\"configuration\"", "\"monitor\":", "\"monitox\":",
         "attempts.csv: has evictions without a monitor"),
    PART("summary.json", "\"evictions\"", "evictions\": 1", "evictions\": 2",
         "summary.evictions.evictions"),
    PART("summary.json", "\"evictions\"", "\"jobs\": 1", "\"jobs\": 0",
         "summary.evictions.jobs"),
    PART("summary.json", "\"evictions\"", "\"hosts\": 1", "\"hosts\": 2",
         "2 hosts, at most 1 evictions beside one, do not add up to 1"),
    PART("summary.json", "\"evictions\"", "\"host_most\": 1",
         "\"host_most\": 0", "do not add up to 1"),
    PART("summary.json", "\"evictions\"", "lost_gpu_hours\": ",
         "lost_gpu_hours\": 1", "summary.evictions.lost_gpu_hours"),
    PART("summary.json", "\"evictions\"", "held_gpu_hours\": ",
         "held_gpu_hours\": 1", "summary.evictions.held_gpu_hours"),
    PART("summary.json", "\"gpu_time\"", "gpu_time", "gpu_tima",
         "summary.gpu_time: is missing"),
    CELL("attempts.csv", "j1 profiling", "1", "evicted: did not share GPUs"),
    CELL("attempts.csv", "j1 work", "0",
         "evicted: lost is not all work of the job"),
    PART("summary.json", "\"evictions\"", "\"host_most\": 1",
         "\"host_most\": 2", "do not add up to 1"),
    PART("manifest.json", "\"configuration\"", "{",
         "{\"time-law grid\": {\"step_s\": \"1\"},", NULL),
    PART("manifest.json", "\"throughput\"", "\"rigid\"", "\"application\"",
         "summary.elastic: is missing"),
};

/* Errors in a result of which two servers answer the questions of SchedMate. */
static const struct damage advice_damages[] = {
    CELL("advice.csv", "j0 k", "5000000000", "k: '5000000000' is not a value"),
    CELL("advice.csv", "j0 k", "2", "k: does not fit the basis"),
    CELL("advice.csv", "j6 k", "0", "k: does not fit the basis"),
    CELL("advice.csv", "j6 k", "2", "k: does not fit the basis"),
    CELL("advice.csv", "j5 module", "oracle", "is not a known word"),
    CELL("advice.csv", "j5 basis", "guess", "is not a known word"),
    CELL("advice.csv", "j5 basis", "waits", "basis: is not possible"),
    CELL("advice.csv", "j5 basis", "read", "basis: is not possible"),
    CELL("advice.csv", "j6 basis", "similar", "basis: is not possible"),
    CELL("advice.csv", "j6 module", "tracker", "basis: is not possible"),
    PART("advice.csv", "tracker,read", "tracker,read", "tracker,law",
         "basis: is not possible"),
    PART("advice.csv", "tracker,read", "tracker,read", "tracker,nothing",
         "k: does not fit the basis"),
    CELL("advice.csv", "j5 tokens_in", "1", "tokens: are marked as counted"),
    CELL("advice.csv", "j5 tokens_out", "1", "tokens: are marked as counted"),
    PART("advice.csv", "\nj6", ",0,0,0\n", ",0,0,1\n", "tokens: are marked"),
    PART("advice.csv", "\nj6", ",0,0,0\n", ",0,1,1\n",
         "summary.advice.tokens_out"),
    PART("advice.csv", "\nj6", ",0,0,0\n", ",1,0,1\n",
         "summary.advice.tokens_in"),
    CELL("advice.csv", "j6 begun_s", "301", "is later than asked_s"),
    CELL("advice.csv", "j6 answered_s", "301", "is later than asked_s"),
    CELL("advice.csv", "j6 job_id", "j7", "is not a job of jobs.csv"),
    CELL("advice.csv", "j6 job_id", "j5", "does not ask about this job now"),
    CELL("advice.csv", "j1 job_id", "j0", "does not ask about this job now"),
    CELL("advice.csv", "j5 asked_s", "151", "does not ask about this job now"),
    CELL("advice.csv", "j5 asked_s", "1", "asked_s: is before that of the row"),
    PART("advice.csv", "j2,640", "j2,640.814641", "j2,9640.814641",
         "or after the end of the run"),
    CELL("advice.csv", "j5 server", "0", "server: another server was free"),
    CELL("advice.csv", "j5 begun_s", "151", "begun_s: is not the time"),
    CELL("advice.csv", "j5 answered_s", "158", "the time from begun_s"),
    CELL("advice.csv", "j5 answered_s", "157", "the time from begun_s"),
    PART("advice.csv", "tracker", "tracker", "handler", "does not ask about"),
    PART("manifest.json", "\"servers\"", "2", "0", "lacks the number of serv"),
    PART("manifest.json", "\"schedmate\": {", "\"latency_s\": \"7.5\"",
         "\"latency_s\": \"x\"", "the time from begun_s is not"),
    PART("manifest.json", "\"schedmate\": {", "\"latency_s\"", "\"latencies\"",
         "the time from begun_s is not"),
    PART("manifest.json", "\"schedmate\": {", "\"advisor_tokens\": \"6000\"",
         "\"advisor_tokens\": \"x\"", "tokens: are marked"),
    PART("manifest.json", "\"schedmate\": {", "\"advisor_tokens\"",
         "\"advisor-tokens\"", "tokens: are marked"),
    PART("manifest.json", "\"schedmate\": {", "\"fidelity\"", "\"fideliti\"",
         NULL),
    PART("manifest.json", "\"configuration\"", "\"schedmate\": {",
         "\"schedmat\": {", "advice.csv: should not be there"),
    PART("manifest.json", "\"outputs\"", "advice.csv", "x/advice.csv",
         "advice.csv: is missing"),
    PART("advice.csv", "j1,0,15", "j1,0,15,23.7,1,tracker",
         "j5,0,15,23.7,1,tracker", "does not ask about this job now"),
    PART("manifest.json", "\"llm_gpus\"", "\"0\"", "\"x\"", NULL),
};

/* Errors in a result in which y lends x its GPUs and takes them back at 10 s.
 */
static const struct damage quota_damages[] = {
    PART("manifest.json", "\"quotas\"", "\"nominal\": 4", "\"nominal\": -4",
         "cluster.quotas[1] is not a quota"),
    PART("manifest.json", "\"quotas\"", "\"nominal\": 4", "\"nominal\": 4.5",
         "cluster.quotas[1] is not a quota"),
    PART("manifest.json", "\"quotas\"", "\"nominal\": 4", "\"nominal\": 4e10",
         "cluster.quotas[1] is not a quota"),
    PART("manifest.json", "\"quotas\"", "\"nominal\": 4",
         "\"nominal\": 40000000000", "cluster.quotas[1] is not a quota"),
    PART("manifest.json", "\"quotas\"", "\"nominal\": 4", "\"nominel\": 4",
         "cluster.quotas[1] is not a quota"),
    PART("manifest.json", "\"quotas\"", "\"parent\": 0", "\"parent\": 1",
         "cluster.quotas[1] is not a quota"),
    PART("manifest.json", "\"quotas\"", "\"borrowing_limit\": 4",
         "\"borrowing_limit\": -1", "cluster.quotas[2] is not a quota"),
    PART("manifest.json", "\"quotas\"", "\"lending_limit\": 4",
         "\"lending_limit\": -1", "cluster.quotas[2] is not a quota"),
    PART("manifest.json", "\"quotas\"", "\"lending_limit\": 4",
         "\"lending_limit\": 1", "of which the quotas allow"),
    PART("manifest.json", "\"quotas\"", "\"parent\": 0",
         "\"parent\": 0, "
         "\"reclaim\": \"never\"",
         NULL),
    PART("manifest.json", "\"vc\": \"y\"", "\"parent\": 0",
         "\"parent\": 0, "
         "\"reclaim\": \"never\"",
         "no job waits that may have it stopped"),
    PART("manifest.json", "\"vc\": \"x\"", "\"parent\": 0",
         "\"parent\": 0, "
         "\"within\": \"any\"",
         NULL),
    PART("manifest.json", "\"groups\"", "\"profiler\": false",
         "\"profiler\": true", "runs on a node for profiling"),
    CELL("attempts.csv", "j2 profiling", "1", "no job starts then"),
    PART("attempts.csv", "\nj1", "stopped", "failed",
         "summary.counts.quota_victims, quota_reclaims: 1 in 1"),
    PART("attempts.csv", "\nj1", "finished", "stopped",
         "finished without finishing an attempt"),
    CELL("attempts.csv", "j2 starting_time", "11", "no job starts then"),
    CELL("jobs.csv", "j1 vc", "all", "slowdown_by_load"),
    PART("summary.json", "\"counts\"", "reclaims\": 1", "reclaims\": 0",
         "quota_victims, quota_reclaims: 1 in 0 reclaims"),
    PART("summary.json", "\"counts\"", "reclaims\": 1", "reclaims\": 2",
         "quota_victims, quota_reclaims: 1 in 2 reclaims"),
    PART("summary.json", "\"counts\"", "victims\": 1", "victims\": 2",
         "2 in 1 reclaims, but the policy stopped 1 attempts"),
    PART("summary.json", "\"counts\"", "victims\": 1", "victims\": 0",
         "0 in 1 reclaims"),
    PART("summary.json", "\"counts\"", "gpu_s\": 36", "gpu_s\": 35",
         "quota_victim_gpu_s: is 35, the attempts stopped give 36"),
    PART("summary.json", "\"counts\"", "starts\": 2", "starts\": 6",
         "quota_borrowed_starts: is more than all attempts"),
    PART("summary.json", "\"by_user\"", "\"(no user)\"", "\"(nobody)\"",
         "summary.by_user.(no user): is missing"),
    PART("series_vc.csv", "time", "0,y,4,0,0,0,0,0,0,0\n", "",
         "the first row of each group comes first"),
    PART("series_vc.csv", "time", "20,y,4,4", "20,y,5,4",
         "the nominal quota is another one"),
    PART("series_vc.csv", "time", "20,y,4,4,0", "20,y,4,4,1",
         "no GPU belongs to one virtual cluster"),
    PART("series_vc.csv", "time", "20,y", "21,y", "no sample is due then"),
    PART("series_vc.csv", "time", "20,y", "20,w", "no group of the cluster"),
    PART("series_vc.csv", "time", "20,y", "20,", "no group of the cluster"),
    PART("series_vc.csv", "time", "60,y", "20,y,4,4,0,0,0,2,0,0\n60,y",
         "another row comes first at this time"),
    PART("series_vc.csv", "time", "60,y", "30,y,4,4,0,0,0,2,0,0\n60,y",
         "the row repeats the one before of its group"),
    ALL("series_vc.csv",
        "time,vc,gpus_up,gpus_busy,gpus_stranded,jobs_pending,gpus_pending,"
        "jobs_running,jobs_held,jobs_ended\n",
        "series_vc.csv: jobs_running: at 0.000000 s the rows do not add up"),
    ALL("series_vc.csv",
        "time,vc,gpus_up,gpus_busy,gpus_stranded,jobs_pending,gpus_pending,"
        "jobs_running,jobs_held,jobs_ended\n0,x,4,4,0,0,0,1,0,0\n",
        "series_vc.csv: no row of y"),
    ALL("series_type.csv",
        "time,gpu_type,gpus_up,gpus_busy,gpus_stranded,jobs_pending,"
        "gpus_pending,jobs_running,jobs_held,jobs_ended\n"
        "0,GPU,8,4,0,0,0,1,0,0\n",
        "series_type.csv: no row of (any)"),
    ALL("series_type.csv",
        "time,gpu_type,gpus_up,gpus_busy,gpus_stranded,jobs_pending,"
        "gpus_pending,jobs_running,jobs_held,jobs_ended\n"
        "0,(any),8,4,0,0,0,1,0,0\n",
        "series_type.csv: no row of GPU"),
    PART("manifest.json", "\"wait_over\"", "60", "x",
         "summary.metrics.share_waiting_over_60s: should not be there"),
    PART("manifest.json", "\"quota\": {", "\"fair\"", "\"fare\"",
         "about: is no setting"),
    PART("manifest.json", "\"quota\": {", "\"none\"", "\"division\"", NULL),
    PART("summary.json", "\"counts\"",
         "reclaims\": 1,\n    \"quota_victims\": 1,\n"
         "    \"quota_victim_gpu_s\": 36",
         "reclaims\": 0,\n    \"quota_victims\": 0,\n"
         "    \"quota_victim_gpu_s\": 37",
         "the attempts stopped give at most 36"),
    PART("manifest.json", "\"files\"", "\"files\"",
         "\"counted\": {\"warmup\": \"1000000\", \"cooldown\": \"0\"}, "
         "\"files\"",
         "summary.metrics.share_waiting_over_60s: is"),
    PART("manifest.json", "\"vc\": \"y\"", "\"parent\": 0",
         "\"parent\": 0, \"reclaim\": \"lower-or-newer\"",
         "no job waits that may have it stopped"),
    PART("manifest.json", "\"vc\": \"x\"", "\"parent\": 0",
         "\"parent\": 0, \"within\": \"lower\"", NULL),
};

/* Errors in a result in which c has b stopped at 2 s, and e has d stopped at
 * 14 s. */
static const struct damage priority_damages[] = {
    CELL("jobs.csv", "b priority", "high", "no job waits that may have it"),
    CELL("jobs.csv", "b priority", "1", "no job waits that may have it"),
    CELL("jobs.csv", "b priority", "-7", "jobs.csv: was changed after"),
    CELL("jobs.csv", "c priority", "spot", "no job waits that may have it"),
    CELL("jobs.csv", "c priority", "unknown", "jobs.csv: was changed after"),
    CELL("jobs.csv", "d priority", "high", "no job waits that may have it"),
    CELL("jobs.csv", "e priority", "low", "no job waits that may have it"),
    PART("manifest.json", "\"within\"", "lower", "never",
         "no job waits that may have it"),
    PART("manifest.json", "\"reclaim\"", "lower-or-newer", "never",
         "no job waits that may have it"),
    PART("manifest.json", "\"reclaim\"", "lower-or-newer", "lower", NULL),
    PART("manifest.json", "\"priorities\"", "spot+best-effort+low+normal+high",
         "low+medium+high", "no job waits that may have it"),
    PART("manifest.json", "\"quota\": {", "\"priorities\"", "\"priorities2\"",
         "no job waits that may have it"),
    PART("manifest.json", "\"files\"", "\"files\"",
         "\"columns\": [], \"files\"", NULL),
};

/* Errors in a result in which j0, a spot job, is stopped at 100 s. */
static const struct damage class_damages[] = {
    CELL("jobs.csv", "j0 class", "guaranteed", "say otherwise"),
    CELL("jobs.csv", "j1 class", "spot", "say otherwise"),
    CELL("jobs.csv", "j1 class", "other", "say otherwise"),
    CELL("jobs.csv", "j0 deadline", "1", "summary.deadlines.tardiness"),
    PART("jobs.csv", "deadline", "deadline,priority", "deadline,priorita",
         "priorita: is not the column priority"),
    PART("summary.json", "\"deadlines\"", "share_missed\": 0.3",
         "share_missed\": 1.3",
         "share_missed: is 1.33333333333333, which is not"),
    PART("summary.json", "\"deadlines\"", "share_missed\": 0.3",
         "share_missed\": 0.4",
         "share_missed: is 0.433333333333333, "
         "deadline_missed / jobs is 0.333333333333333"),
    PART("summary.json", "\"deadlines\"", "share_missed\": 0.333333333333333",
         "share_missed\": null", "share_missed: is null, deadline_missed"),
    PART("summary.json", "\"deadlines\"", "\"jobs\": 3", "\"jobs\": 0",
         "share_missed: is 0.333333333333333, deadline_missed / jobs is null"),
    PART("summary.json", "\"deadlines\"", "\"jobs\": 3", "\"jobs\": true",
         "jobs: is true, which is not a whole number"),
    PART("summary.json", "\"deadlines\"", "\"jobs\": 3", "\"jobs\": {}",
         "jobs: is an object, which is not a whole number"),
    PART("manifest.json", "\"guarantee_s\"", "60", "0",
         "summary.classes.spot_evictions: is 1, the files give 0"),
    PART("manifest.json", "\"guarantee_s\"", "60", "200",
         "summary.classes.guarantee_violations: is 0, the files give 1"),
};

/* Errors in a result without the columns that verify does not need, in which
 * jobs from 3 to 25 s count. */
static const struct damage counted_damages[] = {
    PART("manifest.json", "\"counted\"", "10%", "x%",
         "manifest.counted.warmup: is 'x%', the files give '10%'"),
    PART("manifest.json", "\"counted\"", "10%", "%",
         "manifest.counted.warmup: is '%', the files give '10%'"),
    PART("manifest.json", "\"counted\"", "10%", "",
         "manifest.counted.warmup: is '', the files give '10%'"),
    PART("manifest.json", "\"counted\"", "\"5\"", "\"x\"",
         "manifest.counted.cooldown: is 'x', the files give '5'"),
    PART("manifest.json", "\"counted\"", "\"5\"", "\"100%\"",
         "manifest.counted.jobs: is 3, the files give 0"),
    PART("manifest.json", "\"counted\"", "warmup", "warmap",
         "manifest.counted.warmup: is missing"),
    PART("manifest.json", "\"provenance\"", "\"provenance\"", "\"provenence\"",
         "manifest.provenence: is not a key"),
    PART("manifest.json", "\"wait_over\"", "30", "x",
         "summary.metrics.share_waiting_over_30s: should not be there"),
    PART("manifest.json", "\"seed\": \"3\"", "3", "4",
         "manifest.seed: is '4', the files give '3'"),
    ALL("jobs.csv", VERIFIED_COLUMNS "\n", "is not a job of jobs.csv"),
    PART("jobs.csv", "job_id", "rho,", "", "no column 'rho', which this"),
    PART("attempts.csv", "2-3,-1,,1", "2-3,-1,,1", "2-3,-1,,2",
         "attempts are numbered from 1 on"),
};

/* Errors in a result of two jobs with the identifier 1: the second one has none
 * in the trace, which therefore is its number. */
static const struct damage twin_damages[] = {
    CELL("attempts.csv", "1 work", "80", "idle + work is not execution_time"),
    CELL("attempts.csv", "1 attempt", "2", "attempts are numbered from 1"),
    PART("jobs.csv", "\nx", "REJECTED", "RUNNING",
         "final_state: is 'RUNNING', but the outcome says otherwise"),
    PART("jobs.csv", "\nx", ",500,", ",400,", "finish_time"),
    PART("manifest.json", "\"end_s\"", "500", "100", NULL),
};

/* Errors in a result in which no job has a length. */
static const struct damage timeless_damages[] = {
    PART("manifest.json", "\"profiler\"", "false", "true",
         "runs on a node for profiling"),
};

/* Errors in a result in which the only job is rejected. */
static const struct damage rejected_damages[] = {
    ALL("jobs.csv", VERIFIED_COLUMNS "\n",
        "manifest.input.jobs: is 1, the files give 0"),
};

/* Errors in cells of columns that are read without their rules, by commands
 * other than verify. */
static const struct damage unruled_damages[] = {
    CELL("jobs.csv", "j1 submission_time", "x",
         "jobs.csv:3: submission_time: 'x' is not a value of this column"),
    CELL("jobs.csv", "j1 slowdown", "x", "slowdown: 'x' is not a value"),
    CELL("jobs.csv", "j1 outcome", "x", "outcome: 'x' is not a value"),
    PART("jobs.csv", "\nj1", ",10,2,", ",x,y,", "submission_time: 'x' is not"),
    CELL("jobs.csv", "j1 gpu_type", "Z", NULL),
    CELL("attempts.csv", "j1 shared", "2", "shared: '2' is not a value"),
    PART("attempts.csv", "\nj4", "j4", "j9", "'j9' is not a job of jobs.csv"),
    PART("jobs.csv", "job_id", "job_id", "id", "no column 'job_id', which"),
};

/* Errors in a result of jobs that change their number of GPUs. */
static const struct damage elastic_damages[] = {
    PART("attempts.csv", "\nj0", "stopped", "moved",
         "summary.elastic.moves: is 0, the files give 1"),
    CELL("attempts.csv", "j0 work", "9", "work is"),
    PART("manifest.json", "\"unit_rates\"", "false", "true", NULL),
    PART("manifest.json", "\"throughput\": {", "name", "nane",
         "summary.elastic: should not be there"),
    PART("manifest.json", "\"files\"", "\"files\"",
         "\"counted\": {\"warmup\": \"1000000\", \"cooldown\": \"0\"}, "
         "\"files\"",
         "summary.elastic.restarts_per_job: is"),
};

/* Errors in a result of many faults, after which jobs go on once. */
static const struct damage failure_damages[] = {
    PART("failures.csv", "\n65180", ",6,node,down,1", ",6,node,down,2",
         "missed: the node was in service"),
    PART("failures.csv", "give-up", "give-up,limit,,0,,,",
         "give-up,limit,,0,9,,",
         "delay: must be empty, because the job was given up"),
    PART("failures.csv", "46380", "2,give-up", "1,give-up",
         "failures: are not counted from 1"),
    PART("failures.csv", "46380.496011,3,node,down,2,,all",
         "46380.496011,3,node,down,2,,all", "46380.496011,3,node,hidden,2,,all",
         "fault: differs from its first row"),
    PART("summary.json", "\"gpu_time\"", "overhead_gpu_hours",
         "overhead_gpu_hourz", "a part does not match the attempts"),
    PART("jobs.csv", "given-up", "given-up", "failed",
         "verdict: the job was not given up"),
};

static const struct verify_world worlds[] = {
    /* a stop, a failure that takes its node down for a time, and a rejected
     * job */
    {.name = "srtf",
     .rows = "submitted_unix_s,duration_s,gpus,job_id,name,vc,gpu_type,end\n"
             "0,1000,4,j0,train,a,A,completed\n"
             "10,50,2,j1,tune,a,A,failed\n"
             "20,100,4,j2,train,b,,completed\n"
             "30,100,2,j3,tune,b,,cancelled\n"
             "40,100,4,j4,train,a,B,completed\n"
             "50,10,1,j5,\"a, b\",a,A,completed\n"
             "60,10,64,j6,big,a,,completed\n"
             "70,300,2,j7,train,b,,completed\n",
     .options = {"--policy=srtf", "--estimators=oracle",
                 "--cluster=a=1x4:A@1+1x4:B@1,b=1x4:A",
                 "--faults=once:node=1,at_s=60,repair_s=30",
                 "--recovery=retry:delay_s=100", "--series=interval=30"},
     DAMAGES(srtf_damages)},
    /* Node 2, with one GPU, belongs to the profiler; node 1 is lent to it from
     * 0 to 100 s. Jobs j0 to j2 are profiled, j3 ends while it is profiled, j4
     * is not profiled. Some jobs share GPUs. */
    {.name = "profiles",
     .rows = "submitted_unix_s,duration_s,gpus,job_id,gpu_util_percent,end\n"
             "0,1000,1,j0,20,completed\n"
             "0,1000,1,j1,20,completed\n"
             "0,1000,1,j2,20,completed\n"
             "0,90,1,j3,20,completed\n"
             "0,1000,4,j4,90,completed\n",
     .options = {"--policy=lucid:profile_max_gpus=2,profile_lend_nodes=1,"
                 "profile_lend_above=2,profile_return_below=1,idle_first=false",
                 "--cluster=2x2+1x1:profiler",
                 "--interference=constant:slowdown=1.25",
                 "--series=interval=50"},
     DAMAGES(profile_damages)},
    {.name = "evictions",
     .rows = "submitted_unix_s,duration_s,gpus,job_id,end\n"
             "0,100,1,j0,completed\n"
             "10,40,1,j1,completed\n",
     .options = {"--policy=random-pack", "--cluster=1x1:A",
                 "--interference=constant:slowdown=2", "--overhead=none",
                 "--monitor=perfect:look_s=50"},
     DAMAGES(eviction_damages)},
    /* SchedMate asks about each job, about failed ones, and about those that
     * share a GPU */
    {.name = "advice",
     .rows = "submitted_unix_s,duration_s,gpus,job_id,user,name,end\n"
             "0,100,1,j0,u,train,completed\n"
             "0,100,1,j1,u,train,completed\n"
             "0,100,1,j2,u,train,completed\n"
             "0,100,1,j3,u,train,completed\n"
             "0,100,1,j4,v,tune,completed\n"
             "150,100,1,j5,u,train,completed\n"
             "300,90,1,j6,v,tune,failed\n",
     .options = {"--policy=random-pack+schedmate", "--cluster=1x2",
                 "--interference=constant:slowdown=2",
                 "--schedmate=fidelity=oracle,latency_s=7.5,servers=2,"
                 "check_s=10,top=1",
                 "--faults=once:node=0,at_s=30,repair_s=10"},
     DAMAGES(advice_damages)},
    {.name = "quota",
     .rows = "submitted_unix_s,duration_s,gpus,job_id,vc,user,end\n"
             "0,100,4,j0,x,u,completed\n"
             "1,100,4,j1,x,,completed\n"
             "10,50,3,j2,y,v,completed\n"
             "20,50,1,j3,y,,failed\n",
     .cluster =
         "{\"nodes\": [{\"count\": 2, \"gpus\": 4}],"
         " \"queues\": [{\"vc\": \"x\", \"nominal\": 4, \"cohort\": \"c\"},"
         "  {\"vc\": \"y\", \"nominal\": 4, \"cohort\": \"c\","
         "   \"borrowing_limit\": 4, \"lending_limit\": 4},"
         "  {\"vc\": \"z\", \"nominal\": 0}],"
         " \"cohorts\": [{\"name\": \"c\"}]}",
     .options = {"--policy=backfill+quota", "--series=by=vc,type",
                 "--series=interval=10", "--by=user", "--by=type",
                 "--wait-over=1min"},
     DAMAGES(quota_damages)},
    /* two clusters in one: x, in which c stops b, and y, which takes back what
     * it lent z */
    {.name = "priorities",
     .rows = "submitted_unix_s,duration_s,gpus,job_id,vc,priority\n"
             "0,10,4,a,x,\n"
             "1,10,4,b,x,low\n"
             "2,10,4,c,x,high\n"
             "3,30,4,e0,y,\n"
             "5,100,4,d,z,low\n"
             "14,9,4,e,y,\n",
     .cluster =
         "{\"nodes\": [{\"count\": 2, \"gpus\": 8}],"
         " \"queues\": [{\"vc\": \"x\", \"nominal\": 8, \"within\": \"lower\"},"
         "  {\"vc\": \"y\", \"nominal\": 8, \"cohort\": \"c\","
         "   \"reclaim\": \"lower-or-newer\"},"
         "  {\"vc\": \"z\", \"nominal\": 0, \"cohort\": \"c\"}],"
         " \"cohorts\": [{\"name\": \"c\"}]}",
     .options = {"--policy=backfill+quota"},
     DAMAGES(priority_damages)},
    {.name = "classes",
     .rows = "submitted_unix_s,duration_s,gpus,job_id,priority,deadline_s,end\n"
             "0,1000,4,j0,spot,500,completed\n"
             "0,50,4,j1,high,,completed\n"
             "100,100,8,j2,high,150,completed\n"
             "120,100,8,j3,high,1000,completed\n",
     .options = {"--policy=spot-fifo", "--cluster=2x4",
                 "--job-classes=spot=spot,guarantee_s=60"},
     DAMAGES(class_damages)},
    {.name = "counted",
     .rows = "submitted_unix_s,duration_s,gpus,job_id,user,end\n"
             "0,100,2,2,u,completed\n"
             "10,50,2,,u,completed\n"
             "10,0,2,,,completed\n"
             "20,50,2,x,v,failed\n"
             "30,50,2,4,v,failed\n",
     .options = {"--cluster=1x4", "--attempts", "--warmup=10%", "--cooldown=5",
                 "--by=user", "--wait-over=30", "--seed=3",
                 "--columns=" VERIFIED_COLUMNS},
     DAMAGES(counted_damages)},
    /* x is rejected after the last move of a job */
    {.name = "twins",
     .rows = "submitted_unix_s,duration_s,gpus,job_id,end\n"
             "0,100,2,1,completed\n"
             "10,50,2,,completed\n"
             "500,50,64,x,completed\n",
     .options = {"--cluster=1x4", "--time-law=grid:step_s=10", "--attempts"},
     DAMAGES(twin_damages)},
    {.name = "elastic",
     .rows = "submitted_unix_s,duration_s,gpus,job_id,model,elasticity,end\n"
             "0,,1,j0,cifar10,adaptive,\n"
             "50,,1,j1,cifar10,adaptive,\n"
             "100,,1,j2,cifar10,adaptive,\n"
             "700,,1,j3,ncf,adaptive,\n",
     .options = {"--cluster=2x4", "--policy=sia",
                 "--throughput=application:replace=true",
                 "--overhead=application", "--time-law=grid",
                 "--faults=once:node=0,at_s=1000,repair_s=30",
                 "--recovery=retry:delay_s=100"},
     DAMAGES(elastic_damages)},
    {.name = "failures",
     .rows = "submitted_unix_s,duration_s,gpus,job_id,end\n"
             "0,40000,4,j0,completed\n"
             "10,30000,2,j1,failed\n"
             "20,90000,1,j2,completed\n"
             "30,60000,4,j3,cancelled\n"
             "40,80000,8,j4,completed\n"
             "50,70000,2,j5,completed\n",
     .options = {"--cluster=3x4", "--seed=3",
                 "--faults=exponential:per_1000_node_days=2500,"
                 "repair_max_s=5000",
                 "--recovery=limit:attempts=2,retry:delay_s=300",
                 "--overhead=fixed:checkpoint_s=1000,start_s=50"},
     DAMAGES(failure_damages)},
    /* the users' last jobs do not count, nor do all jobs of spot */
    {.name = "groups without jobs that count",
     .rows = "submitted_unix_s,duration_s,gpus,job_id,user,priority\n"
             "0,100,64,2,u,spot\n"
             "10,50,2,,u,high\n"
             "100,50,2,x,v,spot\n",
     .options = {"--cluster=1x64", "--cooldown=10%", "--warmup=1", "--by=user",
                 "--wait-over=30", "--policy=spot-fifo",
                 "--job-classes=spot=spot,guarantee_s=60"}},
    {.name = "profiles that do not count",
     .rows = "submitted_unix_s,duration_s,gpus,job_id,gpu_util_percent\n"
             "0,1000,1,j0,20\n"
             "5,1000,1,j1,20\n"
             "9,1000,1,j2,20\n",
     .options = {"--policy=lucid", "--cluster=2x2+1x1:profiler", "--warmup=1"}},
    /* no job holds a GPU for any time */
    {.name = "no time",
     .rows = "submitted_unix_s,duration_s,gpus,job_id,end\n"
             "0,0,2,a,completed\n"
             "10,0,2,b,completed\n",
     .options = {"--cluster=1x4"},
     DAMAGES(timeless_damages)},
    /* each job is rejected */
    {.name = "no attempt",
     .rows = "submitted_unix_s,duration_s,gpus,job_id,end\n"
             "0,100,2,a,completed\n",
     .options = {"--cluster=1x1", "--policy=random-pack", "--warmup=1%",
                 "--columns=" VERIFIED_COLUMNS},
     DAMAGES(rejected_damages)},
    /* each job has one attempt, so there is no attempts.csv */
    {.name = "plain",
     .rows = "submitted_unix_s,duration_s,gpus,job_id,end\n"
             "0,1000,4,j0,completed\n"
             "10,50,2,j1,failed\n",
     .options = {"--cluster=2x4"},
     DAMAGES(plain_damages)},
};

#endif
