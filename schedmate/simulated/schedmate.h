/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SchedMate in simulated time: what its three layers share. The layers are
 * ordinary plug-ins, so that any policy can have any of them: the estimator
 * `advisor` (Scheduling Advisor), the recovery rule `handler` (Failure Handler)
 * and the monitor `tracker` (Metric Tracker). A layer finds the shared object
 * in run_env.schedmate when it begins.
 *
 * The fidelity says how a module answers:
 *   oracle      it recognises perfectly what a history or a log can tell; it
 *               still knows nothing of the future
 *   calibrated  it errs as often as was published (SchedMate, arXiv
 *               predecessor, "Enhancing Deep Learning Schedulers with Large
 *               Language Models")
 *   replay      the code of the live modules reads source trees and logs
 *
 * All questions to the language model queue at one station. */
#ifndef SCHEDMATE_SIMULATED_SCHEDMATE_H
#define SCHEDMATE_SIMULATED_SCHEDMATE_H

#include "base/arena.h"
#include "base/option.h"
#include "base/state/ledger.h"
#include "base/state/plugin.h"
#include "schedmate/llm/llm.h"
#include "schedmate/simulated/handler_settings.h"

/* == language_model.c: The language model that the live modules ask inside a
 * simulation (fidelity `replay`), and counts of what they asked. Without a
 * model, the rules of the modules answer.
 *
 * An error that the user must correct, such as a missing record in the mode
 * `strict` of a recording, stops the run after the instant in which the error
 * happened. From then on no module asks anything. */

/* Longest time for which a server may work on one question. */
#define LANGUAGE_MODEL_SERVICE_MAX (4000 * SPAN_SECOND)

struct language_model {
    struct llm_client *client; /* NULL: rules answer */
    struct error error;        /* reason why the run stops; STATUS_OK: none */
    /* Numbers of questions of the advisor about jobs whose command is unknown
     * (or that came after an error had stopped the run), whose directory cannot
     * be read, and whose metadata were not found. */
    uint32_t n_no_command, n_unreadable, n_unknown;
    const char *unreadable; /* the first directory that could not be read */
    /* Numbers of readings of logs by the tracker: all that were made, those of
     * them that found no speed, and readings that were not made, because there
     * was no log or an error had stopped the run. */
    uint32_t n_logs, n_logs_unknown, n_no_log;
    uint32_t n_failures_unlogged; /* failures whose log could not be read */
    struct run_env env;           /* copy of the run's; its owner is "llm" */
};

void language_model_init(struct language_model *model,
                         const struct run_env *env);

/* Stops the run with this error, unless an earlier error stops it already. */
void language_model_fail(struct language_model *model, const struct error *err);
static inline bool language_model_failed(const struct language_model *model)
{
    return model->error.status != STATUS_OK;
}

/* Counts a job whose directory cannot be read. The path must live as long as
 * the run. */
void language_model_unreadable(struct language_model *model, const char *path);

/* Returns the tokens of all questions of the run so far; 0 without a model. */
struct advice_tokens language_model_tokens(const struct language_model *model);
/* Returns the time for which a server of the station works on questions that
 * took `latency`: at most LANGUAGE_MODEL_SERVICE_MAX. -1 (no model was asked)
 * stays -1. */
sim_span language_model_service(sim_span latency);

/* Records in the manifest which model answered and how often it was asked, and
 * adds remarks on what was not found. Called once, after the run. */
void language_model_close(struct language_model *model);

/* == station.c: The language model as a queue, first come first served, with
 * one or more servers, each on one GPU. Questions come in order of time, so the
 * time of an answer is known when its question comes, and the station needs no
 * events. */

/* Largest number of servers of a station: advice_row.server has 8 bits, and
 * ADVICE_NO_SERVER is not the number of a server. The numbers begin with 0. */
#define STATION_SERVERS_MAX ADVICE_NO_SERVER

struct station {
    sim_time *free_at; /* by server: time at which it has answered all its
                        * questions */
    uint32_t n;        /* number of servers */
    sim_time last;     /* time of the last question */
};

/* When a question is worked on, and by which server. */
struct station_answer {
    sim_time begun, answered;
    uint8_t server;
};

void station_init(struct station *station, uint32_t servers,
                  struct arena *arena);
/* Asks a question at `now` that takes `service` microseconds. The server that
 * is free first works on it; of several such servers, the one with the lowest
 * number. `now` must not be before the last question. */
struct station_answer station_ask(struct station *station, sim_time now,
                                  sim_span service);

/* == schedmate.c */

enum fidelity { FIDELITY_ORACLE, FIDELITY_CALIBRATED, FIDELITY_REPLAY };
/* How a calibrated advisor forms its beliefs. An oracle always uses kinds. */
enum advice_beliefs { BELIEFS_AUTO, BELIEFS_KINDS, BELIEFS_LAW };
/* Which vectors of metadata a replay compares. */
enum advice_embedding { EMBED_HASHED, EMBED_BY_MODEL };

struct schedmate_config {
    unsigned fidelity;    /* enum fidelity */
    const char *measured; /* file of measured quality; "": none */
    /* settings of the station */
    uint32_t llm_gpus, servers;
    /* virtual cluster or GPU type that gives the GPUs of the model; "": the one
     * with the most GPUs */
    const char *llm_pool;
    sim_span latency, latency_min, tracker_latency, handler_latency;
    /* tokens of a question whose tokens are not counted */
    uint32_t advisor_tokens, tracker_tokens, handler_tokens, answer_tokens;
    /* settings of the advisor */
    uint32_t top;
    double match, wrong, useless, duration_sigma, util_error;
    unsigned beliefs; /* enum advice_beliefs */
    sim_span overrun;
    double similarity;
    unsigned embed; /* enum advice_embedding */
    bool careful, tells_times, tells_demand, saves_profiles;
    /* settings of the tracker */
    double threshold, detection, reading_error, reading_common;
    sim_span check;
    bool lose_work, bar_host;
    uint32_t steps;
    /* settings of the logs that a replay makes */
    double noisy, jitter;
    bool hostile;
    struct handler_settings handler;
};
extern const struct option schedmate_options[];

/* == measured.c: How often a model was right on labelled cases, as
 * `bench/modules.py --llm SPEC --out FILE` counts it. The file gives settings,
 * each with the number of cases on which it was measured. */

struct measured {
    const char *model; /* name of the model that answered */
    /* The settings, without a name of a plug-in. They are marked `ruled`,
     * because a fidelity may ignore some of them. */
    struct spec spec;
    uint32_t cases[SPEC_SETTINGS_MAX]; /* by setting, > 0 */
    double right;       /* share of all answers that are right, 0..1 */
    uint32_t n_answers; /* > 0: right, wrong, and none given */
    bool has_fields;    /* false: the model was not asked as an advisor */
};

/* Reads such a file. STATUS_BAD_INPUT, with one line that names the file and
 * the key, if it cannot be read, has an unknown key, or a value has another
 * type or is out of the range of its setting. Texts lie in the arena. */
enum status measured_read(const char *path, struct arena *arena,
                          struct measured *out, struct error *err) MUST_USE;

struct schedmate {
    const struct schedmate_config *config;
    struct station station;
    struct language_model model; /* used in replays only */
    struct ledger *ledger;
    uint32_t n_jobs;
    uint64_t latencies; /* random stream: service times of the station */
};

/* A question to the language model. */
struct question {
    enum advice_module module;
    const struct job *job; /* the job that the question is about */
    sim_time now;
    sim_span service; /* time of a server for the answer, us; -1: as the
                       * options say */
    uint64_t key;     /* key of the draw of the service time */
    struct advice_tokens tokens; /* counted tokens; 0: as the options say */
    enum advice_basis basis;     /* ADVICE_WAITS: set later by
                                  * schedmate_settle */
    uint32_t k; /* number of jobs or logs that the answer rests on */
};
/* Asks the station, adds a row to the ledger, and returns the time of the
 * answer. Sets *row to the number of the row; `row` may be NULL. Questions must
 * come in order of time. */
sim_time schedmate_ask(struct schedmate *s, const struct question *question,
                       uint32_t *row);
/* Adds the row of an answer without a question to the station. Returns the
 * number of the row. */
uint32_t schedmate_answer(struct schedmate *s, const struct question *question);
/* Sets what an answer rests on, when it has come: its basis and the number `k`
 * of jobs. */
void schedmate_settle(struct schedmate *s, uint32_t row,
                      enum advice_basis basis, uint32_t k);
/* Returns the time for which a job held GPUs in its last attempt, up to `now`,
 * us; 0 if the job never started. A move that cost nothing does not begin
 * another attempt. */
sim_span schedmate_last_held(const struct schedmate *s, const struct job *job,
                             sim_time now);

/* The plug-in whose state is struct schedmate. Users do not choose it by name:
 * a run has it if it has at least one of the three layers. */
extern const struct plugin schedmate_plugin;

#endif
