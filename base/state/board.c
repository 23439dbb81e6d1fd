/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/state/board.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/state/job.h"

void board_init(struct board *board, struct cluster *cluster, struct job *jobs,
                uint32_t n_jobs)
{
    *board = (struct board){
        .cluster = cluster,
        .jobs = jobs,
        .n_jobs = n_jobs,
        .n_in = {[JOB_FUTURE] = n_jobs},
        .links = mem_alloc(n_jobs * sizeof *board->links),
        .alloc_of = mem_alloc(n_jobs * sizeof *board->alloc_of),
        .attained = mem_zalloc(n_jobs, sizeof *board->attained),
        .planned = mem_zalloc(n_jobs, 1),
        .free_alloc = ALLOC_NONE,
        .pending = mem_alloc(cluster->n_vcs * sizeof *board->pending),
        .running = mem_alloc(cluster->n_vcs * sizeof *board->running),
        .held = mem_zalloc(cluster->n_vcs, sizeof *board->held),
        .touched = mem_alloc((cluster->n_vcs + 1u) * sizeof *board->touched),
        .is_touched = mem_zalloc(cluster->n_vcs, sizeof *board->is_touched),
    };
    memset(board->alloc_of, 0xff, n_jobs * sizeof *board->alloc_of);
    for (uint32_t vc = 0; vc < cluster->n_vcs; vc++) {
        board->pending[vc] = (struct board_list){JOB_NONE, JOB_NONE, 0};
        board->running[vc] = (struct board_list){JOB_NONE, JOB_NONE, 0};
    }
}

void board_fini(struct board *board)
{
    for (uint32_t s = 0; s < board->n_allocs; s++)
        free(board->allocs[s].slices);
    free(board->allocs);
    free(board->links);
    free(board->alloc_of);
    free(board->attained);
    free(board->planned);
    free(board->pending);
    free(board->running);
    free(board->held);
    free(board->touched);
    free(board->is_touched);
    *board = (struct board){0};
}

void board_touch(struct board *board, uint16_t vc)
{
    /* If the virtual cluster is listed already, n_touched does not grow, and
     * the next call overwrites this entry. */
    board->touched[board->n_touched] = vc;
    board->n_touched += !board->is_touched[vc];
    board->is_touched[vc] = true;
}

void board_touch_all(struct board *board)
{
    for (uint16_t vc = 0; vc < board->cluster->n_vcs; vc++)
        board_touch(board, vc);
}

void board_untouch(struct board *board)
{
    while (board->n_touched)
        board->is_touched[board->touched[--board->n_touched]] = false;
}

static void board_append(struct board *board, struct board_list *list,
                         job_id job)
{
    board->links[job] = (struct board_link){list->last, JOB_NONE};
    if (list->last == JOB_NONE)
        list->first = job;
    else
        board->links[list->last].next = job;
    list->last = job;
    list->count++;
}

static void detach(struct board *board, struct board_list *list, job_id job)
{
    struct board_link link = board->links[job];
    if (link.previous == JOB_NONE)
        list->first = link.next;
    else
        board->links[link.previous].next = link.next;
    if (link.next == JOB_NONE)
        list->last = link.previous;
    else
        board->links[link.next].previous = link.previous;
    list->count--;
}

/* Reports a move that is not legal, which is a bug. It is a function of its own
 * so that board_move, which is called very often, needs no memory on the
 * stack. */
static __attribute__((noinline, noreturn)) void board_refuse(
    const struct board *board, const struct job *job)
{
    const struct check_where where = {.now = board->now, .job = job->id};
    check_failed(__FILE__, __LINE__, "job_may_move(from, to)", &where);
}

void board_move(struct board *board, struct job *job, enum job_state to)
{
    enum job_state from = job->state;
    if (!job_may_move(from, to))
        board_refuse(board, job);
    if (from == JOB_PENDING)
        detach(board, &board->pending[job->vc], job->id);
    else if (from == JOB_RUNNING)
        detach(board, &board->running[job->vc], job->id);
    if (to == JOB_PENDING)
        board_append(board, &board->pending[job->vc], job->id);
    else if (to == JOB_RUNNING)
        board_append(board, &board->running[job->vc], job->id);
    board->n_in[from]--;
    board->n_in[to]++;
    job->state = (uint8_t)to;
    board_touch(board, job->vc);
}

void board_keep_place(struct board *board, const struct job *job)
{
    struct board_list *list = &board->pending[job->vc];
    struct board_link *links = board->links;
    job_id id = job->id, next = list->first;
    while (next < id) /* jobs are numbered by submission */
        next = links[next].next;
    if (next == id)
        return;
    detach(board, list, id);
    links[id] = (struct board_link){links[next].previous, next};
    if (links[next].previous == JOB_NONE)
        list->first = id;
    else
        links[links[next].previous].next = id;
    links[next].previous = id;
    list->count++;
}

static uint32_t new_alloc(struct board *board)
{
    uint32_t s = board->free_alloc;
    if (s != ALLOC_NONE) {
        board->free_alloc =
            board->allocs[s].job; /* unused entries form a list */
        return s;
    }
    size_t cap = board->cap_allocs;
    board->allocs = mem_grow(board->allocs, &cap, board->n_allocs + 1u,
                             sizeof *board->allocs);
    board->cap_allocs = (uint32_t)cap;
    board->allocs[board->n_allocs] = (struct allocation){0};
    return board->n_allocs++;
}

static void keep_where(struct allocation *alloc, struct gpu_set where)
{
    if (where.count > alloc->room) {
        alloc->slices =
            mem_resize(alloc->slices, where.count * sizeof *alloc->slices);
        alloc->room = where.count;
    }
    for (uint32_t i = 0; i < where.count; i++)
        alloc->slices[i] = where.at[i];
    alloc->where = (struct gpu_set){alloc->slices, where.count};
}

struct allocation *board_allocate(struct board *board, struct job *job,
                                  struct gpu_set where, uint32_t gpus)
{
    uint32_t s = new_alloc(board);
    struct allocation *alloc = &board->allocs[s];
    keep_where(alloc, where);
    alloc->job = job->id;
    alloc->started = board->now;
    alloc->ready = 0;
    alloc->gpus = gpus;
    alloc->serial = board->n_starts++;
    alloc->rate = alloc->rel_speed = 1.0;
    alloc->profiling = alloc->shared = false;
    board->alloc_of[job->id] = s;
    board->held[job->vc] += gpus;
    return alloc;
}

void board_set_profiling(struct board *board, const struct job *job)
{
    struct allocation *alloc = board_allocation(board, job);
    alloc->profiling = true;
    board->held[job->vc] -= alloc->gpus;
}

void board_change_gpus(struct board *board, const struct job *job,
                       struct gpu_set where)
{
    struct allocation *alloc = board_allocation(board, job);
    board->attained[job->id] += (board->now - alloc->started) * alloc->gpus;
    keep_where(alloc, where);
    alloc->started = board->now;
}

void board_release(struct board *board, struct job *job)
{
    uint32_t s = board->alloc_of[job->id];
    struct allocation *alloc = &board->allocs[s];
    board->attained[job->id] += (board->now - alloc->started) * alloc->gpus;
    board->held[job->vc] -= alloc->profiling ? 0 : alloc->gpus;
    alloc->job = board->free_alloc;
    alloc->where.count = 0;
    board->free_alloc = s;
    board->alloc_of[job->id] = ALLOC_NONE;
}

#define BIT(state) (1u << (state))

const uint8_t job_moves[JOB_N_STATES] = {
    [JOB_FUTURE] = BIT(JOB_PENDING) | BIT(JOB_REJECTED),
    [JOB_PENDING] = BIT(JOB_RUNNING) | BIT(JOB_REJECTED),
    [JOB_RUNNING] =
        BIT(JOB_PENDING) | BIT(JOB_HELD) | BIT(JOB_FINISHED) | BIT(JOB_FAILED),
    [JOB_HELD] = BIT(JOB_PENDING),
};
