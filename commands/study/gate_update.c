/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes new expected values into the text of a gate file. */
#include "commands/study/gate_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "sim/results/manifest.h"

/* Blanks that are written before a new element of a list, and before a new
 * list. */
static const char row_lead[] = "\n    ", list_lead[] = "\n  ";

struct updater {
    const struct gate_cases *cases;
    struct gate_updated *updated;
    uint64_t number; /* number of this update */
    struct arena arena;
};

static struct text update_join(struct updater *u, struct json_items *items)
{
    struct out *out = out_to_memory();
    json_items_join(items, out);
    json_items_free(items);
    return gate_text_of(&u->arena, out);
}

/* True if two values are equal as they are written, or both are undefined. */
static bool update_same(double a, double b)
{
    return gate_difference(a, b) == 0 || (isnan(a) && isnan(b));
}

/* Returns the number of values in a list of the case; 0: it has no lists. */
static size_t update_list_of(const struct gate_case *c)
{
    return c->trace->replications ? c->n_runs : 0;
}

/* Returns the values of a metric by run, in the arena. */
static const double *update_values_of(struct updater *u,
                                      const struct gate_case *c, size_t metric)
{
    double *values = ARENA_ARRAY(&u->arena, double, c->n_runs);
    for (uint32_t i = 0; i < c->n_runs; i++)
        values[i] = c->runs[i].values[metric];
    return values;
}

/* Returns the seeds of the replications of a case, in the arena. */
static const double *seeds_of(struct updater *u, const struct gate_case *c)
{
    double *seeds = ARENA_ARRAY(&u->arena, double, c->n_runs);
    for (uint32_t i = 0; i < c->n_runs; i++)
        seeds[i] = i + 1;
    return seeds;
}

/* True if the row has recorded the seeds of the case, no others and no fewer.
 */
static bool has_seeds(const struct gate_case *c,
                      const struct gate_recorded *row)
{
    bool has = row->n_seeds == update_list_of(c);
    for (size_t i = 0; i < row->n_seeds && has; i++)
        has = row->seeds[i] == i + 1;
    return has;
}

/* True if the value of some run is not that of the row, which has recorded the
 * seeds of the case. */
static bool is_changed(const struct gate_case *c, const struct gate_outcome *o)
{
    if (o->is_new || (c->trace->replications && !o->is_paired))
        return true;
    return o->is_paired ? o->verdict != GATE_EQUAL
                        : !update_same(o->now.mean, o->expected.mean);
}

/* Writes the share of the work that was done into a row of a case with
 * unfinished jobs, and removes it from others. Returns the number of members
 * that changed. */
static size_t set_share(struct updater *u, const struct gate_case *c,
                        struct json_items *row)
{
    static const char key[] = "finished_share";
    const size_t at = json_items_find(row, "unfinished") + 1;
    const double share = c->n_unfinished ? c->share : NAN;
    if (update_same(share, c->expected_share))
        return 0;
    if (isnan(share))
        json_items_remove(row, json_items_find(row, key));
    else
        json_items_put(row, key, gate_member(&u->arena, key, &share, 0), at,
                       " ");
    return 1;
}

/* Writes the values of a case into the members of its row. Returns the number
 * of members that changed. */
static size_t set_values(struct updater *u, const struct gate_case *c,
                         struct json_items *row)
{
    const bool is_kept = has_seeds(c, &u->cases->file->rows[c->row]);
    const size_t list = update_list_of(c);
    size_t n = 0, at = 2;
    if (list && !is_kept)
        json_items_put(row, "seeds",
                       gate_member(&u->arena, "seeds", seeds_of(u, c), list),
                       at, " ");
    else if (!is_kept)
        json_items_remove(row, json_items_find(row, "seeds"));
    at += list > 0;
    for (size_t m = 0; m < c->trace->n_metrics; m++) {
        const char *name = c->trace->metrics[m].name;
        if (!is_kept || is_changed(c, &c->outcomes[m])) {
            /* A new value comes after that of the metric listed before its own;
             * the first one comes after "trace", "policy" and "seeds". */
            json_items_put(
                row, name,
                gate_member(&u->arena, name, update_values_of(u, c, m), list),
                at, " ");
            n++;
        }
        at = json_items_find(row, name) + 1;
    }
    if (c->n_unfinished != c->expected_unfinished) {
        json_items_put(
            row, "unfinished",
            gate_whole_member(&u->arena, "unfinished", c->n_unfinished), at,
            " ");
        n++;
    }
    return n + set_share(u, c, row);
}

/* Removes from a row the values of metrics that the file no longer lists.
 * Returns their number. */
static size_t remove_stale(const struct gate_case *c,
                           const struct gate_recorded *of,
                           struct json_items *row)
{
    size_t n = 0;
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)of->values, key, value)
    {
        size_t m = 0, i = json_items_find(row, key);
        while (m < c->trace->n_metrics &&
               strcmp(c->trace->metrics[m].name, key) != 0)
            m++;
        if (m < c->trace->n_metrics || gate_recorded_is_own_key(key) ||
            i == row->n)
            continue;
        json_items_remove(row, i);
        n++;
    }
    return n;
}

static void update_row(struct updater *u, const struct gate_case *c,
                       struct json_item *item)
{
    struct json_items row;
    json_items_split(item->body, &row);
    size_t n = remove_stale(c, &u->cases->file->rows[c->row], &row);
    n += set_values(u, c, &row);
    if (n)
        json_items_put(
            &row, "update",
            gate_whole_member(&u->arena, "update", (int64_t)u->number), row.n,
            " ");
    u->updated->n_values += n;
    struct text text = update_join(u, &row);
    if (n)
        item->body = text;
}

static struct text new_row(struct updater *u, const struct gate_case *c)
{
    struct out *out = out_to_memory();
    out_text(out, "{\"trace\": ");
    json_put_text(out, c->trace->name);
    out_text(out, ", \"policy\": ");
    json_put_text(out, c->policy->name);
    if (update_list_of(c)) {
        out_text(out, ", \"seeds\": ");
        gate_put_values(out, seeds_of(u, c), update_list_of(c));
    }
    for (size_t m = 0; m < c->trace->n_metrics; m++) {
        out_text(out, ", ");
        json_put_text(out, c->trace->metrics[m].name);
        out_text(out, ": ");
        gate_put_values(out, update_values_of(u, c, m), update_list_of(c));
    }
    if (c->n_unfinished)
        out_printf(out, ", \"unfinished\": %" PRId64 ", \"finished_share\": ",
                   c->n_unfinished);
    if (c->n_unfinished)
        gate_put_values(out, &c->share, 0);
    out_printf(out, ", \"update\": %" PRIu64 "}", u->number);
    u->updated->n_rows++;
    return gate_text_of(&u->arena, out);
}

/* Makes the new list "expected". A new row comes after the row of the case
 * before it. Rows that belong to no run are removed. */
static void update_rows(struct updater *u, struct json_items *list)
{
    const struct gate_cases *cases = u->cases;
    size_t n_old = list->n, at = 0;
    /* By row of the file: number of rows inserted before it so far. */
    size_t *shift = mem_zalloc(n_old + 1, sizeof *shift);
    for (size_t i = 0; i < cases->n; i++) {
        const struct gate_case *c = &cases->at[i];
        if (c->row != SIZE_MAX) {
            at = c->row + shift[c->row] + 1;
            update_row(u, c, &list->at[at - 1]);
            continue;
        }
        json_items_insert(list, at, new_row(u, c), row_lead);
        for (size_t k = 0; k < n_old; k++)
            shift[k] += k + shift[k] >= at;
        at++;
    }
    for (size_t i = cases->n_gone; i-- > 0;) {
        json_items_remove(list, cases->gone[i] + shift[cases->gone[i]]);
        u->updated->n_removed++;
    }
    free(shift);
}

static void add_update(struct updater *u, const struct gate_reason *reason,
                       struct json_items *list)
{
    struct out *out = out_to_memory();
    out_printf(out, "{\"update\": %" PRIu64 ", \"reason\": ", u->number);
    json_put_text(out, reason->reason);
    out_text(out, ", \"program\": \"schedsim " SCHEDSIM_VERSION ", commit ");
    out_text(out, provenance_commit());
    out_char(out, '"');
    if (reason->date) {
        out_text(out, ", \"date\": ");
        json_put_text(out, reason->date);
    }
    out_char(out, '}');
    json_items_insert(list, list->n, gate_text_of(&u->arena, out), row_lead);
}

/* Splits a list of the file into items; none if the file does not have the
 * list. */
static void split_list(const struct json_items *root, const char *key,
                       struct json_items *out)
{
    size_t i = json_items_find(root, key);
    *out = (struct json_items){.open = '[', .close = ']'};
    if (i < root->n)
        json_items_split(json_item_value(&root->at[i]), out);
}

/* Puts a list back into the file, and frees it. A list that is new comes last.
 */
static void put_list(struct updater *u, struct json_items *root,
                     const char *key, struct json_items *list)
{
    size_t i = json_items_find(root, key);
    struct out *out = out_to_memory();
    if (i < root->n) {
        struct text body = root->at[i].body;
        struct text value = json_item_value(&root->at[i]);
        out_bytes(out, body.at, (size_t)(value.at - body.at));
    } else {
        json_put_text(out, key);
        out_text(out, ": ");
    }
    json_items_join(list, out);
    json_items_free(list);
    json_items_put(root, key, gate_text_of(&u->arena, out), root->n, list_lead);
}

/* True if a row has the values of all runs of a case. */
static bool update_has_values(const struct gate_case *c,
                              const struct gate_recorded *row,
                              struct arena *arena)
{
    bool has = true;
    for (size_t m = 0; m < c->trace->n_metrics && has; m++) {
        const char *name = c->trace->metrics[m].name;
        const double *lists = gate_recorded_values(row, name, arena);
        const double one = gate_recorded_value(row, name, &has).mean;
        has &= c->trace->replications ? lists && row->n_seeds == c->n_runs
                                      : !lists;
        for (uint32_t i = 0; i < c->n_runs && has; i++)
            has = update_same(c->runs[i].values[m], lists ? lists[i] : one);
    }
    return has;
}

/* Reads the new file and compares: its values must be those of this run. */
static enum status update_check(const struct gate_cases *cases,
                                struct text text, struct error *err)
{
    struct gate_file file;
    char *copy = mem_alloc(text.len + 1);
    memcpy(copy, text.at, text.len);
    enum status st =
        gate_file_parse(cases->file->path, copy, text.len, true, &file, err);
    for (size_t i = 0; i < cases->n && st == STATUS_OK; i++) {
        const struct gate_case *c = &cases->at[i];
        size_t row = gate_file_row(&file, c->trace->name, c->policy->name, i);
        if (row == SIZE_MAX ||
            !update_has_values(c, &file.rows[row], &file.arena))
            st = error_set(err, STATUS_BAD_INPUT,
                           "%s: cannot be rewritten in place: write its keys "
                           "and names without escapes",
                           cases->file->path);
    }
    gate_file_close(&file);
    return st;
}

static void update_rewrite(struct updater *u, const struct gate_reason *reason,
                           struct text before, struct out *out)
{
    struct json_items root, list;
    const struct gate_cases *cases = u->cases;
    const size_t lead = strspn(before.at, " \t\r\n");
    size_t end = before.len;
    while (end > 0 && before.at[end - 1] != '}')
        end--;
    out_bytes(out, before.at, lead);
    json_items_split((struct text){before.at + lead, end - lead}, &root);
    split_list(&root, "inputs", &list);
    u->updated->n_inputs = gate_inputs_update(cases, &u->arena, &list);
    put_list(u, &root, "inputs", &list);
    split_list(&root, "expected", &list);
    update_rows(u, &list);
    put_list(u, &root, "expected", &list);
    split_list(&root, "updates", &list);
    add_update(u, reason, &list);
    put_list(u, &root, "updates", &list);
    json_items_join(&root, out);
    json_items_free(&root);
    out_bytes(out, before.at + end, before.len - end);
}

enum status gate_update(const struct gate_cases *cases,
                        const struct gate_reason *reason, struct out *out,
                        struct gate_updated *updated, struct error *err)
{
    struct updater u = {.cases = cases,
                        .updated = updated,
                        .number = cases->file->last_update + 1};
    struct text before = {cases->file->text, cases->file->len};
    *updated = (struct gate_updated){0};
    arena_init(&u.arena);
    update_rewrite(&u, reason, before, out);
    arena_fini(&u.arena);
    if (updated->n_values + updated->n_rows + updated->n_removed +
        updated->n_inputs)
        updated->number = u.number;
    return update_check(cases, out_memory(out), err);
}
