/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The board: everything public about a running simulation, which is the jobs
 * and their states, the waiting and the running lists, and the cluster. The
 * engine moves the jobs; a policy looks at the board through a view (view.h)
 * and proposes moves through a plan (plan.h). No field depends on a job's
 * future. */
#ifndef SIM_BOARD_H
#define SIM_BOARD_H

#include "base/arena.h"
#include "base/state/cluster.h"
#include "base/state/job.h"

/* Links of a job in the waiting or running list of its virtual cluster. */
struct board_link {
    job_id previous, next;
};

struct board_list {
    job_id first, last;
    uint32_t count;
};

/* The allocation of a running job. The entry is reused after the job has
 * left. */
struct allocation {
    /* job that holds the allocation; in an unused entry: index of the next
     * unused one, or ALLOC_NONE */
    job_id job;
    sim_time started;
    sim_time ready;       /* end of the start-up; work begins then */
    struct gpu_set where; /* GPUs of the job; never empty while the job runs */
    struct gpu_slice *slices;
    uint32_t room;   /* number of slices that fit in the memory at `slices` */
    uint32_t gpus;   /* number of GPUs in `where` */
    uint64_t serial; /* number of this start among all starts of the run; lower
                        for a resident than for a newcomer */
    double rate; /* work per time; 1 if the job runs alone, at speed 1, on the
                    GPUs it asked for */
    double rel_speed; /* rate / rate alone on the same GPUs; 1 if no job is
                         co-located */
    bool profiling;   /* true if the job runs on a profiler node, with a time
                         limit */
    /* true if another job has held one of its GPUs at the same time */
    bool shared;
};

#define ALLOC_NONE UINT32_MAX

struct board {
    sim_time now;
    struct cluster *cluster;
    struct job *jobs;
    uint32_t n_jobs;
    struct board_link *links; /* indexed by job */
    uint32_t *alloc_of; /* by job: index into allocs; ALLOC_NONE: the job does
                           not run */
    int64_t *attained;  /* by job: GPU-microseconds of ended attempts */
    /* by job: flags of the plan being filled (policies/decide/plan.c) */
    uint8_t *planned;
    struct allocation *allocs;
    uint32_t n_allocs, cap_allocs, free_alloc;
    uint64_t n_starts; /* number of starts of all jobs so far */
    struct board_list *pending, *running; /* by virtual cluster */
    /* by virtual cluster: GPUs that its running jobs hold, without those of
     * profiler nodes; a GPU counts once for each job that holds it */
    uint32_t *held;
    /* the n_touched virtual clusters in which something changed since the
     * policy decided last */
    uint16_t *touched;
    bool *is_touched; /* by virtual cluster: true if it is in `touched` */
    uint32_t n_touched;
    uint32_t n_in[JOB_N_STATES]; /* number of jobs, by state */
};

/* Makes a board on which all jobs are in the future. It borrows `jobs` and
 * `cluster` until board_fini. */
void board_init(struct board *board, struct cluster *cluster, struct job *jobs,
                uint32_t n_jobs);
void board_fini(struct board *board);

/* Mark one virtual cluster, or all of them, as changed. board_untouch removes
 * all marks. */
void board_touch(struct board *board, uint16_t vc);
void board_touch_all(struct board *board);
void board_untouch(struct board *board);

/* Moves a job to another state, updates the lists and counts, and marks its
 * virtual cluster as changed. The move must be legal (job_may_move). A job that
 * becomes pending or running goes to the end of the list of that state. */
void board_move(struct board *board, struct job *job, enum job_state to);

/* Moves a pending job forward in its list, to before the first job that was
 * submitted after it. */
void board_keep_place(struct board *board, const struct job *job);

/* Gives a starting job an allocation, which holds a copy of the set. The
 * allocation lasts until board_release, the pointer only until the next call.
 * `gpus`: number of GPUs in the set. The caller changes the cluster. */
struct allocation *board_allocate(struct board *board, struct job *job,
                                  struct gpu_set where, uint32_t gpus);
/* Marks the attempt of a job that has just started as one on a profiler node.
 */
void board_set_profiling(struct board *board, const struct job *job);
/* Moves a running job to other GPUs, as many as it holds now. The job keeps its
 * place in the running list. Adds the GPU time so far to `attained` and sets
 * `started` to now. */
void board_change_gpus(struct board *board, const struct job *job,
                       struct gpu_set where);
void board_release(struct board *board, struct job *job);

/* Returns the number of jobs whose state will not change any more. */
static inline uint32_t board_n_done(const struct board *board)
{
    return board->n_in[JOB_FINISHED] + board->n_in[JOB_FAILED] +
           board->n_in[JOB_REJECTED];
}

static inline struct allocation *board_allocation(const struct board *board,
                                                  const struct job *job)
{
    return &board->allocs[board->alloc_of[job->id]];
}

#endif
