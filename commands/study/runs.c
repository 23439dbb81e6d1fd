/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One mutex guards what threads share: the number of the next task, the number
 * of threads that work, and the list of runs that have ended. The calling
 * thread waits in poll() for an eventfd, which the other threads write when a
 * run has ended, and for a signalfd; the other threads have its signals
 * blocked. */
#include "commands/study/sweep_internal.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "traces/shelf.h"

enum { THREADS_MAX = 1024, TICK_MS = 200 };

/* A run that has ended and for which `note` has not been called. */
struct ended {
    size_t index;
    enum status status;
    struct error *err; /* error of the run; NULL: the run did not fail */
    double seconds;
    struct ended *next;
};

struct runs_crew {
    struct study *study;
    struct shelf *shelf;
    /* true: begin no run, and drop the runs in execution */
    atomic_bool stops;
    atomic_bool halts;    /* true: begin no run */
    pthread_mutex_t lock; /* guards the next three members */
    size_t next;          /* index of the next task */
    unsigned n_working;   /* number of threads that have not returned */
    struct ended *ended;  /* the run that ended last comes first */
    int wake;             /* eventfd: a run ended, or a thread returned */
};

static double runs_now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

unsigned study_processors(void)
{
    cpu_set_t set;
    int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return n > 0 ? (unsigned)n : 1;
}

void study_progress(const struct study *study)
{
    fprintf(stderr, "\r%zu of %zu runs", study->n_done, study->n);
    if (study->n_failed + study->n_incomplete)
        fprintf(stderr, ", %zu failed, %zu incomplete", study->n_failed,
                study->n_incomplete);
    fflush(stderr);
}

void study_progress_end(void)
{
    fputs("\r\033[K", stderr);
}

void study_die(int number)
{
    sigset_t set;
    if (!number)
        return;
    fflush(NULL);
    sigemptyset(&set);
    sigaddset(&set, number);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    raise(number);
}

void study_end(const struct study *study, const char *command, const char *kept)
{
    if (study->signal)
        fprintf(stderr, "%s: stopped after %zu of %zu runs; %s\n", command,
                study->n_done, study->n, kept);
    study_die(study->signal);
}

static void wake(const struct runs_crew *crew)
{
    const uint64_t one = 1;
    while (write(crew->wake, &one, sizeof one) < 0 && errno == EINTR)
        continue;
}

static bool runs_goes_on(void *self, sim_time now, uint32_t n_done)
{
    const struct runs_crew *crew = self;
    (void)now, (void)n_done;
    return !atomic_load_explicit(&crew->stops, memory_order_relaxed);
}

/* Executes a run as replay_run does, but stops it when the study stops. */
static enum status replay_one(struct runs_crew *crew,
                              const struct run_config *config,
                              const struct replay_options *observe,
                              struct replay *out, struct error *err)
{
    enum status st = replay_open(config, observe, out, err);
    if (st != STATUS_OK)
        return st;
    run_on_instant(out->run, runs_goes_on, crew);
    st = run_execute(out->run, err);
    if (st == STATUS_OK || st == STATUS_INCOMPLETE)
        replay_close(out);
    else
        replay_fini(out);
    return st;
}

/* Executes a task and shows its results to `take`. Returns the entry for
 * `note`, which the caller frees; NULL if the study was stopped meanwhile. */
static struct ended *runs_execute(struct runs_crew *crew, size_t index)
{
    const struct study *study = crew->study;
    struct study_task task = study->tasks[index];
    struct replay replay = {0};
    struct error err = {0};
    double begun = runs_now_s();
    enum status st = STATUS_OK;
    task.config.shelf = crew->shelf;
    if (study->begin)
        st =
            study->begin(study->self, index, &task.config, &task.observe, &err);
    const bool has_begun = st == STATUS_OK;
    if (has_begun)
        st = replay_one(crew, &task.config, &task.observe, &replay, &err);
    const bool is_dropped = atomic_load(&crew->stops);
    struct study_run run = {.index = index, .status = st, .err = &err};
    if (is_dropped && replay.run)
        replay_fini(&replay);
    if (is_dropped)
        run.status = error_set(&err, STATUS_FAILED, "the study was stopped");
    run.replay = replay.run ? &replay : NULL;
    run.seconds = runs_now_s() - begun;
    if (study->take && has_begun)
        study->take(study->self, &run);
    const bool is_valid = replay.run != NULL;
    replay_fini(&replay);
    if (is_dropped)
        return NULL;
    struct ended *ended = mem_zalloc(1, sizeof *ended);
    *ended = (struct ended){
        .index = index, .status = st, .seconds = runs_now_s() - begun};
    if (!is_valid) {
        ended->err = mem_alloc(sizeof err);
        *ended->err = err;
    }
    return ended;
}

static void *work(void *self)
{
    struct runs_crew *crew = self;
    pthread_mutex_lock(&crew->lock);
    while (crew->next < crew->study->n && !atomic_load(&crew->stops) &&
           !atomic_load(&crew->halts)) {
        size_t index = crew->next++;
        pthread_mutex_unlock(&crew->lock);
        struct ended *ended = runs_execute(crew, index);
        if (ended && ended->err && crew->study->stop_at_error)
            atomic_store(&crew->halts, true);
        pthread_mutex_lock(&crew->lock);
        if (ended) {
            ended->next = crew->ended;
            crew->ended = ended;
            wake(crew);
        }
    }
    crew->n_working--;
    wake(crew);
    pthread_mutex_unlock(&crew->lock);
    return NULL;
}

/* Reverses the list, so that the run that ended first comes first. */
static struct ended *in_order(struct ended *list)
{
    struct ended *turned = NULL;
    for (struct ended *next; list; list = next) {
        next = list->next;
        list->next = turned;
        turned = list;
    }
    return turned;
}

/* Counts the runs that have ended and shows them to `note`. Keeps in *first the
 * error of the failed run with the smallest index. Returns false if no thread
 * works any more. */
static bool note_ended(struct runs_crew *crew, struct ended **first)
{
    struct study *study = crew->study;
    pthread_mutex_lock(&crew->lock);
    struct ended *list = in_order(crew->ended);
    crew->ended = NULL;
    const bool works = crew->n_working > 0;
    pthread_mutex_unlock(&crew->lock);
    for (struct ended *e = list, *next; e; e = next) {
        static const struct error none;
        struct study_run run = {.index = e->index,
                                .status = e->status,
                                .err = e->err ? e->err : &none,
                                .seconds = e->seconds};
        next = e->next;
        study->n_done++;
        study->n_failed += e->err != NULL;
        study->n_incomplete += e->status == STATUS_INCOMPLETE;
        if (study->note && !study->note(study->self, &run))
            atomic_store(&crew->stops, true);
        if (e->err && (!*first || e->index < (*first)->index)) {
            struct ended *before = *first;
            *first = e;
            e = before;
        }
        if (e)
            free(e->err);
        free(e);
    }
    return works;
}

/* Makes the set of the signals that end a study and that are not ignored. */
static sigset_t end_signals(void)
{
    static const int all[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU};
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct sigaction action;
        if (sigaction(all[i], NULL, &action) == 0 &&
            action.sa_handler != SIG_IGN)
            sigaddset(&set, all[i]);
    }
    return set;
}

/* Waits until all threads have ended; meanwhile shows ended runs to `note` and
 * calls `tick`. After a signal, tells the threads to stop. */
static void runs_watch(struct runs_crew *crew, int signals,
                       struct ended **first)
{
    struct study *study = crew->study;
    struct pollfd at[] = {{.fd = crew->wake, .events = POLLIN},
                          {.fd = signals, .events = POLLIN}};
    struct signalfd_siginfo info;
    uint64_t count;
    while (note_ended(crew, first)) {
        int n = poll(at, 2, study->tick ? TICK_MS : -1);
        if (n > 0 && at[0].revents & POLLIN &&
            read(crew->wake, &count, sizeof count) < 0 && errno != EINTR)
            break;
        if (n > 0 && at[1].revents & POLLIN &&
            read(signals, &info, sizeof info) == (ssize_t)sizeof info) {
            study->signal = (int)info.ssi_signo;
            atomic_store(&crew->stops, true);
        }
        if (study->tick)
            study->tick(study->self);
    }
}

/* Starts the threads and returns their number, which is below n if the system
 * refuses to start more. */
static unsigned runs_start(struct runs_crew *crew, pthread_t *threads,
                           unsigned n)
{
    unsigned started = 0;
    pthread_mutex_lock(&crew->lock);
    while (started < n &&
           pthread_create(&threads[started], NULL, work, crew) == 0)
        started++;
    crew->n_working = started;
    pthread_mutex_unlock(&crew->lock);
    return started;
}

static enum status run_crew(struct runs_crew *crew, int signals,
                            struct ended **first, struct error *err)
{
    const struct study *study = crew->study;
    unsigned n = study->n_threads ? study->n_threads : study_processors();
    n = n > THREADS_MAX ? THREADS_MAX : n;
    n = n > study->n ? (unsigned)study->n : n;
    pthread_t *threads = mem_zalloc(n + 1u, sizeof *threads);
    unsigned started = runs_start(crew, threads, n);
    enum status st = STATUS_OK;
    if (started)
        runs_watch(crew, signals, first);
    else if (n)
        st = error_set(err, STATUS_FAILED, "cannot start a thread");
    for (unsigned i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    note_ended(crew, first);
    free(threads);
    return st;
}

static enum status runs_judge(const struct study *study,
                              const struct ended *first, struct error *err)
{
    if (study->signal)
        return error_set(err, STATUS_FAILED, "ended by %s",
                         strsignal(study->signal));
    if (!first || !study->stop_at_error)
        return STATUS_OK;
    *err = *first->err;
    return first->status;
}

enum status study_execute(struct study *study, struct error *err)
{
    struct runs_crew crew = {.study = study, .shelf = study->shelf};
    struct ended *first = NULL;
    sigset_t set = end_signals(), before;
    study->n_done = study->n_failed = study->n_incomplete = 0;
    study->signal = 0;
    pthread_mutex_init(&crew.lock, NULL);
    pthread_sigmask(SIG_BLOCK, &set, &before);
    int signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    crew.wake = eventfd(0, EFD_CLOEXEC);
    enum status st;
    if (signals < 0 || crew.wake < 0) {
        st = error_set(err, STATUS_FAILED, "cannot wait for runs: %s",
                       strerror(errno));
    } else {
        if (!crew.shelf)
            crew.shelf = shelf_new(0);
        st = run_crew(&crew, signals, &first, err);
        if (!study->shelf)
            shelf_free(crew.shelf);
        if (st == STATUS_OK)
            st = runs_judge(study, first, err);
    }
    if (signals >= 0)
        close(signals);
    if (crew.wake >= 0)
        close(crew.wake);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_mutex_destroy(&crew.lock);
    if (first)
        free(first->err);
    free(first);
    return st;
}
