/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Asks Slurm for its jobs: squeue for state, user and nodes, scontrol for
 * logs, exit codes and GPUs, and sacct for jobs that squeue no longer lists. */
#include "schedmate/watch/watch_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ANSWER_LIMIT (30 * SPAN_SECOND)
/* Time for which sacct is asked again about a job if it does not answer, as
 * while slurmdbd is restarted. */
#define ACCOUNTS_WAIT (600 * SPAN_SECOND)
/* LOST_MAX: largest number of jobs in one query of sacct.
 * SLURM_JOBS_NUMBER_MAX: bytes of a job number as text, with a separator. */
enum { LOST_MAX = 200, SLURM_JOBS_NUMBER_MAX = 24 };

/* A line of scontrol's answer; its text is borrowed. */
struct detail {
    uint32_t id;
    struct text line;
};

struct slurm_jobs {
    struct watch *w; /* set while an answer is taken */
    /* n lines, sorted by id; the array is owned */
    struct detail *details;
    size_t n, cap;
    /* number of the latest question */
    uint64_t turn;
    char cluster[64]; /* name of the cluster; "": not known yet */
};

struct slurm_jobs *slurm_jobs_new(void)
{
    return mem_zalloc(1, sizeof(struct slurm_jobs));
}

void slurm_jobs_free(struct slurm_jobs *s)
{
    if (s)
        free(s->details);
    free(s);
}

static int slurm_jobs_by_id(const void *a, const void *b)
{
    const struct detail *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

/* Collects the lines of scontrol's answer in s->details, sorted by the number
 * of their job. */
static void sort_details(struct slurm_jobs *s, struct text answer)
{
    struct text rest;
    s->n = 0;
    while (answer.len > 0) {
        struct text line = text_split(answer, '\n', &answer);
        uint32_t id;
        if (!text_starts(line, "JobId=") ||
            !text_to_u32(text_split(text_skip(line, 6), ' ', &rest), &id))
            continue;
        s->details =
            mem_grow(s->details, &s->cap, s->n + 1, sizeof *s->details);
        s->details[s->n++] = (struct detail){id, line};
    }
    if (s->n > 0)
        qsort(s->details, s->n, sizeof *s->details, slurm_jobs_by_id);
}

/* Returns the line of a job in scontrol's answer; an empty text if there is
 * none, or if there are two, because a job's name may hold a line that looks
 * like another job. */
static struct text jobs_line_of(const struct slurm_jobs *s, uint32_t id)
{
    const struct detail key = {.id = id};
    const struct detail *at =
        s->n ? bsearch(&key, s->details, s->n, sizeof key, slurm_jobs_by_id)
             : NULL;
    if (!at)
        return (struct text){0};
    const struct detail *end = s->details + s->n;
    if ((at + 1 < end && at[1].id == id) ||
        (at > s->details && at[-1].id == id)) {
        watch_say(s->w, "scontrol describes job %u twice; neither is used", id);
        return (struct text){0};
    }
    return at->line;
}

static void jobs_put(json_t *facts, const char *key, struct text value)
{
    if (value.len == 0)
        return;
    json_t *text = json_stringn(value.at, value.len);
    json_put(facts, key, text ? text : json_text("?"));
}

static void put_time(json_t *facts, const char *key, struct text value)
{
    double at = slurm_time(value);
    if (at >= 0)
        json_put(facts, key, json_real(at));
}

static json_t *jobs_facts_of(const struct slurm_jobs *s,
                             const struct slurm_row *row, struct text line)
{
    json_t *facts = json_object();
    jobs_put(facts, "state", row->state);
    jobs_put(facts, "user", row->user);
    jobs_put(facts, "node", row->nodes);
    if (!text_equal(row->id, row->shown))
        jobs_put(facts, "array", row->shown);
    if (!text_is(row->reason, "None"))
        jobs_put(facts, "reason", row->reason);
    json_put(facts, "from", json_text("slurm"));
    jobs_put(facts, "cluster", text_from(s->cluster));
    if (!line.len)
        return facts;
    jobs_put(facts, "exit_code", slurm_value(line, "ExitCode"));
    jobs_put(facts, "name", slurm_value(line, "JobName"));
    jobs_put(facts, "workdir", slurm_value(line, "WorkDir"));
    jobs_put(facts, "command", slurm_value(line, "Command"));
    jobs_put(facts, "vc", slurm_value(line, "Partition"));
    put_time(facts, "submitted", slurm_value(line, "SubmitTime"));
    put_time(facts, "started", slurm_value(line, "StartTime"));
    put_time(facts, "ended", slurm_value(line, "EndTime"));
    json_t *gpus = slurm_gpus(line); /* empty once the job has ended */
    if (json_array_size(gpus) > 0)
        json_object_set(facts, "gpus", gpus);
    json_decref(gpus);
    return facts;
}

static bool is_running(struct text state)
{
    return text_is(state, "RUNNING") || text_is(state, "COMPLETING") ||
           text_is(state, "SUSPENDED") || text_is(state, "STOPPED");
}

/* True if a job that has ended is still to be reported: it ended after the
 * state file of the watch was made, and not so long ago that it was reported
 * and forgotten. */
static bool ended_lately(const struct watch *w, const json_t *facts)
{
    sim_time at = 0;
    span_from_outside(json_number_value(json_object_get(facts, "ended")),
                      SECONDS_MAX, &at);
    return at >= store_made(w->store) && at >= w->clock.now - w->config->forget;
}

static void jobs_give_log(struct watch *w, struct watch_job *job,
                          struct text path, uint32_t uid)
{
    char name[4096];
    if (path.len == 0 || path.len >= sizeof name || path.at[0] != '/' ||
        text_is(path, "/dev/null"))
        return;
    memcpy(name, path.at, path.len);
    name[path.len] = 0;
    watch_give_log(w, job, name, uid);
}

/* Marks a job that waits again as put back into the queue: its run has ended,
 * and another one will begin. */
static void jobs_put_back(struct slurm_jobs *s, struct watch_job *job)
{
    json_t *facts = json_object();
    json_put(facts, "state", json_text("REQUEUED"));
    watch_take_facts(s->w, job, facts);
    json_decref(facts);
}

static void note_listed(const struct slurm_jobs *s, struct watch_job *job)
{
    job->listed = s->turn;
    job->lost = 0;
}

static void jobs_take_row(struct slurm_jobs *s, const struct slurm_row *row)
{
    struct watch *w = s->w;
    char id[SLURM_JOBS_NUMBER_MAX];
    snprintf(id, sizeof id, "%.*s", TEXT_ARGS(row->id));
    struct watch_job *job = book_job(&w->book, id);
    bool pending =
        text_is(row->state, "PENDING") || text_is(row->state, "CONFIGURING");
    if (pending && job && !job->over)
        jobs_put_back(s, job);
    if (pending) {
        if (job)
            note_listed(s, job);
        return;
    }
    uint32_t number = 0;
    (void)text_to_u32(row->id, &number); /* slurm_queue_line has checked it */
    struct text line = jobs_line_of(s, number);
    json_t *facts = jobs_facts_of(s, row, line);
    bool running = is_running(row->state);
    if (!job && (running || ended_lately(w, facts)))
        job = book_add_job(&w->book, id, NULL);
    if (job) {
        job->scheduled = true;
        watch_take_facts(w, job, facts);
        jobs_give_log(w, job, slurm_value(line, "StdOut"), row->uid);
        jobs_give_log(w, job, slurm_value(line, "StdErr"), row->uid);
        watch_tell_seen(w, job);
        note_listed(s, job);
    }
    json_decref(facts);
}

/* Ends a job that squeue does not list any more, with the end that sacct
 * reports in `accounts`, or without a state if it reports none. */
static void end_lost(struct slurm_jobs *s, struct watch_job *job,
                     struct text accounts)
{
    json_t *facts = json_object();
    while (accounts.len > 0) {
        struct text rest, line = text_split(accounts, '\n', &accounts);
        if (!text_is(text_split(line, '|', &rest), job->id))
            continue;
        jobs_put(facts, "state", text_split(rest, '|', &rest));
        jobs_put(facts, "exit_code", text_split(rest, '|', &rest));
        put_time(facts, "ended", rest);
    }
    if (!json_object_get(facts, "state")) {
        watch_say(s->w,
                  "job %s: Slurm lists it no longer and sacct does not "
                  "say how it ended",
                  job->id);
        /* what squeue said while the job ran is not how it ended */
        json_object_del(job->facts, "state");
        json_object_del(job->facts, "exit_code");
    }
    watch_take_facts(s->w, job, facts);
    job->over = job->dirty = true;
    if (!job->over_at)
        job->over_at = s->w->clock.now;
    json_decref(facts);
}

/* Notes when sacct first did not answer about this job, which squeue no longer
 * lists. Returns true until ACCOUNTS_WAIT has passed since then. */
static bool waits_for_accounts(const struct slurm_jobs *s,
                               struct watch_job *job)
{
    sim_time now = s->w->clock.now;
    if (!job->lost)
        job->lost = now;
    return now - job->lost < ACCOUNTS_WAIT;
}

static void look_for_lost(struct slurm_jobs *s)
{
    struct watch *w = s->w;
    struct watch_job *lost[LOST_MAX];
    size_t n = 0;
    char list[LOST_MAX * SLURM_JOBS_NUMBER_MAX] = "";
    struct error err;
    for (size_t i = 0; i < w->book.n_jobs && n < LOST_MAX; i++) {
        struct watch_job *job = w->book.jobs[i];
        size_t len = strlen(list);
        if (job->over || job->listed == s->turn ||
            strcmp(job_fact(job, "from"), "slurm") != 0)
            continue;
        snprintf(list + len, sizeof list - len, "%s%s", n ? "," : "", job->id);
        lost[n++] = job;
    }
    if (n == 0)
        return;
    const char *argv[] = {"sacct", "-n", "-P",
                          "-X",    "-D", "-j",
                          list,    "-o", "JobIDRaw,State,ExitCode,End",
                          NULL};
    struct text accounts = {0};
    bool answered =
        program_output(argv, ANSWER_LIMIT, &accounts, &err) == STATUS_OK;
    if (!answered) {
        w->counts.slurm_failed++;
        watch_say(w,
                  "%s; it is asked again for %.0f s about jobs that Slurm "
                  "lists no longer",
                  err.message, span_seconds(ACCOUNTS_WAIT));
    }
    for (size_t i = 0; i < n; i++) {
        if (answered || !waits_for_accounts(s, lost[i]))
            end_lost(s, lost[i], accounts);
    }
    free((char *)(uintptr_t)accounts.at);
}

/* Asks Slurm for the name of its cluster, because the accounting identifies a
 * job by its cluster and its number. */
static void find_cluster(struct slurm_jobs *s)
{
    static const char *const argv[] = {"scontrol", "show", "config", NULL};
    struct text config = {0}, line, rest;
    struct error err;
    if (s->cluster[0] ||
        program_output(argv, ANSWER_LIMIT, &config, &err) != STATUS_OK)
        return;
    for (struct text all = config; all.len > 0;) {
        line = text_split(all, '\n', &all);
        if (text_is(text_trim(text_split(line, '=', &rest)), "ClusterName"))
            snprintf(s->cluster, sizeof s->cluster, "%.*s",
                     TEXT_ARGS(text_trim(rest)));
    }
    free((char *)(uintptr_t)config.at);
}

void slurm_jobs_ask(struct slurm_jobs *s, struct watch *w)
{
    static const char *const squeue[] = {
        "squeue", "-h", "-t", "all", "-o", SLURM_QUEUE_FORMAT, NULL};
    static const char *const scontrol[] = {"scontrol", "-o",  "-d",
                                           "show",     "job", NULL};
    struct text queue = {0}, details = {0};
    struct slurm_row row;
    struct error err;
    if (w->asked_slurm && w->clock.now - w->asked_slurm < w->config->slurm)
        return;
    w->asked_slurm = w->clock.now;
    s->w = w;
    s->turn++;
    find_cluster(s);
    enum status st = program_output(scontrol, ANSWER_LIMIT, &details, &err);
    if (st == STATUS_OK)
        st = program_output(squeue, ANSWER_LIMIT, &queue, &err);
    if (st == STATUS_OK) {
        sort_details(s, details);
        struct text rest = queue;
        while (rest.len > 0) {
            if (slurm_queue_line(text_split(rest, '\n', &rest), &row))
                jobs_take_row(s, &row);
        }
        look_for_lost(s);
    } else {
        w->counts.slurm_failed++;
        watch_say(w, "%s; jobs keep their state until Slurm answers",
                  err.message);
    }
    free((char *)(uintptr_t)queue.at);
    free((char *)(uintptr_t)details.at);
}
