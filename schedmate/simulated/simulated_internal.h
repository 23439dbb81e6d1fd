/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the simulated modules share: the logs of simulated jobs, and how each
 * module reads or replays them. */
#ifndef SCHEDMATE_SIMULATED_SIMULATED_INTERNAL_H
#define SCHEDMATE_SIMULATED_SIMULATED_INTERNAL_H

#include <math.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/state/gpu_set.h"
#include "base/state/ledger.h"
#include "base/text.h"
#include "models/failures/recovery.h"
#include "models/interference/monitor.h"
#include "schedmate/simulated/evidence/evidence.h"
#include "schedmate/simulated/evidence/log.h"
#include "schedmate/simulated/handler_settings.h"
#include "schedmate/simulated/schedmate.h"

/* The parts of the estimator `advisor`: ended jobs by kind, and beliefs drawn
 * by the law of errors. */

struct truth_book;

/* Largest number of similar jobs that a search returns. */
#define SIMILAR_MAX 8

/* Jobs that have ended, by kind. Two jobs are of one kind if they ask for the
 * same number of GPUs and have the same row of the usage table (model, data
 * set, batch size and precision) or, if they have none, the same model. A
 * search first takes jobs that repeat the new one: they also have the same name
 * and batch size. */
struct kinds {
    const struct job *jobs;
    /* Jobs of the past. Their ids here come after the ids of the jobs of the
     * run. */
    const struct past_job *past;
    uint32_t n_jobs;
    /* Hash table with open addressing: of the jobs with one name, kind and
     * batch size, the one that ended last; JOB_NONE: free. */
    job_id *named;
    size_t n_named, n_slots;
    /* By job: the job with the same name, kind and batch size that ended before
     * it; JOB_NONE: none. */
    job_id *before;
    /* The jobs of each kind, with any name, that ended last. */
    struct kind_ring {
        uint64_t key;
        uint32_t n; /* number of jobs of the kind that have ended so far */
        job_id last[SIMILAR_MAX];
    } * rings;
    size_t n_rings, cap_rings;
    uint32_t *ring_slots; /* hash table: 1 + index in `rings`; 0: free */
    size_t n_ring_slots;
};

/* Jobs that are similar to a new one, the most recently ended first. A replay
 * sets only `n` and `basis`. */
struct similar {
    job_id at[SIMILAR_MAX];
    uint32_t n;
    /* ADVICE_NOTHING, ADVICE_RESUBMISSION or ADVICE_SIMILAR; ADVICE_LAW if no
     * jobs were needed */
    enum advice_basis basis;
};

void kinds_init(struct kinds *kinds, const struct run_env *env);
void kinds_fini(struct kinds *kinds);
/* Returns true if it is known what the job trains or what it is called. */
bool kinds_know(const struct job *job);
/* Returns the job with this id: below n_jobs a job of the run, else of the
 * past. */
const struct job *kinds_job(const struct kinds *kinds, job_id id);
/* Adds a job that has ended to its kind and to its name, where these are
 * known. */
void kinds_add(struct kinds *kinds, job_id id);
/* Finds at most `top` similar jobs, top <= SIMILAR_MAX, the most recently ended
 * first: jobs of the same user with this name, kind and batch size; if there
 * are none, any user's jobs with these three; if there are none either, jobs of
 * this kind. Of the jobs with one name, kind and batch size, only the 32 that
 * ended last are searched. */
void kinds_find(const struct kinds *kinds, const struct job *job, uint32_t top,
                struct similar *out);
/* Finds at most `top` jobs of a wrong kind, as an advisor does that takes the
 * job for another one. `draw`, 0 <= draw < 1, chooses the kind. Finds none if
 * no job of another kind has ended. */
void kinds_mistake(const struct kinds *kinds, const struct job *job,
                   uint32_t top, double draw, struct similar *out);

/* A plain mean of the figures that are known; mean_of returns NaN if none
 * is. */
struct mean {
    double sum;
    uint32_t n;
};

static inline void mean_add(struct mean *mean, bool known, double value)
{
    if (known) {
        mean->sum += value;
        mean->n++;
    }
}

static inline float mean_of(const struct mean *mean)
{
    return mean->n ? (float)(mean->sum / mean->n) : NAN;
}

/* What the advisor believes about a job; a negative value is unknown. */
struct advice {
    double seconds; /* run time, s */
    double compute; /* share of the compute of a GPU, 0..1 */
    double mem_mib; /* memory of a GPU, MiB */
};
/* Draws the beliefs about a job from the truth with the errors of `config`.
 * Memory has no error. The utilisation stays unknown if the trace does not give
 * it; the memory, unless the trace gives both. `stream`: rng_stream of the
 * advisor. */
void advisor_law(const struct schedmate_config *config,
                 const struct truth_book *truth, uint64_t stream,
                 const struct job *job, sim_time now, struct advice *out);

/* == advisor_replay.c: SchedMate's Scheduling Advisor in simulated time, by the
 * code of the live modules. It looks up the user's ended jobs with the same
 * directory, command and branch first (schedmate/jobs/lookup.h). If there are
 * none, an agent or rules read the directory that was submitted
 * (schedmate/advisor/schedmate_advisor.h), and when the answer has come the
 * advisor looks up the ended jobs with the nearest metadata.
 *
 * The directories do not change during a run, so equal questions have equal
 * answers, and each pair of a directory and a command is read only once. Each
 * job that is not a resubmission still asks the station, for as long as that
 * reading took.
 *
 * Of a new job, the advisor reads the submission, the user and the id, nothing
 * else. It reads figures of other jobs only after these jobs have ended. */

struct advisor_replay;

/* What a lookup found for a job. */
struct found {
    struct advice advice;
    enum advice_basis basis; /* ADVICE_NOTHING, ADVICE_RESUBMISSION or
                              * ADVICE_SIMILAR */
    uint32_t k;              /* number of ended jobs that were found */
};

/* Makes the advisor of a replay, and reads what the jobs of the past submitted.
 * Returns STATUS_USAGE if metadata are to be compared by a model and none is
 * named; also errors of the database and of the model. The caller owns *out,
 * and frees it even if this fails. */
enum status advisor_replay_new(const struct run_env *env,
                               struct advisor_replay **out,
                               struct error *err) MUST_USE;
void advisor_replay_free(struct advisor_replay *r); /* accepts NULL */

/* Looks up the user's ended jobs with the directory, command and branch of this
 * job. Returns false if there are none, if the command of the job is unknown,
 * or if an error stops the run. */
bool advisor_replay_repeats(struct advisor_replay *r, const struct job *job,
                            struct found *out) MUST_USE;
/* Reads what the user submitted as the job, and sets the service time and the
 * tokens of the question. Returns false if nothing that can be read was
 * submitted, or if an error has stopped the run. */
bool advisor_replay_read(struct advisor_replay *r, const struct job *job,
                         struct question *question) MUST_USE;
/* Looks up the ended jobs whose metadata are nearest to the metadata of the
 * job; out->k is 0 if none are near enough, if too little of the job's
 * metadata is known, or if an error stops the run. */
void advisor_replay_look_up(struct advisor_replay *r, const struct job *job,
                            struct found *out);
/* Adds an ended job that spent the time `ran` on GPUs to the jobs that lookups
 * search. Does nothing if its command is unknown or an error has stopped the
 * run. */
void advisor_replay_add(struct advisor_replay *r, const struct job *job,
                        sim_span ran);
/* Finds the ended job that lends its measured speeds to this job: the most
 * similar one of the last lookup. Returns false if there is none, or if it is a
 * job of the past. */
bool advisor_replay_donor(const struct advisor_replay *r, const struct job *job,
                          job_id *out) MUST_USE;

/* == job_log.c: The log that a job of the simulation would have written
 * (schedmate/simulated/evidence/log.h), from what the evidence says of its kind
 * and from how its present attempt went. A log counts work in the time that the
 * job takes alone on its GPUs. During the first evidence_log.start_s of the
 * job's work the program starts up and does no step. An attempt that continues
 * earlier work has no such start-up. */

#define JOB_LOG_SEGMENTS 8

/* How an attempt went: its speeds in order of time. If there are more than
 * JOB_LOG_SEGMENTS, the first two become one segment with their mean speed. */
struct job_life {
    uint32_t attempt; /* job.attempts; 0: no attempt is known */
    uint32_t n;       /* number of segments */
    struct log_segment segments[JOB_LOG_SEGMENTS];
};

/* The source of a log. `source` points to `attempt`, so the struct must not be
 * moved. */
struct job_log {
    struct log_source source;
    struct log_attempt attempt;
    double alone; /* work per time of the job alone on its GPUs, > 0 */
    struct evidence_log kind;
};

/* Describes the log of the present attempt of a job on the GPUs `where`.
 * job_log_until must add the life of the attempt before the log is read. Arrays
 * lie in the arena. Returns false if the job leaves no log, a real one, or one
 * of an unknown style, or if `where` is empty. */
bool job_log_init(struct job_log *log, const struct schedmate *s,
                  const struct job *job, struct gpu_set where,
                  struct arena *arena) MUST_USE;
/* Returns the path of the job's real log; NULL if the job has none. */
const char *job_log_path(const struct schedmate *s, const struct job *job);
/* Lets the log end at `until`, after the given life, which must outlive the
 * log. */
void job_log_until(struct job_log *log, const struct job_life *life,
                   sim_time until);
/* Converts work of the simulation into work of the log, us; 0 while the program
 * starts up. */
sim_span job_log_work(const struct job_log *log, sim_span work);

/* Begins the life of an attempt that had done `work` by `now` and works at
 * `speed` from then on. The attempt is taken to have had that speed since its
 * start. If that gives more than `work`, it is taken to have begun to work
 * later. */
void job_life_begin(struct job_life *life, uint32_t attempt, sim_time start,
                    sim_time now, sim_span work, double speed);
/* Adds that the job had done `work` by `now` and worked at `speed` from then
 * on. If one change of speed since the last call explains the work, the time of
 * the change is computed; else the mean speed is taken. */
void job_life_add(struct job_life *life, sim_time now, sim_span work,
                  double speed);

/* == failed_log.c: The log of a failed job. The job's program and the drivers
 * print why the job failed, so the code that makes the log reads the truth. The
 * code that reads the log must not. */

/* A log and how its attempt went. `log` points to `life`, so the struct must
 * not be moved. */
struct failed_log {
    struct job_log log;
    struct job_life life;
    struct text real; /* the end of a real log; set only if `is_real` */
    bool is_real;     /* true: the log is `real`, and `log` and `life` are
                       * not set */
};

/* Makes the log of the attempt that failed, or reads the end of the real log if
 * the side-car names one. A real log can only tell of a failure that the trace
 * recorded, not of one that the simulation added. Returns false if the job
 * leaves no log of this failure, or if the real log cannot be read. */
bool failed_log_of(const struct schedmate *s, const struct failure *failure,
                   struct arena *arena, struct failed_log *out) MUST_USE;

/* Returns the true cause of the failure, which people find out later. Incidents
 * are labelled with it. */
enum log_fault failed_log_label(const struct failure *failure);

/* == handler_laws.c: How often the Failure Handler is right, as a law. The
 * draws are keyed by the failure, so the n-th failure of a job has the same
 * draws under every policy, and a failure that is recognised at one recall is
 * recognised at each higher recall too. */

/* The answer of the handler to the question why a job failed. */
struct handler_verdict {
    bool infrastructure;
    node_id node;     /* the node that it blames; NODE_NONE: none */
    const char *told; /* the cause that it names; NULL: none */
};

/* Chances of the calibrated law, each 0..1. */
struct handler_law {
    /* the settings or, where these are -1, the published figures of the
     * method */
    double recall, precision;
    /* Chance that a failure of another kind is taken for a failure of the
     * infrastructure. It gives `precision` if the share of infrastructure
     * failures equals handler_settings.share: share x recall x (1 - precision)
     * / (precision x (1 - share)), at most 1. */
    double false_alarm;
    double node_right;
    uint64_t stream;
};

struct handler_law handler_law_of(const struct handler_settings *settings,
                                  uint64_t seed);
/* Judges with the errors of the law. A right alarm blames the node at fault
 * with the chance node_right; else it blames a random node of the job, as a
 * false alarm does. */
void handler_judge_by_law(const struct handler_law *law,
                          const struct failure *failure,
                          struct handler_verdict *out);
/* Judges without errors, by the truth. */
void handler_judge_truly(const struct failure *failure,
                         struct handler_verdict *out);

/* == handler_reader.c: SchedMate's Failure Handler in simulated time, by the
 * code of the live module. It judges by rules, by comparison with earlier
 * failures, or by a language model. Of the failure it sees only the lines of
 * the job's log, the time, and the job's GPUs. */

struct handler_reader;
struct llm_client; /* schedmate/llm/llm.h */

/* Makes a reader. `llm`: the language model that judges unless the method
 * compares logs; must outlive *out. NULL: rules judge. Returns an error
 * only if the built-in data are not valid. The caller owns *out, and frees it
 * even if this fails. */
enum status handler_reader_new(enum handler_method method,
                               struct llm_client *llm,
                               struct handler_reader **out,
                               struct error *err) MUST_USE;
void handler_reader_free(struct handler_reader *reader); /* accepts NULL */

/* A judgement and what it cost. */
struct handler_reading {
    struct handler_verdict verdict;
    sim_span latency; /* time of the model, us; -1: no model was asked */
    /* estimate of the tokens that were read, at four bytes each */
    struct advice_tokens tokens;
};

/* The log of a failed job: either made or real. */
struct handler_log {
    const struct log_source *made; /* source of a log that is made; NULL: the
                                    * log is real */
    struct text real; /* the end of a real log; not read if `made` is set */
};

/* Judges the log of a job that failed at `at` and ran on the GPUs `where`.
 * Failures must come in order of time. out->verdict.told is valid until the
 * next call. Returns errors of the model and of the comparison. */
enum status handler_read(struct handler_reader *reader,
                         const struct handler_log *log, sim_time at,
                         struct gpu_set where, struct handler_reading *out,
                         struct error *err) MUST_USE;
/* Keeps the log of the job that failed at `at`, labelled with `found`, the
 * cause that people find out. Failures are compared with it from an hour later
 * on. Does nothing unless the method compares logs. */
void handler_reader_add(struct handler_reader *reader,
                        const struct handler_log *log, sim_time at,
                        enum log_fault found);

/* == real_log.c: Reads the end of a real log, which the side-car of a trace
 * names. */

/* Largest number of bytes that are read from the end of a file. */
#define REAL_LOG_BYTES (4 << 20)

/* Reads the end of a file into the arena. Returns false if the file cannot be
 * read or is not a regular file. A link is not followed and a pipe is not
 * waited for, because strangers write side-cars. */
bool real_log_read(const char *path, struct arena *arena,
                   struct text *out) MUST_USE;
/* Returns the last n lines of a text, or all lines if there are fewer. The
 * result points into `text`. */
struct text real_log_tail(struct text text, uint64_t n);

/* == tracker_replay.c: SchedMate's Metric Tracker in simulated time by the code
 * of the live module (schedmate/logs/schedmate_tracker.h). The module finds the
 * last progress lines of the resident's log and reads the time of a step from
 * them, by rules or by a language model. The second reading looks only at the
 * lines that were printed since the first one, as a program that follows a log
 * does. */

struct tracker_replay;

/* What was read from a log. */
struct log_reading {
    bool has_log;   /* false: no log could be read, and no question is asked */
    double step_s;  /* seconds per step; 0: not found */
    uint64_t lines; /* number of lines of the log at the time of the reading */
    sim_span service; /* time that the model took, us; -1: no model was asked */
    struct advice_tokens tokens;
};

/* Makes the tracker of a replay. Returns an error only if the built-in weights
 * are not valid. The caller owns *out, and frees it even if this fails. */
enum status tracker_replay_new(const struct run_env *env,
                               struct tracker_replay **out,
                               struct error *err) MUST_USE;
void tracker_replay_free(struct tracker_replay *r); /* accepts NULL */

/* Reads the log of the resident as it is at `now`. `seen`: speed and work of
 * the resident at `now`. `first`: the reading made when the guest joined; NULL
 * if this call makes that reading. */
void tracker_replay_read(struct tracker_replay *r,
                         const struct company *company, sim_time now,
                         const struct sighting *seen,
                         const struct log_reading *first,
                         struct log_reading *out);

/* Returns the time at which the resident has done schedmate_config.steps steps
 * beside the guest, or has printed three progress lines if that is later. If
 * the job leaves no log or does not work beside the guest, or if this would
 * take 1e9 s or longer, the time is schedmate_config.check after the guest is
 * ready. */
sim_time tracker_replay_due(const struct tracker_replay *r,
                            const struct company *company);

/* Mean errors of the advisor and of the layers below, over the jobs that ended
 * last. */
struct trust_score {
    double advisor, below;
    uint32_t n; /* jobs that were compared */
};

struct advisor_trust {
    struct trust_score times, demand;
    /* By job, what the layers below believed when the policy first asked about
     * the job: run time in s, compute 0..1; NaN: nothing, or nobody asked. */
    float *below_s, *below_compute;
    uint64_t draws; /* random stream of the control sample */
};

void advisor_trust_init(struct advisor_trust *t, uint64_t draws, uint32_t n,
                        struct arena *arena);
/* True while the advisor is trusted. */
bool advisor_trust_score_holds(const struct trust_score *score);
/* True if this job is profiled although the advisor tells its demand. */
bool advisor_trust_control(const struct advisor_trust *t, job_id job);
/* Compares what was believed with what a job needed that has ended: `ran`
 * seconds at a utilisation of `compute`, 0..1; NaN: unknown. `seconds` and
 * `told` are what the advisor believed, NaN if it believed nothing. */
void advisor_trust_learn(struct advisor_trust *t, job_id job, double seconds,
                         double told, double ran, double compute);

#endif
