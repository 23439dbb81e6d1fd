/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/live/backend.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/out.h"
#include "schedmate/live/trust_file.h"
#include "schedmate/llm/llm.h"

enum { LAYERS_MAX = 2 };

struct backend {
    struct arena arena;
    struct llm_clock clock;
    struct llm layers[LAYERS_MAX]; /* bottom layer first */
    /* n_ready: number of layers that must be closed */
    size_t n_layers, n_ready;
    struct llm_sampling sampling;
    struct llm_client client;
    bool has_client;
    int memory; /* descriptor of the answers that are kept in memory, or -1 */
};

static sim_time backend_clock_of(clockid_t id)
{
    struct timespec now;
    clock_gettime(id, &now);
    return (sim_time)now.tv_sec * SPAN_SECOND + now.tv_nsec / 1000;
}

static sim_time elapsed(void *self)
{
    (void)self;
    return backend_clock_of(CLOCK_MONOTONIC);
}

static sim_time utc(void *self)
{
    (void)self;
    return backend_clock_of(CLOCK_REALTIME);
}

static void doze(void *self, sim_span span)
{
    struct timespec rest = {.tv_sec = span / SPAN_SECOND,
                            .tv_nsec = span % SPAN_SECOND * 1000};
    (void)self;
    while (clock_nanosleep(CLOCK_MONOTONIC, 0, &rest, &rest) != 0)
        ;
}

static const char *backend_variable(const void *self, const char *name)
{
    (void)self;
    return getenv(name);
}

static bool backend_is_row(const struct option *rows, struct text key)
{
    while (rows && rows->kind != OPTION_END && !text_is(key, rows->name))
        rows++;
    return rows && rows->kind != OPTION_END;
}

/* Applies the variables of the environment for which the table `rows` has an
 * option. Options of the command line are applied later and override them. */
static enum status apply_environment(struct backend *backend,
                                     const struct option *rows, void *config,
                                     struct error *err)
{
    static const char *const names[][2] = {
        {"SCHEDSIM_LLM_BASE_URL", "base_url"},
        {"SCHEDSIM_LLM_TIMEOUT", "deadline_s"},
        {"SCHEDSIM_LLM_RECORDING", "file"},
        {"SCHEDSIM_LLM_RECORDING_MODE", "mode"},
        {"SCHEDSIM_LLM_MODEL", "model"},
        {"SCHEDSIM_LLM_EMBED_MODEL", "embed_model"},
    };
    enum status st = STATUS_OK;
    for (size_t i = 0; i < sizeof names / sizeof *names && st == STATUS_OK;
         i++) {
        const char *value = getenv(names[i][0]);
        struct text key = text_from(names[i][1]);
        if (value && value[0] && backend_is_row(rows, key))
            st = option_set(rows, config, names[i][0], key, text_from(value),
                            &backend->arena, err);
    }
    return st;
}

/* Applies the settings of `spec`, which may be NULL: those that
 * llm_sampling_options has to the sampling, all others to the layer. */
static enum status apply_spec(struct backend *backend, const struct spec *spec,
                              const struct llm *layer, void *config,
                              struct error *err)
{
    enum status st = STATUS_OK;
    char owner[64] = "llm ";
    memcpy(owner + 4, layer->ops->name, strnlen(layer->ops->name, 59));
    for (size_t i = 0; spec && i < spec->n_settings && st == STATUS_OK; i++) {
        const struct spec_setting *setting = &spec->settings[i];
        bool shared = backend_is_row(llm_sampling_options, setting->key);
        st = option_set(shared ? llm_sampling_options : layer->ops->options,
                        shared ? (void *)&backend->sampling : config, owner,
                        setting->key, setting->value, &backend->arena, err);
    }
    return st;
}

struct layer_wish {
    struct text name;
    const struct spec *spec; /* settings of the layer; NULL: none */
    const char *file, *mode; /* file and mode of a recording, or NULL */
};

static enum status backend_add_layer(struct backend *backend,
                                     const struct layer_wish *wish,
                                     struct error *err)
{
    const struct llm_env env = {&backend->arena, &backend->clock,
                                backend_variable, NULL};
    const struct llm_ops *ops;
    enum status st = llm_find(wish->name, &ops, err);
    if (st != STATUS_OK)
        return st;
    struct llm *layer = &backend->layers[backend->n_layers];
    void *config = arena_alloc(&backend->arena, ops->config_size + 1);
    *layer =
        (struct llm){.ops = ops,
                     .self = arena_alloc(&backend->arena, ops->state_size + 1),
                     .config = config,
                     .below = backend->n_layers ? layer - 1 : NULL};
    backend->n_layers++;
    option_defaults(ops->options, config);
    st = apply_environment(backend, ops->options, config, err);
    if (st == STATUS_OK)
        st = apply_spec(backend, wish->spec, layer, config, err);
    if (st == STATUS_OK && wish->file)
        st = option_set(ops->options, config, "--llm-recording",
                        text_from("file"), text_from(wish->file),
                        &backend->arena, err);
    if (st == STATUS_OK && wish->mode)
        st = option_set(ops->options, config, "--llm-recording-mode",
                        text_from("mode"), text_from(wish->mode),
                        &backend->arena, err);
    backend->n_ready += st == STATUS_OK;
    if (st == STATUS_OK && ops->init)
        st = ops->init(layer->self, config, &env, err);
    return st;
}

static enum status parse_llm(struct backend *backend,
                             const struct backend_settings *settings,
                             struct spec *spec, struct error *err)
{
    const char *text = settings->llm ? settings->llm : "rules";
    /* The address of a server alone means the layer `http`. */
    const char *head =
        strncmp(text, "http://", 7) == 0 || strncmp(text, "https://", 8) == 0
            ? "http:base_url="
            : "";
    char *copy = arena_alloc(&backend->arena, strlen(head) + strlen(text) + 1);
    stpcpy(stpcpy(copy, head), text);
    enum status st = spec_parse("llm", text_from(copy), spec, err);
    if (st == STATUS_OK && spec->n_layers)
        st = error_set(
            err, STATUS_USAGE,
            "llm: a recording is named by --llm-recording, not by '+'");
    return st;
}

/* Returns the mode of `replay` as the only layer: that of the command line;
 * otherwise NULL if the specification or the environment gives one, which then
 * holds; otherwise "replay", which never asks a model. */
static const char *replay_mode(const struct backend_settings *settings,
                               const struct spec *spec)
{
    bool given = getenv("SCHEDSIM_LLM_RECORDING_MODE") != NULL;
    for (size_t i = 0; i < spec->n_settings; i++)
        given |= text_is(spec->settings[i].key, "mode");
    if (settings->recording_mode)
        return settings->recording_mode;
    return given ? NULL : "replay";
}

/* Puts a recording that is a file in memory in front of `http`. */
static enum status backend_remember(struct backend *backend, struct error *err)
{
    char path[40];
    backend->memory = memfd_create("answers", MFD_CLOEXEC);
    if (backend->memory < 0)
        return error_set(err, STATUS_FAILED, "llm: no memory for answers: %s",
                         strerror(errno));
    snprintf(path, sizeof path, "/proc/self/fd/%d", backend->memory);
    const struct layer_wish top = {
        .name = text_from("replay"), .file = path, .mode = "auto"};
    return backend_add_layer(backend, &top, err);
}

/* Makes the layer that --llm names. For `http` with a recording, also makes the
 * layer in front that answers from the recording or adds to it, as its mode
 * says. With `rules`, a recording or a mode on the command line is an error. */
static enum status add_layers(struct backend *backend,
                              const struct backend_settings *settings,
                              struct error *err)
{
    struct spec spec;
    const char *mode = settings->recording_mode, *file = settings->recording;
    const char *recording = file ? file : getenv("SCHEDSIM_LLM_RECORDING");
    enum status st = parse_llm(backend, settings, &spec, err);
    if (st != STATUS_OK)
        return st;
    struct layer_wish bottom = {.name = spec.name, .spec = &spec};
    if (text_is(spec.name, "rules")) {
        if (file || mode)
            return error_set(err, STATUS_USAGE,
                             "llm: without a model there is nothing to record; "
                             "--llm http or --llm replay");
        return backend_add_layer(backend, &bottom, err);
    }
    if (text_is(spec.name, "replay")) {
        bottom.file = file;
        bottom.mode = replay_mode(settings, &spec);
        return backend_add_layer(backend, &bottom, err);
    }
    st = backend_add_layer(backend, &bottom, err);
    if (st == STATUS_OK && settings->remembers && (!recording || !recording[0]))
        return backend_remember(backend, err);
    if (st != STATUS_OK || !recording || !recording[0])
        return st;
    const struct layer_wish top = {
        .name = text_from("replay"), .file = file, .mode = mode};
    return backend_add_layer(backend, &top, err);
}

enum status backend_open(const struct backend_settings *settings,
                         struct backend **out, struct error *err)
{
    struct backend *backend = mem_zalloc(1, sizeof *backend);
    arena_init(&backend->arena);
    backend->memory = -1;
    backend->clock =
        (struct llm_clock){.elapsed = elapsed, .utc = utc, .sleep = doze};
    option_defaults(llm_sampling_options, &backend->sampling);
    enum status st = apply_environment(backend, llm_sampling_options,
                                       &backend->sampling, err);
    if (st == STATUS_OK)
        st = add_layers(backend, settings, err);
    if (st != STATUS_OK) {
        backend_free(backend);
        *out = NULL;
        return st;
    }
    llm_client_init(&backend->client, &backend->layers[backend->n_layers - 1],
                    &backend->sampling);
    backend->has_client = true;
    if (settings->trust)
        st = trust_file_read(settings->trust, &backend->client.trust, err);
    if (st != STATUS_OK) {
        backend_free(backend);
        *out = NULL;
        return st;
    }
    *out = backend;
    return STATUS_OK;
}

void backend_free(struct backend *backend)
{
    if (!backend)
        return;
    if (backend->has_client)
        llm_client_fini(&backend->client);
    for (size_t i = backend->n_ready; i-- > 0;) {
        if (backend->layers[i].ops->fini)
            backend->layers[i].ops->fini(backend->layers[i].self);
    }
    if (backend->memory >= 0)
        close(backend->memory);
    arena_fini(&backend->arena);
    free(backend);
}

struct llm_client *backend_client(struct backend *backend)
{
    return &backend->client;
}

const char *backend_name(const struct backend *backend)
{
    return backend->n_layers > 1 && backend->memory < 0
               ? "http with a recording"
               : backend->layers[0].ops->name;
}

const char *backend_recording(const struct backend *backend)
{
    const char *path = "";
    char text[OPTION_TEXT_MAX];
    if (backend->memory >= 0)
        return NULL;
    for (size_t i = 0; i < backend->n_layers; i++) {
        const struct llm *layer = &backend->layers[i];
        const struct option *row = layer->ops->options;
        while (row && row->kind != OPTION_END && strcmp(row->name, "file") != 0)
            row++;
        if (row && row->kind != OPTION_END)
            path = option_value(row, layer->config, text);
    }
    return *path ? path : NULL;
}

static void report_line(const struct llm_account *account, struct out *out)
{
    const struct llm_usage *usage = &account->usage;
    out_printf(out,
               "llm: %s: %" PRIu64 " asked, %" PRIu64 " recorded, %" PRIu64
               " unanswered, %" PRIu64 " invalid; %" PRIu64
               " requests; tokens %s%" PRIu64 " in (%" PRIu64
               " cached), %" PRIu64 " out (%" PRIu64 " reasoning); ",
               account->purpose, account->asked, account->hits,
               account->unknown, account->invalid, account->requests,
               usage->estimated ? "about " : "", usage->prompt, usage->cached,
               usage->completion, usage->reasoning);
    out_span(out, account->latency / 1000 * 1000);
    out_text(out, " s");
    if (account->left_out)
        out_printf(out,
                   "; %" PRIu64
                   " bytes of questions left out, which do not fit "
                   "the model's context",
                   account->left_out);
    out_char(out, '\n');
    if (account->why[0])
        out_printf(out, "llm: %s: no answer: %s\n", account->purpose,
                   account->why);
}

void backend_report(const struct backend *backend, struct out *out)
{
    const struct llm_client *client = &backend->client;
    for (size_t i = 0; i < client->n_accounts; i++)
        report_line(&client->accounts[i], out);
    if (client->n_accounts > 1) {
        struct llm_account total = llm_client_total(client);
        report_line(&total, out);
    }
}

const struct option *backend_options(size_t *config_size)
{
    *config_size = sizeof(struct llm_sampling);
    return llm_sampling_options;
}
