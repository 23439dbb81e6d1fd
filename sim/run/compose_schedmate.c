/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the layers of SchedMate from what the user writes after the name of a
 * policy: "lucid+schedmate" is the policy lucid with the estimator `advisor`,
 * the monitor `tracker` and the recovery rule `handler`. */
#include <stdio.h>
#include <string.h>

#include "schedmate/simulated/schedmate.h"
#include "sim/run/compose_internal.h"

static const struct layer_word {
    const char *word;    /* word that the user writes */
    unsigned layers;     /* set of enum schedmate_layer */
    const char *plug_in; /* name of the plug-in of a single layer */
} layer_words[] = {
    {.word = "schedmate", .layers = LAYER_ALL},
    {.word = "advisor", .layers = LAYER_ADVISOR, .plug_in = "advisor"},
    {.word = "tracker", .layers = LAYER_TRACKER, .plug_in = "tracker"},
    {.word = "handler", .layers = LAYER_HANDLER, .plug_in = "handler"},
};
enum { N_WORDS = sizeof layer_words / sizeof *layer_words };

static enum status add_layer(struct run *run, struct text word,
                             struct error *err)
{
    const char *names[N_WORDS];
    for (size_t i = 0; i < N_WORDS; i++) {
        names[i] = layer_words[i].word;
        if (text_is(word, names[i])) {
            run->layers |= layer_words[i].layers;
            return STATUS_OK;
        }
    }
    const char *near = text_nearest(word, names, N_WORDS);
    return error_set(err, STATUS_USAGE,
                     "policy: no layer '%.*s'%s%s%s; the layers are schedmate, "
                     "advisor, tracker and handler",
                     TEXT_ARGS(word), near ? "; did you mean '" : "",
                     near ? near : "", near ? "'?" : "");
}

/* Returns "BASE+LAYER...", the layers in the order of layer_words; "schedmate"
 * stands for all three. BASE alone if there are none. */
static const char *title(struct run *run)
{
    struct arena *arena = &run->result.arena;
    const char *base = run->parts.policy.ops->name;
    char buf[256];
    size_t n = 0;
    if (!run->layers)
        return base;
    n += (size_t)snprintf(buf, sizeof buf, "%.128s", base);
    for (size_t i = 0; i < N_WORDS; i++) {
        bool all = run->layers == LAYER_ALL;
        if (all ? i == 0 : i > 0 && (run->layers & layer_words[i].layers))
            n += (size_t)snprintf(buf + n, sizeof buf - n, "+%s",
                                  layer_words[i].word);
    }
    return arena_copy(arena, buf, n);
}

enum status compose_layers(struct run *run, const struct spec *spec,
                           struct error *err)
{
    enum status st = STATUS_OK;
    for (size_t i = 0; i < spec->n_layers && st == STATUS_OK; i++)
        st = add_layer(run, spec->layers[i], err);
    if (st == STATUS_OK)
        run->result.policy = title(run);
    return st;
}

/* Returns where the layer of this name begins in a chain such as
 * "oracle,profiled:util=50"; NULL: the chain has no such layer. */
static const char *find_layer(const char *chain, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = chain; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, name, n) == 0 && strchr(",:", at[n]))
            return at;
    }
    return NULL;
}

static const char *plug_in_of(enum schedmate_layer layer)
{
    size_t i = 0;
    while (layer_words[i].layers != (unsigned)layer)
        i++;
    return layer_words[i].plug_in;
}

const char *compose_layer(struct run *run, enum schedmate_layer layer,
                          const char *chain, bool is_named)
{
    const char *name = plug_in_of(layer);
    if (!(run->layers & (unsigned)layer))
        return chain;
    if (layer == LAYER_HANDLER && !is_named &&
        (run->config.faults || run->config.chains))
        remarks_add(&run->result.remarks, REMARK_NUMBERS,
                    "failures that the handler does not take for failures of "
                    "the infrastructure end their jobs, because no --recovery "
                    "is named (--recovery person)");
    if (find_layer(chain, name))
        return chain;
    size_t n = strlen(name), m = strlen(chain);
    char *text = arena_alloc(&run->result.arena, n + m + 2);
    memcpy(text, name, n);
    text[n] = m ? ',' : '\0';
    memcpy(text + n + 1, chain, m + 1);
    return text;
}

enum status compose_tracker(struct run *run, const char **out,
                            struct error *err)
{
    const char *named = run->config.monitor;
    *out = named;
    if (!(run->layers & LAYER_TRACKER))
        return STATUS_OK;
    if (named && strcmp(named, "tracker") != 0)
        return error_set(err, STATUS_USAGE,
                         "--monitor %.100s: policy %s has the monitor tracker "
                         "already; a run has one monitor",
                         named, run->result.policy);
    *out = "tracker";
    if (!(run->parts.policy.ops->needs & POLICY_SHARES))
        remarks_add(&run->result.remarks, REMARK_CONCLUSION,
                    "the tracker has nothing to watch, because policy %s does "
                    "not share GPUs",
                    run->parts.policy.ops->name);
    return STATUS_OK;
}

/* How many plug-ins of each kind in the run belong to SchedMate. */
struct layer_counts {
    uint32_t estimators, recoveries, monitors;
};

static struct layer_counts count_layers(const struct run *run)
{
    const struct monitor_ops *monitor = run->parts.monitor.ops;
    struct layer_counts n = {.monitors = monitor && monitor->of_schedmate};
    for (const struct estimator *l = run->parts.estimator; l; l = l->below)
        n.estimators += l->ops->of_schedmate;
    for (const struct recovery *r = run->parts.recovery; r; r = r->below)
        n.recoveries += r->ops->of_schedmate;
    return n;
}

/* Sets *any to whether the run has a layer of SchedMate. Returns STATUS_USAGE
 * if a chain has a layer twice, which would ask the model twice about the same
 * job, or if settings of SchedMate are given for a run without layers. */
static enum status find_layers(const struct run *run, bool *any,
                               struct error *err)
{
    struct layer_counts n = count_layers(run);
    *any = n.estimators || n.recoveries || n.monitors;
    if (n.estimators > 1 || n.recoveries > 1)
        return error_set(err, STATUS_USAGE,
                         "--%s: the chain has the layer %s twice",
                         n.estimators > 1 ? "estimators" : "recovery",
                         n.estimators > 1 ? "advisor" : "handler");
    if (!*any && run->config.schedmate)
        return error_set(err, STATUS_USAGE,
                         "--schedmate: the run has no layer of SchedMate; try "
                         "--policy %s+schedmate",
                         run->parts.policy.ops->name);
    return STATUS_OK;
}

enum status compose_schedmate(struct run *run, struct error *err)
{
    struct arena *arena = &run->result.arena;
    const char *settings = run->config.schedmate;
    struct spec spec = {.name = text_from(schedmate_plugin.name)};
    bool any;
    enum status st = find_layers(run, &any, err);
    if (st != STATUS_OK)
        return st;
    if (!any)
        return compose_model(run, err);
    if (settings)
        st =
            spec_parse("schedmate",
                       text_from(compose_prefix(arena, "schedmate:", settings)),
                       &spec, err);
    void *config = arena_alloc(arena, schedmate_plugin.config_size);
    if (st == STATUS_OK)
        st = spec_apply(&spec, schedmate_options, config, "schedmate", arena,
                        err);
    if (st != STATUS_OK)
        return st;
    run->parts.schedmate.plugin = &schedmate_plugin;
    run->parts.schedmate.config = config;
    compose_note_options(run, "schedmate", schedmate_options, config);
    return compose_model(run, err);
}

const struct option *run_schedmate_options(size_t *config_size)
{
    *config_size = schedmate_plugin.config_size;
    return schedmate_options;
}
