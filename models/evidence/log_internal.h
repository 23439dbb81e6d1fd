/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of the log generator share.
 *
 * embed_log_phrases.py turns the log_*.txt into the tables of this header: a
 * line is a template, a template is a row of pieces, and a piece is a literal
 * or a value that log_values.c writes. */
#ifndef MODELS_EVIDENCE_LOG_INTERNAL_H
#define MODELS_EVIDENCE_LOG_INTERNAL_H

#include "models/evidence/log.h"
#include "sim/base/out.h"

/* The values that a template may contain. `{step:8}` in log_styles.txt is the
 * value STEP with a = 8. The head of log_styles.txt describes them. */
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
    int32_t a, b;     /* the numbers after the name of the value, else 0 */
    const char *text; /* the literal, or alternatives separated by "|" */
};

struct log_template {
    const struct log_piece *pieces;
    size_t n_pieces;
    bool bar; /* true if the line ends with "\r" */
};

/* Who prints a part, each printing all lines of it. */
enum log_repeat {
    LOG_ONCE,       /* rank 0 */
    LOG_EACH_RANK,  /* at most LOG_RANKS_MAX ranks */
    LOG_EACH_OTHER, /* these ranks without the faulty one */
    LOG_FAULTY,     /* the rank that fails first */
    LOG_EACH_NODE,  /* the first rank of each node, of LOG_RANKS_MAX at most */
    LOG_TIMES,      /* rank 0, `times` times */
};
#define LOG_RANKS_MAX 64

struct log_part {
    const struct log_template *lines;
    uint32_t n_lines, times;
    enum log_repeat repeat;
    bool launcher; /* printed by the launcher: no rank in front of the line */
};

struct log_list {
    const struct log_part *parts;
    size_t n_parts;
};

/* Lists of which a job uses one, chosen by its key. */
struct log_choice {
    const struct log_list *lists;
    size_t n_lists;
};

struct log_style {
    const char *name;
    /* True if the first progress line of an epoch comes after its first step;
     * false if it comes after log_every steps. */
    bool from_first;
    /* True if progress lines begin anew with each epoch. */
    bool by_epoch;
    /* True if there is one progress line for each epoch. */
    bool whole_epochs;
    struct log_choice head, timed, plain, unit, done;
};
extern const struct log_style log_styles[];
extern const size_t log_n_styles;

/* What the lines between progress lines are. */
enum log_chatter {
    LOG_CHATTER_WARN,    /* warnings and messages of libraries */
    LOG_CHATTER_DECOY,   /* errors that do no harm */
    LOG_CHATTER_BULK,    /* long stretches of irrelevant lines */
    LOG_CHATTER_HOSTILE, /* instructions to the reader of the log */
    LOG_N_CHATTERS
};

struct log_family {
    const char *name;
    enum log_chatter chatter;
    bool ordered; /* true: the lines follow each other; false: any of them */
    const struct log_template *lines;
    size_t n_lines;
};
extern const struct log_family log_families[];
extern const size_t log_n_families;

/* The report of one failure, and how everything else ends after it. */
struct log_cascade {
    enum log_fault fault;
    const char *cause; /* in the words of models/failures; "": none */
    struct log_list list;
};
extern const struct log_cascade log_cascades[];
extern const size_t log_n_cascades;
extern const struct log_choice log_teardowns; /* after a failure */
extern const struct log_choice log_stops; /* after a stop by the scheduler */
extern const struct log_list
    log_hostile_end; /* a hostile program's last words */

/* Chatter comes in bursts: burst q of a channel comes before one of the events
 * q x every to q x every + every - 1. Its size is mean + d(q + 1) - d(q), where
 * d(q) is a keyed draw from 0 to mean. So the sizes of the first q bursts have
 * the sum q x mean + d(q) - d(0), and the number of lines before any event is
 * known without a loop. */
struct log_channel {
    enum log_chatter chatter;
    uint64_t key;
    uint32_t every, mean; /* > 0 */
};
#define LOG_CHANNELS_MAX 4
#define LOG_ENDS_MAX 3

/* An attempt with everything that its lines depend on. The body of its log is a
 * sequence of events. A unit is an epoch, or a number of progress lines in
 * styles that do not print by epochs. It has one event for each progress line
 * and one at its end, for the evaluation and the checkpoint. Events count from
 * 1 and from the first step of the job, also in later attempts. */
struct log_shape {
    const struct log_source *source;
    const struct log_attempt *attempt;
    uint64_t key;                /* draws of the job */
    uint64_t attempt_key;        /* draws of the attempt */
    double step_us;              /* time of a step at speed 1 */
    uint64_t unit, first, every; /* steps: of a unit, before its first progress
                                    line, between progress lines */
    uint64_t unit_events;
    const struct log_list *head, *record, *unit_end, *ends[LOG_ENDS_MAX];
    size_t n_ends;
    uint64_t record_lines, unit_lines;
    struct log_channel channels[LOG_CHANNELS_MAX];
    size_t n_channels;
    uint64_t begin, now; /* events before the attempt; events until now */
    uint64_t head_lines, body_lines, end_lines;
    uint32_t faulty; /* the rank that fails first */
    /* Steps that were done when the attempt began. */
    uint64_t steps_begin;
};
void log_shape_init(struct log_shape *shape, const struct log_source *source,
                    const struct log_attempt *attempt);

/* A place in the log at which a line is printed. */
struct log_spot {
    const struct log_shape *shape;
    uint64_t key;           /* draws of the line */
    double at;              /* simulated time, microseconds */
    uint64_t steps, before; /* steps done; at the last progress line before */
    uint32_t rank;
    uint32_t rep; /* number of the repetition of the part, from 0 */
};

/* Number of lines before the event after `event`, chatter included. */
uint64_t log_lines_until(const struct log_shape *shape, uint64_t event);
/* Number of chatter lines before the progress lines of the event; if there are
 * any, *channel and *burst say which and its number. A channel's burst comes
 * after those of the channels before it. */
uint64_t log_burst_at(const struct log_shape *shape, size_t channel,
                      uint64_t event, uint64_t *burst);
/* Steps that are done at an event. */
uint64_t log_event_steps(const struct log_shape *shape, uint64_t event);
/* True if the event is the end of a unit. */
bool log_event_is_end(const struct log_shape *shape, uint64_t event);

uint64_t log_list_count(const struct log_shape *shape,
                        const struct log_list *list);
/* Writes line i of a list. `spot` has time, key and steps of the list. */
void log_list_line(struct out *out, const struct log_spot *spot,
                   const struct log_list *list, uint64_t i);
/* Writes line i of a burst of chatter. */
void log_chatter_line(struct out *out, const struct log_spot *spot,
                      const struct log_channel *channel, uint64_t burst,
                      uint64_t i);
void log_chatter_init(struct log_shape *shape);
/* Writes a template as a line of spot->rank. */
void log_write(struct out *out, const struct log_spot *spot,
               const struct log_template *line, bool launcher);
/* Write the value of a piece: any value; one of LOG_TIME_VALUES. */
void log_write_value(struct out *out, const struct log_spot *spot,
                     const struct log_piece *piece);
void log_write_time(struct out *out, const struct log_spot *spot,
                    const struct log_piece *piece);

/* The simulated time at which `steps` steps were done, microseconds. While the
 * job waits, the same work is done at many times: the first of them, or the
 * last if `last`. */
double log_time_of(const struct log_shape *shape, double steps, bool last);
/* The number of steps done by the time `until`. */
uint64_t log_steps_done(const struct log_shape *shape);
/* Seconds of the step that ended when `steps` steps were done. */
double log_step_time(const struct log_shape *shape, uint64_t steps);
/* Mean seconds of the steps from `from` to `to` in this attempt. */
double log_mean_step_time(const struct log_shape *shape, uint64_t from,
                          uint64_t to);

/* The rank that fails first: one on the faulty node, or any. */
uint32_t log_faulty_rank(const struct log_shape *shape);
/* The report that fits a failure; the draw chooses between those that do. */
const struct log_list *log_cascade_choose(const struct log_failure *failure,
                                          uint64_t draw);
/* Number of GPUs of each node but the last; node of a rank. */
uint32_t log_ranks_per_node(const struct log_shape *shape);
node_id log_node_of(const struct log_shape *shape, uint32_t rank);

/* Keyed draws: a number from 0 to n - 1, n > 0; a number from 0 to 1. */
uint64_t log_mix(uint64_t a, uint64_t b);
uint64_t log_draw(uint64_t key, uint64_t what, uint64_t n);
double log_draw_real(uint64_t key, uint64_t what);

#endif
