/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The figures of the watch as text for Prometheus. */
#include <inttypes.h>

#include "schedmate/llm/llm.h"
#include "schedmate/watch/watch_internal.h"

static void metrics_text_head(struct out *out, const char *name,
                              const char *type, const char *help)
{
    out_printf(out,
               "# HELP schedsim_watch_%s %s\n# TYPE schedsim_watch_%s %s\n",
               name, help, name, type);
}

static void one(struct out *out, const char *name, const char *type,
                const char *help, double value)
{
    metrics_text_head(out, name, type, help);
    out_printf(out, "schedsim_watch_%s %.10g\n", name, value);
}

/* Writes the value of a label, cut to 255 bytes: backslash and quote are
 * escaped, control characters and bytes that are not UTF-8 become '?'. */
static void metrics_text_label(struct out *out, const char *value)
{
    char clean[256];
    snprintf(clean, sizeof clean, "%s", value);
    text_clean(clean);
    for (const char *c = clean; *c; c++) {
        if (*c == '\\' || *c == '"')
            out_char(out, '\\');
        out_char(out, *c);
    }
}

typedef double figure_of_job(const struct watch *w,
                             const struct watch_job *job);

static double step_time(const struct watch *w, const struct watch_job *job)
{
    (void)w;
    return job->step_s > 0 ? job->step_s : -1;
}

static double progress_age(const struct watch *w, const struct watch_job *job)
{
    return job->progressed ? span_seconds(w->clock.now - job->progressed) : -1;
}

static double gpu_util(const struct watch *w, const struct watch_job *job)
{
    (void)w;
    return job->gpu.samples ? job->gpu.sum / (double)job->gpu.samples : -1;
}

/* Writes one line for each job that has not ended and has the figure, which is
 * -1 if it is not known. */
static void each_job(const struct watch *w, struct out *out, const char *name,
                     const char *help, figure_of_job *figure)
{
    metrics_text_head(out, name, "gauge", help);
    for (size_t i = 0; i < w->book.n_jobs; i++) {
        const struct watch_job *job = w->book.jobs[i];
        double value = figure(w, job);
        if (job->phase == WATCH_ENDED || value < 0)
            continue;
        out_printf(out, "schedsim_watch_%s{job=\"", name);
        metrics_text_label(out, job->id);
        out_text(out, "\",user=\"");
        metrics_text_label(out, job_fact(job, "user"));
        out_printf(out, "\"} %.10g\n", value);
    }
}

static void jobs_by_phase(const struct watch *w, struct out *out)
{
    uint64_t n[WATCH_ENDED + 1] = {0};
    for (size_t i = 0; i < w->book.n_jobs; i++)
        n[w->book.jobs[i]->phase]++;
    metrics_text_head(out, "jobs", "gauge",
                      "Jobs by the last event that was reported of "
                      "them.");
    for (int i = 0; i <= WATCH_ENDED; i++)
        out_printf(out, "schedsim_watch_jobs{state=\"%s\"} %" PRIu64 "\n",
                   watch_phases[i], n[i]);
}

static void metrics_text_events(const struct watch *w, struct out *out)
{
    metrics_text_head(out, "events_total", "counter",
                      "Lines written, by event.");
    for (int i = 0; i < N_WATCH_EVENTS; i++)
        out_printf(out,
                   "schedsim_watch_events_total{event=\"%s\"} %" PRIu64 "\n",
                   watch_events[i], w->counts.events[i]);
    metrics_text_head(out, "failures_total", "counter",
                      "Failed jobs, by kind and faulty component.");
    for (int i = 0; i <= FAILURE_N_KINDS; i++) {
        for (int k = 0; k < N_FAILURE_PARTS; k++) {
            if (w->counts.failures[i][k])
                out_printf(out,
                           "schedsim_watch_failures_total{kind=\"%s\","
                           "component=\"%s\"} %" PRIu64 "\n",
                           judgement_kind_name((unsigned)i),
                           k == PART_NONE ? "" : failure_parts[k],
                           w->counts.failures[i][k]);
        }
    }
}

void metrics_write(const struct watch *w, struct out *out)
{
    const struct watch_counts *c = &w->counts;
    struct llm_account account = llm_client_total(backend_client(w->backend));
    jobs_by_phase(w, out);
    each_job(w, out, "step_seconds", "Time of a training step.", step_time);
    each_job(w, out, "progress_age_seconds", "Time since the last progress.",
             progress_age);
    each_job(w, out, "gpu_utilisation_percent",
             "Mean utilisation of the GPUs of the job so far.", gpu_util);
    metrics_text_events(w, out);
    one(out, "stalls_total", "counter", "Stalls reported.",
        (double)c->events[WATCH_EVENT_STALLED]);
    one(out, "logs", "gauge", "Logs known.", (double)w->book.n_files);
    one(out, "logs_left_out", "gauge",
        "Logs that are too old, or above the limit of logs.",
        (double)(c->old + c->over_limit));
    one(out, "lines_total", "counter", "Lines of logs read.", (double)c->lines);
    one(out, "read_bytes_total", "counter", "Bytes of logs read.",
        (double)c->bytes);
    one(out, "lag_bytes", "gauge", "Bytes that the last look left unread.",
        (double)c->lag);
    one(out, "looks_total", "counter", "Looks at the logs.", (double)c->looks);
    one(out, "look_seconds", "gauge", "Time that the last look took.",
        c->look_s);
    one(out, "judged_total", "counter", "Logs that were diagnosed.",
        (double)c->judged);
    one(out, "questions_total", "counter", "Questions to a language model.",
        (double)account.calls);
    one(out, "slurm_unanswered_total", "counter",
        "Questions that Slurm did not answer.", (double)c->slurm_failed);
    one(out, "bad_job_lines_total", "counter",
        "Lines about jobs, and paths of logs, that could not be used.",
        (double)c->bad_jobs);
    one(out, "gpu_samples_total", "counter", "GPU samples read.",
        (double)c->gpu_samples);
    one(out, "gpu_samples_refused_total", "counter",
        "GPU samples with a value out of range.", (double)c->bad_gpu);
    one(out, "gpu_samples_without_job_total", "counter",
        "GPU samples of GPUs that no followed job has.",
        (double)c->gpu_unknown);
}
