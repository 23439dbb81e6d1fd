/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The evidence of all jobs of a run, which the files of schedmate/evidence
 * share. */
#ifndef SCHEDMATE_SIMULATED_EVIDENCE_EVIDENCE_INTERNAL_H
#define SCHEDMATE_SIMULATED_EVIDENCE_EVIDENCE_INTERNAL_H

#include "base/out.h"
#include "schedmate/simulated/evidence/evidence.h"
#include "schedmate/simulated/evidence/log.h"

struct job_evidence {
    struct evidence_command command;
    struct evidence_log log;
    bool has_command, has_log;
};

struct evidence {
    struct job_evidence *jobs; /* by job_id */
    uint32_t n_jobs;
};

/* Tables and functions that the files of the log generator share.
 *
 * embed_log_phrases.py turns the log_*.txt files into the tables of this
 * header. A line is a template, a template is a row of pieces, and a piece is a
 * literal or a value that log_values.c or log_times.c writes. */

/* The values that a template may contain. "{step:8}" in log_styles.txt is the
 * value STEP with a = 8. The head of log_styles.txt describes all values. */
#define LOG_STATE_VALUES(X) \
    X(PICK) \
    X(PICKJOB) \
    X(INT) \
    X(INTJOB) \
    X(FLOAT) \
    X(HEX) \
    X(HEXJOB) \
    X(STEP) \
    X(STEPS) \
    X(EPOCH) \
    X(EPOCHS) \
    X(I) \
    X(N) \
    X(EPOCHFRAC) \
    X(SAMPLES) \
    X(SAMPLEPCT) \
    X(DATASETSIZE) \
    X(PCT) \
    X(LOSS) \
    X(LOSSE) \
    X(ACC) \
    X(LR) \
    X(RANK) \
    X(LOCAL) \
    X(HOST) \
    X(MASTER) \
    X(HOSTS) \
    X(PID) \
    X(PCI) \
    X(GPUS) \
    X(NODES) \
    X(PERNODE) \
    X(BATCH) \
    X(MICRO) \
    X(LOGEVERY) \
    X(MODEL) \
    X(DATASET) \
    X(IP) \
    X(JOBID) \
    X(REP) \
    X(FAULTYRANK) \
    X(FAULTYLOCAL) \
    X(FAULTYHOST) \
    X(FAULTYPID) \
    X(ATTEMPT)
#define LOG_TIME_VALUES(X) \
    X(T) \
    X(AVG) \
    X(PART) \
    X(MS) \
    X(RATE) \
    X(THR) \
    X(AVGTHR) \
    X(EPOCHTIME) \
    X(BAR) \
    X(BLOCKS) \
    X(ELAPSED) \
    X(ELAPSEDS) \
    X(ETA) \
    X(DATE) \
    X(DATEMS) \
    X(ISO) \
    X(SLASH) \
    X(CLOCK) \
    X(SHORT) \
    X(GLOG) \
    X(SYSLOG)

enum log_value {
#define LOG_VALUE_ENUM(name) LOG_VALUE_##name,
    LOG_VALUE_TEXT, /* the literal of the piece */
    LOG_STATE_VALUES(LOG_VALUE_ENUM) LOG_TIME_VALUES(LOG_VALUE_ENUM)
#undef LOG_VALUE_ENUM
        N_LOG_VALUES
};

struct log_piece {
    enum log_value value;
    int32_t a, b;     /* numbers after the name of the value; 0: none */
    const char *text; /* the literal, or alternatives separated by "|" */
};

/* A line of a log with values to be filled in. */
struct log_template {
    const struct log_piece *pieces;
    size_t n_pieces;
    bool bar; /* true if the line ends with "\r" */
};

/* Which ranks print a part. Each of these ranks prints all lines of the part.
 */
enum log_repeat {
    LOG_ONCE,       /* rank 0 */
    LOG_EACH_RANK,  /* at most LOG_EACH_MAX ranks */
    LOG_EACH_OTHER, /* all but the faulty rank, at most LOG_EACH_MAX */
    LOG_FAULTY,     /* the rank that fails first */
    LOG_EACH_NODE,  /* the first rank of each node, on at most LOG_EACH_MAX
                     * nodes */
    LOG_TIMES,      /* rank 0, `times` times */
};
#define LOG_EACH_MAX 64

/* Lines that the same ranks print together. */
struct log_part {
    const struct log_template *lines;
    uint32_t n_lines;
    uint32_t times; /* number of repetitions, for LOG_TIMES */
    enum log_repeat repeat;
    bool launcher; /* printed by the launcher: no mark of a rank in front of the
                    * line */
};

/* Parts that are printed one after the other. */
struct log_list {
    const struct log_part *parts;
    size_t n_parts;
};

/* Alternative lists. A job or an attempt uses one of them, which its key
 * chooses. */
struct log_choice {
    const struct log_list *lists;
    size_t n_lists;
};

struct log_style {
    const char *name;
    /* True if the first progress line of a unit of log_shape comes after one
     * step; false if it comes after log_shape.every steps. */
    bool from_first;
    /* True if progress lines begin anew with each epoch. */
    bool by_epoch;
    /* True if there is one progress line for each epoch. */
    bool whole_epochs;
    struct log_choice head;  /* printed at the start of an attempt */
    struct log_choice timed; /* a progress line that shows the speed */
    struct log_choice plain; /* a progress line without the speed */
    struct log_choice unit;  /* printed at the end of a unit of log_shape */
    struct log_choice done;  /* printed when the job is done */
};
extern const struct log_style log_styles[];
extern const size_t log_n_styles;

/* Kinds of lines between progress lines. */
enum log_chatter {
    LOG_CHATTER_WARN,    /* warnings and messages of libraries */
    LOG_CHATTER_DECOY,   /* errors that do no harm */
    LOG_CHATTER_BULK,    /* long stretches of irrelevant lines */
    LOG_CHATTER_HOSTILE, /* instructions to the reader of the log */
    LOG_N_CHATTERS
};

/* Lines of one kind of chatter. */
struct log_family {
    const char *name;
    enum log_chatter chatter;
    bool ordered; /* true: printed one after another; false: each is drawn */
    const struct log_template *lines;
    size_t n_lines;
};
extern const struct log_family log_families[];
extern const size_t log_n_families;

/* The report of one cause of failures. */
struct log_cascade {
    enum log_fault fault;
    const char *cause; /* name of a cause in models/failures, or another word */
    struct log_list list;
};
extern const struct log_cascade log_cascades[];
extern const size_t log_n_cascades;
/* Printed after the report of a failure, while the other ranks end. */
extern const struct log_choice log_teardowns;
/* Printed when the scheduler stops a job. */
extern const struct log_choice log_stops;
/* Printed by a hostile program after the report of a failure. */
extern const struct log_list log_hostile_end;

/* Chatter comes in bursts: a channel prints burst q before one of the events q
 * x every + 1 to q x every + every. The burst has mean + d(q + 1) - d(q) lines,
 * where d(q) is a keyed draw from 0 to mean. So the first q bursts have q x
 * mean + d(q) - d(0) lines together, and the number of lines before any event
 * is known without a loop. */
struct log_channel {
    enum log_chatter chatter;
    uint64_t key;   /* key of the draws of the channel */
    uint32_t every; /* number of events for each burst, > 0 */
    uint32_t mean;  /* mean number of lines of a burst, > 0 */
};
#define LOG_CHANNELS_MAX 4
#define LOG_ENDS_MAX 3

/* An attempt with everything that its lines depend on. The body of its log is a
 * sequence of events. Each unit of the body has one event for each of its
 * progress lines and one event at its end, for the evaluation and the
 * checkpoint. A unit is an epoch, or a number of progress lines in styles that
 * do not print by epochs. Events count from 1 and from the first step of the
 * job, also in later attempts. */
struct log_shape {
    const struct log_source *source;
    const struct log_attempt *attempt;
    uint64_t key;         /* key of the draws of the job */
    uint64_t attempt_key; /* key of the draws of the attempt */
    double step_us;       /* microseconds of a step at speed 1 */
    uint64_t unit;        /* number of steps of a unit */
    uint64_t first;       /* steps of a unit until its first progress line */
    uint64_t every;       /* steps from one progress line to the next */
    uint64_t unit_events; /* number of events of a unit */
    /* Lists that are printed at the start, at a progress line, at the end of a
     * unit, and at the end of the attempt. */
    const struct log_list *head, *record, *unit_end, *ends[LOG_ENDS_MAX];
    size_t n_ends;
    /* Numbers of lines of `record` and of `unit_end`. */
    uint64_t record_lines, unit_lines;
    struct log_channel channels[LOG_CHANNELS_MAX];
    size_t n_channels;
    uint64_t begin; /* number of events before the attempt */
    uint64_t now;   /* number of events until attempt->until */
    /* Numbers of lines before the first event, of the events until `now`, and
     * after them. */
    uint64_t head_lines, body_lines, end_lines;
    uint32_t faulty;      /* the rank that fails first */
    uint64_t steps_begin; /* number of steps that were done when the attempt
                           * began */
};
void log_shape_init(struct log_shape *shape, const struct log_source *source,
                    const struct log_attempt *attempt);

/* A place in the log at which a line is printed. */
struct log_spot {
    const struct log_shape *shape;
    uint64_t key;   /* key of the draws of the line */
    double at;      /* simulated time, microseconds */
    uint64_t steps; /* number of steps that are done */
    /* number of steps that were done at the event before, or when the attempt
     * began */
    uint64_t before;
    uint32_t rank; /* the rank that prints the line */
    uint32_t rep;  /* number of the repetition of the part, from 0 */
};

/* Returns the number of lines of the events 1 to `event`, with the chatter that
 * comes before each of them. */
uint64_t log_lines_until(const struct log_shape *shape, uint64_t event);
/* Returns the number of lines that the channel prints before the lines of the
 * event; 0 if no burst comes before this event. Sets *burst to the number of
 * the burst. At an event, the channel with the lowest number prints first. */
uint64_t log_burst_at(const struct log_shape *shape, size_t channel,
                      uint64_t event, uint64_t *burst);
/* Returns the number of steps that are done at an event. */
uint64_t log_event_steps(const struct log_shape *shape, uint64_t event);
/* Returns true if the event is the end of a unit. */
bool log_event_is_end(const struct log_shape *shape, uint64_t event);

/* Returns the number of lines of a list, with all repetitions. */
uint64_t log_list_count(const struct log_shape *shape,
                        const struct log_list *list);
/* Writes line i of a list. `spot` has the time, the key and the steps; the rank
 * and the repetition are set here. */
void log_list_line(struct out *out, const struct log_spot *spot,
                   const struct log_list *list, uint64_t i);
/* Writes line i of a burst of chatter at `spot`. */
void log_chatter_line(struct out *out, const struct log_spot *spot,
                      const struct log_channel *channel, uint64_t burst,
                      uint64_t i);
/* Sets shape->channels. shape->key and shape->attempt_key must be set. */
void log_chatter_init(struct log_shape *shape);
/* Writes a template as a line that the rank spot->rank prints, with its line
 * end. A line that the launcher prints, and a state of a progress bar, has no
 * mark of a rank in front. */
void log_write(struct out *out, const struct log_spot *spot,
               const struct log_template *line, bool launcher);
/* log_write_value writes the value of a piece that is not a literal; it passes
 * the values of LOG_TIME_VALUES on to log_write_time. */
void log_write_value(struct out *out, const struct log_spot *spot,
                     const struct log_piece *piece);
void log_write_time(struct out *out, const struct log_spot *spot,
                    const struct log_piece *piece);

/* Returns the simulated time at which `steps` steps were done, in microseconds.
 * While a job waits it does no work, so several times may fit: returns the
 * first of them, or the last one if `last`. The result is never outside the
 * attempt. */
double log_time_of(const struct log_shape *shape, double steps, bool last);
/* Returns the number of steps that are done at attempt->until. */
uint64_t log_steps_done(const struct log_shape *shape);
/* Returns the seconds that the step with number `steps` took. */
double log_step_time(const struct log_shape *shape, uint64_t steps);
/* Returns the mean time of the steps `from` + 1 to `to`, in seconds. Steps of
 * earlier attempts do not count. If none is left or they took no time, returns
 * the time of step `to`. */
double log_mean_step_time(const struct log_shape *shape, uint64_t from,
                          uint64_t to);

/* Returns the rank that fails first: a rank of the faulty node, or any rank if
 * no node of the job is at fault. */
uint32_t log_faulty_rank(const struct log_shape *shape);
/* Returns a report for the cause of the failure. If no report has that cause,
 * returns one for any cause of failure->fault, or an empty list if there is
 * none. `draw` chooses among several. */
const struct log_list *log_cascade_choose(const struct log_failure *failure,
                                          uint64_t draw);
/* Returns the number of ranks on each node. The last node may have fewer. */
uint32_t log_ranks_per_node(const struct log_shape *shape);
/* Returns the node on which a rank runs. */
node_id log_node_of(const struct log_shape *shape, uint32_t rank);

/* Mixes two keys into one. */
uint64_t log_mix(uint64_t a, uint64_t b);
/* Keyed draws, which depend on the key and on `what` alone. log_draw returns a
 * whole number below n, n > 0; log_draw_real a number above 0 and below 1. */
uint64_t log_draw(uint64_t key, uint64_t what, uint64_t n);
double log_draw_real(uint64_t key, uint64_t what);

#endif
