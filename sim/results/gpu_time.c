/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/results/gpu_time.h"

#include <math.h>

static double hours(double time)
{
    return time / (double)SPAN_HOUR;
}

static double of_held(const struct gpu_time_books *b)
{
    return hours((double)b->held);
}

static double of_useful(const struct gpu_time_books *b)
{
    return hours(b->useful);
}

static double of_lost(const struct gpu_time_books *b)
{
    return hours(b->lost);
}

static double of_overhead(const struct gpu_time_books *b)
{
    return hours(b->overhead);
}

static double of_slowed(const struct gpu_time_books *b)
{
    return hours(b->slowed);
}

static double of_writing(const struct gpu_time_books *b)
{
    return hours((double)b->writing);
}

static double of_profiling(const struct gpu_time_books *b)
{
    return hours((double)b->profiling);
}

/* Returns the difference of the two sides of an identity, as a share of the
 * larger side. */
static double error_of(double left, double right)
{
    double most = fmax(fabs(left), fabs(right));
    return most > 0 ? fabs(left - right) / most : 0;
}

static double of_jobs_error(const struct gpu_time_books *b)
{
    return error_of((double)b->held,
                    b->useful + b->lost + b->overhead + b->slowed);
}

static double of_described(const struct gpu_time_books *b)
{
    return hours((double)b->described);
}

static double of_down(const struct gpu_time_books *b)
{
    return hours((double)b->down);
}

static double of_idle(const struct gpu_time_books *b)
{
    return hours((double)b->idle);
}

static double of_busy(const struct gpu_time_books *b)
{
    return hours((double)b->busy);
}

static double of_again(const struct gpu_time_books *b)
{
    return hours((double)b->again);
}

static double of_llm_busy(const struct gpu_time_books *b)
{
    return hours((double)b->llm_busy);
}

static double of_llm_idle(const struct gpu_time_books *b)
{
    return hours((double)b->llm_idle);
}

static double of_machine_error(const struct gpu_time_books *b)
{
    return error_of((double)b->described,
                    (double)(b->down + b->idle + b->held - b->again +
                             b->llm_busy + b->llm_idle));
}

const struct gpu_time_scalar gpu_time_scalars[] = {
    {.column = {"held_gpu_hours", "GPU h",
                "length of attempts x GPUs held; a shared GPU counts for each "
                "holder"},
     .of = of_held},
    {.column =
         {"useful_gpu_hours", "GPU h",
          "time alone on the GPUs held of the work that was kept. Without the "
          "time "
          "that sharing takes, which `metrics.useful_gpu_hours` includes"},
     .of_jobs = true,
     .of = of_useful},
    {.column = {"lost_gpu_hours", "GPU h",
                "time alone of the work that was undone: by failures, because "
                "the job "
                "was given up, or because the work of a profile is not kept"},
     .of_jobs = true,
     .of = of_lost},
    {.column =
         {"overhead_gpu_hours", "GPU h",
          "start-up, writing of checkpoints, lag, and work that stops added"},
     .of_jobs = true,
     .of = of_overhead},
    {.column = {"slowed_gpu_hours", "GPU h",
                "what sharing took: integral of (1 - rate / rate alone) x GPUs "
                "over the time in which attempts work; start-up, lag and "
                "writing of checkpoints not included"},
     .of_jobs = true,
     .of = of_slowed},
    {.column = {"writing_gpu_hours", "GPU h",
                "part of overhead_gpu_hours: writing of checkpoints"},
     .of = of_writing},
    {.column =
         {"profiling_gpu_hours", "GPU h",
          "part of held_gpu_hours: attempts on nodes set aside for profiling"},
     .of = of_profiling},
    {.column = {"jobs_error", "",
                "held against useful + lost + overhead + slowed, relative: at "
                "most 1e-9, or what the rounding of work (one microsecond of "
                "work per GPU and segment of constant speed), or of times to "
                "the steps "
                "of a law of time that counts them, makes of a short run"},
     .of_jobs = true,
     .of = of_jobs_error},
    {.column = {"described_gpu_hours", "GPU h",
                "GPUs of the cluster, those that serve the language model "
                "included, x makespan"},
     .of = of_described},
    {.column = {"down_gpu_hours", "GPU h",
                "GPUs of nodes that were out of service"},
     .of = of_down},
    {.column = {"idle_gpu_hours", "GPU h", "GPUs in service that no job held"},
     .of = of_idle},
    {.column = {"busy_gpu_hours", "GPU h", "GPUs that at least one job held"},
     .of = of_busy},
    {.column = {"again_gpu_hours", "GPU h",
                "GPUs held by second and further holders: held - busy"},
     .of = of_again},
    {.column = {"llm_busy_gpu_hours", "GPU h",
                "GPUs of the cluster that worked on questions to the language "
                "model; only if such GPUs serve it"},
     .of_llm = true,
     .of = of_llm_busy},
    {.column = {"llm_idle_gpu_hours", "GPU h",
                "GPUs of the cluster that serve the language model and had no "
                "question; only if such GPUs serve it"},
     .of_llm = true,
     .of = of_llm_idle},
    {.column = {"machine_error", "",
                "described against down + idle + held - again + llm_busy + "
                "llm_idle, relative; at most 1e-9"},
     .of = of_machine_error},
    {.of = NULL},
};

void gpu_time_init(struct gpu_time_books *books, const struct results *results)
{
    const struct meter *meter = results->meter;
    gpu_time described =
        (gpu_time)results->run->cluster.n_gpus * meter->last_end;
    *books = (struct gpu_time_books){
        .rigid = !results->run->elastic && results->alone,
        .slowed = results->alone ? results->alone->slowed : 0,
        .described = described,
        .down = described - meter->total.up,
        .idle = meter->total.up - meter->total.busy,
        .busy = meter->total.busy,
        .again = meter->total.again,
    };
}

void gpu_time_add(struct gpu_time_books *books, const struct results *results,
                  const struct facts *f)
{
    const struct alone *alone = results->alone;
    bool in_vain =
        f->outcome == OUTCOME_GIVEN_UP || f->outcome == OUTCOME_REJECTED;
    sim_span done = f->work + f->resume;
    /* Work that stops added. A job that did not finish may not have done it. */
    sim_span added = f->resume < done ? f->resume : done;
    sim_span own = done - added, kept = in_vain ? 0 : own - f->lost;
    books->writing += f->writing;
    if (!books->rigid)
        return;
    books->overhead += (double)(f->held_time - f->worked);
    if (done <= 0)
        return;
    double rest = alone->rest ? alone->rest[f->job->id] : 0;
    double each = ((double)f->worked - rest) / (double)done;
    if (kept < 0)
        kept = 0;
    books->overhead += each * (double)added;
    books->useful += each * (double)kept;
    books->lost += each * (double)(own - kept);
}

void gpu_time_add_llm(struct gpu_time_books *books,
                      const struct advice_summary *advice)
{
    gpu_time time = (gpu_time)advice->gpus * advice->end;
    books->serves = advice->gpus > 0;
    if (!books->serves)
        return;
    books->described += time;
    books->llm_busy = advice->busy;
    books->llm_idle = time - advice->busy;
}

bool gpu_time_has(const struct gpu_time_books *books,
                  const struct gpu_time_scalar *row)
{
    return (books->rigid || !row->of_jobs) && (books->serves || !row->of_llm);
}
