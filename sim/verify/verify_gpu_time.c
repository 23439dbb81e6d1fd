/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes the part `gpu_time` of summary.json again, from the attempts, the
 * changes of nodes and, if the cluster serves a language model, advice.csv. */
#include <math.h>

#include "sim/verify/verify.h"

/* Gives a number of GPU hours that is a small difference of large sums. The
 * tolerance is therefore relative to `scale`, GPU-microseconds. */
static void expect_near(const struct verify_part *part, const char *key,
                        double want, double scale)
{
    verify_part_near(part, key, want / 3600e6, (1e-9 * scale + 1) / 3600e6);
}

static double time_error_of(double left, double right)
{
    const double most = fmax(fabs(left), fabs(right));
    return most > 0 ? fabs(left - right) / most : 0;
}

/* Gives the error of an identity. It is made of rounding, of which 1e-12 may
 * differ. */
static void expect_error(const struct verify_part *part, const char *key,
                         double left, double right)
{
    verify_part_near(part, key, time_error_of(left, right), 1e-12);
}

/* Checks the GPU time of the cluster. `held`: GPU time of the attempts,
 * GPU-microseconds. */
static void check_machine(const struct verify_data *d,
                          const struct verify_part *part, double held)
{
    double all = (double)d->n_gpus * (double)d->last_end;
    double llm = (double)d->llm_gpus * (double)d->last_end;
    verify_part_expect(part, "described_gpu_hours", (all + llm) / 3600e6);
    expect_near(part, "down_gpu_hours", all - d->up, all);
    expect_near(part, "idle_gpu_hours", d->up - d->busy, all);
    verify_part_expect(part, "busy_gpu_hours", d->busy / 3600e6);
    expect_near(part, "again_gpu_hours", held - d->busy, held);
    if (d->llm_gpus > 0) {
        verify_part_expect(part, "llm_busy_gpu_hours", d->llm_busy / 3600e6);
        expect_near(part, "llm_idle_gpu_hours", llm - d->llm_busy, llm);
    }
    expect_error(part, "machine_error",
                 verify_part_number(part, "described_gpu_hours"),
                 verify_part_number(part, "down_gpu_hours") +
                     verify_part_number(part, "idle_gpu_hours") +
                     verify_part_number(part, "held_gpu_hours") -
                     verify_part_number(part, "again_gpu_hours") +
                     verify_part_number(part, "llm_busy_gpu_hours") +
                     verify_part_number(part, "llm_idle_gpu_hours"));
}

/* Sums over the attempts, GPU-microseconds. */
struct verify_gpu_time_sums {
    double held, idle, profiling;
    double rounding; /* upper bound on the sum of the rounding errors */
    bool shared;     /* true if some attempt shared a GPU */
};

/* Returns the speed of the slowest GPU of the attempt, relative to the GPU of
 * the trace. */
static double slowest(const struct verify_data *d,
                      const struct verify_attempt *a)
{
    double speed = INFINITY;
    for (uint32_t i = 0; i < a->n_ranges; i++) {
        struct verify_range r = d->ranges[a->first_gpu_range + i];
        for (uint32_t gpu = r.first; gpu <= r.last; gpu++)
            speed = fmin(speed, d->nodes[d->node_of[gpu]].speed);
    }
    return speed;
}

static struct verify_gpu_time_sums sums_of(const struct verify_data *d)
{
    struct verify_gpu_time_sums s = {.idle = d->idle};
    for (size_t i = 0; i < d->n_attempts; i++) {
        const struct verify_attempt *a = &d->attempts[i];
        double time = (double)(a->end - a->start) * a->gpus;
        s.held += time;
        s.profiling += a->profiling ? time : 0;
        s.shared |= a->shared;
        /* Times are whole microseconds and so is work, of which one takes
         * 1 / speed us. */
        s.rounding +=
            (double)a->gpus * (1 + 1 / slowest(d, a) + (double)d->grid);
    }
    return s;
}

/* Checks the GPU time of jobs: the parts add up, none is too small, and sharing
 * cost nothing if no GPU was shared. If GPUs were shared, the files do not tell
 * how much it cost. */
static void check_jobs(const struct verify_part *part,
                       const struct verify_gpu_time_sums *s)
{
    double writing = verify_part_number(part, "writing_gpu_hours") * 3600e6;
    double useful = verify_part_number(part, "useful_gpu_hours") * 3600e6,
           lost = verify_part_number(part, "lost_gpu_hours") * 3600e6,
           overhead = verify_part_number(part, "overhead_gpu_hours") * 3600e6,
           slowed = verify_part_number(part, "slowed_gpu_hours") * 3600e6;
    expect_error(part, "jobs_error",
                 verify_part_number(part, "held_gpu_hours") * 3600e6,
                 useful + lost + overhead + slowed);
    /* An error of a microsecond of work is also an error of the writing that
     * goes with the work, in the ratio of the run's writing to its work. Work
     * within the rounding does not tell that ratio. */
    double most = s->rounding * (1 + writing / fmax(useful + lost, 1));
    double off = s->held - useful - lost - overhead - slowed;
    if (useful + lost > s->rounding && fabs(off) > 1e-9 * s->held + most)
        verify_say(part->report, "summary.gpu_time: held is not useful + lost "
                                 "+ overhead + slowed");
    if (overhead < s->idle * (1 - 1e-9) - most ||
        (!s->shared && fabs(slowed) > most))
        verify_say(part->report, "summary.gpu_time: a part does not match the "
                                 "attempts");
}

void verify_gpu_time(const struct verify_data *data,
                     struct verify_report *report)
{
    struct verify_part part;
    const json_t *outputs = json_object_get(data->manifest, "outputs");
    bool wanted = json_object_get(outputs, "failures.csv") ||
                  json_object_get(outputs, "advice.csv") ||
                  verify_has_monitor(data);
    if (!verify_part_find(data, "gpu_time", wanted, report, &part))
        return;
    struct verify_gpu_time_sums sums = sums_of(data);
    verify_part_expect(&part, "held_gpu_hours", sums.held / 3600e6);
    verify_part_expect(&part, "profiling_gpu_hours", sums.profiling / 3600e6);
    check_machine(data, &part, sums.held);
    if (!json_object_get(part.object, "jobs_skipped"))
        check_jobs(&part, &sums);
}
