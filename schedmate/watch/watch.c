/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/watch/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "schedmate/live/site.h"
#include "schedmate/watch/watch_internal.h"

const struct option watch_options[] = {
    OPT_DOUBLE(struct watch_config, factor, "factor", 1.5, 1.01, 1000,
               "report a step time that changed by more than this factor",
               "chosen: a smaller change seldom needs anybody to act"),
    OPT_DOUBLE(struct watch_config, stall_steps, "stall_steps", 20, 1, 1e9,
               "a stall lasts at least this many step times",
               "20 progress lines give the step time"),
    OPT_SPAN(
        struct watch_config, stall, "stall_s", 300, 1, 1e8,
        "a stall lasts at least this long",
        "checkpoints take minutes; PyTorch's NCCL groups give up after 600 s"),
    OPT_DOUBLE(struct watch_config, stall_gaps, "stall_gaps", 4, 1, 1e9,
               "a stall lasts at least this many usual times between two "
               "lines of progress",
               "logs that print one line in many steps are not stalled"),
    OPT_SPAN(struct watch_config, silent, "silent_s", 0, 0, 1e8,
             "a job without a known step time and without a new line for this "
             "long is stalled; 0: never",
             "a notebook may be silent for days"),
    OPT_SPAN(struct watch_config, settle, "settle_s", 60, 0, 1e8,
             "a log with an error is judged after this long without a line",
             "chosen: a launcher needs some time to end the other ranks"),
    OPT_SPAN(struct watch_config, forget, "forget_s", 86400, 60, 1e9,
             "a log without a new line for this long is not followed",
             "no step takes a day"),
    OPT_DOUBLE(struct watch_config, confidence, "confidence", 0.5, 0, 1,
               "least confidence of a failure that only the log shows",
               "a wrong failure costs more than a late one"),
    OPT_U32(struct watch_config, files, "files", 10000, 1, 1000000,
            "most logs that are followed", "about 2 KiB each: docs/watch.md"),
    OPT_U32(struct watch_config, look_mib, "look_mib", 64, 1, 65536,
            "most MiB that one look reads of all logs",
            "a look then takes at most some seconds"),
    OPT_U32(struct watch_config, log_kib, "log_kib", 1024, 256, 1048576,
            "most KiB that one look reads of one log",
            "one log must not hold up the others"),
    OPT_U32(struct watch_config, judge_mib, "judge_mib", 32, 1, 65536,
            "MiB at the end of a failed log that are judged, and of the kernel "
            "logs of the job together",
            "256,000 lines, which take 2 s"),
    OPT_SPAN(struct watch_config, slurm, "slurm_s", 30, 1, 86400,
             "time between two questions to Slurm",
             "Slurm remembers ended jobs for 300 s (MinJobAge)"),
    OPT_SPAN(struct watch_config, gpu, "gpu_s", 30, 0.01, 86400,
             "time between two looks at --set gpu-metrics",
             "dcgm-exporter renews its figures every 30 s"),
    {0},
};

static enum status watch_open_state(struct watch *w, struct error *err)
{
    const struct watch_settings *s = w->settings;
    enum status st = store_open(s->state, &w->store, err);
    if (st == STATUS_OK)
        st = store_read(w->store, &w->book, err);
    if (st == STATUS_OK)
        st = outbox_open(s->output, w->store, &w->outbox, err);
    if (st == STATUS_OK && s->history)
        st = jobdb_open(s->history, true, &w->history, err);
    return st;
}

static enum status open_sources(struct watch *w, struct error *err)
{
    const struct watch_settings *s = w->settings;
    enum status st = STATUS_OK;
    if (s->kernel_log && access(s->kernel_log, R_OK) != 0)
        return error_set(err, STATUS_BAD_INPUT, "%s: %s", s->kernel_log,
                         strerror(errno));
    if (s->folders.dir)
        st = folders_open(&s->folders, &w->folders, err);
    if (st == STATUS_OK && s->jobs)
        st = job_lines_open(s->jobs, &w->job_lines, err);
    if (st == STATUS_OK && s->slurm)
        w->slurm = slurm_jobs_new();
    if (st == STATUS_OK && s->gpu_metrics)
        w->gpu = gpu_files_new(s->gpu_metrics);
    if (st == STATUS_OK && s->metrics)
        st = metrics_open(s->metrics, s->metrics_open, &w->metrics, err);
    return st;
}

/* Makes the classifier and reads the signatures and the clues, which replace
 * those that `w` has. On an error `w` keeps its own. SIGHUP leads here too. */
static enum status open_knowledge(struct watch *w, struct error *err)
{
    struct log_classifier *classifier = NULL;
    struct log_knowledge *knowledge = NULL;
    struct clues *clues = NULL;
    const struct watch_settings *s = w->settings;
    enum status st = log_classifier_new(LOG_LINEAR, NULL, &classifier, err);
    if (st == STATUS_OK)
        st = site_knowledge_open(s->signatures, s->n_signatures, &knowledge,
                                 err);
    if (st == STATUS_OK && s->describe)
        st = site_clues_open(s->clues, s->n_clues, &clues, err);
    if (st != STATUS_OK) {
        log_classifier_free(classifier);
        log_knowledge_free(knowledge);
        clues_free(clues);
        return st;
    }
    log_knowledge_free(w->knowledge);
    w->knowledge = knowledge;
    log_classifier_free(w->classifier);
    w->classifier = classifier;
    clues_free(w->clues);
    w->clues = clues;
    return STATUS_OK;
}

static enum status open_all(struct watch *w, struct error *err)
{
    enum status st = open_knowledge(w, err);
    if (st == STATUS_OK)
        st = backend_open(&w->settings->llm, &w->backend, err);
    if (st == STATUS_OK) {
        w->has_model = strcmp(backend_name(w->backend), "rules") != 0;
        st = watch_open_state(w, err);
    }
    return st == STATUS_OK ? open_sources(w, err) : st;
}

static void close_all(struct watch *w)
{
    metrics_close(w->metrics);
    gpu_files_free(w->gpu);
    slurm_jobs_free(w->slurm);
    job_lines_close(w->job_lines);
    folders_close(w->folders);
    jobdb_close(w->history);
    outbox_close(w->outbox);
    store_close(w->store);
    backend_free(w->backend);
    log_classifier_free(w->classifier);
    log_knowledge_free(w->knowledge);
    clues_free(w->clues);
    arena_fini(&w->scratch);
    watch_names_clear(&w->gone_files);
    watch_names_clear(&w->gone_jobs);
    watch_names_clear(&w->lines);
    watch_names_clear(&w->said);
    book_fini(&w->book);
}

static void say_start(struct watch *w)
{
    const struct watch_settings *s = w->settings;
    if (w->folders)
        watch_say(w, "%s: new lines are noticed by %s", s->folders.dir,
                  folders_how(w->folders));
    if (store_last(w->store) > 0)
        watch_say(
            w, "%s: goes on after line %" PRId64 " with %zu jobs and %zu logs",
            s->state, store_last(w->store), w->book.n_jobs, w->book.n_files);
    if (!s->output)
        watch_say(w, "standard output gets each line at least once; "
                     "--out FILE gets it exactly once");
}

static enum status watch_renew(struct watch *w, struct error *err)
{
    service_tell("RELOADING=1");
    enum status st = open_knowledge(w, err);
    if (st == STATUS_OK)
        st = outbox_renew(w->outbox, err);
    service_tell("READY=1");
    return st;
}

static enum status wait_for_next(struct watch *w, int signals, bool *end,
                                 struct error *err)
{
    struct pollfd fds[] = {
        {.fd = signals, .events = POLLIN},
        {.fd = w->job_lines ? job_lines_fd(w->job_lines) : -1,
         .events = POLLIN},
    };
    enum status st = watch_clock_wait(&w->clock, w->config->every, fds, 2, err);
    if (st != STATUS_OK)
        return st;
    struct service_wishes wishes = service_take(signals);
    *end = wishes.end;
    return wishes.renew ? watch_renew(w, err) : STATUS_OK;
}

static enum status watch_look_again(struct watch *w, int signals,
                                    struct error *err)
{
    enum status st = STATUS_OK;
    bool end = false;
    if (w->clock.stepped)
        st = wait_for_next(w, signals, &end, err);
    service_tell("READY=1");
    while (st == STATUS_OK && !end) {
        st = watch_look(w, err);
        if (st != STATUS_OK || w->settings->once)
            break;
        watch_clock_done(&w->clock);
        service_tell("WATCHDOG=1");
        st = wait_for_next(w, signals, &end, err);
    }
    service_tell("STOPPING=1");
    return st == STATUS_END ? STATUS_OK : st;
}

enum status watch_run(const struct watch_settings *settings, struct error *err)
{
    struct watch w = {.settings = settings, .config = &settings->config};
    int signals = -1;
    arena_init(&w.scratch);
    watch_clock_open(&w.clock, settings->stepped);
    /* first, so that all threads have the signals blocked */
    enum status st = service_signals(&signals, err);
    if (st == STATUS_OK)
        st = open_all(&w, err);
    if (st == STATUS_OK) {
        say_start(&w);
        st = watch_look_again(&w, signals, err);
    }
    if (signals >= 0)
        close(signals);
    close_all(&w);
    return st;
}
