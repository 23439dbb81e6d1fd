/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of the driver share: the plan of a state, the facts about
 * Slurm's jobs, the book, the log, the commands, the guard. */
#ifndef SIM_DRIVE_INTERNAL_H
#define SIM_DRIVE_INTERNAL_H

#include "base/json.h"
#include "sim/drive/drive.h"
#include "sim/present/slurm_live.h"
#include "sim/present/state.h"

/* == drive_plan.c: What a policy does at the present instant of a state. */

/* A start or a stop of the plan. */
struct drive_choice {
    size_t job;     /* index in the state */
    uint32_t free;  /* GPUs of its virtual cluster that are free at the present,
                     * before the plan */
    uint32_t total; /* GPUs of its virtual cluster */
    uint32_t vc;    /* number of its virtual cluster in the run */
    uint32_t passes; /* jobs of its virtual cluster that came before it, wait,
                      * and are not started */
    size_t first;    /* the first of these */
};

struct drive_plan {
    struct drive_choice *starts, *stops; /* in the order planned */
    size_t n_starts, n_stops;
    size_t *order; /* jobs of the state that wait, by their starts in a run that
                    * goes on; only if it was asked for */
    size_t n_order;
    uint32_t n_moves;   /* jobs that the plan moves to other GPUs: they are
                         * left where they are */
    const char *policy; /* its name */
    struct arena arena;
};

/* Plans. `ordered`: the order is wanted. `stops`: the policy may stop jobs. On
 * failure there is nothing to free. */
enum status drive_plan_make(const struct run_config *config,
                            const struct state *state, bool ordered, bool stops,
                            struct drive_plan *out, struct error *err) MUST_USE;
void drive_plan_fini(struct drive_plan *plan);

/* Returns the plan as {"policy", "starts": [id], "stops": [id]}, with "order"
 * if it has one. */
json_t *drive_plan_json(const struct drive_plan *plan,
                        const struct state *state);

/* == drive_book.c: What must be remembered about jobs from one cycle to the
 * next, and over a restart. */

/* restarts: Slurm's count of the requeues of a job. */
struct drive_entry {
    char id[48];
    int64_t freed;    /* restarts with which it was last seen free; -1: never */
    int64_t put_back; /* restarts with which it was last put back; -1: never */
    bool foreign;     /* it was seen held after it had been free */
    bool has_nice;
    int64_t nice_was, nice_set;
    bool is_listed; /* squeue lists it */
};

struct drive_book {
    struct drive_entry *entries; /* by id */
    size_t n, cap;
    /* when slurmctld started, as it says; "": not known. One that was killed
     * can have forgotten releases. */
    char boot[32];
    json_t *scope; /* {"by", "mark", "partitions": [], "users": []}, owned;
                    * NULL: not known */
};

/* Reads DIR/book.json; a file that is not there is an empty book. */
enum status drive_book_read(const char *dir, struct drive_book *out,
                            struct error *err) MUST_USE;
enum status drive_book_write(const struct drive_book *book, const char *dir,
                             struct error *err) MUST_USE;
void drive_book_fini(struct drive_book *book);
const struct drive_entry *drive_book_find(const struct drive_book *book,
                                          const char *id);
/* Returns the entry of a job, which is made if there is none; valid until the
 * next call. */
struct drive_entry *drive_book_entry(struct drive_book *book, const char *id);
/* Sets the scope, for drive_undo. */
void drive_book_set_scope(struct drive_book *book,
                          const struct drive_options *options);
/* Makes `options` those of the scope of the book; the texts are borrowed from
 * it, the arrays are in the arena. Does nothing if it has none. */
void drive_book_get_scope(const struct drive_book *book,
                          struct drive_options *options, struct arena *arena);

/* == drive_jobs.c: Facts about Slurm's jobs that a state does not have. */

struct drive_job {
    char id[48]; /* as in a state; the pending tasks of an array have one
                  * record, whose id is that of the array */
    const char *user, *reason; /* borrowed from the answer */
    bool pending, running;
    bool held;     /* by its owner */
    bool free;     /* it waits and may start, or it runs */
    bool in_scope; /* of the named partitions and users */
    bool marked;
    bool may_requeue; /* batch, Requeue=1 */
    bool waits;       /* has a dependency, or may not begin yet */
    bool is_part;     /* of a heterogeneous job */
    bool is_leader;   /* its first part */
    bool is_planned;  /* the state has it */
    bool ours;        /* the driver may release it */
    int64_t nice, restarts;
    double priority;
};

struct drive_jobs {
    struct drive_job *at; /* by id */
    size_t n;
};

/* Reads the facts, notes in the book what is seen, and says which jobs are
 * ours. `strict`: STATUS_FAILED for a version of Slurm that is not known, and
 * for a record without a field on which a decision rests; otherwise such
 * records are left out. */
enum status drive_jobs_read(const struct slurm_answers *answers,
                            const struct drive_options *options, sim_time at,
                            bool strict, struct drive_book *book,
                            struct drive_jobs *out, struct error *err) MUST_USE;
void drive_jobs_fini(struct drive_jobs *jobs);
/* Returns the record of a job of a state: its own, or that of its array; NULL:
 * there is none. */
struct drive_job *drive_jobs_find(const struct drive_jobs *jobs,
                                  const char *id);
/* Lets the policy start the jobs of the state that are ours, in the order of
 * their submission with those that wait and were released, and notes which jobs
 * the state has. */
void drive_jobs_open(struct drive_jobs *jobs, struct state *state);
/* True if the identifier can be passed to scontrol: a number, or the number of
 * an array, `_` and that of a task. */
bool drive_id_is_plain(const char *id);

/* == drive_acts.c: The commands that change Slurm. */

enum drive_act_kind { DRIVE_RELEASE, DRIVE_REQUEUE, DRIVE_NICE };
extern const char *const drive_act_names[]; /* by kind */

struct drive_act {
    enum drive_act_kind kind;
    char id[48];
    int64_t nice;    /* DRIVE_NICE: the new one */
    const char *why; /* in the arena of the list */
    bool failed;     /* scontrol refused its batch */
};

struct drive_acts {
    struct drive_act *at;
    size_t n, cap;
    struct arena arena;
};

void drive_acts_init(struct drive_acts *acts);
void drive_acts_fini(struct drive_acts *acts);
/* `why`: the rest of the line, after the action and the job; copied. */
void drive_acts_add(struct drive_acts *acts, enum drive_act_kind kind,
                    const char *id, int64_t nice, const char *why);
/* Carries all out: one command for each kind and nice. Returns false if one was
 * refused; `said` gets the first message. */
bool drive_acts_do(struct drive_acts *acts, sim_span limit, struct error *said);
json_t *drive_acts_json(const struct drive_acts *acts);

/* == drive_nice.c: by nice. */

/* Adds the actions by which Slurm's order becomes that of the plan. *n_capped:
 * jobs whose nice would have to be larger than allowed. */
void drive_nice_acts(const struct drive_options *options,
                     const struct drive_plan *plan, const struct state *state,
                     struct drive_jobs *jobs, const struct drive_book *book,
                     struct drive_acts *acts, uint32_t *n_capped);

/* == drive_why.c: Actions of a plan by release, each with its reason. */

/* What a plan asks for that is not done. */
struct drive_left {
    uint32_t n_foreign; /* stops of jobs that the driver may not put back */
    uint32_t n_late;    /* starts that do not fit without them */
};

void drive_release_acts(const struct drive_options *options,
                        const struct drive_plan *plan,
                        const struct state *state,
                        const struct drive_jobs *jobs, uint32_t most,
                        struct drive_acts *acts, struct drive_left *left);
/* Says why the jobs that are ours and stay held do. */
void drive_say_kept(const struct drive_options *options,
                    const struct drive_plan *plan, const struct state *state,
                    const struct drive_jobs *jobs);
/* Prints a line by options->say. */
void drive_say(const struct drive_options *options, bool note, const char *fmt,
               ...) __attribute__((format(printf, 3, 4)));

/* == drive_log.c: The log of decisions. */

/* Each appends one line and returns once it is on the disk. */
enum status drive_log_begin(int fd, const struct drive_options *options,
                            struct error *err) MUST_USE;
enum status drive_log_decision(int fd, uint64_t cycle,
                               const struct state *state,
                               const struct drive_plan *plan,
                               const struct drive_acts *acts,
                               struct error *err) MUST_USE;
enum status drive_log_outcome(int fd, uint64_t cycle,
                              const struct drive_acts *acts, bool good,
                              const struct error *said,
                              struct error *err) MUST_USE;
/* Opens the log; makes the folder of the file. */
enum status drive_log_open(const struct drive_options *options, int *fd,
                           struct error *err) MUST_USE;

/* == drive_guard.c: The process that releases all if the driver dies. */

struct drive_guard {
    int pipe; /* end for writing; -1: there is no guard */
    int pid;
    int lock; /* descriptor of DIR/lock */
};

/* Takes the lock of `dir` and starts the guard. */
enum status drive_guard_begin(const struct drive_options *options,
                              struct drive_guard *out,
                              struct error *err) MUST_USE;
/* Gives a sign of life. Returns false if the guard is gone: it has released
 * all, or was killed. Accepts no guard. */
bool drive_guard_beat(const struct drive_guard *guard);
/* Ends the guard, which does nothing more, and gives the lock back. */
void drive_guard_end(struct drive_guard *guard);
/* Returns the process that holds the lock, a driver; 0: none. */
int drive_guard_driver(const char *dir);
/* Time of the clock that no one sets. */
sim_time drive_clock(void);

/* == drive_undo.c */

/* drive_undo for a scope and a book that the caller has. Goes on for at most
 * `limit` while Slurm does not answer. */
enum status drive_undo_by(const struct drive_options *options,
                          struct drive_book *book, sim_span limit,
                          struct error *err) MUST_USE;

/* == drive.c */

/* Asks Slurm, or reads the files of the options. */
enum status drive_ask(const struct drive_options *options,
                      struct slurm_answers *out, struct error *err) MUST_USE;

#endif
