/* SPDX-License-Identifier: GPL-3.0-or-later */
/* manifest.json: everything that is needed to repeat a result and to check it.
 * Nothing in it depends on when or where the run was made. */
#include <string.h>

#include "sim/json_out.h"
#include "sim/report.h"

static json_t *seconds(sim_span span)
{
    return json_number(span_seconds(span));
}

static json_t *input(const struct run_result *run)
{
    const struct workload *w = &run->workload;
    char zero[TIME_TEXT_MAX];
    json_t *object = json_object(), *dropped = json_object();
    time_to_text(w->zero, zero);
    json_put(object, "format", json_text(w->format));
    json_put(object, "sha256", json_text(w->digest));
    json_put(object, "rows", json_integer((json_int_t)w->n_rows));
    json_put(object, "jobs", json_integer(w->n_jobs));
    for (unsigned i = 0; i < LOAD_N_REASONS; i++) {
        if (w->dropped[i])
            json_put(dropped, load_reason_words((enum load_reason)i),
                     json_integer((json_int_t)w->dropped[i]));
    }
    json_put(object, "dropped", dropped);
    json_put(object, "time_zero", json_text(zero));
    return object;
}

/* "policy sjf", key, value: one object an owner. */
static json_t *configuration(const struct run_result *run)
{
    json_t *root = json_object();
    for (size_t i = 0; i < run->n_settings; i++) {
        const struct run_setting *s = &run->settings[i];
        json_t *owner = json_object_get(root, s->owner);
        if (!owner) {
            owner = json_object();
            json_put(root, s->owner, owner);
        }
        json_put(owner, s->key, json_text(s->value));
    }
    return root;
}

/* Of a node as it was described. */
static const struct pool *pool_of(const struct cluster *c, uint32_t node)
{
    const struct pool *pool = &c->pools[c->nodes[node].pool];
    return pool->loan ? &c->pools[pool->home] : pool;
}

/* Nodes in the order of their numbers; equal neighbours as one row. */
static json_t *nodes(const struct cluster *c)
{
    json_t *rows = json_array();
    for (uint32_t n = 0, count; n < c->n_nodes; n += count) {
        const struct node *node = &c->nodes[n];
        const struct pool *pool = pool_of(c, n);
        count = 1;
        while (n + count < c->n_nodes && pool_of(c, n + count) == pool &&
               c->nodes[n + count].gpus == node->gpus)
            count++;
        json_t *row = json_object();
        json_put(row, "nodes", json_integer(count));
        json_put(row, "gpus", json_integer(node->gpus));
        json_put(row, "type", json_text(c->types[pool->type].name));
        json_put(row, "vc", json_text(c->vcs[pool->vc]));
        json_put(row, "profiler", json_boolean(pool->profiler));
        json_array_append_new(rows, row);
    }
    return rows;
}

static json_t *cluster(const struct run_result *run)
{
    const struct ledger *ledger = &run->ledger;
    static const char *const words[] = {[LEDGER_NODE_DOWN] = "down",
                                        [LEDGER_NODE_UP] = "up",
                                        [LEDGER_NODE_LENT] = "lent",
                                        [LEDGER_NODE_BACK] = "back"};
    json_t *object = json_object(), *changes = json_array();
    json_put(object, "name", json_text(run->cluster_name));
    json_put(object, "source", json_text(run->cluster_source));
    json_put(object, "share_limit", json_integer(run->cluster.share_limit));
    json_put(object, "groups", nodes(&run->cluster));
    for (size_t i = 0; i < ledger->n_node_changes; i++) {
        const struct node_change *change = &ledger->node_changes[i];
        json_t *row = json_array();
        json_array_append_new(row, seconds(change->at));
        json_array_append_new(row, json_integer(change->node));
        json_array_append_new(row, json_text(words[change->kind]));
        json_array_append_new(row, json_text(change->why));
        json_array_append_new(changes, row);
    }
    json_put(object, "changes", changes);
    return object;
}

/* The number of a text among the sources, which it joins if it is new. */
static json_t *source_number(json_t *sources, const char *text)
{
    const json_t *known;
    size_t i;
    json_array_foreach(sources, i, known)
    {
        if (strcmp(json_string_value(known), text) == 0)
            return json_integer((json_int_t)i);
    }
    json_array_append_new(sources, json_text(text));
    return json_integer((json_int_t)i);
}

static json_t *figures(const struct profile *profile, json_t *sources)
{
    static const char *const words[] = {"unknown", "measured", "assumed"};
    json_t *object = json_object();
    for (unsigned f = 0; f < N_FIGURES; f++) {
        const struct figure *figure = &profile->figures[f];
        if (figure->status == FIGURE_UNKNOWN)
            continue;
        json_t *row = json_object();
        json_put(row, "value", json_number(figure->value));
        json_put(row, "status", json_text(words[figure->status]));
        json_put(row, "source", source_number(sources, figure->source));
        json_put(object, figure_name((enum workload_figure)f), row);
    }
    return object;
}

/* What the jobs train, and which figures of it were measured or are assumed;
 * NULL if nothing is known. */
static json_t *workloads(const struct run_result *run)
{
    json_t *rows = json_array(), *sources = json_array();
    for (size_t i = 1; i < run->workloads.n; i++) {
        const struct profile *p = &run->workloads.rows[i];
        json_t *known = p->n_jobs ? figures(p, sources) : NULL;
        if (!json_object_size(known)) {
            json_decref(known);
            continue;
        }
        json_t *row = json_object();
        json_put(row, "model", json_text(p->model));
        json_put(row, "dataset", json_text(p->dataset));
        json_put(row, "batch_size", json_integer(p->batch_size));
        if (p->amp >= 0)
            json_put(row, "amp", json_boolean(p->amp));
        json_put(row, "jobs", json_integer(p->n_jobs));
        json_put(row, "similar", json_boolean(p->inherited));
        json_put(row, "figures", known);
        json_array_append_new(rows, row);
    }
    if (json_array_size(rows))
        return json_pack("{s:o, s:o}", "sources", sources, "profiles", rows);
    json_decref(rows);
    json_decref(sources);
    return NULL;
}

/* Where numbers come from that are nobody's measurement of this cluster. */
static json_t *notes(const struct run_result *run)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < run->n_settings; i++) {
        const struct run_setting *s = &run->settings[i];
        if (!s->source || !s->source[0])
            continue;
        json_t *row = json_object();
        json_put(row, "about", json_sprintf("%s: %s", s->owner, s->key));
        json_put(row, "source", json_text(s->source));
        json_array_append_new(rows, row);
    }
    return rows;
}

void report_manifest(struct out *out, struct results results,
                     const struct result_dir *dir)
{
    const struct run_result *run = results.run;
    json_t *root = json_object(), *outputs = json_object();
    json_put(root, "schedsim", json_text(SCHEDSIM_VERSION));
    json_put(root, "input", input(run));
    json_put(root, "policy", json_text(run->policy));
    json_put(root, "placer", json_text(run->placer));
    json_put(root, "rules", json_text(run->rules));
    json_put(root, "seed", json_sprintf("%llu", (unsigned long long)run->seed));
    json_put(root, "end_s", seconds(results.end));
    json_put(root, "unit_rates", json_boolean(results.gauge->unit_rates));
    json_put(root, "events", json_integer((json_int_t)run->n_events));
    json_put(root, "decisions", json_integer((json_int_t)run->n_decisions));
    json_put(root, "configuration", configuration(run));
    json_put(root, "cluster", cluster(run));
    json_put(root, "notes", notes(run));
    json_t *known = workloads(run);
    if (known)
        json_put(root, "workloads", known);
    for (unsigned i = 0; i < RESULT_N; i++) {
        const char *digest = result_dir_digest(dir, (enum result_file)i);
        if (digest)
            json_put(outputs, result_files[i].name, json_text(digest));
    }
    json_put(root, "outputs", outputs);
    json_write(out, root);
    json_decref(root);
}
