/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words of --what-if. */
#include <string.h>

#include "sim/run/what_if.h"

double what_if_factor_at(const struct what_if *what_if, sim_time at)
{
    double factor = 1;
    for (size_t i = 0; i < what_if->n; i++) {
        const struct what_if_clause *c = &what_if->clauses[i];
        if (!c->nodes && at >= c->from && at < c->until)
            factor *= c->load;
    }
    return factor;
}

/* Largest number of clauses: two for each of the virtual clusters that a
 * cluster can have. */
#define CLAUSES_MAX (2 * CLUSTER_VCS_MAX)

#define LOAD_MIN 0.001

#define LOAD_MAX 1000.0

/* The words of one clause while they are read. */
struct words {
    struct text clause, rest;
    struct text word; /* the current word; empty: the clause is over */
    const struct what_if_clock *clock;
    struct error *err;
};

static void if_next(struct words *w)
{
    while (w->rest.len && (*w->rest.at == ' ' || *w->rest.at == '\t'))
        w->rest = text_skip(w->rest, 1);
    size_t n = 0;
    while (n < w->rest.len && w->rest.at[n] != ' ' && w->rest.at[n] != '\t')
        n++;
    w->word = (struct text){w->rest.at, n};
    w->rest = text_skip(w->rest, n);
}

/* Refuses the current word. `near`: the words that were possible; the message
 * proposes the one nearest to the current word. Ends with NULL; may be NULL. */
static enum status if_expected(const struct words *w, const char *what,
                               const char *const *near)
{
    const char *best = NULL;
    size_t n = 0;
    while (near && near[n])
        n++;
    if (n && w->word.len)
        best = text_nearest(w->word, near, n);
    return error_set(
        w->err, STATUS_USAGE,
        "--what-if: '%.*s': column %zu: expected %s, found %s%.*s%s%s%s%s",
        TEXT_ARGS(w->clause), (size_t)(w->word.at - w->clause.at) + 1, what,
        w->word.len ? "'" : "the end", TEXT_ARGS(w->word),
        w->word.len ? "'" : "", best ? "; did you mean '" : "",
        best ? best : "", best ? "'?" : "");
}

/* Reads a date, with or without a time of day after it. Returns false if there
 * is none. */
static bool if_read_date(struct words *w, sim_time *out)
{
    sim_time at;
    struct words after = *w;
    if_next(&after);
    struct text both = {w->word.at,
                        (size_t)(after.word.at - w->word.at) + after.word.len};
    if (after.word.len && memchr(after.word.at, ':', after.word.len) &&
        text_to_time(both, &at, NULL))
        *w = after;
    else if (!text_to_date(w->word, &at))
        return false;
    *out = at - w->clock->zero;
    return true;
}

/* Reads a length of time of one word or two, such as "8h" or "8 hours", and
 * goes to its last word. Returns false if there is none. */
static bool if_read_span(struct words *w, sim_span *out)
{
    struct words after = *w;
    if_next(&after);
    const struct text both = {w->word.at, (size_t)(after.word.at - w->word.at) +
                                              after.word.len};
    if (after.word.len && text_to_duration(both, out)) {
        *w = after;
        return true;
    }
    return text_to_duration(w->word, out);
}

/* Reads "day D" or "hour H" and goes to its last word. */
static bool if_read_number(struct words *w, sim_time *out)
{
    const double unit_s = text_is(w->word, "day") ? 86400 : 3600;
    double number = 0;
    if_next(w);
    if (!text_to_double(w->word, &number) || number < 0 ||
        number * unit_s > SECONDS_MAX)
        return false;
    *out = w->clock->now + span_from_seconds(number * unit_s);
    return true;
}

/* Reads the words of a time and goes to the word after it. */
static enum status if_read_when(struct words *w, sim_time *out)
{
    static const char *const whats[] = {
        "now, day D, hour H, a duration such as 36h or a date, not before the "
        "first submission",
        "now, day D, hour H, a duration such as 36h or a date, not before the "
        "present"};
    const struct what_if_clock *clock = w->clock;
    const struct words begin = *w;
    sim_span span = 0;
    bool good = true;
    if (text_is(w->word, "now"))
        *out = clock->now;
    else if (text_is(w->word, "day") || text_is(w->word, "hour"))
        good = if_read_number(w, out);
    else if (!if_read_date(w, out)) {
        good = if_read_span(w, &span) && span >= 0;
        *out = clock->now + span;
    }
    if (good && *out < clock->now)
        *w = begin; /* the message names the whole date */
    if (!good || *out < clock->now || *out > span_from_seconds(SECONDS_MAX))
        return if_expected(w, whats[clock->is_present],
                           (const char *const[]){"now", "day", "hour", NULL});
    if_next(w);
    return STATUS_OK;
}

/* Reads the length of time after "for". */
static enum status if_read_for(struct words *w, sim_span *out)
{
    if (!if_read_span(w, out) || *out <= 0)
        return if_expected(w, "a length of time such as 8h", NULL);
    if_next(w);
    return STATUS_OK;
}

/* Reads "[GPUSx]TYPE[@SPEED]". */
static enum status if_read_type(struct words *w, struct what_if_clause *c)
{
    struct text speed, rest, type = text_split(w->word, '@', &speed);
    bool stated = type.len < w->word.len;
    struct text gpus = text_split(type, 'x', &rest);
    if (gpus.len < type.len && text_to_u32(gpus, &c->gpus)) {
        type = rest;
        if (c->gpus < 1 || c->gpus > NODE_GPUS_MAX)
            return if_expected(w, "1 to 64 GPUs a node", NULL);
    }
    if (stated && (!text_to_double(speed, &c->speed) ||
                   c->speed < TYPE_SPEED_MIN || c->speed > TYPE_SPEED_MAX))
        return if_expected(w, "[GPUSx]TYPE[@SPEED], a speed above 0", NULL);
    if (type.len == 0)
        return if_expected(w, "[GPUSx]TYPE[@SPEED]", NULL);
    c->type = type;
    if_next(w);
    return STATUS_OK;
}

static enum status read_vc(struct words *w, struct what_if_clause *c)
{
    if (w->word.len == 0)
        return if_expected(w, "the name of a virtual cluster", NULL);
    c->vc = w->word;
    if_next(w);
    return STATUS_OK;
}

enum { TAIL_OF, TAIL_IN, TAIL_FROM, TAIL_UNTIL, TAIL_FOR, TAIL_WORDS };

static const char *const tail_words[] = {
    [TAIL_OF] = "of",       [TAIL_IN] = "in",   [TAIL_FROM] = "from",
    [TAIL_UNTIL] = "until", [TAIL_FOR] = "for", [TAIL_WORDS] = NULL};

static bool if_is_tail(struct text word)
{
    for (size_t i = 0; i < TAIL_WORDS; i++) {
        if (text_is(word, tail_words[i]))
            return true;
    }
    return text_is(word, "on");
}

static enum status if_read_one(struct words *w, size_t tail,
                               struct what_if_clause *c, sim_span *lasts)
{
    switch (tail) {
    case TAIL_OF:
        return if_read_type(w, c);
    case TAIL_IN:
        return read_vc(w, c);
    case TAIL_FOR:
        return if_read_for(w, lasts);
    default:
        return if_read_when(w, tail == TAIL_FROM ? &c->from : &c->until);
    }
}

/* Reads what may follow "nodes" or "load", in any order, each once. */
static enum status if_read_tail(struct words *w, struct what_if_clause *c)
{
    const bool is_rack = c->racks || c->rack != WHAT_IF_NO_RACK;
    const size_t first = !c->nodes || c->names.len ? TAIL_FROM
                         : is_rack                 ? TAIL_IN
                                                   : TAIL_OF;
    static const char *const heads[] = {
        [TAIL_OF] = "'of', 'in', 'from', 'until' or 'for'",
        [TAIL_IN] = "'in', 'from', 'until' or 'for'",
        [TAIL_FROM] = "'from', 'until' or 'for'"};
    bool seen[TAIL_WORDS] = {false};
    sim_span lasts = 0;
    while (w->word.len) {
        size_t i = first;
        if (text_is(w->word, "on"))
            w->word = (struct text){w->word.at, 2}, i = TAIL_FROM;
        else
            while (i < TAIL_WORDS && !text_is(w->word, tail_words[i]))
                i++;
        if (i == TAIL_WORDS)
            return if_expected(w, heads[first], tail_words + first);
        if (seen[i])
            return if_expected(w, "each of 'of', 'in', 'from' and 'until' once",
                               NULL);
        if (i >= TAIL_UNTIL && seen[TAIL_UNTIL + TAIL_FOR - i])
            return if_expected(w, "'until' or 'for', not both", NULL);
        seen[i] = true;
        if_next(w);
        enum status st = if_read_one(w, i, c, &lasts);
        if (st != STATUS_OK)
            return st;
    }
    if (lasts)
        c->until = c->from + lasts;
    return STATUS_OK;
}

/* Reads "+N" or "-N". Returns false if the word is neither, or N is out of
 * range. */
static bool read_nodes(struct text word, int64_t *out)
{
    uint32_t nodes = 0;
    bool goes = text_char(word, 0) == '-';
    if ((!goes && text_char(word, 0) != '+') ||
        !text_to_u32(text_skip(word, 1), &nodes) || nodes == 0 ||
        nodes > CLUSTER_NODES_MAX)
        return false;
    *out = goes ? -(int64_t)nodes : (int64_t)nodes;
    return true;
}

static void skip_nodes(struct words *w)
{
    if (text_is(w->word, "nodes") || text_is(w->word, "node"))
        if_next(w);
}

/* Reads "P%", or the words "P %", after a sign. Returns false if it is neither.
 * `sign`: that of a number without one; 0: the word has one. */
static bool read_percent(struct words *w, struct what_if_clause *c, char sign)
{
    struct words after = *w;
    struct text number = text_skip(w->word, sign || !w->word.len ? 0 : 1);
    if (!sign)
        sign = text_char(w->word, 0);
    if_next(&after);
    bool apart = text_is(after.word, "%");
    if (number.len && number.at[number.len - 1] == '%')
        number.len--;
    else if (!apart)
        return false;
    if ((sign != '-' && sign != '+') || !text_to_double(number, &c->percent) ||
        c->percent <= 0 || c->percent > 1000)
        return false;
    c->nodes = sign == '-' ? -1 : 1;
    if (apart)
        *w = after;
    if_next(w);
    skip_nodes(w);
    return true;
}

/* Reads the word after the number of what goes. */
static enum status read_kind(struct words *w, struct what_if_clause *c)
{
    /* racks come first, because they only go */
    static const char *const all[] = {"rack", "racks", "node", "nodes", "GPU",
                                      "GPUs", "gpu",   "gpus", NULL};
    const char *const *words = c->nodes < 0 ? all : all + 2;
    size_t i = 0;
    while (words[i] && !text_is(w->word, words[i]))
        i++;
    if (!words[i])
        return if_expected(w, "'nodes' or 'GPUs'", words);
    c->counts_gpus = words + i >= all + 4;
    if (words + i < all + 2)
        c->racks = (uint32_t)-c->nodes;
    if_next(w);
    return STATUS_OK;
}

/* Reads the names of nodes. */
static enum status read_names(struct words *w, struct what_if_clause *c)
{
    if (w->word.len == 0)
        return if_expected(w, "the name of a node", NULL);
    c->names = w->word;
    c->nodes = -1;
    if_next(w);
    return STATUS_OK;
}

/* True if the word can only be the name of a node: a name and no more, or one
 * before a time. */
static bool is_name(const struct words *w)
{
    struct words after = *w;
    if_next(&after);
    return w->word.len && (after.word.len == 0 || if_is_tail(after.word));
}

/* Reads what follows "lose" or "drain": "rack R", "node NAME", "N nodes", "P%",
 * or a name alone. */
static enum status read_what_goes(struct words *w, struct what_if_clause *c)
{
    static const char *const words[] = {"rack", "node", "nodes", NULL};
    uint32_t number;
    if_next(w);
    if (text_is(w->word, "rack")) {
        if_next(w);
        if (!text_to_u32(w->word, &c->rack) || c->rack == WHAT_IF_NO_RACK)
            return if_expected(w, "the number of a rack", NULL);
        c->nodes = -1;
        if_next(w);
        return STATUS_OK;
    }
    if (text_is(w->word, "node") || text_is(w->word, "nodes")) {
        if_next(w);
        return read_names(w, c);
    }
    if (read_percent(w, c, '-'))
        return STATUS_OK;
    if (is_name(w))
        return read_names(w, c);
    if (!text_to_u32(w->word, &number) || !number || number > CLUSTER_NODES_MAX)
        return if_expected(w, "'rack R', 'node NAME', 'N nodes' or P%", words);
    c->nodes = -(int64_t)number;
    if_next(w);
    return read_kind(w, c);
}

static bool read_load(struct text word, double *out)
{
    return text_to_double(text_skip(word, 1), out) && *out >= LOAD_MIN &&
           *out <= LOAD_MAX;
}

/* Reads "+N nodes", "-N nodes", "-P% nodes", "-N racks", "-node NAME", "lose"
 * or "drain" with what goes, or "xF load". */
static enum status if_read_head(struct words *w, struct what_if_clause *c)
{
    static const char *const load_words[] = {"load", NULL};
    bool is_load = text_char(w->word, 0) == 'x';
    c->drains = text_is(w->word, "drain");
    if (text_is(w->word, "lose") || c->drains)
        return read_what_goes(w, c);
    if (text_is(w->word, "-node") || text_is(w->word, "-nodes")) {
        if_next(w);
        return read_names(w, c);
    }
    if (read_percent(w, c, 0))
        return STATUS_OK;
    if (is_load && !read_load(w->word, &c->load))
        return if_expected(w, "xF with F from 0.001 to 1000", NULL);
    if (!is_load && !read_nodes(w->word, &c->nodes))
        return if_expected(
            w,
            "+N or -N (1 to 65535 nodes), -P%, 'drain N nodes', 'drain NAME', "
            "'lose rack R' or xF (load), such as 'x2 load' for twice the load",
            (const char *const[]){"drain", "lose", "-node", NULL});
    if_next(w);
    if (!is_load)
        return read_kind(w, c);
    if (!text_is(w->word, "load"))
        return if_expected(w, "'load'", load_words);
    if_next(w);
    return STATUS_OK;
}

static enum status read_clause(struct text clause,
                               const struct what_if_clock *clock,
                               struct what_if_clause *c, struct error *err)
{
    struct words w = {
        .clause = clause, .rest = clause, .clock = clock, .err = err};
    *c = (struct what_if_clause){.text = clause,
                                 .from = clock->now,
                                 .until = TIME_NEVER,
                                 .rack = WHAT_IF_NO_RACK};
    if_next(&w);
    enum status st = if_read_head(&w, c);
    if (st == STATUS_OK)
        st = if_read_tail(&w, c);
    if (st == STATUS_OK && c->until <= c->from)
        st = error_set(err, STATUS_USAGE,
                       "--what-if: '%.*s': 'until' must be after 'from'",
                       TEXT_ARGS(clause));
    return st;
}

/* Refuses a load below LOAD_MIN, which would move submissions beyond the times
 * that a run can have. The factors of clauses that overlap in time multiply.
 * The product changes only where a clause begins or ends, so it is checked at
 * these times. */
static enum status check_load(const struct what_if *what_if, struct error *err)
{
    for (size_t i = 0; i < 2 * what_if->n; i++) {
        const struct what_if_clause *c = &what_if->clauses[i / 2];
        const sim_time at = i % 2 ? c->until : c->from;
        const double factor = what_if_factor_at(what_if, at);
        if (factor < LOAD_MIN * (1 - 1e-9))
            return error_set(err, STATUS_USAGE,
                             "--what-if: '%.*s': with the other clauses the "
                             "load is x%g at that time; expected at least x%g",
                             TEXT_ARGS(c->text), factor, LOAD_MIN);
    }
    return STATUS_OK;
}

enum status what_if_parse(const char *text, const struct what_if_clock *clock,
                          struct arena *arena, struct what_if *out,
                          struct error *err)
{
    struct text rest = text_from(text);
    size_t n = 1;
    *out =
        (struct what_if){.now = clock->now, .has_present = clock->is_present};
    for (size_t i = 0; i < rest.len; i++)
        n += rest.at[i] == ';';
    if (n > CLAUSES_MAX)
        return error_set(err, STATUS_USAGE, "--what-if: more than %d clauses",
                         CLAUSES_MAX);
    out->clauses = ARENA_ARRAY(arena, struct what_if_clause, n);
    while (out->n < n) {
        struct text clause = text_trim(text_split(rest, ';', &rest));
        enum status st =
            read_clause(clause, clock, &out->clauses[out->n++], err);
        if (st != STATUS_OK)
            return st;
    }
    return check_load(out, err);
}
