/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the layers of SchedMate from what the user writes after the name of a
 * policy: "lucid+schedmate" is the policy lucid with the estimator `advisor`,
 * the monitor `tracker` and the recovery rule `handler`. */

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "models/estimators/estimator.h"
#include "schedmate/simulated/evidence/evidence.h"
#include "schedmate/simulated/schedmate.h"
#include "sim/run/run_internal.h"
#include "traces/evidence/sidecar.h"

static const struct layer_word {
    const char *word;    /* word that the user writes */
    unsigned layers;     /* set of enum schedmate_layer */
    const char *plug_in; /* name of the plug-in of a single layer */
    const char *summary;
} layer_words[] = {
    {.word = "schedmate",
     .layers = LAYER_ALL,
     .summary = "SchedMate: advisor, tracker and handler together"},
    {.word = "advisor",
     .layers = LAYER_ADVISOR,
     .plug_in = "advisor",
     .summary = "SchedMate's estimates, from the sources of jobs"},
    {.word = "tracker",
     .layers = LAYER_TRACKER,
     .plug_in = "tracker",
     .summary = "SchedMate's step times, from the logs of jobs"},
    {.word = "handler",
     .layers = LAYER_HANDLER,
     .plug_in = "handler",
     .summary = "SchedMate's diagnosis of failed jobs, from their logs"},
};

enum { COMPOSE_SCHEDMATE_N_WORDS = sizeof layer_words / sizeof *layer_words };

const char *run_layer(size_t i, const char **summary)
{
    if (i < COMPOSE_SCHEDMATE_N_WORDS) {
        *summary = layer_words[i].summary;
        return layer_words[i].word;
    }
    *summary = "virtual clusters lend GPUs to each other (--quota)";
    return i == COMPOSE_SCHEDMATE_N_WORDS ? "quota" : NULL;
}

static enum status schedmate_add_layer(struct run *run, struct text word,
                                       struct error *err)
{
    const char *names[COMPOSE_SCHEDMATE_N_WORDS + 1];
    names[COMPOSE_SCHEDMATE_N_WORDS] = "quota";
    if (text_is(word, "quota")) {
        run->lends = true;
        return STATUS_OK;
    }
    for (size_t i = 0; i < COMPOSE_SCHEDMATE_N_WORDS; i++) {
        names[i] = layer_words[i].word;
        if (text_is(word, names[i])) {
            run->layers |= layer_words[i].layers;
            return STATUS_OK;
        }
    }
    const char *near = text_nearest(word, names, COMPOSE_SCHEDMATE_N_WORDS + 1);
    return error_set(err, STATUS_USAGE,
                     "policy: no layer '%.*s'%s; the layers are schedmate, "
                     "advisor, tracker, handler and quota",
                     TEXT_ARGS(word), text_suggest(near).words);
}

/* Returns "BASE+LAYER...", the layers in the order of layer_words, then quota;
 * "schedmate" stands for all three of layer_words. BASE alone if there are
 * none. */
static const char *title(struct run *run)
{
    struct arena *arena = &run->result.arena;
    const char *base = run->parts.policy.ops->name;
    char buf[256];
    size_t n = 0;
    if (!run->layers && !run->lends)
        return base;
    n += (size_t)snprintf(buf, sizeof buf, "%.128s", base);
    for (size_t i = 0; i < COMPOSE_SCHEDMATE_N_WORDS; i++) {
        bool all = run->layers == LAYER_ALL;
        if (all ? i == 0 : i > 0 && (run->layers & layer_words[i].layers))
            n += (size_t)snprintf(buf + n, sizeof buf - n, "+%s",
                                  layer_words[i].word);
    }
    if (run->lends)
        n += (size_t)snprintf(buf + n, sizeof buf - n, "+quota");
    return arena_copy(arena, buf, n);
}

enum status compose_layers(struct run *run, const struct spec *spec,
                           struct error *err)
{
    enum status st = STATUS_OK;
    for (size_t i = 0; i < spec->n_layers && st == STATUS_OK; i++)
        st = schedmate_add_layer(run, spec->layers[i], err);
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

static bool spec_sets(const struct spec *spec, struct text key)
{
    for (size_t i = 0; i < spec->n_settings; i++)
        if (text_equal(spec->settings[i].key, key))
            return true;
    return false;
}

/* Reads the file that the setting `measured` names, if there is one, and adds
 * its settings, apart from those that the user gives too. *out keeps what was
 * added. */
static enum status add_measured(struct run *run, struct spec *spec,
                                struct measured *out, struct error *err)
{
    struct arena *arena = &run->result.arena;
    struct text path = {0};
    size_t n = 0;
    for (size_t i = 0; i < spec->n_settings; i++)
        if (text_is(spec->settings[i].key, "measured"))
            path = spec->settings[i].value;
    *out = (struct measured){0};
    if (!path.len)
        return STATUS_OK;
    enum status st =
        measured_read(arena_copy(arena, path.at, path.len), arena, out, err);
    for (size_t i = 0; st == STATUS_OK && i < out->spec.n_settings; i++) {
        if (spec_sets(spec, out->spec.settings[i].key))
            continue;
        out->cases[n] = out->cases[i];
        out->spec.settings[n++] = out->spec.settings[i];
    }
    out->spec.n_settings = n;
    if (st == STATUS_OK && spec->n_settings + n > SPEC_SETTINGS_MAX)
        return error_set(err, STATUS_USAGE,
                         "schedmate: more than %d settings with those of "
                         "measured",
                         SPEC_SETTINGS_MAX);
    for (size_t i = 0; i < n; i++)
        spec->settings[spec->n_settings++] = out->spec.settings[i];
    return st;
}

/* Names the measurement as the source of each setting that it gave. */
static void note_measured(struct run *run, const struct measured *measured)
{
    struct run_result *r = &run->result;
    for (size_t i = 0; i < measured->spec.n_settings; i++) {
        char source[160];
        int n = snprintf(source, sizeof source,
                         "measured on %" PRIu32 " cases (%.100s)",
                         measured->cases[i], measured->model);
        for (size_t k = 0; k < r->n_settings; k++)
            if (strcmp(r->settings[k].owner, "schedmate") == 0 &&
                text_is(measured->spec.settings[i].key, r->settings[k].key))
                r->settings[k].source =
                    arena_copy(&r->arena, source, (size_t)n);
    }
}

enum status compose_schedmate(struct run *run, struct error *err)
{
    struct arena *arena = &run->result.arena;
    const char *settings = run->config.schedmate;
    struct spec spec = {.name = text_from(schedmate_plugin.name)};
    struct measured measured;
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
        st = add_measured(run, &spec, &measured, err);
    if (st == STATUS_OK)
        st = spec_apply(&spec, schedmate_options, config, "schedmate", arena,
                        err);
    if (st != STATUS_OK)
        return st;
    run->parts.schedmate.plugin = &schedmate_plugin;
    run->parts.schedmate.config = config;
    compose_note_options(run, "schedmate", schedmate_options, config);
    note_measured(run, &measured);
    return compose_model(run, err);
}

const struct option *run_schedmate_options(size_t *config_size)
{
    *config_size = schedmate_plugin.config_size;
    return schedmate_options;
}

/* Takes the GPUs of SchedMate's language model from the cluster. These GPUs
 * belong to no node of the run: they run no jobs, and they never fail, even if
 * the rest of their node does. */

static uint32_t gpus_for_jobs(const struct cluster_spec *spec)
{
    uint32_t gpus = 0;
    for (size_t i = 0; i < spec->n_groups; i++)
        gpus += spec->groups[i].profiler
                    ? 0
                    : spec->groups[i].count * spec->groups[i].gpus;
    return gpus;
}

enum status compose_llm(struct run *run, struct error *err)
{
    const struct schedmate_config *config = run->parts.schedmate.config;
    struct partition_gpus taken;
    char nodes[80] = "";
    if (!config || config->llm_gpus == 0)
        return STATUS_OK;
    uint32_t before = gpus_for_jobs(&run->spec);
    enum status st =
        partition_take_gpus(config->llm_gpus, text_from(config->llm_pool),
                            &run->spec, &run->result.arena, &taken, err);
    if (st != STATUS_OK)
        return error_prefix(err, "--schedmate llm_gpus: ");
    if (taken.nodes)
        snprintf(nodes, sizeof nodes, ", %" PRIu32 " whole node%s", taken.nodes,
                 taken.nodes == 1 ? "" : "s");
    remarks_add(&run->result.remarks, REMARK_NUMBERS,
                "language model: served by %" PRIu32 " of %" PRIu32
                " GPUs for jobs%s; %" PRIu32
                " are left for jobs (--schedmate llm_gpus)",
                taken.gpus, before, nodes, before - taken.gpus);
    return STATUS_OK;
}

static void schedmate_note_count(struct run *run, const char *key, uint32_t n,
                                 const char *help)
{
    char text[16];
    snprintf(text, sizeof text, "%" PRIu32, n);
    compose_note(run, "evidence", key, text, help, NULL);
}

/* Records how many jobs have evidence. Adds a remark if no job has any, as with
 * the side-car of another trace. */
static void count_jobs(struct run *run)
{
    const struct jobset *jobs = &run->result.jobset;
    uint32_t n_commands = 0, n_logs = 0;
    for (uint32_t i = 0; i < jobs->n_jobs; i++) {
        struct evidence_command command;
        struct evidence_log log;
        n_commands += evidence_command(run->evidence, &jobs->jobs[i], &command);
        n_logs += evidence_log(run->evidence, &jobs->jobs[i], &log);
    }
    schedmate_note_count(run, "jobs_with_command", n_commands,
                         "jobs whose launch command is known");
    schedmate_note_count(run, "jobs_with_log", n_logs, "jobs that leave a log");
    if (n_commands + n_logs == 0)
        remarks_add(&run->result.remarks, REMARK_CONCLUSION,
                    "--evidence: there is none for any of the %" PRIu32 " jobs",
                    jobs->n_jobs);
}

/* Returns the path of the repositories that come with the program, which have
 * an index: in traces/evidence of a folder above the binary (a build folder in
 * the tree) or in share/schedsim beside the binary (a build folder elsewhere)
 * or beside its folder (an installation), else below the working directory. */
static const char *own_folder(struct arena *arena)
{
    static const char *const below[] = {"traces/evidence",
                                        "share/schedsim/traces/evidence"};
    char program[PATH_MAX], path[2 * PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    for (int up = 1; n > 0 && up <= 3; up++) {
        const char *slash = memrchr(program, '/', (size_t)n);
        n = slash ? slash - program : 0;
        for (size_t i = 0; n > 0 && i < sizeof below / sizeof *below; i++) {
            snprintf(path, sizeof path, "%.*s/%s/index.json", (int)n, program,
                     below[i]);
            if (access(path, R_OK) == 0)
                return arena_copy(arena, path,
                                  strlen(path) - strlen("/index.json"));
        }
    }
    return below[0];
}

/* Reads a side-car, whose paths may be in the folder that the user names and
 * among the repositories beside the binary. */
static enum status read_paths(struct run *run, const char *path,
                              const struct run_env *env, struct evidence **out,
                              char sha256[DIGEST_HEX_MAX], struct error *err)
{
    const char *roots[3] = {0}, *own = own_folder(&run->result.arena);
    size_t n = 0;
    if (run->config.evidence_root)
        roots[n++] = run->config.evidence_root;
    if (run->config.evidence_root && access(roots[0], X_OK) != 0)
        return error_set(err, STATUS_USAGE, "--evidence-root: %s: %s", roots[0],
                         strerror(errno));
    if (own[0] == '/')
        roots[n++] = own;
    return evidence_read(path, roots, env, out, sha256, err);
}

static enum status generate(struct run *run, struct error *err)
{
    struct arena *arena = &run->result.arena;
    const struct run_env env = compose_env(run);
    const char *folder = own_folder(arena);
    struct out *path = out_to_memory();
    out_printf(path, "%s/index.json", folder);
    out_char(path, '\0');
    const char *index =
        arena_copy(arena, out_memory(path).at, out_memory(path).len);
    out_abandon(path);
    if (access(index, R_OK) != 0)
        return error_set(err, STATUS_USAGE,
                         "--evidence generated: no %s near the program or "
                         "here, nor in share/schedsim, where `meson install` "
                         "puts it",
                         index);
    enum status st = evidence_generate(folder, &env, &run->evidence, err);
    if (st != STATUS_OK)
        return st;
    const char *sha256 = compose_file(run, "evidence", index, NULL);
    compose_note(run, "evidence", "index_sha256", sha256,
                 "SHA-256 of the index of repositories from which evidence is "
                 "made up",
                 "traces/evidence/index.json, assumed");
    return STATUS_OK;
}

static enum status read_sidecar(struct run *run, const char *path,
                                struct error *err)
{
    char sha256[DIGEST_HEX_MAX];
    const struct run_env env = compose_env(run);
    enum status st = read_paths(run, path, &env, &run->evidence, sha256, err);
    if (st != STATUS_OK)
        return st;
    compose_note(run, "evidence", "sha256", sha256,
                 "SHA-256 of the side-car: what each job submitted and logs",
                 NULL);
    compose_file(run, "evidence", path, sha256);
    return STATUS_OK;
}

const char *gather_sidecar(struct run *run, const char *trace)
{
    if (!trace || strcmp(trace, "-") == 0)
        return NULL;
    const char *path = sidecar_path(trace, &run->result.arena);
    return access(path, F_OK) == 0 ? path : NULL;
}

/* Reads the side-car of the trace of --train, if there is one. */
static enum status gather_past(struct run *run, struct error *err)
{
    const char *path = gather_sidecar(run, run->config.train);
    char sha256[DIGEST_HEX_MAX];
    struct run_env env = compose_env(run);
    if (!path || !run->n_past)
        return STATUS_OK;
    struct job *jobs = mem_alloc(run->n_past * sizeof *jobs);
    for (uint32_t i = 0; i < run->n_past; i++)
        jobs[i] = run->past[i].job;
    env.jobs = jobs;
    env.n_jobs = run->n_past;
    enum status st =
        read_paths(run, path, &env, &run->past_evidence, sha256, err);
    free(jobs);
    if (st == STATUS_OK) {
        compose_note(run, "evidence", "train_sha256", sha256,
                     "SHA-256 of the side-car of --train", NULL);
        compose_file(run, "evidence of train", path, sha256);
    }
    return st;
}

enum status gather_evidence(struct run *run, struct error *err)
{
    const char *path = run->config.evidence;
    enum status st = STATUS_OK;
    if (!path)
        path = gather_sidecar(run, run->config.trace);
    if (path && strcmp(path, "generated") == 0)
        st = generate(run, err);
    else if (path)
        st = read_sidecar(run, path, err);
    if (path && st == STATUS_OK)
        count_jobs(run);
    return st == STATUS_OK ? gather_past(run, err) : st;
}
