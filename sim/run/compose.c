/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Merges the settings of the parts of a run, and makes those parts that have no
 * file of their own, such as the placer and the monitor. The configuration
 * names the parts. */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/digest.h"
#include "models/usage/usage.h"
#include "policies/outside/program.h"
#include "policies/outside/shared_object.h"
#include "policies/registry.h"
#include "schedmate/simulated/schedmate.h"
#include "sim/present/state.h"
#include "sim/run/conventions.h"
#include "sim/run/registry.h"
#include "sim/run/run_internal.h"
#include "traces/registry.h"

/* Records, for the manifest, the settings in force and the files that a run
 * reads; reads the options for results on request. */

static const char *compose_join(struct arena *arena, const char *a,
                                const char *b);
static enum status compose_merge_spec(const struct run *run, const char *owner,
                                      const struct spec *user,
                                      bool by_conventions, struct spec *out,
                                      struct error *err);
static enum status compose_config(struct run *run, const char *owner,
                                  const char *name, const struct spec *spec,
                                  const struct option *rows, size_t size,
                                  void **config, struct error *err);
static enum status compose_engine(struct run *run, struct error *err);
static enum status compose_time_law(struct run *run, struct error *err);

/* Returns a string equal to `owner`: the string of an earlier setting if there
 * is one, otherwise a new copy. */
static const char *compose_owner_of(struct run_result *r, const char *owner)
{
    const char *last = NULL;
    for (size_t i = r->n_settings; i-- > 0;) {
        const char *one = r->settings[i].owner;
        if (one != last && strcmp(one, owner) == 0)
            return one;
        last = one;
    }
    return arena_copy(&r->arena, owner, strlen(owner));
}

void compose_note(struct run *run, const char *owner, const char *key,
                  const char *value, const char *help, const char *source)
{
    struct run_result *r = &run->result;
    owner = compose_owner_of(r, owner);
    r->settings = mem_grow(r->settings, &run->cap_settings, r->n_settings + 1,
                           sizeof *r->settings);
    r->settings[r->n_settings++] = (struct run_setting){
        .owner = owner,
        .key = key,
        .value = arena_copy(&r->arena, value, strlen(value)),
        .help = help,
        .source = source,
    };
}

const char *compose_file(struct run *run, const char *what, const char *path,
                         const char *sha256)
{
    struct run_result *r = &run->result;
    r->files =
        mem_grow(r->files, &run->cap_files, r->n_files + 1, sizeof *r->files);
    struct run_file *file = &r->files[r->n_files++];
    *file = (struct run_file){
        .what = arena_copy(&r->arena, what, strlen(what)),
        .path = arena_copy(&r->arena, path, strlen(path)),
    };
    if (sha256)
        snprintf(file->sha256, sizeof file->sha256, "%s", sha256);
    else if (digest_path(path, file->sha256, NULL) != STATUS_OK)
        file->sha256[0] = '\0'; /* the reader of the file reports the error */
    return file->sha256;
}

/* Records a file. Returns "sha256 DIGEST" as the value of the setting, because
 * the path differs between machines; the path if the file has no digest. */
static const char *note_file(struct run *run, const char *owner,
                             const char *key, const char *path)
{
    struct arena *arena = &run->result.arena;
    char what[128];
    snprintf(what, sizeof what, "%s: %s", owner, key);
    const char *sha256 = compose_file(run, what, path, NULL);
    return *sha256 ? compose_join(arena, "sha256", sha256) : path;
}

void compose_note_options(struct run *run, const char *owner,
                          const struct option *rows, const void *config)
{
    char buf[OPTION_TEXT_MAX];
    for (const struct option *row = rows; row && row->kind != OPTION_END;
         row++) {
        const char *value = option_value(row, config, buf);
        if (row->path && *value)
            value = note_file(run, owner, row->name, value);
        compose_note(run, owner, row->name, value, row->help, row->source);
        run->result.settings[run->result.n_settings - 1].idle =
            !option_is_read(rows, row, config);
    }
}

void compose_note_format(struct run *run, const char *format)
{
    struct spec spec;
    struct error err;
    char path[4096];
    if (!format ||
        spec_parse("format", text_from(format), &spec, &err) != STATUS_OK)
        return; /* the reader of the trace reports the error */
    const struct trace_ops *ops = trace_find(spec.name);
    for (size_t i = 0; ops && i < spec.n_settings; i++) {
        const struct spec_setting *s = &spec.settings[i];
        const struct option *row = ops->options;
        while (row && row->kind != OPTION_END && !text_is(s->key, row->name))
            row++;
        if (!row || !row->path || s->value.len >= sizeof path)
            continue;
        memcpy(path, s->value.at, s->value.len);
        path[s->value.len] = '\0';
        compose_file(run, "format of the trace", path, NULL);
    }
}

/* Returns "A B", the two texts with a space between. */
static const char *compose_join(struct arena *arena, const char *a,
                                const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    char *s = arena_alloc(arena, n + m + 2);
    memcpy(s, a, n);
    s[n] = ' ';
    memcpy(s + n + 1, b, m + 1);
    return s;
}

const char *compose_prefix(struct arena *arena, const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    char *s = arena_alloc(arena, n + m + 1);
    memcpy(s, a, n);
    memcpy(s + n, b, m + 1);
    return s;
}

enum status compose_extras(struct run *run, struct error *err)
{
    const struct run_config *config = &run->config;
    struct extras *m = &run->result.extras;
    char text[EXTRAS_TEXT_MAX];
    enum status st = STATUS_OK;
    if (config->wait_over || config->by)
        st = extras_parse(config->wait_over, config->by, m, err);
    if (st != STATUS_OK)
        return st;
    if (m->n_over)
        compose_note(run, "results", "wait_over", extras_over_text(m, text),
                     "seconds: shares of jobs that wait longer", NULL);
    if (m->by_user || m->by_type)
        compose_note(run, "results", "by",
                     !m->by_type   ? "user"
                     : !m->by_user ? "type"
                                   : "user,type",
                     "groups of jobs in the summary", NULL);
    return STATUS_OK;
}

enum status compose_classes(struct run *run, struct error *err)
{
    const char *text = run->config.classes;
    struct run_result *r = &run->result;
    struct spec spec = {.name = text_from("job-classes")};
    struct classes_config config;
    enum status st = STATUS_OK;
    if (text)
        st = spec_parse(
            "job-classes",
            text_from(compose_prefix(&r->arena, "job-classes:", text)), &spec,
            err);
    if (st == STATUS_OK)
        st = spec_apply(&spec, classes_options, &config, "job-classes",
                        &r->arena, err);
    if (st != STATUS_OK)
        return st;
    r->guarantee = config.guarantee;
    r->n_spot = classes_mark(&r->jobset, &config);
    if (r->n_spot)
        compose_note_options(run, "job-classes", classes_options, &config);
    else if (text)
        remarks_add(
            &r->remarks, REMARK_CONCLUSION,
            "--job-classes: no job has a priority among %s, so all jobs "
            "are guaranteed",
            config.spot);
    return STATUS_OK;
}

/* Refuses a load clause where no job is submitted after the present. */
static enum status compose_check_load(const struct what_if *what_if,
                                      struct error *err)
{
    for (size_t i = 0; i < what_if->n; i++) {
        const struct what_if_clause *c = &what_if->clauses[i];
        if (!c->nodes)
            return error_set(err, STATUS_USAGE,
                             "--what-if: '%.*s': no job comes after the "
                             "present, so that the load cannot change",
                             TEXT_ARGS(c->text));
    }
    return STATUS_OK;
}

enum status compose_what_if(struct run *run, bool as_one, struct error *err)
{
    struct run_result *r = &run->result;
    const char *text = run->config.what_if;
    const struct state *state = resume_state(run);
    if (!text)
        return STATUS_OK;
    struct what_if_clock clock = {.zero = r->jobset.zero,
                                  .is_present = state != NULL};
    struct node_names names = {0};
    if (state) {
        clock.now = state->at > clock.zero ? state->at - clock.zero : 0;
        names = (struct node_names){state->names, state->n_names};
    }
    enum status st = what_if_parse(text, &clock, &r->arena, &run->what_if, err);
    if (st == STATUS_OK && state && !resume_has_trace(run))
        st = compose_check_load(&run->what_if, err);
    if (st == STATUS_OK)
        st = what_if_nodes(&run->what_if, as_one, names, &run->spec, &r->arena,
                           &r->remarks, err);
    if (st != STATUS_OK)
        return st;
    if (state)
        what_if_tell(&run->what_if, &run->spec, state, &r->remarks);
    what_if_load(&run->what_if, &r->jobset, &r->remarks);
    compose_note(run, "what-if", "clauses", text,
                 "changes to the cluster and to the load", NULL);
    return STATUS_OK;
}

/* The environment that the parts of a run get when they begin, the models of
 * the jobs, and the work of jobs that a model of throughput describes. */

/* Adds a remark on the assumed interference, if the policy shares GPUs
 * and the user named no model. */
static void remark_interference(struct run *run)
{
    const struct interference *model = &run->parts.interference;
    if (run->config.interference ||
        !(run->parts.policy.ops->needs & POLICY_SHARES))
        return;
    remarks_add(&run->result.remarks, REMARK_NUMBERS,
                "jobs that share GPUs are assumed to slow each other down by "
                "the model '%s': %s (--interference)",
                model->ops->name, model->ops->summary);
}

enum status compose_models(struct run *run, struct error *err)
{
    struct run_result *r = &run->result;
    return usage_assign(run->recipe, run->recipe_config, run->config.seed,
                        &r->jobset, &r->arena, &r->usage, err);
}

static const char *compose_text_of(const void *strings, uint32_t symbol)
{
    return interner_string(strings, symbol);
}

static void compose_note_one(void *self, const char *owner, const char *key,
                             const char *value, const char *help,
                             const char *source)
{
    compose_note(self, owner, key, value, help, source);
}

static bool compose_is_recorded(const void *jobset, job_id job)
{
    return jobset_recorded(jobset, job);
}

/* Makes the error for a job that works in phases under a law of time that needs
 * a constant speed: a phase could end within a second. */
static enum status refuse_phases(const struct run *run, const struct job *job,
                                 struct error *err)
{
    char id[SOURCE_ID_MAX];
    return error_set(
        err, STATUS_USAGE,
        "--throughput %s: the speed of job %.60s changes as it trains, but the "
        "law of time %s counts whole seconds of one speed: --time-law exact, "
        "or --throughput rigid",
        run->parts.throughput.ops->name,
        jobset_source_id(&run->result.jobset, job, id),
        run->parts.law.ops->name);
}

struct run_env compose_env(struct run *run)
{
    struct run_result *r = &run->result;
    return (struct run_env){
        .jobs = r->jobset.jobs,
        .terms = r->jobset.terms,
        .extras = r->jobset.extras,
        .waits = r->jobset.waits,
        .guarantee = r->guarantee,
        .n_jobs = r->jobset.n_jobs,
        .accounts = &run->spec.accounts,
        .cpus = cluster_spec_cpus(&run->spec),
        .mem_mib = cluster_spec_memory(&run->spec),
        .usage = &r->usage,
        .zero = r->jobset.zero,
        .past = run->past,
        .n_past = run->n_past,
        .string = compose_text_of,
        .strings = &r->jobset.strings,
        .recorded = compose_is_recorded,
        .recorded_self = &r->jobset,
        .seed = run->config.seed,
        .arena = &r->arena,
        .remarks = &r->remarks,
        .evidence = run->evidence,
        .past_evidence = run->past_evidence,
        .llm = run->config.model.client,
        .side_run = side_run,
        .side_run_self = run,
        .note = compose_note_one,
        .note_self = run,
    };
}

enum status compose_work(struct run *run, struct error *err)
{
    struct jobset *w = &run->result.jobset;
    const struct throughput *model = &run->parts.throughput;
    bool phases = run->parts.law.ops->one_speed && model->ops->begin;
    remark_interference(run);
    for (job_id i = 0; i < w->n_jobs && model->ops->work; i++) {
        if (phases && throughput_knows(model, &w->jobs[i]))
            return refuse_phases(run, &w->jobs[i], err);
        w->truths[i].work = progress_waiting(&run->engine.book, i);
    }
    return STATUS_OK;
}

/* The language model of a run: which runs can have one, the errors of its
 * recording, and its entries in the manifest. */

enum status compose_model(const struct run *run, struct error *err)
{
    const struct run_config *config = &run->config;
    const struct schedmate_config *schedmate = run->parts.schedmate.config;
    if (!config->llm && !config->llm_recording && !config->llm_recording_mode)
        return STATUS_OK;
    if (!schedmate)
        return error_set(err, STATUS_USAGE,
                         "--llm: the run has no layer of SchedMate that could "
                         "ask a language model; try --policy %s+schedmate "
                         "--schedmate fidelity=replay",
                         run->parts.policy.ops->name);
    if (schedmate->fidelity != FIDELITY_REPLAY)
        return error_set(err, STATUS_USAGE,
                         "--llm: a language model is asked with --schedmate "
                         "fidelity=replay only");
    return STATUS_OK;
}

/* Returns the language model of a replay, or NULL. */
static struct language_model *compose_model_of(const struct run *run)
{
    const struct schedmate_config *config = run->parts.schedmate.config;
    struct schedmate *s = run->parts.schedmate.self;
    return s && config->fidelity == FIDELITY_REPLAY ? &s->model : NULL;
}

enum status compose_model_error(const struct run *run, struct error *err)
{
    const struct language_model *model = compose_model_of(run);
    if (!model || !language_model_failed(model))
        return STATUS_OK;
    *err = model->error;
    return err->status;
}

/* Adds a remark on the number of jobs for which the advisor's beliefs came from
 * the truth. */
static void remark_law(struct run *run)
{
    const struct ledger *ledger = &run->result.ledger;
    uint32_t n = 0;
    for (size_t i = 0; i < ledger->n_advices; i++)
        n += ledger->advices[i].basis == ADVICE_LAW;
    if (n)
        remarks_add(&run->result.remarks, REMARK_NUMBERS,
                    "advisor: beliefs about %" PRIu32 " of %" PRIu32
                    " jobs are the truth with the published errors, because "
                    "the trace gives neither their names nor their models, or "
                    "beliefs=law is set (--schedmate beliefs)",
                    n, run->result.jobset.n_jobs);
}

void compose_model_close(struct run *run)
{
    struct language_model *model = compose_model_of(run);
    const char *recording = run->config.model.recording;
    remark_law(run);
    if (!model)
        return;
    language_model_close(model);
    /* After the run, so that the run that made a recording and those that
     * replay it have the same digest. */
    if (recording)
        compose_file(run, "recording of the language model", recording, NULL);
}

/* Makes the parts of a run that are chains: estimators and recovery rules. The
 * first layer is asked first and can pass a question to the layer below. */

/* Splits off the first part of a chain and returns it. Commas separate both the
 * parts and the settings of a part: "file:path=x.csv,column=y,oracle". A comma
 * separates settings if the text after it, up to the next comma, has a '=' and
 * no ':'. */
static struct text compose_next_part(struct text *rest)
{
    struct text tail, part = text_split(*rest, ',', &tail);
    while (tail.len) {
        struct text after, more = text_split(tail, ',', &after);
        if (!memchr(more.at, '=', more.len) || memchr(more.at, ':', more.len))
            break;
        part.len = (size_t)(more.at + more.len - part.at);
        tail = after;
    }
    *rest = tail;
    return part;
}

/* The estimators of run times if nobody names others: what a scheduler can
 * learn from the jobs that have ended, and no knowledge of the future. */
static const char learned[] = "ga2m,history";

/* Returns the default source of demand; NULL: the policy asks for none. */
static const char *default_demand(unsigned needs)
{
    return needs & POLICY_PROFILES       ? "profiled"
           : needs & POLICY_NEEDS_DEMAND ? "workload"
                                         : NULL;
}

/* Adds the layers that `text` names below the `*n` layers of the chain. */
static enum status add_estimators(struct run *run, const char *text, size_t *n,
                                  struct error *err)
{
    struct text rest = text_from(text);
    while (rest.len) {
        const struct estimator_ops *ops;
        struct spec spec;
        void *config;
        enum status st =
            spec_parse("estimator", compose_next_part(&rest), &spec, err);
        if (st == STATUS_OK && *n == CHAIN_MAX)
            st = error_set(err, STATUS_USAGE, "estimator: more than %d layers",
                           CHAIN_MAX);
        if (st == STATUS_OK)
            st = estimator_find(spec.name, &ops, err);
        if (st == STATUS_OK)
            st = compose_config(run, "estimator", ops->name, &spec,
                                ops->options, ops->config_size, &config, err);
        if (st != STATUS_OK)
            return st;
        run->estimators[*n] = (struct estimator){.ops = ops, .config = config};
        if (*n > 0)
            run->estimators[*n - 1].below = &run->estimators[*n];
        ++*n;
    }
    return STATUS_OK;
}

/* True if the policy asks for run times. `has_chain`: estimators are named,
 * with which a policy that can do without is content. */
static bool policy_asks_times(const struct policy *policy, bool has_chain)
{
    const struct policy_ops *ops = policy->ops;
    if (ops->needs & POLICY_NEEDS_DURATION)
        return true;
    return (ops->needs & POLICY_USES_DURATION) && !has_chain &&
           (!ops->asks_times || ops->asks_times(policy->config));
}

/* Makes the chain that the user or the conventions name, and completes it: a
 * policy that needs run times or demand gets the default source of what no
 * layer of the chain can tell. */
static enum status compose_estimators(struct run *run, struct error *err)
{
    const unsigned needs = run->parts.policy.ops->needs;
    const char *named = run->config.estimators, *demand = default_demand(needs);
    const char *chain = named ? named : compose_ruled(run, "estimators", NULL);
    bool knows_times = false, knows_demand = false;
    size_t n = 0;
    const bool uses_times = policy_asks_times(&run->parts.policy, chain);
    enum status st = add_estimators(
        run, compose_layer(run, LAYER_ADVISOR, chain ? chain : "", named), &n,
        err);
    for (size_t i = 0; i < n; i++) {
        const struct estimator_ops *ops = run->estimators[i].ops;
        bool is_advisor = ops->of_schedmate && !named;
        knows_times |= ops->remaining && !is_advisor;
        knows_demand |= ops->demand && !is_advisor;
    }
    if (st == STATUS_OK && uses_times && !knows_times)
        st = add_estimators(run, learned, &n, err);
    if (st == STATUS_OK && demand && !knows_demand)
        st = add_estimators(run, demand, &n, err);
    run->parts.estimator = n ? &run->estimators[0] : NULL;
    return st;
}

static enum status compose_recoveries(struct run *run, struct error *err)
{
    const char *named = run->config.recovery;
    struct text rest = text_from(
        compose_layer(run, LAYER_HANDLER, named ? named : "none", named));
    size_t n = 0;
    while (rest.len) {
        const struct recovery_ops *ops;
        struct spec spec;
        void *config;
        enum status st =
            spec_parse("recovery", compose_next_part(&rest), &spec, err);
        if (st == STATUS_OK && n == CHAIN_MAX)
            st = error_set(err, STATUS_USAGE, "recovery: more than %d layers",
                           CHAIN_MAX);
        if (st == STATUS_OK)
            st = recovery_find(spec.name, &ops, err);
        if (st == STATUS_OK)
            st = compose_config(run, "recovery", ops->name, &spec, ops->options,
                                ops->config_size, &config, err);
        if (st != STATUS_OK)
            return st;
        run->recoveries[n] = (struct recovery){.ops = ops, .config = config};
        if (n > 0)
            run->recoveries[n - 1].below = &run->recoveries[n];
        n++;
    }
    run->parts.recovery = n ? &run->recoveries[0] : NULL;
    return STATUS_OK;
}

/* Finds the policy of a run, in the registry or outside, parses its settings,
 * and ends it after the run if it is a program. */

/* Starts the program that decides. Its settings are parsed here and not with
 * those of the other parts, because the program says what the policy needs. */
static enum status open_program(struct run *run, struct error *err)
{
    struct run_result *r = &run->result;
    struct policy *policy = &run->parts.policy;
    struct spec spec;
    void *config;
    policy->ops = &policy_exec;
    enum status st =
        compose_merge_spec(run, "policy", &run->policy_spec, false, &spec, err);
    if (st == STATUS_OK)
        st = compose_config(run, "policy", policy_exec.name, &spec,
                            policy_exec.options, policy_exec.config_size,
                            &config, err);
    if (st == STATUS_OK)
        st = program_open(config, &r->arena, &r->remarks, &run->program, err);
    if (st != STATUS_OK)
        return st;
    policy->ops = program_policy(run->program);
    policy->config = run->program;
    return STATUS_OK;
}

/* Loads a policy that is a shared object, and records its digest. */
static enum status open_object(struct run *run, struct error *err)
{
    struct text name = run->policy_spec.name;
    const char *path = arena_copy(&run->result.arena, name.at, name.len);
    enum status st = shared_object_open(path, &run->parts.policy.ops, err);
    if (st != STATUS_OK)
        return st;
    compose_file(run, "policy", path, NULL);
    /* from here on the policy has the name that it gives itself */
    run->policy_spec.name = text_from(run->parts.policy.ops->name);
    return STATUS_OK;
}

/* In compose.c: compose_policy_find finds the policy, on which other
 * parts depend; compose_policy_make then parses its settings. */
static enum status compose_policy_find(struct run *run, struct error *err)
{
    const char *text = run->config.policy ? run->config.policy : "fifo";
    const struct policy_ops *own = run->config.own_policy;
    struct spec *spec = &run->policy_spec;
    enum status st = outside_spec(text_from(text), spec, err);
    if (st != STATUS_OK)
        return st;
    if (text_is(spec->name, policy_exec.name))
        st = open_program(run, err);
    else if (own && text_is(spec->name, own->name))
        run->parts.policy.ops = own;
    else if (outside_is_path(spec->name))
        st = open_object(run, err);
    else
        st = policy_find(spec->name, &run->parts.policy.ops, err);
    if (st != STATUS_OK)
        return st;
    run->result.policy_needs = run->parts.policy.ops->needs;
    run->result.policy_forecasts = run->parts.policy.ops->forecast != NULL;
    st = compose_layers(run, spec, err);
    if (st == STATUS_OK)
        resume_inherit(run);
    return st;
}

static enum status compose_policy_make(struct run *run, struct error *err)
{
    struct policy *policy = &run->parts.policy;
    const struct plugin *plugin = &policy->ops->plugin;
    struct spec spec;
    void *config;
    if (run->program)
        return STATUS_OK;
    enum status st =
        compose_merge_spec(run, "policy", &run->policy_spec, true, &spec, err);
    if (st == STATUS_OK)
        st = compose_config(run, "policy", plugin->name, &spec, plugin->options,
                            plugin->config_size, &config, err);
    if (st == STATUS_OK)
        policy->config = config;
    return st;
}

enum status compose_policy_end(struct run *run, struct error *err)
{
    if (!run->program)
        return STATUS_OK;
    return program_end(run->program, &run->result.remarks, err);
}

/* True if the convention sets an option of this owner, or chooses its plug-in,
 * in this run. */
static bool applies(const struct run *run, const struct convention *c,
                    const char *owner)
{
    return strcmp(c->preset, run->result.conventions) == 0 &&
           strcmp(c->owner, owner) == 0 &&
           (!c->policy || strcmp(c->policy, run->parts.policy.ops->name) == 0);
}

static enum status compose_add_setting(struct spec *spec, const char *owner,
                                       struct spec_setting setting,
                                       struct error *err)
{
    CHECK(owner);
    if (spec->n_settings == SPEC_SETTINGS_MAX)
        return error_set(err, STATUS_USAGE, "%s: too many settings", owner);
    spec->settings[spec->n_settings++] = setting;
    return STATUS_OK;
}

/* Adds to *spec what the conventions set for an owner. */
static void add_conventions(const struct run *run, const char *owner,
                            struct spec *spec)
{
    for (const struct convention *c = conventions; c->preset; c++) {
        if (!applies(run, c, owner) || !c->key)
            continue;
        CHECK(spec->n_settings < SPEC_SETTINGS_MAX);
        spec->settings[spec->n_settings++] =
            (struct spec_setting){.key = text_from(c->key),
                                  .value = text_from(c->value),
                                  .ruled = true};
    }
}

/* Merges the settings of a plug-in that the caller has parsed: those of the
 * conventions if `by_conventions` is true, then those of `user`, then those
 * that the user gave under old names of engine options. */
static enum status compose_merge_spec(const struct run *run, const char *owner,
                                      const struct spec *user,
                                      bool by_conventions, struct spec *out,
                                      struct error *err)
{
    enum status st = STATUS_OK;
    *out = (struct spec){.name = user->name};
    if (by_conventions)
        add_conventions(run, owner, out);
    for (size_t i = 0; i < user->n_settings && st == STATUS_OK; i++)
        st = compose_add_setting(out, owner, user->settings[i], err);
    for (size_t i = 0; i < run->n_moved && st == STATUS_OK; i++) {
        if (strcmp(run->moved[i].owner, owner) == 0)
            st = compose_add_setting(out, owner, run->moved[i].setting, err);
    }
    return st;
}

/* Merges the settings of one plug-in or of the engine: those of the
 * conventions, then those of the user. Settings of the conventions apply only
 * to the plug-in that they name. `text`: what the user wrote, or NULL. `deflt`:
 * the plug-in if neither the user nor the conventions name one. */
static enum status compose_merge(const struct run *run, const char *owner,
                                 const char *text, const char *deflt,
                                 struct spec *out, struct error *err)
{
    struct text name = text_from(compose_ruled(run, owner, deflt));
    struct spec user = {.name = name};
    enum status st = STATUS_OK;
    if (text)
        st = spec_parse(owner, text_from(text), &user, err);
    if (st != STATUS_OK)
        return st;
    if (user.n_layers)
        return error_set(err, STATUS_USAGE, "%s: no layer '%.*s'", owner,
                         TEXT_ARGS(user.layers[0]));
    return compose_merge_spec(run, owner, &user, text_equal(user.name, name),
                              out, err);
}

/* Parses the settings of a plug-in into a config, which lives as long as the
 * run, and records them. */
static enum status compose_config(struct run *run, const char *owner,
                                  const char *name, const struct spec *spec,
                                  const struct option *rows, size_t size,
                                  void **config, struct error *err)
{
    struct arena *arena = &run->result.arena;
    const char *who = compose_join(arena, owner, name);
    *config = arena_alloc(arena, size ? size : 1);
    enum status st = spec_apply(spec, rows, *config, who, arena, err);
    if (st != STATUS_OK)
        return st;
    if (!text_is(spec->name, name))
        remarks_add(&run->result.remarks, REMARK_DETAIL,
                    "%s %.*s is called %s now; the old name will be removed in "
                    "the next release",
                    owner, TEXT_ARGS(spec->name), name);
    compose_note(run, owner, "name", name, NULL, NULL);
    compose_note_options(run, who, rows, *config);
    return STATUS_OK;
}

/* Finds the plug-in of a kind that the user, the conventions or else `deflt`
 * name, and parses its settings. engine_parts_make gives it its state later. */
static enum status compose_part(struct run *run, const struct plugin_kind *kind,
                                const char *text, const char *deflt,
                                struct part *out, struct error *err)
{
    struct spec spec;
    void *config;
    const struct plugin *plugin;
    enum status st = compose_merge(run, kind->owner, text, deflt, &spec, err);
    if (st == STATUS_OK)
        st = plugin_find(kind, spec.name, &plugin, err);
    if (st == STATUS_OK)
        st = compose_config(run, kind->owner, plugin->name, &spec,
                            plugin->options, plugin->config_size, &config, err);
    if (st != STATUS_OK)
        return st;
    out->plugin = plugin;
    out->config = config;
    return STATUS_OK;
}

/* Makes two instances of the placer, because placers have state: asking whether
 * a job could ever be placed must not change where other jobs are placed. */
static enum status make_placer(struct run *run, struct error *err)
{
    enum status st = compose_part(run, &placers_kind, run->config.placer,
                                  "consolidate", &run->parts.placer.part, err);
    if (st != STATUS_OK)
        return st;
    run->parts.admission = run->parts.placer;
    run->result.placer = run->parts.placer.ops->name;
    return STATUS_OK;
}

const char *compose_ruled(const struct run *run, const char *owner,
                          const char *deflt)
{
    for (const struct convention *c = conventions; c->preset; c++) {
        if (applies(run, c, owner) && !c->key)
            deflt = c->value;
    }
    return deflt;
}

static bool shares(const struct run *run)
{
    return run->parts.policy.ops->needs & POLICY_SHARES;
}

/* Returns the default model of interference: `none` for a policy that does not
 * share GPUs; else, under the conventions of another simulator, `constant`, the
 * older default, so that results under these conventions do not change; else
 * the model that was fitted to measured pairs and uses the demand of the
 * jobs. */
static const char *interference_of(const struct run *run)
{
    if (!shares(run))
        return "none";
    return strcmp(run->result.conventions, "sound") == 0 ? "fitted"
                                                         : "constant";
}

static enum status make_throughput(struct run *run, struct error *err)
{
    unsigned needs = run->parts.policy.ops->needs;
    return compose_part(run, &throughputs_kind, run->config.throughput,
                        needs & POLICY_ELASTIC ? "application" : "rigid",
                        &run->parts.throughput.part, err);
}

static enum status make_overhead(struct run *run, struct error *err)
{
    bool elastic = run->parts.throughput.ops->work != NULL;
    return compose_part(run, &overheads_kind, run->config.overhead,
                        elastic ? "application" : "fixed",
                        &run->parts.overhead.part, err);
}

/* Makes two models: of the interference that happens, and of the interference
 * that the policy expects. */
static enum status make_interference(struct run *run, struct error *err)
{
    const struct run_config *config = &run->config;
    struct plugin_kind belief = interferences_kind;
    belief.owner = "belief";
    enum status st =
        compose_part(run, &interferences_kind, config->interference,
                     interference_of(run), &run->parts.interference.part, err);
    if (st == STATUS_OK)
        st =
            compose_part(run, &belief,
                         config->belief ? config->belief : config->interference,
                         interference_of(run), &run->parts.belief.part, err);
    return st;
}

/* Returns the forecast that the user names, else that of the conventions, else
 * that of the policy, else "none". */
static const char *forecast_of(const struct run *run)
{
    const char *deflt = run->parts.policy.ops->forecast;
    return run->config.forecast
               ? run->config.forecast
               : compose_ruled(run, "forecast", deflt ? deflt : "none");
}

static enum status make_forecast(struct run *run, struct error *err)
{
    const char *text = forecast_of(run);
    if (strcmp(text, "none") == 0)
        return STATUS_OK;
    return compose_part(run, &forecasts_kind, text, "file",
                        &run->parts.forecast.part, err);
}

/* Records nothing if there is no monitor, so that the manifest of a run without
 * one is as it was before the program had monitors. */
static enum status make_monitor(struct run *run, struct error *err)
{
    const char *text;
    enum status st = compose_tracker(run, &text, err);
    if (st != STATUS_OK || !text || strcmp(text, "none") == 0)
        return st;
    st = compose_part(run, &monitors_kind, text, "perfect",
                      &run->parts.monitor.part, err);
    if (st == STATUS_OK)
        run->result.monitor = run->parts.monitor.ops->name;
    return st;
}

static enum status make_recipe(struct run *run, struct error *err)
{
    struct spec spec;
    enum status st = compose_merge(run, "workloads", run->config.model_recipe,
                                   "trace", &spec, err);
    if (st == STATUS_OK)
        st = model_recipe_find(spec.name, &run->recipe, err);
    if (st == STATUS_OK)
        st = compose_config(run, "workloads", run->recipe->name, &spec,
                            run->recipe->options, run->recipe->config_size,
                            &run->recipe_config, err);
    return st;
}

/* Reads "3 nodes a week" (node, nodes; a, per; day, week, month of 30 days) as
 * a setting of the model `exponential`, and says it back as a rate. Returns
 * `text` itself if it is anything else. */
static const char *fault_rate_words(struct run *run, const char *text)
{
    static const struct {
        const char *name;
        double days;
    } units[] = {{"day", 1}, {"week", 7}, {"month", 30}};
    enum { TEXT_MAX = 64 };
    char noun[8], per[8], unit[8], spec[TEXT_MAX];
    double n;
    int end = 0;
    if (sscanf(text, "%lf %7s %7s %7s%n", &n, noun, per, unit, &end) != 4 ||
        text[end] || !(n > 0 && n <= 1e6) ||
        (strcmp(noun, "node") != 0 && strcmp(noun, "nodes") != 0) ||
        (strcmp(per, "a") != 0 && strcmp(per, "per") != 0))
        return text;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcmp(unit, units[i].name) != 0)
            continue;
        snprintf(spec, sizeof spec, "exponential:per_week=%.10g",
                 n * 7 / units[i].days);
        remarks_add(&run->result.remarks, REMARK_NUMBERS,
                    "--faults '%s' is %s: a failure of a node of the cluster "
                    "every %.4g hours",
                    text, spec, 24 * units[i].days / n);
        return arena_copy(&run->result.arena, spec, strlen(spec));
    }
    return text;
}

static enum status make_fault(struct run *run, struct error *err)
{
    const char *text = run->config.faults;
    text = text ? fault_rate_words(run, text) : NULL;
    if (text && strcmp(text, "none") != 0)
        return compose_part(run, &faults_kind, text, "exponential",
                            &run->parts.fault.part, err);
    compose_note(run, "faults", "name", "none", NULL, NULL);
    return STATUS_OK;
}

enum status compose_parts(struct run *run, struct error *err)
{
    static enum status (*const steps[])(struct run *, struct error *) = {
        compose_policy_find, compose_engine,     compose_policy_make,
        compose_partition,   make_placer,        make_throughput,
        compose_time_law,    make_overhead,      make_interference,
        make_monitor,        make_fault,         compose_estimators,
        compose_recoveries,  compose_quota_read, compose_schedmate,
        make_recipe,         make_forecast,
    };
    run->result.conventions =
        run->config.conventions ? run->config.conventions : "sound";
    enum status st = conventions_check(run->result.conventions, err);
    for (size_t i = 0; i < sizeof steps / sizeof *steps && st == STATUS_OK; i++)
        st = steps[i](run, err);
    return st;
}

/* The settings of the engine and the law of time. Some settings of the law of
 * time and of the overhead models used to be settings of the engine. Their old
 * names are accepted for one release, with a remark. */

static const struct moved_option {
    const char *old;   /* old key of --engine */
    const char *owner; /* owner that has the setting now */
    /* key of the setting at that owner; NULL: it has none, and the old setting
     * only chooses `law` */
    const char *key;
    const char *law; /* law of time that the setting belongs to; NULL: any */
    bool inverted;   /* true if the meaning of true and false was exchanged */
} moved_options[] = {
    {.old = "end_lag_s", .owner = "time-law", .key = "lag_s"},
    {.old = "end_grid_s", .owner = "time-law", .key = "step_s", .law = "grid"},
    {.old = "countdown", .owner = "time-law", .law = "countdown"},
    {.old = "restore_both",
     .owner = "time-law",
     .key = "later_stays_slow",
     .law = "countdown",
     .inverted = true},
    {.old = "profile_keeps_work",
     .owner = "overhead",
     .key = "profile_keeps_work"},
    {.old = "free_moves", .owner = "overhead", .key = "free_moves"},
};

static const struct moved_option *find_moved(struct text key)
{
    for (size_t i = 0; i < sizeof moved_options / sizeof *moved_options; i++) {
        if (text_is(key, moved_options[i].old))
            return &moved_options[i];
    }
    return NULL;
}

/* True if the value switches the setting off. A setting that is off needs no
 * particular law of time. */
static bool compose_is_off(const struct moved_option *row, struct text value)
{
    sim_span span;
    if (row->inverted)
        return text_is(value, "true");
    return text_is(value, "false") || (text_to_span(value, &span) && !span);
}

static enum status choose_law(struct run *run, const char *law,
                              struct error *err)
{
    if (run->moved_law && strcmp(run->moved_law, law) != 0)
        return error_set(err, STATUS_USAGE,
                         "--engine: its settings ask for two laws of time, %s "
                         "and %s; choose one with --time-law",
                         run->moved_law, law);
    run->moved_law = law;
    return STATUS_OK;
}

static void move_to(struct run *run, const struct moved_option *row,
                    struct text value)
{
    run->moved[run->n_moved++] = (struct moved_setting){
        row->owner,
        {.key = text_from(row->key), .value = value},
    };
}

/* Called for a setting that the user switches off. If the conventions choose
 * the law of time of this row, replaces the law by `exact` or, for an inverted
 * setting, sets its new key to false. */
static enum status switch_off(struct run *run, const struct moved_option *row,
                              struct error *err)
{
    if (strcmp(compose_ruled(run, row->owner, "exact"), row->law) != 0)
        return STATUS_OK;
    if (!row->inverted)
        return choose_law(run, "exact", err);
    move_to(run, row, text_from("false"));
    return STATUS_OK;
}

static enum status move_setting(struct run *run, const struct moved_option *row,
                                struct text value, struct error *err)
{
    remarks_add(&run->result.remarks, REMARK_DETAIL,
                "--engine %s is --%s %s%s%s now; the old name will be removed "
                "in the next release",
                row->old, row->owner, row->law ? row->law : "NAME",
                row->key ? ":" : "", row->key ? row->key : "");
    if (row->law && compose_is_off(row, value))
        return switch_off(run, row, err);
    if (row->key)
        move_to(run, row, row->inverted ? text_from("true") : value);
    return row->law ? choose_law(run, row->law, err) : STATUS_OK;
}

/* Moves the settings with old names out of *spec to their new owners. */
static enum status move_settings(struct run *run, struct spec *spec,
                                 struct error *err)
{
    enum status st = STATUS_OK;
    size_t n = 0;
    for (size_t i = 0; i < spec->n_settings && st == STATUS_OK; i++) {
        const struct moved_option *row = find_moved(spec->settings[i].key);
        if (row)
            st = move_setting(run, row, spec->settings[i].value, err);
        else
            spec->settings[n++] = spec->settings[i];
    }
    spec->n_settings = n;
    return st;
}

/* Puts a default before all other settings. Settings of the conventions and of
 * the user come later and so override it. */
static enum status compose_put_first(struct spec *spec, const char *key,
                                     const char *value, struct error *err)
{
    if (spec->n_settings == SPEC_SETTINGS_MAX)
        return error_set(err, STATUS_USAGE, "engine: too many settings");
    memmove(spec->settings + 1, spec->settings,
            spec->n_settings++ * sizeof *spec->settings);
    spec->settings[0] =
        (struct spec_setting){.key = text_from(key), .value = text_from(value)};
    return STATUS_OK;
}

/* In compose.c: compose_engine reads the settings of the engine,
 * compose_time_law makes the law of time. */
static enum status compose_engine(struct run *run, struct error *err)
{
    struct engine_config *config = &run->parts.config;
    struct arena *arena = &run->result.arena;
    const char *text = NULL;
    struct spec spec;
    if (run->config.engine)
        text = compose_prefix(arena, "engine:", run->config.engine);
    enum status st = compose_merge(run, "engine", text, "engine", &spec, err);
    if (st == STATUS_OK)
        st = move_settings(run, &spec, err);
    if (st == STATUS_OK && (run->parts.policy.ops->needs & POLICY_SHARES))
        st = compose_put_first(&spec, "share_limit", "2", err);
    if (st == STATUS_OK)
        st = spec_apply(&spec, engine_options, config, "engine", arena, err);
    if (st == STATUS_OK)
        compose_note_options(run, "engine", engine_options, config);
    return st;
}

static enum status compose_time_law(struct run *run, struct error *err)
{
    const char *text = run->config.time_law;
    return compose_part(run, &time_laws_kind, text ? text : run->moved_law,
                        "exact", &run->parts.law.part, err);
}
