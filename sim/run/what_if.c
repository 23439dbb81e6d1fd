/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/run/what_if.h"

#include <string.h>

#include "sim/run/what_if_internal.h"

/* Largest number of clauses: two for each of the virtual clusters that a
 * cluster can have. */
#define CLAUSES_MAX (2 * CLUSTER_VCS_MAX)
#define LOAD_MIN 0.001
#define LOAD_MAX 1000.0

/* The words of one clause while they are read. */
struct words {
    struct text clause, rest;
    struct text word; /* the current word; empty: the clause is over */
    sim_time zero;
    struct error *err;
};

static void next(struct words *w)
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
static enum status expected(const struct words *w, const char *what,
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
static bool read_date(struct words *w, sim_time *out)
{
    sim_time at;
    bool zoned;
    struct words after = *w;
    next(&after);
    struct text both = {w->word.at,
                        (size_t)(after.word.at - w->word.at) + after.word.len};
    if (after.word.len && memchr(after.word.at, ':', after.word.len) &&
        text_to_time(both, &at, &zoned))
        *w = after;
    else if (!text_to_time(w->word, &at, &zoned))
        return false;
    *out = at - w->zero;
    return true;
}

/* Reads the words of a time and goes to the word after it. */
static enum status read_when(struct words *w, sim_time *out)
{
    static const char what[] =
        "day D, hour H, a duration such as 36h or a date, not before the "
        "first submission";
    bool day = text_is(w->word, "day"), hour = text_is(w->word, "hour"), good;
    double number = 0;
    if (day || hour) {
        next(w);
        good = text_to_double(w->word, &number) && number >= 0 &&
               number * (day ? 86400 : 3600) <= SECONDS_MAX;
        if (good)
            *out = span_from_seconds(number * (day ? 86400 : 3600));
    } else {
        good = text_to_duration(w->word, out) || read_date(w, out);
    }
    if (!good || *out < 0 || *out > span_from_seconds(SECONDS_MAX))
        return expected(w, what, (const char *const[]){"day", "hour", NULL});
    next(w);
    return STATUS_OK;
}

/* Reads "[GPUSx]TYPE[@SPEED]". */
static enum status read_type(struct words *w, struct what_if_clause *c)
{
    struct text speed, rest, type = text_split(w->word, '@', &speed);
    bool stated = type.len < w->word.len;
    struct text gpus = text_split(type, 'x', &rest);
    if (gpus.len < type.len && text_to_u32(gpus, &c->gpus)) {
        type = rest;
        if (c->gpus < 1 || c->gpus > NODE_GPUS_MAX)
            return expected(w, "1 to 64 GPUs a node", NULL);
    }
    if (stated && (!text_to_double(speed, &c->speed) ||
                   c->speed < TYPE_SPEED_MIN || c->speed > TYPE_SPEED_MAX))
        return expected(w, "[GPUSx]TYPE[@SPEED], a speed above 0", NULL);
    if (type.len == 0)
        return expected(w, "[GPUSx]TYPE[@SPEED]", NULL);
    c->type = type;
    next(w);
    return STATUS_OK;
}

static enum status read_vc(struct words *w, struct what_if_clause *c)
{
    if (w->word.len == 0)
        return expected(w, "the name of a virtual cluster", NULL);
    c->vc = w->word;
    next(w);
    return STATUS_OK;
}

/* Reads what may follow "nodes" or "load", in any order, each once. */
static enum status read_tail(struct words *w, struct what_if_clause *c)
{
    static const char *const nodes_words[] = {"of", "in", "from", "until",
                                              NULL};
    bool is_rack = c->racks || c->rack != WHAT_IF_NO_RACK;
    const char *const *allowed = nodes_words + (is_rack ? 1 : c->nodes ? 0 : 2);
    static const char *const heads[] = {"'of', 'in', 'from' or 'until'",
                                        "'in', 'from' or 'until'",
                                        "'from' or 'until'"};
    const size_t skipped = (size_t)(allowed - nodes_words);
    bool seen[4] = {false};
    while (w->word.len) {
        enum status st;
        size_t i = 0;
        if (text_is(w->word, "on"))
            w->word = text_from("from");
        while (allowed[i] && !text_is(w->word, allowed[i]))
            i++;
        if (!allowed[i])
            return expected(w, heads[skipped], allowed);
        i += skipped;
        if (seen[i])
            return expected(w, "each of 'of', 'in', 'from' and 'until' once",
                            NULL);
        seen[i] = true;
        next(w);
        st = i == 0   ? read_type(w, c)
             : i == 1 ? read_vc(w, c)
                      : read_when(w, i == 2 ? &c->from : &c->until);
        if (st != STATUS_OK)
            return st;
    }
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

/* Reads "+P%" or "-P%", or the words "+P %". Returns false if it is neither. */
static bool read_percent(struct words *w, struct what_if_clause *c)
{
    struct words after = *w;
    struct text number = text_skip(w->word, 1);
    char sign = text_char(w->word, 0);
    next(&after);
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
    next(w);
    if (text_is(w->word, "nodes") || text_is(w->word, "node"))
        next(w);
    return true;
}

/* Reads "lose rack R". */
static enum status read_rack(struct words *w, struct what_if_clause *c)
{
    static const char *const rack[] = {"rack", NULL};
    next(w);
    if (!text_is(w->word, "rack"))
        return expected(w, "'rack'", rack);
    next(w);
    if (!text_to_u32(w->word, &c->rack) || c->rack == WHAT_IF_NO_RACK)
        return expected(w, "the number of a rack", NULL);
    c->nodes = -1;
    next(w);
    return STATUS_OK;
}

static bool read_load(struct text word, double *out)
{
    return text_to_double(text_skip(word, 1), out) && *out >= LOAD_MIN &&
           *out <= LOAD_MAX;
}

/* Reads "+N nodes", "-N nodes", "-P% nodes", "-N racks", "lose rack R" or
 * "xF load". */
static enum status read_head(struct words *w, struct what_if_clause *c)
{
    static const char *const load_words[] = {"load", NULL},
                             *const node_words[] = {"nodes", "node", NULL};
    bool is_load = text_char(w->word, 0) == 'x';
    if (text_is(w->word, "lose"))
        return read_rack(w, c);
    if (read_percent(w, c))
        return STATUS_OK;
    if (is_load && !read_load(w->word, &c->load))
        return expected(w, "xF with F from 0.001 to 1000", NULL);
    if (!is_load && !read_nodes(w->word, &c->nodes))
        return expected(w,
                        "+N or -N (1 to 65535 nodes), -P%, 'lose rack R' or xF "
                        "(load)",
                        NULL);
    next(w);
    if (c->nodes < 0 &&
        (text_is(w->word, "rack") || text_is(w->word, "racks"))) {
        c->racks = (uint32_t)-c->nodes;
        next(w);
        return STATUS_OK;
    }
    const char *const *words = is_load ? load_words : node_words;
    for (size_t i = 0; words[i]; i++) {
        if (!text_is(w->word, words[i]))
            continue;
        next(w);
        return STATUS_OK;
    }
    return expected(w, is_load ? "'load'" : "'nodes'", words);
}

static enum status read_clause(struct text clause, sim_time zero,
                               struct what_if_clause *c, struct error *err)
{
    struct words w = {
        .clause = clause, .rest = clause, .zero = zero, .err = err};
    *c = (struct what_if_clause){
        .text = clause, .until = TIME_NEVER, .rack = WHAT_IF_NO_RACK};
    next(&w);
    enum status st = read_head(&w, c);
    if (st == STATUS_OK)
        st = read_tail(&w, c);
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

enum status what_if_parse(const char *text, sim_time zero, struct arena *arena,
                          struct what_if *out, struct error *err)
{
    struct text rest = text_from(text);
    size_t n = 1;
    *out = (struct what_if){0};
    for (size_t i = 0; i < rest.len; i++)
        n += rest.at[i] == ';';
    if (n > CLAUSES_MAX)
        return error_set(err, STATUS_USAGE, "--what-if: more than %d clauses",
                         CLAUSES_MAX);
    out->clauses = ARENA_ARRAY(arena, struct what_if_clause, n);
    while (out->n < n) {
        struct text clause = text_trim(text_split(rest, ';', &rest));
        enum status st =
            read_clause(clause, zero, &out->clauses[out->n++], err);
        if (st != STATUS_OK)
            return st;
    }
    return check_load(out, err);
}
