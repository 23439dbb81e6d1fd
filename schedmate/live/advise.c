/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/live/advise.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "schedmate/advisor/advisor_versions.h"
#include "schedmate/advisor/jail.h"
#include "schedmate/advisor/schedmate_advisor.h"
#include "schedmate/live/repository.h"
#include "schedmate/llm/embed_llm.h"
#include "schedmate/llm/llm.h"

struct advise {
    struct arena arena;
    struct advisor_config config;
    struct jail_limits limits;
    struct lookup_config lookup_config;
    struct lookup lookup;
    struct backend *backend;
    struct jail *jail;
    struct versions *versions;
    struct advisor_result result;
    struct advise_report report;
    /* the directory that is read, and the command as it is started there */
    const char *dir, *command;
};

const struct option *advise_options(size_t i, const char **name,
                                    size_t *config_size)
{
    static const struct {
        const char *name;
        const struct option *rows;
        size_t size;
    } tables[] = {
        {"agent", advisor_options, sizeof(struct advisor_config)},
        {"jail", jail_options, sizeof(struct jail_limits)},
        {"history", lookup_options, sizeof(struct lookup_config)},
    };
    if (i >= sizeof tables / sizeof *tables)
        return NULL;
    *name = tables[i].name;
    *config_size = tables[i].size;
    return tables[i].rows;
}

static bool advise_is_row(const struct option *rows, struct text key)
{
    while (rows->kind != OPTION_END && !text_is(key, rows->name))
        rows++;
    return rows->kind != OPTION_END;
}

static enum status advise_apply(struct advise *advise,
                                const struct advise_settings *settings,
                                struct error *err)
{
    enum status st = STATUS_OK;
    const struct {
        const struct option *rows;
        void *config;
    } tables[] = {{jail_options, &advise->limits},
                  {lookup_options, &advise->lookup_config},
                  {advisor_options, &advise->config}};
    enum { N_TABLES = sizeof tables / sizeof *tables };
    const struct option *const all[N_TABLES] = {jail_options, lookup_options,
                                                advisor_options};
    for (size_t k = 0; k < N_TABLES; k++)
        option_defaults(tables[k].rows, tables[k].config);
    for (size_t i = 0; i < settings->n_set && st == STATUS_OK; i++) {
        struct text value,
            key = text_split(text_from(settings->set[i]), '=', &value);
        size_t k = 0;
        while (k < N_TABLES && !advise_is_row(tables[k].rows, key))
            k++;
        if (k == N_TABLES)
            return option_unknown(all, N_TABLES, "--set", key, err);
        st = option_set(tables[k].rows, tables[k].config, "--set", key, value,
                        &advise->arena, err);
    }
    if (st == STATUS_OK && advise->config.context > 0 &&
        advise->config.context < 4000)
        st = error_set(err, STATUS_USAGE,
                       "--set context: expected 0 or at least 4000, not %u",
                       advise->config.context);
    return st;
}

/* Computes a digest of what the answer depends on besides the files: the
 * directory, the command, the model, the settings and the clues. The job
 * database is left out, because it is searched each time. */
static void advise_identity_of(struct advise *advise,
                               const struct advise_settings *settings,
                               char hex[DIGEST_HEX_MAX])
{
    char path[PATH_MAX], value[OPTION_TEXT_MAX], clues[DIGEST_HEX_MAX];
    const struct llm_sampling *sampling =
        &backend_client(advise->backend)->sampling;
    const struct {
        const struct option *rows;
        const void *config;
    } tables[] = {{advisor_options, &advise->config},
                  {jail_options, &advise->limits}};
    struct out *out = out_to_memory();
    struct digest *digest = digest_new();
    out_printf(out, "%s\n%s\n%s\n%s\n",
               realpath(advise->dir, path) ? path : advise->dir,
               advise->command, backend_name(advise->backend), sampling->model);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        for (const struct option *row = tables[i].rows; row->kind != OPTION_END;
             row++)
            out_printf(out, "%s=%s\n", row->name,
                       option_value(row, tables[i].config, value));
    }
    const struct llm_trust *trust = &backend_client(advise->backend)->trust;
    for (unsigned i = 0; i < METADATA_FIELDS; i++) {
        const struct llm_trust_count *count = &trust->fields[i];
        if (count->n)
            out_printf(out, "%u %u %u %u\n", i, count->n, count->rules,
                       count->model);
    }
    clues_digest(settings->clues ? settings->clues : &clues_built_in, clues);
    out_printf(out, "%s\n", clues);
    digest_add(digest, out_memory(out).at, out_memory(out).len);
    digest_end(digest, hex);
    out_abandon(out);
}

static enum status advise_extract(struct advise *advise,
                                  const struct advise_settings *settings,
                                  struct error *err)
{
    static const char *const names[] = {[VERSIONS_NEW] = "new",
                                        [VERSIONS_SAME] = "same",
                                        [VERSIONS_CHANGED] = "changed"};
    char identity[DIGEST_HEX_MAX];
    struct advisor_memory memory;
    enum versions_state state = VERSIONS_NEW;
    const struct workspace *workspace = jail_workspace(advise->jail);
    const char *backend = backend_name(advise->backend);
    struct advisor_input input = {
        .command = advise->command,
        .workspace = workspace,
        .llm = strcmp(backend, "rules") == 0 ? NULL
                                             : backend_client(advise->backend),
        .config = &advise->config,
        .clues = settings->clues,
        .arena = &advise->arena,
    };
    advise_identity_of(advise, settings, identity);
    if (advise->versions) {
        state = versions_check(advise->versions, identity, workspace,
                               &advise->arena, &advise->result, &memory);
        advise->report.version = names[state];
    }
    if (state == VERSIONS_SAME)
        return STATUS_OK;
    if (state == VERSIONS_CHANGED)
        input.before = &memory;
    enum status st = advisor_extract(&input, &advise->result, err);
    /* If a model gave no answer, the result is that of the rules. It is not
     * kept, because the model may answer next time. */
    if (st == STATUS_OK && advise->versions && !advise->result.why)
        st = versions_keep(advise->versions, identity, workspace,
                           &advise->result, err);
    return st;
}

static void fill_report(struct advise *advise)
{
    struct advise_report *report = &advise->report;
    const struct advisor_result *result = &advise->result;
    const struct metadata *metadata = &result->metadata;
    const struct workspace *workspace = jail_workspace(advise->jail);
    struct advise_row *rows = ARENA_ARRAY(&advise->arena, struct advise_row,
                                          METADATA_FIELDS + METADATA_OTHER_MAX);
    struct out *text = out_to_memory();
    for (unsigned i = 0; i < METADATA_FIELDS; i++) {
        const struct metadata_value *value = &metadata->fields[i];
        if (value->text)
            rows[report->n_fields++] = (struct advise_row){
                metadata_name(i), value->text, value->where, value->quote};
    }
    report->n_rows = report->n_fields;
    for (size_t i = 0; i < metadata->n_other; i++)
        rows[report->n_rows++] = (struct advise_row){
            metadata->other[i].key, metadata->other[i].value, "", NULL};
    metadata_text(metadata, text);
    report->text =
        arena_copy(&advise->arena, out_memory(text).at, out_memory(text).len);
    out_abandon(text);
    report->method = result->method == LLM_BY_RULES ? "rules" : "llm";
    report->why = result->why;
    report->backend = backend_name(advise->backend);
    report->note = result->note;
    report->coverage = result->coverage;
    report->agreement = result->agreement;
    report->steps = result->steps;
    report->latency = result->latency;
    report->rows = rows;
    report->files = result->files;
    report->n_files = result->n_files;
    report->refused = result->refused;
    report->n_refused = result->n_refused;
    report->n_listed = workspace->n_files;
    report->n_left_out = workspace->n_left_out;
}

/* Looks for earlier runs of the same job by the same user. If there are some,
 * advise->lookup.basis becomes LOOKUP_RESUBMISSION: they are the answer, and no
 * file is read. */
static enum status lookup_same(struct advise *advise,
                               const struct advise_settings *settings,
                               struct error *err)
{
    char path[PATH_MAX];
    if (!settings->jobdb)
        return STATUS_OK;
    const char *workdir = realpath(settings->workdir, path);
    const struct jobdb_filter who = {
        .user = text_from(settings->user ? settings->user : ""),
        .workdir = text_from(workdir ? workdir : settings->workdir),
        .command = text_from(settings->command),
        .branch = text_from(settings->branch ? settings->branch : "")};
    advise->report.lookup = &advise->lookup;
    return lookup_resubmission(settings->jobdb, &advise->lookup_config, &who,
                               &advise->arena, &advise->lookup, err);
}

static enum status lookup_like(struct advise *advise,
                               const struct advise_settings *settings,
                               struct error *err)
{
    struct embed_llm model;
    const struct embed_ops *ops = &embed_hashed;
    if (!settings->jobdb || !*advise->report.text)
        return STATUS_OK;
    if (settings->embed_by_model) {
        enum status st =
            embed_llm_init(&model, backend_client(advise->backend), err);
        if (st != STATUS_OK)
            return st;
        ops = &model.ops;
    }
    advise->report.embedding =
        arena_copy(&advise->arena, ops->name, strlen(ops->name));
    return lookup_similar(settings->jobdb, &advise->lookup_config, ops, &model,
                          text_from(advise->report.text),
                          advise->report.coverage, &advise->arena,
                          &advise->lookup, err);
}

static enum status advise_look(struct advise *advise,
                               const struct advise_settings *settings,
                               struct error *err)
{
    enum status st = advise_extract(advise, settings, err);
    if (st != STATUS_OK)
        return st;
    const struct lookup *lookup = advise->report.lookup;
    fill_report(advise);
    advise->report.lookup = lookup;
    return lookup_like(advise, settings, err);
}

/* Chooses the directory that is read: that of the job or the root of its
 * repository. */
static enum status advise_place(struct advise *advise,
                                const struct advise_settings *settings,
                                struct error *err)
{
    advise->dir = settings->workdir;
    advise->command = settings->command;
    if (settings->root && !repository_holds(settings->root, settings->workdir))
        return error_set(err, STATUS_USAGE, "--root: %s is no folder above %s",
                         settings->root, settings->workdir);
    if (repository_find(settings->workdir, settings->command, settings->root,
                        &advise->arena, &advise->dir, &advise->command))
        advise->report.above = advise->dir;
    return STATUS_OK;
}

enum status advise_run(const struct advise_settings *settings,
                       struct advise **out, struct error *err)
{
    struct advise *advise = mem_zalloc(1, sizeof *advise);
    arena_init(&advise->arena);
    enum status st = advise_apply(advise, settings, err);
    if (st == STATUS_OK)
        st = advise_place(advise, settings, err);
    if (st == STATUS_OK)
        st = jail_open(advise->dir, &advise->limits, &advise->jail, err);
    if (st == STATUS_OK)
        jail_allow(advise->jail, advise->command);
    if (st == STATUS_OK)
        st = backend_open(&settings->backend, &advise->backend, err);
    if (st == STATUS_OK)
        st = lookup_same(advise, settings, err);
    if (st == STATUS_OK && settings->versions)
        st = versions_open(settings->versions, &advise->versions, err);
    if (st == STATUS_OK && advise->lookup.basis == LOOKUP_RESUBMISSION)
        advise->report.method = "history";
    else if (st == STATUS_OK)
        st = advise_look(advise, settings, err);
    if (st != STATUS_OK) {
        advise_free(advise);
        advise = NULL;
    }
    *out = advise;
    return st;
}

void advise_free(struct advise *advise)
{
    if (!advise)
        return;
    versions_free(advise->versions);
    backend_free(advise->backend);
    jail_free(advise->jail);
    arena_fini(&advise->arena);
    free(advise);
}

const struct advise_report *advise_report_of(const struct advise *advise)
{
    return &advise->report;
}

void advise_account(const struct advise *advise, struct out *out)
{
    backend_report(advise->backend, out);
}
