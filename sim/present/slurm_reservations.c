/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reservations of `scontrol -o show reservation` as those of a state. Each
 * line is one, of words KEY=VALUE, with times in UTC. */
#include <stdio.h>
#include <string.h>

#include "schedmate/watch/watch_internal.h"
#include "sim/present/slurm_internal.h"
#include "traces/formats/slurm_internal.h"

/* A line that is being read. */
struct reservation_line {
    struct text name, nodes, flags, users, accounts, from, until;
    bool is_part; /* it keeps some CPUs of its nodes alone */
};

static struct text line_value(struct text value)
{
    return text_is(value, "(null)") ? (struct text){0} : value;
}

static struct reservation_line line_read(struct text line)
{
    struct reservation_line out = {0};
    const struct {
        const char *key;
        struct text *at;
    } keys[] = {{"ReservationName", &out.name}, {"StartTime", &out.from},
                {"EndTime", &out.until},        {"Nodes", &out.nodes},
                {"Flags", &out.flags},          {"Users", &out.users},
                {"Accounts", &out.accounts}};
    while (line.len) {
        struct text value, word = text_split(line, ' ', &line);
        struct text key = text_split(word, '=', &value);
        out.is_part |= text_is(key, "CoreIDs");
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
            if (text_is(key, keys[i].key) && !keys[i].at->len)
                *keys[i].at = line_value(value);
        }
    }
    return out;
}

/* True if one of the flags is among those in `list`, which ends with NULL;
 * *which becomes it. */
static bool line_has_flag(const struct reservation_line *line,
                          const char *const *list, struct text *which)
{
    struct text flags = line->flags;
    while (flags.len) {
        *which = text_split(flags, ',', &flags);
        for (size_t i = 0; list[i]; i++) {
            if (text_starts(*which, list[i]))
                return true;
        }
    }
    return false;
}

/* Returns why the reservation is not followed; NULL: it is. */
static const char *line_trouble(const struct reservation_line *line)
{
    static const char *const floats[] = {"TIME_FLOAT", NULL};
    struct text flag;
    if (!line->nodes.len)
        return "has no nodes";
    if (line->is_part)
        return "keeps some CPUs of its nodes alone";
    if (line_has_flag(line, floats, &flag))
        return "moves on with time (TIME_FLOAT)";
    return NULL;
}

/* Adds the nodes that the cluster has. */
static void line_nodes(struct slurm_reader *r, struct text list,
                       struct state_reservation *out)
{
    json_t *nodes = slurm_nodes(list);
    out->nodes =
        ARENA_ARRAY(&r->state->arena, const char *, json_array_size(nodes) + 1);
    for (size_t i = 0; i < json_array_size(nodes); i++)
        out->nodes[out->n_nodes++] = slurm_copy(
            r, text_from(json_string_value(json_array_get(nodes, i))));
    json_decref(nodes);
}

/* Says what a reservation does that is not followed. */
static void line_note(const struct slurm_reader *r,
                      const struct reservation_line *line)
{
    static const char *const not_followed[] = {
        "HOURLY", "DAILY",    "WEEKLY",     "WEEKDAY", "WEEKEND",
        "FLEX",   "MAGNETIC", "PURGE_COMP", "REPLACE", NULL};
    struct text flag;
    if (line_has_flag(line, not_followed, &flag))
        state_note(r->state, "reservation %.*s: its flag %.*s is not followed",
                   TEXT_ARGS(line->name), TEXT_ARGS(flag));
}

static enum status line_take(struct slurm_reader *r, struct text text,
                             const char *path, size_t number, struct error *err)
{
    const struct reservation_line line = line_read(text);
    sim_time from, until;
    if (!line.name.len || !text_to_time(line.from, &from, NULL) ||
        !text_to_time(line.until, &until, NULL))
        return error_set(err, STATUS_BAD_INPUT,
                         "%s:%zu: expected ReservationName=, StartTime= and "
                         "EndTime=, as scontrol -o show reservation prints "
                         "them",
                         path, number);
    if (until <= r->state->at || until <= from)
        return STATUS_OK;
    const char *trouble = line_trouble(&line);
    if (trouble) {
        state_note(r->state, "reservation %.*s %s, and is not followed",
                   TEXT_ARGS(line.name), trouble);
        return STATUS_OK;
    }
    struct state_reservation *out = state_add_reservation(r->state);
    out->name = slurm_copy(r, line.name);
    out->from = from;
    out->until = until;
    line_nodes(r, line.nodes, out);
    line_note(r, &line);
    return STATUS_OK;
}

enum status slurm_reservations_read(struct slurm_reader *r, struct text text,
                                    const char *path, struct error *err)
{
    enum status st = STATUS_OK;
    for (size_t number = 1; text.len && st == STATUS_OK; number++) {
        struct text line = text_trim(text_split(text, '\n', &text));
        if (line.len && !text_is(line, "No reservations in the system"))
            st = line_take(r, line, path, number, err);
    }
    return st;
}

bool slurm_is_reserved(const struct slurm_reader *r, struct text node)
{
    const struct state *state = r->state;
    for (size_t i = 0; i < state->n_reservations; i++) {
        const struct state_reservation *one = &state->reservations[i];
        if (state->at < one->from)
            continue;
        for (size_t k = 0; k < one->n_nodes; k++) {
            if (text_is(node, one->nodes[k]))
                return true;
        }
    }
    return false;
}

/* Leaves out the nodes that the cluster does not have. */
static void reservation_trim(const struct interner *names,
                             struct state_reservation *one)
{
    size_t n = 0;
    for (size_t i = 0; i < one->n_nodes; i++) {
        if (interner_find(names, text_from(one->nodes[i])) != UINT32_MAX)
            one->nodes[n++] = one->nodes[i];
    }
    one->n_nodes = n;
}

/* Tells the user of a reservation that is followed. */
static void reservation_note(struct state *state,
                             const struct state_reservation *one)
{
    char from[TIME_TEXT_MAX], until[TIME_TEXT_MAX];
    time_to_text(one->from, from);
    time_to_text(one->until, until);
    state_note(state, "reservation %s keeps %.100s%s%s%s from %s until %s UTC",
               one->name, one->nodes[0], one->n_nodes > 1 ? ", " : "",
               one->n_nodes > 1 ? one->nodes[1] : "",
               one->n_nodes > 2 ? ", ..." : "", from, until);
}

void slurm_reservations_end(struct slurm_reader *r)
{
    struct state *state = r->state;
    struct interner names;
    size_t n = 0;
    interner_init(&names);
    for (size_t i = 0; i < state->n_names; i++)
        interner_add(&names, text_from(state->names[i]));
    for (size_t i = 0; i < state->n_reservations; i++) {
        struct state_reservation *one = &state->reservations[i];
        reservation_trim(&names, one);
        if (!one->n_nodes)
            continue;
        reservation_note(state, one);
        state->reservations[n++] = *one;
    }
    state->n_reservations = n;
    interner_fini(&names);
}
