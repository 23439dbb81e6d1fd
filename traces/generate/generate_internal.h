/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the makers of traces share: people and their habits, sizes, durations,
 * arrivals, timetables, nodes. */
#ifndef TRACES_GENERATE_GENERATE_INTERNAL_H
#define TRACES_GENERATE_GENERATE_INTERNAL_H

#include <gsl/gsl_randist.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/heap.h"
#include "base/rng.h"
#include "base/units.h"
#include "traces/evidence/choice.h"
#include "traces/evidence/sidecar.h"
#include "traces/generate/calibration.h"
#include "traces/trace.h"

/* == traits.c: The figures of a generated cluster that are fitted and not
 * published: how jobs, users and times depend on each other.
 * calibration/fitted.json has their values and the measured figures that each
 * was fitted to. */

/* Members that end in _user or _session are shares, 0..1, of the variance of a
 * score: the share that lies between users, and between the sessions of a user.
 * The rest lies between the jobs of a session. */
struct traits {
    /* Arrivals (generate_internal.h). */
    double gap_ac;     /* correlation of the scores of consecutive gaps */
    double burst;      /* share of the gaps that lie within a burst */
    double burst_mean; /* mean number of gaps in a burst */
    /* coefficient of variation of the rate of a day; correlation with the next
     * day */
    double day_cv, day_ac;
    /* coefficient of variation of the rate of an hour; correlation with the
     * next hour */
    double hour_cv, hour_ac;
    double week_cv; /* coefficient of variation of the rate of a week; weeks are
                     * independent */

    /* Sessions (generate_internal.h). */
    /* mean number of jobs of a session; standard deviation of the logarithm of
     * that number */
    double session_mean, session_sigma;
    double sweep; /* share of the sessions whose jobs are submitted at once */
    /* correlation of the scores of a user's consecutive sessions */
    double drift;

    /* Scores (generate_internal.h). */
    double size_user;
    double kind_user;
    double duration_user, duration_session;
    /* correlation of a user's scores of size and duration */
    double size_duration;
    /* correlations of a user's number of jobs with the score of duration and
     * with that of size, both with the opposite sign */
    double few_long, few_large;
    /* the busiest users get their measured mean scores of duration, multiplied
     * by this factor; 0: their scores are drawn */
    double busiest;
    double trend; /* share of the variance of the scores of duration that comes
                   * from their fall over the trace */
    /* correlation of a user's number of jobs with the score of the final state
     */
    double busy_done;
    double state_user, state_session;
    /* probabilities that a run keeps the score of the run before it */
    double keep_state, keep_duration;
    /* standard deviation of what is added to the score of duration of each run,
     * also to one that is kept */
    double spread;

    /* The timetable (generate_internal.h). */
    /* largest number of GPUs that planned sessions use, as a share of their
     * virtual cluster */
    double plan;
    /* largest number of GPUs of the jobs that wait or run, as a share of their
     * virtual cluster */
    double rho;
    double wait;     /* mean queueing delay that users bear, seconds */
    double bearable; /* wait of the first job in the queue, in seconds, after
                      * which no user joins the queue */
    /* largest number of GPUs of a user, divided by the user's mean */
    double peak;
    /* share of the days on which a user works; mean number of such days in a
     * row */
    double on_share, on_days;
    /* exponent of a user's number of jobs in the share of days */
    double busy_on;
    /* standard deviation of the logarithm of a user's work on a day */
    double campaign;
    /* jobs that users have left to do when the trace ends, divided by the jobs
     * of the trace */
    double reserve;
    double undone;    /* share of the GPU time of planned sessions that users
                         have left when the trace ends */
    double gap_scale; /* factor for the gaps within a session */
    /* by final state: median of the gap between a run's end and the next
     * submission of the session, seconds, and sigma of its logarithm */
    double gap_median[3], gap_sigma[3];
    /* by final state: probability of a pause of hours instead of a gap */
    double pause[3];
    /* probability that a completed job, if there is one, comes last in a
     * session */
    double finish;
    /* 0: the next run of a session takes an arrival. Otherwise it is submitted
     * when its gap is over, in place of an arrival that comes no more than this
     * many seconds later. */
    double shift;
    double wide; /* share of the virtual cluster that a sweep takes at most */
    /* longest time that the jobs of a session take one after another, days */
    double longest;
};

/* Loads the traits of the calibration `name`. An unknown name or a missing
 * value is STATUS_BAD_INPUT. */
enum status traits_load(const char *name, struct traits *out,
                        struct error *err) MUST_USE;

/* == arrivals.c: The submission times of generated jobs. The gaps have nearly
 * the published quantiles. Short gaps follow short ones (bursts), and the rate
 * varies by hour of the week, by day, by hour and by week. The times are scaled
 * once, to the length of the trace. */

/* Fills `out` with n times in whole seconds since the start, ascending. The
 * last one is at most `span` seconds, and normally less than 2 s before that.
 * n > 0, span > 0. */
void arrivals_make(const struct calibration *calibration,
                   const struct traits *traits, double span, uint64_t seed,
                   double *out, size_t n);

/* == people.c: The users of a generated cluster and their sessions. A session
 * is a series of jobs that a user submits one after another or at once, with
 * one number of GPUs. This file decides how many jobs and sessions a user has,
 * and draws the scores by which generate_internal.h gives them sizes, final
 * states and durations. */

/* Normal scores with a mean of about 0. A high score means many GPUs (size), a
 * late kind in calibration.kinds (kind), completion (state), failure and not
 * cancellation (failure), or a long duration. */
struct scores {
    double size, kind, state, failure, duration;
};

/* A job. */
struct people_run {
    uint32_t session; /* index of people.sessions */
    uint32_t state;   /* final state, as calibration_cell.state */
    double seconds;   /* duration, whole, at least 1 */
};

struct session {
    uint32_t user;       /* index of people.users */
    uint32_t turn;       /* number of the session among those of the user, from
                            0; parts of a session that was cut have one turn */
    uint32_t first, n;   /* its runs, a part of people.runs */
    uint32_t gpus, size; /* GPUs of each run, and their calibration_class */
    uint32_t kind;       /* index of calibration.kinds */
    bool is_sweep;       /* true: the runs are submitted at once */
    struct scores scores;
};

struct person {
    uint32_t vc;       /* index of calibration.vcs; 0 if there are none */
    uint32_t n_runs;   /* jobs of the user */
    uint32_t first, n; /* the user's sessions, a part of people.sessions */
    double gpu_s;      /* GPU time of the user's jobs, GPU seconds */
    struct scores scores;
};

struct people {
    struct person *users; /* busiest first */
    struct session *sessions;
    struct people_run *runs;
    size_t n_users, n_sessions, cap_sessions, n_runs;
};

/* Makes users with `jobs[v]` jobs in virtual cluster v (jobs[0] in all if there
 * are none) and draws their sessions and scores. people_fini frees what *out
 * holds. */
void people_init(struct people *out, const struct calibration *calibration,
                 const struct traits *traits, const uint32_t *jobs,
                 uint64_t seed);
void people_fini(struct people *people); /* accepts all zeroes */

/* Cuts a session after its first n runs, 0 < n < session.n. Returns the index
 * of the part that holds the other runs. Sessions may move in memory. */
size_t people_cut(struct people *people, size_t session, uint32_t n);
/* Puts the sessions of each user side by side, in order of their turns, and
 * sets person.first and person.n. No session may be cut afterwards. */
void people_sort(struct people *people);

/* == sizes.c: How many jobs of each virtual cluster ask for each number of
 * GPUs. */

struct sizes {
    /* length of `gpus`; number of virtual clusters, at least 1 */
    size_t n, n_vcs;
    uint32_t *gpus; /* the numbers of GPUs that jobs ask for, ascending */
    /* [i * n_vcs + v]: number of jobs of virtual cluster v with gpus[i] GPUs */
    uint32_t *jobs;
    uint32_t *of_vc;  /* number of jobs of each virtual cluster */
    double *gpu_time; /* by virtual cluster: its share of the GPU time */
};

/* Shares n jobs among the virtual clusters and the numbers of GPUs that are at
 * most `gpus`. The jobs of a virtual cluster get only numbers of GPUs that its
 * published jobs ask for. The arena owns what *out holds. STATUS_USAGE if no
 * published job is small enough. */
enum status sizes_make(const struct calibration *calibration, uint32_t gpus,
                       uint32_t n, struct arena *arena, struct sizes *out,
                       struct error *err) MUST_USE;

/* == deal.c: Deals numbers of GPUs, kinds, final states and durations to the
 * runs of all sessions. What is dealt is fixed beforehand: counts and quantiles
 * of the calibrated table. The scores of users, sessions and runs decide only
 * who gets what, so each margin is as published whatever the scores are, until
 * the runs with the most GPU time are scaled. */

/* Fills gpus, size and kind of all sessions, state and seconds of all runs, and
 * gpu_s of all users. May cut sessions (people_cut). Scales the runs with the
 * most GPU time so that the mean GPU time of a run is `mean` GPU seconds, as
 * far as durations_meet can. */
void deal(struct people *people, const struct calibration *calibration,
          const struct traits *traits, const struct sizes *sizes, double mean,
          uint64_t seed);

/* Returns the mean GPU time of a job, GPU seconds, by the calibrated table, of
 * the jobs that ask for at most `gpus` GPUs. */
double deal_mean(const struct calibration *calibration, uint32_t gpus);

/* == durations.c: Deals durations to runs whose sizes, kinds and final states
 * are known. */

/* Fills `seconds` of all runs and `gpu_s` of all users; see deal(). */
void durations_deal(struct people *people,
                    const struct calibration *calibration,
                    const struct traits *traits, const struct sizes *sizes,
                    double mean, uint64_t seed);

/* Scales the durations of some runs, so that n runs have `mean` GPU seconds on
 * average. `runs`: indices of people.runs. Changes only the 1 % of these runs
 * with the most GPU time, by one factor of 0.05 to 20, and makes none longer
 * than 2^21 s; so the mean may not be reached. Leaves gpu_s of the users as it
 * is. */
void durations_meet(struct people *people, const uint32_t *runs, size_t n,
                    double mean);

/* == timetable.c: Decides which run is submitted at each of the given times. A
 * user who is at work on a session submits its next run after the last one has
 * ended, or at once if the session is a sweep. When no run is due, a user
 * begins a session. Users see the queue of their virtual cluster under fifo,
 * and join it only if the wait is bearable, unless no user has anything else to
 * submit. With traits.shift, a run that follows the end of another one is
 * submitted when it is due, in place of the next of the given times. */

/* A submission. `seconds` is the duration of the run; for a run that already
 * runs when the trace begins, what is left of it. */
struct entry {
    double at;    /* seconds since the start */
    uint32_t run; /* index of people.runs */
    double seconds;
};

/* How much of a virtual cluster the jobs need. */
struct vc_demand {
    double capacity; /* GPUs */
    double gpu_s;    /* GPU time of its jobs, GPU seconds */
    double over_s;   /* time in which its jobs, if none of them waited, would
                      * use more GPUs than it has, seconds */
    double most;     /* largest number of GPUs that they would use at once */
};

struct timetable {
    struct entry *entries; /* in order of submission */
    size_t n;
    size_t n_running;     /* number of entries, at the start, that already run
                           * when the trace begins */
    double running_gpu_s; /* their GPU time, GPU seconds */
    /* Under fifo: number of runs that have to wait, and the sum of the waits
     * that end within the trace, seconds. */
    size_t n_waiting;
    double waited_s;
    struct vc_demand *demands; /* by virtual cluster; one if there are none */
    size_t n_demands;
};

struct timetable_options {
    const double *times; /* of people.n_runs submissions, ascending, seconds */
    double span;         /* time from 0 that `times` covers, seconds */
    /* The trace is the first `kept` submissions, in the first `trace_s`
     * seconds. What users have not come to by then is left out, as in a log
     * that ends. */
    size_t kept;
    double mean; /* mean GPU time of a job, GPU seconds */
    double trace_s;
    double gpus; /* GPUs of the cluster */
    bool warm;   /* true: adds the runs that run when the trace begins */
    uint64_t seed;
};

/* Fills *out with options->kept submissions and, if options->warm, the runs
 * that run at the beginning; timetable_count fills the rest. `people` must have
 * been filled by people_init and deal and sorted by people_sort. Makes long
 * runs of `people` longer or shorter, so that the trace has about the mean GPU
 * time options->mean. timetable_fini frees what *out holds. */
void timetable_make(struct timetable *out, struct people *people,
                    const struct calibration *calibration,
                    const struct traits *traits,
                    const struct timetable_options *options);
/* Fills running_gpu_s and `demands` except their capacities, which
 * timetable_make has set. `span`: length of the trace, seconds. */
void timetable_count(struct timetable *timetable, const struct people *people,
                     double span);
void timetable_fini(struct timetable *timetable); /* accepts all zeroes */

/* == population.c: All submissions of a generated cluster in their order: who
 * submits what, and when. Made at once, because every part depends on the
 * whole: the counts of all jobs are fixed first (generate_internal.h), then
 * dealt to users and sessions (generate_internal.h, generate_internal.h), then
 * put on the times of generate_internal.h (generate_internal.h). */

struct repo_choice; /* traces/evidence/choice.h */

/* What a user runs repeatedly, in one session or in several. */
struct script {
    uint64_t number;   /* 1 + index of the session that runs it first */
    uint32_t gpus;     /* GPUs that its jobs ask for */
    uint32_t kind;     /* index of calibration.kinds */
    double over;       /* limit before rounding / duration of the first run,
                        * >= 1 */
    sim_span declared; /* declared limit, us; 0: none yet */
    const struct calibration_model *model;
    /* what the last run ran of a repository; NULL: not drawn yet, or the trace
     * has no repositories (generate_internal.h) */
    struct repo_choice *choice;
};

struct population_options {
    /* number of submissions, without the jobs that run at the beginning */
    uint32_t jobs;
    double span;   /* length in seconds; 0: as the published rate says */
    uint32_t gpus; /* GPUs of the cluster; no job asks for more */
    bool warm;     /* true: the trace begins with running jobs */
    /* True: the mean GPU time of a job is always scaled to population_mean,
     * although that changes the waits. False: only if it is far from it. */
    bool exact;
    uint64_t seed;
};

struct population {
    const struct calibration *calibration;
    struct traits traits;
    struct people people;
    struct timetable timetable;
    struct script *scripts;
    uint32_t *script_of; /* by session: index of its script in `scripts` */
    double span;         /* length of the trace, seconds */
    size_t next;         /* index of the next entry of the timetable */
};

/* One submission. `script` is valid as long as the population. */
struct submission {
    double at;     /* seconds since the start, whole */
    uint32_t user; /* index of calibration.users */
    uint32_t vc;   /* index of calibration.vcs; 0 if there are none */
    enum trace_end end;
    struct script *script;
    double seconds; /* duration, a whole number, at least 1 */
};

/* Returns the mean GPU time of a job, GPU seconds, in a trace for a cluster
 * with `gpus` GPUs: the published mean, lowered because jobs that ask for more
 * GPUs are left out. */
double population_mean(const struct calibration *calibration, uint32_t gpus);

/* Makes all submissions. The calibration, the models and the arena are borrowed
 * and must outlive *out. population_close frees the rest. STATUS_USAGE if no
 * job is small enough for options->gpus, STATUS_BAD_INPUT if the calibration
 * has no fitted traits. */
enum status population_open(const struct calibration *calibration,
                            const struct calibration_model *models,
                            size_t n_models,
                            const struct population_options *options,
                            struct arena *arena, struct population *out,
                            struct error *err) MUST_USE;
void population_close(struct population *population); /* accepts all zeroes */

/* Fills *out with the next submission; returns false after the last one. */
bool population_next(struct population *population,
                     struct submission *out) MUST_USE;

/* == habits.c: What generated jobs run: each script of a user becomes a task of
 * a repository, with a command that the user repeats or varies from run to run
 * (traces/evidence/choice.h). The run time of a job follows from its steps. */

struct habits; /* opaque */

struct habits_options {
    const struct repositories *repositories;
    const char *family; /* use only tasks of this family; NULL: all */
    /* share of the completed jobs that end before their last step, 0..1 */
    double early_exits;
    uint32_t node_gpus; /* GPUs of a node */
    uint64_t seed;
};

/* The arena owns *out; habits_close frees what it holds. STATUS_USAGE if no
 * task is of the family. */
enum status habits_open(const struct habits_options *options,
                        struct arena *arena, struct habits **out,
                        struct error *err) MUST_USE;
void habits_close(struct habits *habits); /* accepts NULL */

/* Decides what the job of this row runs; called once for each job, in order.
 * Sets the row's name, model, data set, batch size, precision and duration. The
 * row must have its id, its number of GPUs and its end. A job that fails or is
 * cancelled runs for the time that the population drew, or, if its whole work
 * takes no longer than that, for a part of its work. */
void habits_next(struct habits *habits, const struct submission *submission,
                 struct trace_row *row);

/* Returns the row of the side-car for the last job. Its texts are valid until
 * the next job; its directory is relative to the index of the repositories. */
const struct sidecar_row *habits_evidence(const struct habits *habits);

/* == nodes.c: The nodes of a virtual cluster and the jobs on them. A job that
 * is smaller than a node takes a part of the fullest node that has room; a
 * larger job takes idle nodes, and its remainder a part of one more. */

struct nodes {
    uint32_t n, size; /* number of nodes, GPUs of each */
    uint32_t *idle;   /* by node: GPUs that no job uses */
    uint32_t *owner;  /* by node: the job that was given the whole node;
                       * UINT32_MAX: none */
    uint32_t *count;  /* by number of idle GPUs, 0 to size: number of nodes */
};

/* Where a job runs. */
struct place {
    uint32_t first; /* first of the nodes that it uses as a whole; UINT32_MAX:
                     * none */
    uint32_t rest;  /* the node that it uses only in part; UINT32_MAX: none */
};

void nodes_open(struct nodes *nodes, uint32_t n, uint32_t size);
void nodes_close(struct nodes *nodes); /* accepts all zeroes */
/* True if a job with this number of GPUs can start. */
bool nodes_fit(const struct nodes *nodes, uint32_t gpus);
/* Starts a job that fits (nodes_fit). `job`: a number that no other job on
 * these nodes has. */
struct place nodes_take(struct nodes *nodes, uint32_t job, uint32_t gpus);
/* Ends a job that began at this place. */
void nodes_leave(struct nodes *nodes, uint32_t job, uint32_t gpus,
                 struct place place);

/* == ranks.c: Sorting by a score. The generator gives each job scores and deals
 * values to the jobs in order of their scores, so the values as a whole do not
 * change and only who gets which value depends on the scores. */

struct rank {
    double score;
    uint32_t item;
};

/* Sorts by score in ascending order, and by item where scores are equal. */
void ranks_sort(struct rank *ranks, size_t n);
/* Sorts numbers in ascending order. */
void ranks_sort_numbers(double *numbers, size_t n);

/* Rounds the n wanted numbers, each >= 0, to whole numbers whose sum is
 * `total`, by largest remainder (the first of equal remainders first). If
 * `wanted` sums to something else, it is scaled. At least one number must be
 * positive. */
void ranks_apportion(const double *wanted, size_t n, uint32_t total,
                     uint32_t *out);

/* Shared by timetable.c (which run comes next), chains.c (when the next run of
 * a session is due), vcs.c (which jobs run and which wait), plan.c (when long
 * sessions begin) and work.c (which short session a user begins). An *arrival*
 * is one of timetable_options.times. A *planned* session is long or large and
 * gets a time for its first run before the trace is made. */

#define DAY_S 86400.0
/* a session without room tries again after one to two times this time,
 * seconds */
#define RETRY_S 600.0

/* Something that happens at a time. */
struct later {
    double at;     /* seconds */
    uint32_t item; /* index of people.sessions or of timetable.entries */
};

/* A heap of events, earliest first. */
struct agenda {
    struct later *heap;
    size_t n, cap;
};

/* A virtual cluster. */
struct vc_state {
    double limit;   /* largest number of GPUs that planned sessions use */
    double most;    /* largest number of GPUs of the jobs that wait or run */
    double running; /* GPUs of the jobs that were submitted and have not
                     * ended */
    struct nodes nodes;
    /* jobs that wait, from `first` on, in order of submission: indices of
     * timetable.entries */
    uint32_t *queue;
    size_t first, n_queue, cap_queue;
    /* by slot of PLAN_SLOT_S seconds (plan.c): GPUs of planned sessions */
    float *planned;
};

/* A user at work. */
struct work {
    uint32_t next; /* index of people.sessions; the user's earlier sessions have
                    * begun or are planned */
    uint32_t left; /* runs of unplanned sessions that have not begun */
    double limit;  /* GPUs that the user's planned sessions use at most */
    double *day;   /* how much the user works on each day, >= 0 */
    /* by day: sum, over the days after it, of day[] x number of arrivals */
    double *ahead;
    /* by slot of USER_SLOT_S seconds (plan.c): GPUs of the user's planned
     * sessions */
    float *planned;
};

/* The progress of a session. */
struct session_state {
    uint32_t next;   /* index of its next run in the session */
    uint32_t lanes;  /* runs that may run at once, at least 1 */
    uint32_t active; /* runs that run now */
    uint32_t coming; /* runs that are due after the end of an earlier one */
    bool is_planned; /* it is a planned session, with a time and room kept for
                      * it unless it is one of maker.spare */
    bool has_begun;
    /* time at which its next run is due, seconds; INFINITY: after the end of a
     * run */
    double due;
    double seconds; /* sum of the durations of its runs */
};

struct maker {
    struct timetable *out;
    struct people *people;
    const struct calibration *calibration;
    const struct traits *traits;
    const struct timetable_options *options;
    struct vc_state *vcs;
    size_t n_vcs, n_days, n_slots, n_user_slots;
    struct work *work;
    struct place *places; /* by index of timetable.entries: nodes of the job */
    struct session_state *progress;
    /* scratch memory of walk(): time at which each lane is free */
    double *lanes;
    uint32_t *spare; /* planned sessions for which the trace has no room */
    uint32_t n_spare, next_spare;
    /* number of runs of unplanned sessions: of all, and of those that have not
     * begun */
    double light, light_left;
    double last_start; /* start of the last run in walk(), seconds */
    double gap_s;      /* mean time between two runs of a session, seconds */
    /* scratch memory: weight of each user while one is drawn */
    double *weights;
    uint32_t *arrivals; /* number of submissions of each day */
    /* due: planned sessions whose next run is due. due_light: other sessions
     * whose next run is due. chained: sessions whose next run follows the end
     * of an earlier one (traits.shift). ends: jobs, by their ends. */
    struct agenda due, due_light, chained, ends;
    uint32_t last;   /* session of the last run that was submitted at an
                      * arrival; UINT32_MAX: none */
    double last_at;  /* time at which it was submitted, seconds */
    uint32_t cursor; /* all runs of the sessions with a smaller index were
                      * submitted */
    size_t turn;     /* index of the current submission */
    size_t today;    /* number of days whose submissions day_end counts */
    size_t day_end;  /* number of submissions up to the end of the current day
                      */
    gsl_rng *gaps, *choices;
};

static inline const struct session *session_of(const struct maker *m,
                                               uint32_t run)
{
    return &m->people->sessions[m->people->runs[run].session];
}

static inline struct vc_state *vc_of(const struct maker *m,
                                     const struct session *session)
{
    return &m->vcs[m->people->users[session->user].vc];
}

void open_vcs(struct maker *m);
void close_vcs(struct maker *m);
/* True if a job with this number of GPUs would start at once if it were
 * submitted now. */
bool can_start_now(const struct vc_state *vc, uint32_t gpus);
/* Submits a run: it starts or joins the queue. */
void occupy(struct maker *m, uint32_t run, double now, double seconds);
/* Ends a job, given by its index in timetable.entries. Starts no other job. */
void leave_vc(struct maker *m, uint32_t job);
/* Starts the waiting jobs that now have room. */
void serve_vcs(struct maker *m, double now);
/* Returns when the first job of the queue was submitted; INFINITY: no job
 * waits. */
double waits_since(const struct maker *m, const struct vc_state *vc);
/* Draws the seconds between the end of a run with this final state and the next
 * submission of its session. */
double draw_gap(struct maker *m, uint32_t state);
/* Returns the expected time from the end of a run to the next run of its
 * session, seconds: the mean gap without pauses, and the wait for an arrival.
 */
double mean_gap(const struct maker *m);
/* Lets the next run of a session be submitted at an arrival from `at` on. */
void make_due(struct maker *m, uint32_t session, double at);
/* Ends the runs that end by `now`, starts jobs that waited, and lets the
 * sessions of the ended runs go on. */
void end_runs(struct maker *m, double now);
/* Submits a run that follows the end of an earlier one of its session, if one
 * is due by `until` and has room, at the time at which it is due. Before that,
 * ends the runs that end earlier. Returns true if it has submitted one, which
 * takes the place of the arrival at `until`. */
bool submit_chained(struct maker *m, double until);
/* Submits the next run of a session. */
void submit(struct maker *m, uint32_t session, double now);

void put(struct agenda *agenda, double at, uint32_t item);
/* Removes and returns the first entry; the agenda is not empty. */
struct later take(struct agenda *agenda);

/* Draws the days on which each user works. */
void open_work(struct maker *m);
void close_work(struct maker *m);
/* Returns the time, seconds, at which a user has done this share, 0..1, of the
 * work. */
double time_of_work(const struct maker *m, uint32_t user, double share);
/* True if there is room for the next run of a session now: its virtual cluster
 * is idle, or the run stays within vc_state.most and either starts at once or,
 * unless it is large, would wait no longer than users bear. */
bool can_start(const struct maker *m, uint32_t session, double now);
/* Chooses a user, if possible one who works today, and an unplanned session of
 * that user that has room. Returns UINT32_MAX if there is none. */
uint32_t begin_session(struct maker *m, double now);
/* Chooses an unplanned session although there is no room: of the users' next
 * sessions, the one whose virtual cluster would be least crowded. Returns
 * UINT32_MAX if there is none. */
uint32_t begin_any(const struct maker *m);
/* Marks a session as begun. The runs of an unplanned one no longer count in
 * work.left and maker.light_left. */
void mark_begun(struct maker *m, uint32_t session);

/* Finds the long or large sessions, which become planned ones, and scales the
 * durations of their runs. Gives each a time for its first run at which, if
 * possible, its virtual cluster and its user have room for all of it, and puts
 * it into m->due. Leaves out sessions for which the trace has no submissions
 * (m->spare). */
void plan_sessions(struct maker *m);
/* Keeps room for a run that runs when the trace begins, for `seconds` from
 * then. Returns false if there is no room. */
bool plan_running(struct maker *m, const struct session *session,
                  double seconds);
void open_plan(struct maker *m);
void close_plan(struct maker *m);

#endif
