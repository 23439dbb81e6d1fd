/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A small cluster and a few jobs. They are written to a temporary directory as
 * a trace and a cluster file, and run through sim/run/run.h, as the program
 * does. Times are in us since the start of 1970. */
#ifndef TESTS_SUPPORT_LAB_H
#define TESTS_SUPPORT_LAB_H

#include "sim/run/run.h"

enum { LAB_JOBS = 256, LAB_GROUPS = 32, LAB_CHANGES = 32 };

struct lab_job {
    char name[24], user[24], vc[24], type[24], model[24], end[24];
    char priority[24]; /* as the trace writes it; "": none */
    char elastic[24];  /* "adaptive" or "scales"; "": rigid */
    sim_time submitted;
    sim_span runs, declared;
    sim_span deadline;    /* from its submission; 0: none */
    uint32_t gpus, batch; /* batch 0: unknown */
    double mem_mib, util; /* util: percent; 0: unknown */
    /* The log of the job, which is written to the side-car of the trace: its
     * style ("": no log), time of a step (us), number of steps between two
     * lines, and number of steps in an epoch. mute: true if the lines of the
     * log have no step time. */
    char log[24];
    sim_span step;
    uint32_t log_every, epoch;
    bool mute;
};

struct lab_group {
    uint32_t count, gpus, rack;
    char vc[24], type[24];
    double mem_mib, speed;
    bool profiler;
};

struct lab {
    char dir[64], trace[96], evidence[96], cluster[96];
    struct lab_job jobs[LAB_JOBS];
    struct lab_group groups[LAB_GROUPS];
    struct capacity_change changes[LAB_CHANGES];
    size_t n_jobs, n_groups, n_changes;
    /* members of the lists "queues" and "cohorts" of the cluster file, as JSON;
     * nodes of the virtual cluster "default" then name none */
    char queues[1024], cohorts[512];
};

/* Makes an empty lab in a new directory; NULL if the directory cannot be made.
 * lab_free frees the lab and removes the directory; it accepts NULL. */
struct lab *lab_new(void);
void lab_free(struct lab *lab);
/* Removes all jobs, nodes and capacity changes, so that the lab can be filled
 * again. */
void lab_clear(struct lab *lab);
/* Adds a job that completes, named by its number: "j0". Times in s. */
struct lab_job *lab_add_job(struct lab *lab, double at, double runs,
                            uint32_t gpus);

/* Writes the trace, its side-car if a job has a log, and the cluster file. Must
 * be called after any change and before lab_run. */
enum status lab_write(struct lab *lab, struct error *err) MUST_USE;
/* Prepares a run with `config`, but with the trace and the cluster of the lab,
 * and without a window of time. The caller frees *out with run_free; it is NULL
 * on failure. */
enum status lab_prepare(const struct lab *lab, struct run_config config,
                        struct run **out, struct error *err) MUST_USE;
/* Runs the lab with `config`, but with the trace and the cluster of the lab,
 * and without a window of time. The caller frees *out with run_free, also if
 * the run was incomplete; it is NULL if the run failed. */
enum status lab_run(const struct lab *lab, struct run_config config,
                    struct run **out, struct error *err) MUST_USE;

/* Copies pointers to the attempts of a job, oldest first, to `out`, which has
 * room for `room`. Returns the number of all attempts, which may be larger. */
size_t lab_attempts(const struct ledger *ledger, job_id job,
                    const struct attempt **out, size_t room);
/* Returns the name of the state, for messages of failed tests. */
const char *lab_state_name(enum job_state state);

#endif
