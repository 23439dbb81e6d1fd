/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Says what --what-if does to the nodes of a state, and to the jobs on them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/present/state.h"
#include "sim/run/what_if.h"

enum { TELL_NAMES_MAX = 6 };

/* The nodes that go by one clause. */
struct tell {
    const struct state *state;
    const char **names; /* of all nodes, by place in the description */
    bool *goes;         /* by place */
    size_t n_nodes, n_gone;
};

static const char *tell_name(const struct state *state, size_t i,
                             struct remarks *remarks)
{
    char number[24];
    if (i < state->n_names)
        return state->names[i];
    int n = snprintf(number, sizeof number, "%zu", i);
    return arena_copy(remarks->arena, number, (size_t)n);
}

/* Writes the names, as far as there is room. */
static void tell_list(const struct tell *t, char *out, size_t room)
{
    size_t n = 0, len = 0;
    for (size_t i = 0; i < t->n_nodes && n < TELL_NAMES_MAX; i++) {
        if (!t->goes[i] || len + 64 > room)
            continue;
        len += (size_t)snprintf(out + len, room - len, "%s%.40s",
                                n++ ? ", " : "", t->names[i]);
    }
    if (n < t->n_gone)
        snprintf(out + len, room - len, " and %zu more", t->n_gone - n);
}

static bool tell_holds(const struct tell *t, const struct state_job *job)
{
    for (uint32_t k = 0; k < job->n_where; k++) {
        for (size_t i = 0; i < t->n_nodes; i++) {
            if (t->goes[i] && strcmp(t->names[i], job->where[k].node) == 0)
                return true;
        }
    }
    return false;
}

static void tell_clause(const struct tell *t,
                        const struct what_if_clause *clause, bool is_now,
                        struct remarks *remarks)
{
    const char *fate =
        clause->drains
            ? "runs to its end, and no other job starts there"
            : "stops when its node goes, keeps its work and waits again at the "
              "back of its queue ('drain' lets it end)";
    char list[TELL_NAMES_MAX * 48 + 64] = "", text[512];
    size_t n = 0;
    for (size_t i = 0; i < t->state->n_jobs; i++)
        n += t->state->jobs[i].started != TIME_NEVER &&
             tell_holds(t, &t->state->jobs[i]);
    tell_list(t, list, sizeof list);
    if (is_now && n == 0)
        snprintf(text, sizeof text, "%s, where no job runs now", list);
    else if (is_now)
        snprintf(text, sizeof text, "%s, where %zu job%s now: %s %s", list, n,
                 n == 1 ? " runs" : "s run", n == 1 ? "it" : "each", fate);
    else
        snprintf(text, sizeof text, "%s: each job there %s", list, fate);
    remarks_add(remarks, REMARK_DETAIL, WHAT_IF_REMARK "'%.*s': node%s %s",
                TEXT_ARGS(clause->text), t->n_gone == 1 ? "" : "s", text);
}

void what_if_tell(const struct what_if *what_if,
                  const struct cluster_spec *spec, const struct state *state,
                  struct remarks *remarks)
{
    struct tell t = {.state = state};
    for (size_t g = 0; g < spec->n_groups; g++)
        t.n_nodes += spec->groups[g].count;
    t.names = mem_zalloc(t.n_nodes + 1, sizeof *t.names);
    t.goes = mem_zalloc(t.n_nodes + 1, sizeof *t.goes);
    for (size_t i = 0; i < t.n_nodes; i++)
        t.names[i] = tell_name(state, i, remarks);
    for (size_t k = 0; k < what_if->n; k++) {
        const struct what_if_clause *clause = &what_if->clauses[k];
        size_t i = 0;
        t.n_gone = 0;
        for (size_t g = 0; g < spec->n_groups; g++) {
            const struct node_group *group = &spec->groups[g];
            for (uint32_t m = 0; m < group->count; m++, i++) {
                t.goes[i] = group->clause == k + 1;
                t.n_gone += t.goes[i];
            }
        }
        if (clause->nodes < 0)
            tell_clause(&t, clause, clause->from <= what_if->now, remarks);
    }
    free(t.names);
    free(t.goes);
}
