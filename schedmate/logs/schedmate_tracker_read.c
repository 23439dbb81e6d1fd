/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stage 2 of the Metric Tracker by rules: interprets the numbers in progress
 * lines. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schedmate/logs/schedmate_tracker_internal.h"

#define STEP_SECONDS_MAX 86400

const char *const tracker_source_names[] = {
    "not found", "printed", "throughput", "elapsed", "clock", "model"};

/* Returns the scope of a number. Step times of bars with different labels have
 * different scopes, and so have counters without words whose ends differ, as in
 * "[1/3][100/1000]". */
static uint64_t scope_of(const struct line_facts *line,
                         const struct log_number *x)
{
    if (x->kind == NUMBER_STEP && !x->key[0])
        return (uint64_t)x->of;
    return x->kind == NUMBER_STEP_TIME && line->has_bar ? line->bar.scope : 0;
}

static struct number_group *group_of(struct tracker_reading *r,
                                     const struct log_number *x, uint64_t scope)
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
static bool is_evaluation(struct text line, bool loss)
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

static void read_line(struct tracker_reading *r, size_t i)
{
    struct line_facts *line = &r->lines[i];
    struct text text = r->found->at[i];
    log_numbers_read(text, &line->numbers);
    line->has_bar = log_bar_read(text, &line->bar);
    bool loss = has_kind(&line->numbers, NUMBER_LOSS);
    line->evaluation = is_evaluation(text, loss);
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
        struct number_group *g = group_of(r, x, scope_of(line, x));
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
static bool is_better(const struct number_group *a,
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
        if (g->kind == kind && (!best || is_better(g, best)))
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

static void settle(struct track *out, const struct candidate *c,
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
struct choice {
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
static void weigh(const struct tracker_config *config,
                  const struct candidate *c, struct choice *choice)
{
    uint32_t evidence = c->evidence;
    if (speaks_against(evidence))
        evidence |= TRACKER_SEEN(OBJECTED);
    double confidence = tracker_confidence(evidence);
    if (choice->done || c->source == TRACKER_NOT_FOUND || !(c->seconds > 0) ||
        !(c->seconds < STEP_SECONDS_MAX))
        return;
    choice->done = !speaks_against(evidence) && confidence >= config->floor;
    if (choice->done || confidence > choice->confidence) {
        choice->best = *c;
        choice->best.evidence = evidence;
        choice->confidence = confidence;
    }
}

/* Weighs the groups of printed step times, the best first, until the choice is
 * done. */
static void weigh_printed(const struct tracker_reading *r,
                          struct choice *choice)
{
    bool tried[GROUPS_MAX] = {false};
    for (size_t k = 0; k < r->n_groups && !choice->done; k++) {
        size_t best = r->n_groups;
        for (size_t i = 0; i < r->n_groups; i++) {
            const struct number_group *g = &r->groups[i];
            if (!tried[i] && g->kind == NUMBER_STEP_TIME &&
                (best == r->n_groups || is_better(g, &r->groups[best])))
                best = i;
        }
        if (best == r->n_groups)
            return;
        tried[best] = true;
        struct candidate c = tracker_judge(r, &r->groups[best]);
        weigh(r->config, &c, choice);
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

static void interpret(const struct tracker_reading *r, struct track *out)
{
    struct choice choice = {.confidence = -1};
    const char *why = NULL;
    weigh_printed(r, &choice);
    struct candidate c = tracker_from_throughput(r, &why);
    weigh(r->config, &c, &choice);
    c = tracker_from_differences(r, false);
    weigh(r->config, &c, &choice);
    c = tracker_from_differences(r, true);
    weigh(r->config, &c, &choice);
    if (choice.confidence >= r->config->floor)
        settle(out, &choice.best, choice.confidence);
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
                          .loss = NAN,
                          .throughput = NAN,
                          .step = NAN,
                          .steps = NAN,
                          .lines_walked = lines->walked,
                          .progress_lines = (uint32_t)lines->n};
    for (size_t i = 0; i < lines->n; i++) {
        read_line(&r, i);
        group_line(&r, i);
        out->bytes_read += lines->at[i].len + 1;
    }
    read_rest(&r, out);
    interpret(&r, out);
    free(r.lines);
    free(r.groups);
}
