/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/state/board.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/check.h"

void board_init(struct board *board, struct cluster *cluster, struct job *jobs,
                uint32_t n_jobs)
{
    *board = (struct board){
        .cluster = cluster,
        .jobs = jobs,
        .n_jobs = n_jobs,
        .n_in = {[JOB_FUTURE] = n_jobs},
        .links = mem_alloc(n_jobs * sizeof *board->links),
        .seat_of = mem_alloc(n_jobs * sizeof *board->seat_of),
        .attained = mem_zalloc(n_jobs, sizeof *board->attained),
        .planned = mem_zalloc(n_jobs, 1),
        .free_seat = SEAT_NONE,
        .pending = mem_alloc(cluster->n_vcs * sizeof *board->pending),
        .running = mem_alloc(cluster->n_vcs * sizeof *board->running),
        .touched = mem_alloc((cluster->n_vcs + 1u) * sizeof *board->touched),
        .is_touched = mem_zalloc(cluster->n_vcs, sizeof *board->is_touched),
    };
    memset(board->seat_of, 0xff, n_jobs * sizeof *board->seat_of);
    for (uint32_t vc = 0; vc < cluster->n_vcs; vc++) {
        board->pending[vc] = (struct board_list){JOB_NONE, JOB_NONE, 0};
        board->running[vc] = (struct board_list){JOB_NONE, JOB_NONE, 0};
    }
}

void board_fini(struct board *board)
{
    for (uint32_t s = 0; s < board->n_seats; s++)
        free(board->seats[s].slices);
    free(board->seats);
    free(board->links);
    free(board->seat_of);
    free(board->attained);
    free(board->planned);
    free(board->pending);
    free(board->running);
    free(board->touched);
    free(board->is_touched);
    *board = (struct board){0};
}

void board_touch(struct board *board, uint16_t vc)
{
    board->touched[board->n_touched] = vc; /* kept only if it is new */
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

static void append(struct board *board, struct board_list *list, job_id job)
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

void board_move(struct board *board, struct job *job, enum job_state to)
{
    enum job_state from = job->state;
    CHECK_IN((&(struct check_where){.now = board->now, .job = job->id}),
             job_may_move(from, to));
    if (from == JOB_PENDING)
        detach(board, &board->pending[job->vc], job->id);
    else if (from == JOB_RUNNING)
        detach(board, &board->running[job->vc], job->id);
    if (to == JOB_PENDING)
        append(board, &board->pending[job->vc], job->id);
    else if (to == JOB_RUNNING)
        append(board, &board->running[job->vc], job->id);
    board->n_in[from]--;
    board->n_in[to]++;
    job->state = (uint8_t)to;
    board_touch(board, job->vc);
}

static uint32_t new_seat(struct board *board)
{
    uint32_t s = board->free_seat;
    if (s != SEAT_NONE) {
        board->free_seat = board->seats[s].job; /* unused seats form a list */
        return s;
    }
    size_t cap = board->cap_seats;
    board->seats =
        mem_grow(board->seats, &cap, board->n_seats + 1u, sizeof *board->seats);
    board->cap_seats = (uint32_t)cap;
    board->seats[board->n_seats] = (struct seat){0};
    return board->n_seats++;
}

static void keep_where(struct seat *seat, struct gpu_set where)
{
    if (where.count > seat->room) {
        seat->slices =
            mem_resize(seat->slices, where.count * sizeof *seat->slices);
        seat->room = where.count;
    }
    for (uint32_t i = 0; i < where.count; i++)
        seat->slices[i] = where.at[i];
    seat->where = (struct gpu_set){seat->slices, where.count};
}

struct seat *board_sit(struct board *board, struct job *job,
                       struct gpu_set where)
{
    uint32_t s = new_seat(board);
    struct seat *seat = &board->seats[s];
    keep_where(seat, where);
    seat->job = job->id;
    seat->started = board->now;
    seat->ready = 0;
    seat->gpus = gpu_set_size(where);
    seat->serial = board->n_sat++;
    seat->rate = seat->pace = 1.0;
    seat->profiling = seat->shared = false;
    board->seat_of[job->id] = s;
    return seat;
}

void board_reseat(struct board *board, const struct job *job,
                  struct gpu_set where)
{
    struct seat *seat = board_seat(board, job);
    board->attained[job->id] += (board->now - seat->started) * seat->gpus;
    keep_where(seat, where);
    seat->started = board->now;
}

void board_leave(struct board *board, struct job *job)
{
    uint32_t s = board->seat_of[job->id];
    struct seat *seat = &board->seats[s];
    board->attained[job->id] += (board->now - seat->started) * seat->gpus;
    seat->job = board->free_seat;
    seat->where.count = 0;
    board->free_seat = s;
    board->seat_of[job->id] = SEAT_NONE;
}
