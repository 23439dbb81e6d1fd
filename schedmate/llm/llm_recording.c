/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A recording of replies. */
#include "schedmate/llm/llm_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "schedmate/llm/llm_text.h"

/* Largest size of a recording, bytes; larger files are refused. A recording is
 * expected to have tens of thousands of records of a few kilobytes each. */
#define FILE_MAX_BYTES (off_t)(1024 * 1024 * 1024)

static const char *member(const json_t *object, const char *name)
{
    const char *s = json_string_value(json_object_get(object, name));
    return s ? s : "";
}

static bool recording_is_key(const char *s)
{
    return strlen(s) == 64 && strspn(s, "0123456789abcdef") == 64;
}

static bool is_count(const json_t *value)
{
    return !value || (json_is_number(value) && json_number_value(value) >= 0 &&
                      json_number_value(value) < 1e15);
}

/* Returns what is wrong with the reply in a record; NULL if it is valid. */
static const char *fault_of_reply(const json_t *record, bool chat)
{
    const json_t *reply = json_object_get(record, "reply");
    const json_t *list = json_object_get(reply, "embedding");
    if (json_object_get(record, "failed"))
        return json_is_string(json_object_get(record, "failed"))
                   ? NULL
                   : "\"failed\" is not a string";
    if (!json_is_object(reply))
        return "the object \"reply\" is missing";
    if (chat)
        return json_is_string(json_object_get(reply, "content"))
                   ? NULL
                   : "the reply has no string \"content\"";
    struct arena arena;
    const char *bad = json_is_array(list) ? NULL
                                          : "the array \"embedding\" "
                                            "is missing";
    size_t width = 0;
    arena_init(&arena);
    for (size_t i = 0; !bad && i < json_array_size(list); i++) {
        float *at;
        size_t n;
        const char *s = json_string_value(json_array_get(list, i));
        if (!s || !llm_floats_decode(text_from(s), &arena, &at, &n))
            bad = "an embedding is not base64 of 4-byte floats";
        else if (i && n != width)
            bad = "embeddings differ in width";
        else
            width = n;
    }
    arena_fini(&arena);
    return bad;
}

static const char *recording_fault_of(const json_t *record)
{
    const char *kind = member(record, "kind");
    const json_t *usage = json_object_get(record, "usage");
    static const char *const counts[] = {"prompt", "completion", "cached",
                                         "reasoning"};
    if (!json_is_object(record))
        return "expected a JSON object";
    if (!recording_is_key(member(record, "key")))
        return "\"key\" is not 64 hexadecimal digits";
    if (strcmp(kind, "chat") != 0 && strcmp(kind, "embed") != 0)
        return "\"kind\" is neither \"chat\" nor \"embed\"";
    if (!is_count(json_object_get(record, "latency_ms")))
        return "\"latency_ms\" is not a number of milliseconds";
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        if (!is_count(json_object_get(usage, counts[i])))
            return "\"usage\" holds a value that is not a count of tokens";
    }
    return fault_of_reply(record, kind[0] == 'c');
}

/* Stores a valid record under its key in place of any earlier record of this
 * key. Takes over the caller's reference to `record`. */
static void recording_keep(struct recording *recording, json_t *record)
{
    uint32_t symbol =
        interner_add(&recording->keys, text_from(member(record, "key")));
    size_t had = recording->cap;
    recording->records = mem_grow(recording->records, &recording->cap,
                                  symbol + 1u, sizeof *recording->records);
    if (recording->cap > had)
        memset(&recording->records[had], 0,
               (recording->cap - had) * sizeof *recording->records);
    json_decref(recording->records[symbol]);
    recording->records[symbol] = record;
}

static bool recording_is_blank(struct text t)
{
    for (size_t i = 0; i < t.len; i++) {
        if (!strchr(" \t\r", t.at[i]) || !t.at[i])
            return false;
    }
    return true;
}

/* Reads line `number`, counted from 1. `ended` is false for a last line without
 * a newline. If that line is not JSON, it was cut off and is skipped. */
static enum status recording_take_line(struct recording *recording,
                                       struct text line, size_t number,
                                       bool ended, struct error *err)
{
    json_error_t where;
    json_t *record = NULL;
    const char *bad = NULL;
    if (recording_is_blank(line))
        return STATUS_OK;
    record = json_loadb(line.at, line.len, JSON_REJECT_DUPLICATES, &where);
    if (record)
        bad = recording_fault_of(record);
    if (record && !bad) {
        recording_keep(recording, record);
        recording->unended = !ended;
        return STATUS_OK;
    }
    json_decref(record);
    if (!ended && !bad) {
        recording->cut = true;
        return STATUS_OK;
    }
    return error_set(err, STATUS_BAD_INPUT, "%s:%zu:%d: %s", recording->path,
                     number, bad ? 1 : where.column, bad ? bad : where.text);
}

static enum status recording_take_text(struct recording *recording,
                                       struct text text, struct error *err)
{
    enum status st = STATUS_OK;
    size_t number = 0;
    while (text.len && st == STATUS_OK) {
        struct text rest, line;
        bool ended = memchr(text.at, '\n', text.len) != NULL;
        line = text_split(text, '\n', &rest);
        st = recording_take_line(recording, line, ++number, ended, err);
        if (ended)
            recording->whole += (off_t)line.len + 1;
        text = rest;
    }
    return st;
}

static struct recording *recording_new(const char *path, bool writable)
{
    struct recording *recording = mem_zalloc(1, sizeof *recording);
    size_t n = strlen(path) + 1;
    recording->path = mem_alloc(n);
    memcpy(recording->path, path, n);
    recording->writable = writable;
    interner_init(&recording->keys);
    return recording;
}

enum status recording_read(const char *name, struct text text,
                           struct recording **out, struct error *err)
{
    struct recording *recording = recording_new(name, false);
    enum status st = recording_take_text(recording, text, err);
    if (st != STATUS_OK) {
        recording_free(recording);
        recording = NULL;
    }
    *out = recording;
    return st;
}

/* Sets the error "FILE: cannot WHAT: " followed by the text of errno, and
 * returns STATUS_FAILED. */
static enum status recording_cannot(const struct recording *recording,
                                    const char *what, struct error *err)
{
    return error_set(err, STATUS_FAILED, "%s: cannot %s: %s", recording->path,
                     what, strerror(errno));
}

/* Reads the whole file into *out, which the caller frees, also after a failure.
 * Sets recording->size. Refuses anything but a regular file of at most 1
 * GiB. */
static enum status recording_slurp(struct recording *recording, int fd,
                                   struct text *out, struct error *err)
{
    struct stat about;
    if (fstat(fd, &about) != 0)
        return recording_cannot(recording, "read", err);
    if (!S_ISREG(about.st_mode) || about.st_size > FILE_MAX_BYTES)
        return error_set(err, STATUS_BAD_INPUT,
                         "%s: a recording is a file of at most 1 GiB",
                         recording->path);
    char *at = mem_alloc((size_t)about.st_size + 1);
    size_t len = 0;
    ssize_t n = 1;
    while (n > 0 && len < (size_t)about.st_size) {
        n = read(fd, at + len, (size_t)about.st_size - len);
        if (n > 0)
            len += (size_t)n;
        else if (n < 0 && errno == EINTR)
            n = 1;
    }
    *out = (struct text){at, len};
    recording->size = (off_t)len;
    return n < 0 ? recording_cannot(recording, "read", err) : STATUS_OK;
}

enum status recording_open(const char *path, bool must_exist,
                           struct recording **out, struct error *err)
{
    struct recording *recording = recording_new(path, true);
    struct text text = {0};
    enum status st = STATUS_OK;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 && (errno != ENOENT || must_exist))
        st = recording_cannot(recording, "read", err);
    if (fd >= 0)
        st = recording_slurp(recording, fd, &text, err);
    if (st == STATUS_OK)
        st = recording_take_text(recording, text, err);
    if (st != STATUS_OK) {
        recording_free(recording);
        recording = NULL;
    }
    free((char *)(uintptr_t)text.at);
    if (fd >= 0)
        close(fd);
    *out = recording;
    return st;
}

void recording_free(struct recording *recording)
{
    if (!recording)
        return;
    for (size_t i = 0; i < recording->keys.n_strings && i < recording->cap; i++)
        json_decref(recording->records[i]);
    interner_fini(&recording->keys);
    free(recording->records);
    free(recording->path);
    free(recording);
}

static const char *recording_copy(struct arena *arena, const char *s)
{
    return llm_utf8_copy(arena, text_from(s));
}

static uint64_t recording_count(const json_t *object, const char *name)
{
    return (uint64_t)json_number_value(json_object_get(object, name));
}

static void fill_vectors(const json_t *list, struct arena *arena,
                         struct llm_reply *reply)
{
    size_t n = json_array_size(list);
    float *all = NULL;
    for (size_t i = 0; i < n; i++) {
        float *at = NULL;
        size_t width = 0;
        const char *s = json_string_value(json_array_get(list, i));
        /* This cannot fail: the record was checked when the file was read, or
         * was written by llm_floats_encode. */
        if (!llm_floats_decode(text_from(s), arena, &at, &width))
            return;
        if (!all)
            all = ARENA_ARRAY(arena, float, n *width + 1);
        memcpy(all + i * width, at, width * sizeof *all);
        reply->width = width;
    }
    reply->vectors = all;
    reply->n_vectors = n;
}

bool recording_find(const struct recording *recording, const char *key,
                    struct arena *arena, struct llm_reply *reply)
{
    uint32_t symbol = interner_find(&recording->keys, text_from(key));
    if (symbol == UINT32_MAX)
        return false;
    const json_t *record = recording->records[symbol];
    const json_t *body = json_object_get(record, "reply");
    const json_t *usage = json_object_get(record, "usage");
    reply->method = LLM_BY_RECORDING;
    reply->latency = span_from_seconds(
        json_number_value(json_object_get(record, "latency_ms")) / 1000);
    if (json_object_get(record, "failed")) {
        llm_unknown(reply, arena, "%s", member(record, "failed"));
        reply->too_long = json_is_true(json_object_get(record, "too_long"));
        return true;
    }
    reply->known = true;
    reply->text = recording_copy(arena, member(body, "content"));
    reply->finish_reason = recording_copy(arena, member(body, "finish_reason"));
    reply->model = recording_copy(arena, member(record, "model"));
    reply->server = recording_copy(arena, member(record, "server"));
    reply->fingerprint =
        recording_copy(arena, member(record, "system_fingerprint"));
    fill_vectors(json_object_get(body, "embedding"), arena, reply);
    reply->usage = (struct llm_usage){
        .prompt = recording_count(usage, "prompt"),
        .completion = recording_count(usage, "completion"),
        .cached = recording_count(usage, "cached"),
        .reasoning = recording_count(usage, "reasoning"),
        .estimated = json_is_true(json_object_get(usage, "estimated")),
    };
    return true;
}

/* Appends records to the file of a recording. Other processes may append to
 * this file at the same time. */

static void recording_put(struct out *out, const char *name, const char *value)
{
    out_printf(out, ",\"%s\":", name);
    llm_json_string(out, text_from(value));
}

static void put_vectors(struct out *out, const struct llm_reply *reply)
{
    out_text(out, "{\"embedding\":[");
    for (size_t i = 0; i < reply->n_vectors; i++) {
        out_text(out, i ? ",\"" : "\"");
        llm_floats_encode(out, reply->vectors + i * reply->width, reply->width);
        out_char(out, '"');
    }
    out_text(out, "]}");
}

static void recording_put_record(struct out *out,
                                 const struct llm_request *request,
                                 const char *key, const struct llm_reply *reply,
                                 sim_time created, bool with_request)
{
    char when[TIME_TEXT_MAX];
    const struct llm_usage *usage = &reply->usage;
    out_printf(out, "{\"key\":\"%s\",\"kind\":\"%s\"", key,
               request->kind == LLM_CHAT ? "chat" : "embed");
    recording_put(out, "model",
                  reply->known ? reply->model : llm_request_model(request));
    if (reply->too_long) {
        recording_put(out, "failed", reply->why);
        out_text(out, ",\"too_long\":true,\"reply\":null");
    } else if (request->kind == LLM_CHAT) {
        out_text(out, ",\"reply\":");
        out_text(out, "{\"content\":");
        llm_json_string(out, text_from(reply->text));
        recording_put(out, "finish_reason", reply->finish_reason);
        out_char(out, '}');
    } else {
        out_text(out, ",\"reply\":");
        put_vectors(out, reply);
    }
    out_printf(out,
               ",\"usage\":{\"prompt\":%" PRIu64 ",\"completion\":%" PRIu64
               ",\"cached\":%" PRIu64 ",\"reasoning\":%" PRIu64
               ",\"estimated\":%s}",
               usage->prompt, usage->completion, usage->cached,
               usage->reasoning, usage->estimated ? "true" : "false");
    recording_put(out, "system_fingerprint",
                  reply->known ? reply->fingerprint : "");
    out_text(out, ",\"latency_ms\":");
    llm_json_number(out, (double)reply->latency / 1000);
    time_to_text(created, when);
    recording_put(out, "created", when);
    recording_put(out, "server", reply->server);
    out_printf(out, ",\"attempt\":%u", reply->attempts);
    if (with_request) {
        out_text(out, ",\"request\":");
        llm_request_json(request, out);
    }
    out_text(out, "}\n");
}

/* Removes a last line that was cut off, or adds the newline that a whole last
 * record lacks. Does nothing if the size of the file has changed since it was
 * read, because another process has then repaired it before it added a record.
 * Returns false if the file cannot be changed. */
static bool repair(struct recording *recording, int fd, off_t size)
{
    bool good = true;
    if (size == recording->size && recording->cut)
        good = ftruncate(fd, recording->whole) == 0;
    else if (size == recording->size && recording->unended)
        good = write(fd, "\n", 1) == 1;
    if (good)
        recording->cut = recording->unended = false;
    return good;
}

/* Repairs the end of the file and appends a line with one write, under a lock.
 * If the line is not written whole, for example because the disk is full, or
 * not synced, removes it; if that fails too, refuses further records. */
static enum status recording_append(struct recording *recording,
                                    struct text line, struct error *err)
{
    enum status st = STATUS_OK;
    struct stat about;
    int fd =
        open(recording->path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        return recording_cannot(recording, "write", err);
    if (flock(fd, LOCK_EX) != 0 || fstat(fd, &about) != 0 ||
        !repair(recording, fd, about.st_size) || fstat(fd, &about) != 0) {
        st = recording_cannot(recording, "write", err);
    } else if (write(fd, line.at, line.len) != (ssize_t)line.len ||
               fsync(fd) != 0) {
        st = recording_cannot(recording, "write", err);
        if (ftruncate(fd, about.st_size) != 0)
            recording->writable = false; /* never append to half a line */
    }
    close(fd);
    return st;
}

enum status recording_add(struct recording *recording,
                          const struct llm_request *request, const char *key,
                          const struct llm_reply *reply, sim_time created,
                          bool with_request, struct error *err)
{
    if (!recording->writable)
        return error_set(err, STATUS_FAILED, "%s: cannot be written",
                         recording->path);
    struct out *out = out_to_memory();
    recording_put_record(out, request, key, reply, created, with_request);
    struct text line = out_memory(out);
    enum status st = recording_append(recording, line, err);
    json_t *record =
        st == STATUS_OK ? json_loadb(line.at, line.len, 0, NULL) : NULL;
    if (record)
        recording_keep(recording, record);
    out_abandon(out);
    return st;
}

/* Answers from a recording and records what the layer below answers. Even at
 * temperature 0, a model may answer a repeated question differently, so a run
 * that must be repeatable needs a recording. */

enum mode { MODE_OFF, MODE_AUTO, MODE_RECORD, MODE_REPLAY, MODE_STRICT };

static const char *const modes[] = {"off",    "auto",   "record",
                                    "replay", "strict", NULL};

struct replay_config {
    const char *file;
    unsigned mode;
    bool requests;
    sim_span latency;
};

struct llm_recording_replay {
    const struct replay_config *config;
    const struct llm_clock *clock;
    struct recording *recording;
    pthread_mutex_t lock; /* guards the recording */
};

static const struct option replay_options[] = {
    OPT_TEXT(struct replay_config, file, "file", "",
             "file of the recording, JSON Lines", NULL),
    OPT_CHOICE(struct replay_config, mode, "mode", MODE_AUTO, modes,
               "off: the recording is not used; auto: it answers, and new "
               "answers are added; record: each question is asked and its "
               "answer added; replay: a question that it does not hold gets "
               "no answer; strict: such a question is an error",
               NULL, .reach = "writes the recording",
               .reach_at = "auto|record"),
    OPT_BOOL(struct replay_config, requests, "requests", 0,
             "record the questions too, which hold text from the user's files",
             NULL),
    OPT_SPAN(struct replay_config, latency, "latency_s", 0, 0, 3600,
             "time that each recorded answer takes; 0: the recorded time",
             NULL),
    {0},
};

static enum status replay_init(void *self, const void *config,
                               const struct llm_env *env, struct error *err)
{
    struct llm_recording_replay *replay = self;
    replay->config = config;
    replay->clock = env->clock;
    pthread_mutex_init(&replay->lock, NULL);
    if (replay->config->mode == MODE_OFF)
        return STATUS_OK;
    if (!replay->config->file || !replay->config->file[0])
        return error_set(err, STATUS_USAGE,
                         "llm replay: no recording is named; write "
                         "replay:file=FILE, or set SCHEDSIM_LLM_RECORDING");
    return recording_open(replay->config->file,
                          replay->config->mode >= MODE_REPLAY,
                          &replay->recording, err);
}

static enum status llm_recording_add(struct llm_recording_replay *replay,
                                     const struct llm_request *request,
                                     const char *key,
                                     const struct llm_reply *reply,
                                     struct error *err)
{
    sim_time now = replay->clock->utc(replay->clock->self);
    pthread_mutex_lock(&replay->lock);
    enum status st = recording_add(replay->recording, request, key, reply, now,
                                   replay->config->requests, err);
    pthread_mutex_unlock(&replay->lock);
    return st;
}

static enum status recording_miss(const struct llm_recording_replay *replay,
                                  const struct llm_request *request,
                                  const char *key, struct arena *arena,
                                  struct llm_reply *reply, struct error *err)
{
    const char *file = replay->config->file;
    if (replay->config->mode == MODE_STRICT)
        return error_set(err, STATUS_FAILED,
                         "%s: no record of key %s (%s, model %s, prompt %s)",
                         file, key, request->purpose,
                         llm_request_model(request), request->prompt_version);
    reply->method = LLM_BY_RECORDING;
    llm_unknown(reply, arena, "the recording has no record of key %s", key);
    return STATUS_OK;
}

static enum status replay_ask(void *self, const struct llm *below,
                              const struct llm_request *request,
                              struct arena *arena, struct llm_reply *reply,
                              struct error *err)
{
    struct llm_recording_replay *replay = self;
    const struct replay_config *config = replay->config;
    char key[DIGEST_HEX_MAX];
    bool hit = false;
    if (config->mode == MODE_OFF)
        return llm_ask(below, request, arena, reply, err);
    llm_request_key(request, key);
    if (config->mode != MODE_RECORD) {
        pthread_mutex_lock(&replay->lock);
        hit = recording_find(replay->recording, key, arena, reply);
        pthread_mutex_unlock(&replay->lock);
    }
    if (hit && config->latency)
        reply->latency = config->latency;
    if (hit)
        return STATUS_OK;
    if (config->mode >= MODE_REPLAY)
        return recording_miss(replay, request, key, arena, reply, err);
    enum status st = llm_ask(below, request, arena, reply, err);
    /* A request that was too long is recorded too, so that a replay refuses it
     * and the client again asks the shorter one, which has a record. */
    if (st == STATUS_OK && (reply->known || reply->too_long))
        st = llm_recording_add(replay, request, key, reply, err);
    return st;
}

static void llm_recording_replay_fini(void *self)
{
    struct llm_recording_replay *replay = self;
    recording_free(replay->recording);
    pthread_mutex_destroy(&replay->lock);
}

const struct llm_ops llm_replay = {
    .name = "replay",
    .summary = "answers from a recording; asks below, and records, on a miss",
    .options = replay_options,
    .config_size = sizeof(struct replay_config),
    .state_size = sizeof(struct llm_recording_replay),
    .init = replay_init,
    .ask = replay_ask,
    .fini = llm_recording_replay_fini,
};
