# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of runs and the columns of results. This file is printed by
make_options.py from the tables of the program; a test compares."""
from collections.abc import Sequence
from typing import TypedDict, Union


class Options(TypedDict, total=False):
    """The types of the options."""
    state: str
    format: str
    from_: str
    to: str
    vc: str
    jobs: int
    warmup: str
    cooldown: str
    placer: str
    profilers: str
    what_if: Union[str, Sequence[str]]
    monitor: str
    conventions: str
    engine: str
    schedmate: str
    quota: str
    estimators: Union[str, Sequence[str]]
    train: str
    evidence: str
    evidence_root: str
    belief: str
    forecast: str
    llm: str
    llm_recording: str
    llm_recording_mode: str
    overhead: str
    interference: str
    workloads: str
    throughput: str
    time_law: str
    chains: str
    faults: str
    recovery: Union[str, Sequence[str]]
    job_classes: str
    wait_over: Union[str, Sequence[str]]
    by: Union[str, Sequence[str]]
    seed: int
    decisions: bool
    resample: int
    series_interval: float


HELP = """
    state              begin from the present state of a cluster: running and
                       waiting jobs, nodes that are out ('schedsim list
                       --explain state-file'); TRACE gives their run times and
                       later jobs, without it each job runs for the median of
                       what is believed of it
    format             format of TRACE; default: recognised by content
    from_              keep jobs submitted at or after this time; a date of any
                       length (2020, 2020-10, "2020-10-03 12:00"), a time after
                       the first submission (2d, 36h, "day 10"), or seconds
                       since 1970, but four digits from 1970 to 2200 are a year
    to                 keep jobs submitted at or before this time; a short date
                       is its first moment
    vc                 keep jobs of this virtual cluster
    jobs               keep the first N jobs; default all
    warmup             leave the jobs of this first time, such as 2d, or of
                       this share of the time in which jobs are submitted, such
                       as 10%, out of metrics of jobs; they are simulated;
                       default: all jobs count
    cooldown           leave the jobs of this last time out of metrics of jobs
    placer             which GPUs a job gets; default consolidate
    profilers          set aside N nodes for profiling, or N% of the nodes;
                       NAME is the virtual cluster or GPU type that gives a
                       node, each in turn; default 1.48% if the policy
                       profiles, otherwise 0
    what_if            change the cluster or the load, such as '-2 nodes until
                       day 3', 'x1.5 load'; also '+25 nodes of A800 in vc3 from
                       day 10'; may be given more than once ('schedsim list
                       --explain what-if')
    monitor            monitor that watches jobs that share GPUs and evicts
                       those that slow others too much; default none
    conventions        imitate a published simulator ('schedsim list
                       conventions'); default sound: this simulator's own
                       conventions
    engine             settings of the engine ('schedsim list --explain
                       engine')
    schedmate          settings of SchedMate, for a policy NAME+schedmate
                       ('schedsim list --explain schedmate')
    quota              settings of the layer quota, for a policy NAME+quota
                       ('schedsim list --explain quota')
    estimators         what the policy knows of run times and demand;
                       estimators asked first come first; default ga2m,history,
                       which learn from jobs that have ended, and workload or
                       profiled for demand, as the policy needs; oracle: the
                       true run times, an upper bound
    train              an earlier log: estimators, and tiresias with
                       queues=auto, learn from its jobs that ended before the
                       first job of TRACE was submitted, so that they do not
                       start cold
    evidence           side-car of TRACE: the directory, the command and the
                       log of each job, for SchedMate; generated: made up from
                       the models of the jobs; default NAME.evidence.csv beside
                       NAME.csv, if there is one
    evidence_root      directories and logs that the side-car names may be in
                       DIR too; default: only in the folder of the side-car, or
                       among the repositories that come with the program
    belief             how the policy expects jobs that share GPUs to slow each
                       other down; default: as --interference says
    forecast           forecast of submissions; default ga2m for lucid,
                       otherwise none
    llm                the language model of --schedmate fidelity=replay: rules
                       (default: none is asked), http[:key=value,...] or
                       replay; 'list llms' names the settings
    llm_recording      a recording of the model's answers
    llm_recording_mode off, auto, record, replay or strict
    overhead           time that starts and stops of jobs cost; default fixed,
                       or application with --throughput application
    interference       how jobs that share GPUs slow each other down; default
                       fitted if the policy shares GPUs (constant under the
                       --conventions of another simulator), otherwise none
    workloads          which model each job trains, and its GPU demand: trace
                       (default), schedmate or lucid
    throughput         how fast a job runs on given GPUs; default application
                       if the policy is elastic, otherwise rigid
    time_law           how time becomes work: exact (default), or countdown or
                       grid, as published simulators do it
    chains             linked[:link_s=S]: rows that continue a failed job
                       within S (3600) seconds are part of it; default off
    faults             when hardware fails; default none: it never fails
    recovery           what happens to failed jobs, highest priority first;
                       default none
    job_classes        which jobs are spot and which guaranteed, by their
                       priority ('schedsim list --explain job-classes')
    wait_over          report also the share of jobs that wait longer than
                       SPAN, such as 10min; may be given more than once
    by                 report also groups of jobs by user or by GPU type; user:
                       and Jain's index of fairness; may be given more than
                       once
    seed               seed of all random numbers; default 0
    decisions          keep every plan of the policy for decisions.log
    resample           a seed: the run is of another trace, with the days of
                       this one drawn with replacement
    series_interval    time between rows of series, s; default 600
"""

COLUMNS = {
    "jobs": {
        "job_id": ("",
            "the trace's own identifier, or the number of the job"),
        "workload_name": ("",
            "format of the trace"),
        "profile": ("",
            "model or application, if the trace names it"),
        "submission_time": ("s",
            "since the first submission"),
        "requested_number_of_resources": ("GPUs",
            "GPUs that the job asks for"),
        "requested_time": ("s",
            "run time or limit that the user requested; -1: none"),
        "success": ("",
            "1: the job ran to its recorded end, which was no failure or "
            "cancellation"),
        "final_state": ("",
            "how the job ended, in Batsim's words"),
        "starting_time": ("s",
            "start of the first attempt"),
        "execution_time": ("s",
            "finish_time - starting_time"),
        "finish_time": ("s",
            "when the job finished, was given up or rejected; empty: never"),
        "waiting_time": ("s",
            "starting_time - submission_time"),
        "turnaround_time": ("s",
            "finish_time - submission_time (JCT)"),
        "stretch": ("",
            "turnaround_time / execution_time, to six decimals"),
        "allocated_resources": ("",
            "GPUs of the last attempt, numbered node by node: \"0-3 8\""),
        "consumed_energy": ("",
            "-1: not simulated"),
        "metadata": ("",
            "empty"),
        "user": ("",
            "who submitted it"),
        "vc": ("",
            "virtual cluster"),
        "gpu_type": ("",
            "GPU type that the job asks for; empty: any"),
        "name": ("",
            "job name or script"),
        "duration": ("s",
            "recorded running time"),
        "queue_delay": ("s",
            "all time pending, until its end or the end of the run"),
        "held": ("s",
            "all time held back by rulings after failures"),
        "running": ("s",
            "all time on GPUs: sum over its attempts"),
        "work": ("s",
            "work done, as running time at rate 1; duration + lost for a "
            "finished job"),
        "overhead": ("s",
            "start-up, stop and resume"),
        "lost": ("s",
            "work undone by failures and evictions, or because the work of a "
            "profile is not kept"),
        "preemptions": ("",
            "attempts ended by the policy, resizes included"),
        "attempts": ("",
            "number of stays of the job on GPUs"),
        "slowdown": ("",
            "turnaround_time / duration, to six decimals"),
        "slowdown_by_load": ("",
            "slowdown / max(1, mean load), to six decimals; see the metric"),
        "rho": ("",
            "finish-time fairness, to six decimals; see the metric"),
        "state": ("",
            "how the trace recorded the end of the job"),
        "outcome": ("",
            "state if the job ran to its recorded end, otherwise given-up, "
            "rejected or unfinished"),
        "shared": ("",
            "1: the job held a shared GPU at some time"),
        "reason": ("",
            "reason of the rejection, if the job was rejected"),
        "deadline": ("s",
            "time by which the job should have ended; empty: it has none"),
        "priority": ("",
            "as the trace writes it"),
        "class": ("",
            "guaranteed or spot, by its priority (--job-classes)"),
        "cpus": ("",
            "CPUs of the whole job; empty: unknown"),
        "mem_mib": ("MiB",
            "main memory of the whole job, rounded; empty: unknown"),
        "kind": ("",
            "kind of the job, such as Acme's Pretrain"),
    },
    "attempts": {
        "job_id": ("",
            "as in jobs.csv"),
        "workload_name": ("",
            "format of the trace"),
        "profile": ("",
            "as in jobs.csv"),
        "submission_time": ("s",
            "when the job began to wait for this attempt: its submission, or "
            "the end of its previous attempt (also while a ruling after a "
            "failure held it)"),
        "requested_number_of_resources": ("GPUs",
            "GPUs that the job asks for"),
        "requested_time": ("s",
            "as in jobs.csv"),
        "success": ("",
            "1: this attempt ended the job with success"),
        "final_state": ("",
            "in Batsim's words: how the job ended, for the attempt in which "
            "it ran to its recorded end; otherwise COMPLETED_FAILED if the "
            "attempt failed, RUNNING if it is open, COMPLETED_KILLED in all "
            "other cases"),
        "starting_time": ("s",
            "when the attempt began to hold its GPUs"),
        "execution_time": ("s",
            "finish_time - starting_time"),
        "finish_time": ("s",
            "when the attempt released its GPUs; the end of the run if it is "
            "open"),
        "waiting_time": ("s",
            "starting_time - submission_time"),
        "turnaround_time": ("s",
            "finish_time - submission_time"),
        "stretch": ("",
            "turnaround_time / execution_time, to six decimals; empty: the "
            "attempt had no length"),
        "allocated_resources": ("",
            "GPUs of the attempt, numbered node by node: \"0-3 8\""),
        "consumed_energy": ("",
            "-1: not simulated"),
        "metadata": ("",
            "empty"),
        "attempt": ("",
            "number of the attempt in its job, from 1"),
        "how": ("",
            "how it ended: finished (the job ran to its recorded end), "
            "stopped by the policy, moved (the job went on at once on other "
            "GPUs), evicted by the monitor, failed, profiled (its profile is "
            "complete), open (the run ended first)"),
        "gpus": ("GPUs",
            "held"),
        "gpu_type": ("",
            "type of the GPUs held"),
        "nodes": ("",
            "nodes of the GPUs held, numbered from 0: \"0-3 8\""),
        "shared": ("",
            "1: another job held some of these GPUs at some time"),
        "profiling": ("",
            "1: the attempt ran on a node set aside for profiling"),
        "idle": ("s",
            "time that GPUs were held without work: start-up, and the lag at "
            "the end of a job"),
        "work": ("s",
            "work done, as running time at rate 1; equals execution_time - "
            "idle if the rate is 1"),
        "resume": ("s",
            "work that the stop of the attempt added for later attempts"),
        "lost": ("s",
            "work that the end of the attempt undid, done in this attempt or "
            "earlier ones: by a failure or an eviction, or because the work "
            "of a profile is not kept"),
    },
    "failures": {
        "time": ("s",
            "when the job failed; without a job, when the fault struck"),
        "fault": ("",
            "number of the fault that caused it, from 1; empty: the job "
            "failed by itself. The first row of a number stands at the time "
            "at which the fault struck; later ones are relapses on a node "
            "with a hidden fault. The columns up to `repair` that tell of the"
            " fault are empty if this is"),
        "scope": ("",
            "what failed: node, gpu, nvlink, nic or storage"),
        "after": ("",
            "what became of the node: passes (it is healthy again at once), "
            "down (out of service for the repair), hidden (it stays in "
            "service and jobs that start there fail again)"),
        "node": ("",
            "node at fault, from 0; empty: no node is"),
        "gpu": ("",
            "for the scope gpu: its number on the node, from 0"),
        "vc": ("",
            "virtual cluster of the node, or the one that storage hit"),
        "cause": ("",
            "what really caused it"),
        "kind": ("",
            "who has to act: infrastructure (the operator), framework (a "
            "library or its use), script (the user's own code, data or "
            "settings)"),
        "harmless": ("",
            "1: an act of an operator that makes no job fail"),
        "missed": ("",
            "1: the node was out of service already, so the fault had no "
            "effect"),
        "hits": ("jobs",
            "running jobs that the fault reached when it struck, with those "
            "that had done all their work and so did not fail"),
        "repair": ("s",
            "time until the node is whole"),
        "job_id": ("",
            "job that failed, as in jobs.csv; empty: none"),
        "attempt": ("",
            "number of the attempt that failed, as in attempts.csv"),
        "failures": ("",
            "failures of the job so far, this one included"),
        "verdict": ("",
            "ruling on the job: give-up (it ends as failed), restart (from "
            "its beginning), resume (from its last checkpoint)"),
        "by": ("",
            "recovery rule that ruled"),
        "told": ("",
            "what the rule took for the cause; empty: it said nothing"),
        "detected": ("s",
            "time until the failure was noticed"),
        "delay": ("s",
            "time until the job was pending again, `detected` included; empty"
            " for give-up. The run may end before"),
        "suspect": ("",
            "node that the ruling takes out of service; empty: none"),
        "test": ("s",
            "time for which the suspect is tested"),
        "lost": ("s",
            "work that the failure undid, of this attempt and, for restart "
            "and give-up, of earlier ones"),
        "lost_gpu_s": ("GPU s",
            "lost x GPUs that the job asks for"),
        "restarted": ("s",
            "next start of the job; empty: it has none"),
    },
    "advice": {
        "job_id": ("",
            "job that the question is about, as in jobs.csv"),
        "asked_s": ("s",
            "time of the question"),
        "begun_s": ("s",
            "time at which a server began to work on it; the question that "
            "was asked first is served first"),
        "answered_s": ("s",
            "time of the answer, which may be after the end of the run"),
        "server": ("",
            "number of the server that worked on it, from 0: the one that was"
            " free first, of several the one with the lowest number; empty: "
            "the language model was not asked"),
        "module": ("",
            "advisor, tracker or handler"),
        "basis": ("",
            "what the answer rests on: resubmission (the user's earlier runs "
            "of the job), similar (completed jobs of the kind), law (a law of"
            " errors, because the trace names no kinds), read (a log), "
            "nothing (the layers below answer); waits: the run ended before "
            "the answer"),
        "k": ("",
            "number of jobs or logs that the answer rests on"),
        "tokens_in": ("",
            "tokens that the model read"),
        "tokens_out": ("",
            "tokens that the model wrote"),
        "counted": ("",
            "1: the tokens of this question were counted; 0: they are what "
            "`--schedmate` assumes for its module (advisor_tokens, "
            "tracker_tokens, handler_tokens, answer_tokens)"),
    },
    "series": {
        "time": ("s",
            "since the first submission"),
        "gpus_up": ("GPUs",
            "GPUs of nodes that are up"),
        "gpus_busy": ("GPUs",
            "GPUs held by at least one job"),
        "gpus_stranded": ("GPUs",
            "free GPUs on nodes whose other GPUs are in use"),
        "jobs_pending": ("jobs",
            "jobs that wait for GPUs"),
        "gpus_pending": ("GPUs",
            "GPUs that the waiting jobs ask for"),
        "jobs_running": ("jobs",
            "jobs that hold GPUs"),
        "jobs_held": ("jobs",
            "jobs that failed and wait for the delay of a ruling"),
        "jobs_ended": ("jobs",
            "jobs that finished, failed for good or were rejected, so far"),
    },
}

WORDS = {
    "allocated_resources", "final_state", "gpu_type", "how", "job_id",
    "metadata", "name", "nodes", "outcome", "priority", "profile", "reason",
    "state", "user", "vc", "workload_name",
}
