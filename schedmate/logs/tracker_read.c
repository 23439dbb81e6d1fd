/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stage 2 of the Metric Tracker: reads speeds from printed numbers and
 * progress bars, by rules. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "schedmate/logs/log_stream.h"
#include "schedmate/logs/schedmate_tracker.h"
#include "schedmate/logs/schedmate_tracker_internal.h"

/* A bar counts as one of the training, although nothing says what its work is,
 * if its label has no letters, no heading of other work stands above it, it has
 * at least this many states and it has run for LONG_S seconds or more. */
#define BARE_STATES 10

const struct line_facts *tracker_line_of(const struct tracker_reading *r,
                                         const struct number_group *g, size_t i)
{
    return &r->lines[g->lines[i]];
}

bool tracker_has_word(const char *key, const char *word)
{
    size_t len = strlen(word);
    for (const char *at = strstr(key, word); at; at = strstr(at + 1, word)) {
        if ((at == key || at[-1] == ' ') && (at[len] == 0 || at[len] == ' '))
            return true;
    }
    return false;
}

size_t tracker_count(const struct tracker_reading *r,
                     const struct number_group *g, size_t offset)
{
    size_t n = 0;
    for (size_t i = 0; i < g->n; i++)
        n += *(const bool *)((const char *)tracker_line_of(r, g, i) + offset);
    return n;
}

/* True if a line between two states of the bar, or a state other than the last
 * one, gives a loss. */
static bool loss_between(const struct tracker_reading *r,
                         const struct number_group *g)
{
    if (r->found->loss_between)
        return true;
    for (size_t i = 0; i + 1 < g->n; i++) {
        for (size_t k = g->lines[i]; k < g->lines[i + 1]; k++) {
            if (r->lines[k].loss)
                return true;
        }
    }
    return false;
}

double tracker_bar_seconds(const struct tracker_reading *r,
                           const struct number_group *g)
{
    double longest = 0;
    for (size_t i = 0; i < g->n; i++) {
        double s = tracker_line_of(r, g, i)->bar.elapsed_s;
        longest = s > longest ? s : longest;
    }
    return longest;
}

/* True if a line of the head that is not a bar has the word "step" and the
 * number `of`, which is at least 10. */
static bool names_steps(struct text head, double of)
{
    char digits[24];
    struct text line;
    size_t len = (size_t)snprintf(digits, sizeof digits, "%.0f", of);
    while (of >= 10 && log_first_line(&head, &line)) {
        const char *at = memmem(line.at, line.len, digits, len);
        size_t i = at ? (size_t)(at - line.at) : 0;
        struct log_bar bar;
        if (at && !ascii_is_digit(text_char(line, i - 1)) &&
            !ascii_is_digit(text_char(line, i + len)) &&
            memmem(line.at, line.len, "step", 4) && !log_bar_read(line, &bar))
            return true;
    }
    return false;
}

/* True if a line gives the run time of the whole training, and a state of the
 * bar at its end has run for that time. The two may differ by a share of
 * SAME_RUN and by SAME_RUN_S seconds at most. */
#define SAME_RUN 0.01

#define SAME_RUN_S 2

static bool ran_as_training(const struct tracker_reading *r,
                            const struct number_group *g)
{
    for (size_t i = 0; i < r->n_groups; i++) {
        const struct number_group *run = &r->groups[i];
        if (run->kind != NUMBER_ELAPSED ||
            !tracker_has_word(run->first->key, "train"))
            continue;
        for (size_t k = 0; k < g->n; k++) {
            const struct log_bar *bar = &tracker_line_of(r, g, k)->bar;
            double apart = fabs(bar->elapsed_s - run->values[run->n - 1]);
            if (bar->at == bar->of && apart <= SAME_RUN_S &&
                apart <= SAME_RUN * bar->elapsed_s)
                return true;
        }
    }
    return false;
}

/* True if nothing shows that the bar belongs to the training: neither a loss
 * between its states, nor a line about the training, nor, if its label has no
 * letters and no heading of other work stands above it, a long run. */
static bool is_bare_bar(const struct tracker_reading *r,
                        const struct number_group *g)
{
    const struct log_bar *last = &tracker_line_of(r, g, g->n - 1)->bar;
    bool other = TRACKER_COUNT(r, g, other_work) > 0;
    bool ended = g->n < FEW_VALUES && last->at == last->of &&
                 r->found->loss_near &&
                 tracker_bar_seconds(r, g) >= LONG_S / 10.0;
    bool runs = g->n >= BARE_STATES && tracker_bar_seconds(r, g) >= LONG_S;
    return !names_steps(r->head, last->of) && !loss_between(r, g) &&
           !r->found->training_starts && !ran_as_training(r, g) &&
           (other || last->lettered || !(ended || runs));
}

/* True if a line like "3/10 [==>...]" of the bar begins an epoch. Otherwise the
 * bar belongs to an evaluation. */
static bool begins_epoch(const struct tracker_reading *r,
                         const struct number_group *g)
{
    for (size_t i = 0; i < r->n_lines; i++) {
        const struct line_facts *line = &r->lines[i];
        if (line->has_bar && line->bar.keras && line->begins_epoch &&
            line->bar.of == tracker_line_of(r, g, 0)->bar.of)
            return true;
    }
    return false;
}

bool tracker_speaks_of_training(const struct tracker_reading *r)
{
    struct text head = r->head, line;
    for (size_t i = 0; i < r->n_lines; i++) {
        if (r->lines[i].metric || log_names_training(r->found->at[i]))
            return true;
    }
    while (log_first_line(&head, &line)) {
        if (log_names_training(line))
            return true;
    }
    return false;
}

/* True if the label of the bar names only steps or iterations, and neither a
 * loss nor a word for training is in the lines that were read. The bar may then
 * belong to an inference or a simulation. */
static bool is_lone_bar(const struct tracker_reading *r,
                        const struct number_group *g)
{
    const struct log_bar *bar = &tracker_line_of(r, g, 0)->bar;
    return bar->named && !bar->trains && g->with_loss == 0 &&
           !r->found->loss_near && !tracker_speaks_of_training(r);
}

uint32_t tracker_against_bar(const struct tracker_reading *r,
                             const struct number_group *g)
{
    const struct log_bar *bar = &tracker_line_of(r, g, 0)->bar;
    uint32_t bits = 0;
    if (bar->work == BAR_OTHER ||
        (TRACKER_COUNT(r, g, other_work) == g->n && !bar->named))
        bits |= TRACKER_SEEN(OTHER_WORK);
    if (bar->work == BAR_EPOCHS || (bar->of == 1 && !bar->keras))
        bits |= TRACKER_SEEN(EPOCH_BAR);
    if (bar->keras && !begins_epoch(r, g))
        bits |= TRACKER_SEEN(NO_EPOCH);
    if (!bar->keras && bar->work == BAR_UNLABELLED && is_bare_bar(r, g))
        bits |= TRACKER_SEEN(BARE_BAR);
    if (!bar->keras && bar->work == BAR_TRAINING && is_lone_bar(r, g))
        bits |= TRACKER_SEEN(BARE_BAR);
    return bits;
}

/* Stage 2 of the Metric Tracker by rules: interprets the numbers in progress
 * lines. */

#define STEP_SECONDS_MAX 86400

const char *const tracker_source_names[] = {
    "not found", "printed", "throughput", "elapsed", "clock", "model"};

/* Returns the scope of a number. Step times of bars with different labels have
 * different scopes, and so have counters without words whose ends differ, as in
 * "[1/3][100/1000]". */
static uint64_t tracker_read_scope_of(const struct line_facts *line,
                                      const struct log_number *x)
{
    if (x->kind == NUMBER_STEP && !x->key[0])
        return (uint64_t)x->of;
    return x->kind == NUMBER_STEP_TIME && line->has_bar ? line->bar.scope : 0;
}

static struct number_group *tracker_read_group_of(struct tracker_reading *r,
                                                  const struct log_number *x,
                                                  uint64_t scope)
{
    for (size_t i = 0; i < r->n_groups; i++) {
        struct number_group *g = &r->groups[i];
        if (g->kind == x->kind && g->tier == x->tier && g->scope == scope &&
            strcmp(g->first->key, x->key) == 0)
            return g;
    }
    if (r->n_groups == GROUPS_MAX)
        return NULL;
    struct number_group *g = &r->groups[r->n_groups++];
    *g = (struct number_group){
        .kind = x->kind, .tier = x->tier, .scope = scope, .first = x};
    return g;
}

/* True if the line is about other work only: it does not name training, and a
 * word of evaluation comes before its loss, or it has no loss and names an
 * evaluation or other work. */
static bool tracker_read_is_evaluation(struct text line, bool loss)
{
    struct text before = line;
    uint64_t marks = log_marks(line);
    if (marks & MARK_BIT(TRAIN_WORD))
        return false;
    if (!(marks & MARK_BIT(EVAL_WORD)))
        return !loss && log_names_other_work(before);
    const char *at = loss ? memmem(line.at, line.len, "oss", 3) : NULL;
    if (at)
        before.len = (size_t)(at - line.at);
    return log_marks(before) & MARK_BIT(EVAL_WORD);
}

static bool has_kind(const struct log_numbers *numbers, enum number_kind kind)
{
    for (size_t i = 0; i < numbers->n; i++) {
        if (numbers->at[i].kind == kind)
            return true;
    }
    return false;
}

/* A bar without a speed must have run for at least this many seconds when it
 * ends, so that its run time gives the time of a step: bars show whole
 * seconds. */
#define BAR_RUN_S 10

static void add_run_of_bar(struct line_facts *line)
{
    const struct log_bar *bar = &line->bar;
    struct log_numbers *numbers = &line->numbers;
    if (!(bar->elapsed_s >= BAR_RUN_S) || !(bar->at > 0) ||
        bar->at != bar->of || numbers->n == LOG_NUMBERS_MAX)
        return;
    double seconds = bar->elapsed_s / bar->at;
    numbers->at[numbers->n++] = (struct log_number){.kind = NUMBER_STEP_TIME,
                                                    .tier = TIER_RUN,
                                                    .value = seconds,
                                                    .printed = seconds,
                                                    .unit = "s"};
}

static void tracker_read_line(struct tracker_reading *r, size_t i)
{
    struct line_facts *line = &r->lines[i];
    struct text text = r->found->at[i];
    log_numbers_read(text, &line->numbers);
    line->has_bar = log_bar_read(text, &line->bar);
    bool loss = has_kind(&line->numbers, NUMBER_LOSS);
    line->evaluation = tracker_read_is_evaluation(text, loss);
    line->loss = loss && !line->evaluation;
    line->metric =
        !line->evaluation &&
        (log_marks(text) &
         (MARK_BIT(LOSS_WORD) | MARK_BIT(LOSS_NUMBER) | MARK_BIT(TRAIN_WORD)));
    line->part = line->numbers.has_part;
    line->train = log_marks(text) & MARK_BIT(TRAIN_WORD);
    line->summary = memmem(text.at, text.len, "runtime", 7) != NULL;
    if (line->has_bar && !has_kind(&line->numbers, NUMBER_STEP_TIME))
        add_run_of_bar(line);
    line->begins_epoch = r->found->begins_epoch[i];
    line->other_work = r->found->other_work[i];
    line->before_eval = r->found->before_eval[i];
}

/* Adds a line to the groups, without its speeds if it is about an evaluation. A
 * group takes only the first number of a line: from "Time 0.177 (0.160)" it
 * takes 0.177. */
static void group_line(struct tracker_reading *r, size_t i)
{
    const struct line_facts *line = &r->lines[i];
    const struct log_numbers *numbers = &line->numbers;
    for (size_t k = 0; k < numbers->n; k++) {
        const struct log_number *x = &numbers->at[k];
        bool speed =
            x->kind == NUMBER_STEP_TIME || x->kind == NUMBER_THROUGHPUT;
        if (speed && line->evaluation)
            continue;
        struct number_group *g =
            tracker_read_group_of(r, x, tracker_read_scope_of(line, x));
        if (!g || (g->n > 0 && g->lines[g->n - 1] == i))
            continue;
        g->lines[g->n] = (uint16_t)i;
        g->values[g->n] = x->value;
        g->printed[g->n++] = x->printed;
        g->with_loss += line->loss;
    }
}

/* Returns true if group `a` is the better source: its tier is more certain, or
 * else its lines give a loss (an evaluation has a speed too), or else it has
 * more values. */
static bool tracker_read_is_better(const struct number_group *a,
                                   const struct number_group *b)
{
    if (a->tier != b->tier)
        return a->tier < b->tier;
    if ((a->with_loss > 0) != (b->with_loss > 0))
        return a->with_loss > 0;
    return a->n > b->n;
}

const struct number_group *tracker_best(const struct tracker_reading *r,
                                        enum number_kind kind)
{
    const struct number_group *best = NULL;
    for (size_t i = 0; i < r->n_groups; i++) {
        const struct number_group *g = &r->groups[i];
        if (g->kind == kind && (!best || tracker_read_is_better(g, best)))
            best = g;
    }
    return best;
}

static void read_rest(const struct tracker_reading *r, struct track *out)
{
    const struct number_group *g = tracker_best(r, NUMBER_THROUGHPUT);
    if (g) {
        out->throughput = tracker_median(g->values, g->n);
        memcpy(out->throughput_unit, g->first->unit, sizeof g->first->unit);
    }
    g = tracker_best(r, NUMBER_LOSS);
    if (g)
        out->loss = g->values[g->n - 1];
    g = tracker_counter(r);
    for (size_t i = r->n_lines; g && i > 0; i--) {
        double step, of;
        if (tracker_step(&r->lines[i - 1].numbers, g, &step, &of)) {
            out->step = step;
            out->steps = of > 0 ? of : NAN;
            break;
        }
    }
}

static void tracker_read_settle(struct track *out, const struct candidate *c,
                                double confidence)
{
    out->source = c->source;
    out->basis = c->basis;
    out->evidence = c->evidence;
    out->seconds_per_step = c->seconds;
    out->confidence = confidence;
    out->why = NULL;
    if (c->group) {
        const struct number_group *g = c->group;
        out->value = tracker_median(g->printed, g->n);
        out->values = (uint32_t)g->n;
        memcpy(out->unit, g->first->unit, sizeof out->unit);
        memcpy(out->key, g->first->key, sizeof out->key);
    } else {
        out->value = c->value;
        out->values = (uint32_t)c->values;
        memcpy(out->unit, c->unit, strlen(c->unit) + 1);
    }
}

/* The best of the candidates that were weighed so far. */
struct tracker_read_choice {
    struct candidate best;
    double confidence; /* of `best`; less than 0 if there is none yet */
    /* true if nothing speaks against `best` and it reaches the floor */
    bool done;
};

static bool speaks_against(uint32_t evidence)
{
    return evidence >> TRACKER_AGAINST;
}

/* Takes the candidate if nothing speaks against it and its confidence reaches
 * the floor, or if its confidence is the highest so far. Does nothing if the
 * choice is done or the candidate has no step time within
 * 0..STEP_SECONDS_MAX. */
static void tracker_read_weigh(const struct tracker_reading *r,
                               const struct candidate *c,
                               struct tracker_read_choice *choice)
{
    uint32_t evidence = c->evidence;
    if (c->seconds > r->config->clock_factor * r->most_s)
        evidence |= TRACKER_SEEN(CONTRADICTED);
    if (speaks_against(evidence))
        evidence |= TRACKER_SEEN(OBJECTED);
    double confidence = tracker_confidence(evidence);
    if (choice->done || c->source == TRACKER_NOT_FOUND || !(c->seconds > 0) ||
        !(c->seconds < STEP_SECONDS_MAX))
        return;
    choice->done = !speaks_against(evidence) && confidence >= r->config->floor;
    if (choice->done || confidence > choice->confidence) {
        choice->best = *c;
        choice->best.evidence = evidence;
        choice->confidence = confidence;
    }
}

/* Weighs the groups of printed step times, the best first, until the choice is
 * done. */
static void weigh_printed(const struct tracker_reading *r,
                          struct tracker_read_choice *choice)
{
    bool tried[GROUPS_MAX] = {false};
    for (size_t k = 0; k < r->n_groups && !choice->done; k++) {
        size_t best = r->n_groups;
        for (size_t i = 0; i < r->n_groups; i++) {
            const struct number_group *g = &r->groups[i];
            if (!tried[i] && g->kind == NUMBER_STEP_TIME &&
                (best == r->n_groups ||
                 tracker_read_is_better(g, &r->groups[best])))
                best = i;
        }
        if (best == r->n_groups)
            return;
        tried[best] = true;
        struct candidate c = tracker_judge(r, &r->groups[best]);
        tracker_read_weigh(r, &c, choice);
    }
}

static const char *reason(uint32_t evidence)
{
    for (unsigned i = TRACKER_AGAINST; i < N_TRACKER_EVIDENCE; i++) {
        if (evidence >> i & 1)
            return tracker_evidence_meanings[i];
    }
    return "the confidence is below the floor";
}

/* Notes the likeliest step time and the clock beside it. `by_day`: what the
 * times of day give. */
static void note_guess(const struct tracker_reading *r,
                       const struct candidate *by_day,
                       const struct tracker_read_choice *choice,
                       struct track *out)
{
    const struct candidate *best = &choice->best;
    bool steps = by_day->source != TRACKER_NOT_FOUND && by_day->unit &&
                 !speaks_against(by_day->evidence) &&
                 strcmp(by_day->unit, "s/epoch") != 0;
    out->clock_s = steps ? by_day->seconds : NAN;
    if (choice->confidence < 0)
        return;
    out->guess_s = best->seconds;
    out->guess_basis = best->basis;
    double clock = best->group ? tracker_clock_of(r, best->group) : NAN;
    if (clock > 0)
        out->clock_s = clock;
}

static void interpret(const struct tracker_reading *r, struct track *out)
{
    struct tracker_read_choice choice = {.confidence = -1};
    const char *why = NULL;
    weigh_printed(r, &choice);
    struct candidate c = tracker_from_throughput(r, &why);
    tracker_read_weigh(r, &c, &choice);
    c = tracker_from_differences(r, false);
    tracker_read_weigh(r, &c, &choice);
    c = tracker_from_differences(r, true);
    tracker_read_weigh(r, &c, &choice);
    note_guess(r, &c, &choice, out);
    if (choice.confidence < r->config->floor) {
        c = tracker_from_series(r);
        tracker_read_weigh(r, &c, &choice);
    }
    if (choice.confidence >= r->config->floor)
        tracker_read_settle(out, &choice.best, choice.confidence);
    else if (choice.confidence >= 0)
        out->why = reason(choice.best.evidence);
    else if (why)
        out->why = why;
    else
        out->why = r->n_lines ? "no line tells how long a step takes"
                              : "no line shows the progress of a training";
}

void tracker_read(const struct tracker_config *config,
                  const struct tracker_lines *lines, struct text head,
                  struct track *out)
{
    struct tracker_reading r = {
        .config = config,
        .found = lines,
        .head = head,
        .lines = mem_zalloc(TRACKER_LINES_MAX, sizeof *r.lines),
        .groups = mem_zalloc(GROUPS_MAX, sizeof *r.groups),
        .n_lines = lines->n,
    };
    *out = (struct track){.basis = "",
                          .seconds_per_step = NAN,
                          .value = NAN,
                          .clock_s = NAN,
                          .guess_s = NAN,
                          .guess_basis = "",
                          .model_s = NAN,
                          .loss = NAN,
                          .throughput = NAN,
                          .step = NAN,
                          .steps = NAN,
                          .lines_walked = lines->walked,
                          .progress_lines = (uint32_t)lines->n};
    for (size_t i = 0; i < lines->n; i++) {
        tracker_read_line(&r, i);
        group_line(&r, i);
        out->bytes_read += lines->at[i].len + 1;
    }
    read_rest(&r, out);
    out->most_s = r.most_s = tracker_longest_step(&r);
    interpret(&r, out);
    free(r.lines);
    free(r.groups);
}
