/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/results/classes.h"

#include "base/json.h"

/* Means of a class, in seconds. */
#define CLASS_MEAN(class, what) \
    static double class##_##what##_mean(const void *part) \
    { \
        const struct class_jobs *c = &((const struct classes *)part)->class; \
        return scalar_ratio(c->what / (double)SPAN_SECOND, \
                            (double)c->finished); \
    }
CLASS_MEAN(guaranteed, jct)
CLASS_MEAN(guaranteed, queued)
CLASS_MEAN(spot, jct)
CLASS_MEAN(spot, queued)

const struct scalar class_scalars[] = {
    {{"guaranteed_jobs", "jobs", "count, law classes",
      "guaranteed jobs that count"},
     SCALAR_FIELD(struct classes, guaranteed.jobs)},
    {{"guaranteed_jct_mean_s", "s", "time or null, law classes",
      "JCT; mean over those that ran to their recorded end"},
     .compute = guaranteed_jct_mean},
    {{"guaranteed_queue_delay_mean_s", "s", "time or null, law classes",
      "all time pending; the same mean"},
     .compute = guaranteed_queued_mean},
    {{"spot_jobs", "jobs", "count, law classes", "spot jobs that count"},
     SCALAR_FIELD(struct classes, spot.jobs)},
    {{"spot_jct_mean_s", "s", "time or null, law classes",
      "JCT; mean over those that ran to their recorded end"},
     .compute = spot_jct_mean},
    {{"spot_queue_delay_mean_s", "s", "time or null, law classes",
      "all time pending; the same mean"},
     .compute = spot_queued_mean},
    {{"spot_evictions", "", "count, law classes",
      "attempts of spot jobs that the policy stopped"},
     SCALAR_FIELD(struct classes, evictions)},
    {{"spot_evictions_per_job", "",
      "number or null, spot_evictions / spot_jobs",
      "spot_evictions / spot_jobs"},
     SCALAR_RATIO(struct classes, evictions, spot.jobs)},
    {{"eviction_rate", "", "share or null, law classes",
      "spot_evictions / (spot_evictions + windows that succeeded): of each "
      "attempt of a spot job every whole guarantee_s, and the rest if the job "
      "ended in it (GFS, ASPLOS'26)"},
     SCALAR_RATIO(struct classes, evictions, windows)},
    {{"guarantee_violations", "", "count, law classes",
      "attempts of spot jobs that the policy stopped before guarantee_s"},
     SCALAR_FIELD(struct classes, violations)},
    {{"lost_gpu_hours", "GPU-hours", "number, law classes",
      "work of spot jobs that these stops undid or added, x GPUs"},
     SCALAR_TIME(struct classes, lost, SPAN_HOUR)},
    {.column = {.name = NULL}},
};

static void add_attempt(struct classes *c, const struct results *results,
                        uint32_t attempt)
{
    const struct ledger *ledger = &results->run->ledger;
    const struct attempt *a = &ledger->attempts[attempt];
    const struct stay stay = facts_stay(results, attempt);
    const sim_span length = stay.end - stay.start,
                   guarantee = results->run->guarantee;
    uint64_t whole = (uint64_t)(length / guarantee);
    if (a->how == LEDGER_FINISHED && (length % guarantee || !whole))
        whole++;
    c->succeeded += whole;
    c->windows += (double)whole;
    if (a->how != LEDGER_STOPPED)
        return;
    c->evictions++;
    c->windows++;
    c->violations += length < guarantee;
    c->lost += (gpu_time)(stay.lost + stay.resume) * ledger_gpus(ledger, a);
}

void classes_add(struct classes *classes, const struct results *results,
                 const struct facts *f)
{
    const struct run_result *run = results->run;
    const bool is_spot = run->jobset.terms[f->job->id].spot;
    struct class_jobs *c = is_spot ? &classes->spot : &classes->guaranteed;
    if (!counted_has(&run->counted, f->job))
        return;
    c->jobs++;
    if (f->finished) {
        c->finished++;
        c->jct += (double)facts_jct(f);
        c->queued += (double)f->queued;
    }
    if (!is_spot)
        return;
    for (uint32_t i = f->last_attempt; i != ATTEMPT_NONE;
         i = run->ledger.attempts[i].previous)
        add_attempt(classes, results, i);
}

void report_classes(struct json_stream *js, const struct classes *classes)
{
    json_stream_object(js, "classes");
    report_scalars(js, class_scalars, classes);
    json_stream_object_end(js);
}
