/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers from a recording and records what the layer below answers. Even at
 * temperature 0, a model may answer a repeated question differently, so a run
 * that must be repeatable needs a recording. */
#include <pthread.h>

#include "schedmate/llm/llm_recording.h"

enum mode { MODE_OFF, MODE_AUTO, MODE_RECORD, MODE_REPLAY, MODE_STRICT };
static const char *const modes[] = {"off",    "auto",   "record",
                                    "replay", "strict", NULL};

struct replay_config {
    const char *file;
    unsigned mode;
    bool requests;
    sim_span latency;
};

struct replay {
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
    struct replay *replay = self;
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

static enum status add(struct replay *replay, const struct llm_request *request,
                       const char *key, const struct llm_reply *reply,
                       struct error *err)
{
    sim_time now = replay->clock->utc(replay->clock->self);
    pthread_mutex_lock(&replay->lock);
    enum status st = recording_add(replay->recording, request, key, reply, now,
                                   replay->config->requests, err);
    pthread_mutex_unlock(&replay->lock);
    return st;
}

static enum status miss(const struct replay *replay,
                        const struct llm_request *request, const char *key,
                        struct arena *arena, struct llm_reply *reply,
                        struct error *err)
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
    struct replay *replay = self;
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
        return miss(replay, request, key, arena, reply, err);
    enum status st = llm_ask(below, request, arena, reply, err);
    /* A request that was too long is recorded too, so that a replay refuses it
     * and the client again asks the shorter one, which has a record. */
    if (st == STATUS_OK && (reply->known || reply->too_long))
        st = add(replay, request, key, reply, err);
    return st;
}

static void replay_fini(void *self)
{
    struct replay *replay = self;
    recording_free(replay->recording);
    pthread_mutex_destroy(&replay->lock);
}

const struct llm_ops llm_replay = {
    .name = "replay",
    .summary = "answers from a recording; asks below, and records, on a miss",
    .options = replay_options,
    .config_size = sizeof(struct replay_config),
    .state_size = sizeof(struct replay),
    .init = replay_init,
    .ask = replay_ask,
    .fini = replay_fini,
};
