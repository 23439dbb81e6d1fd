/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "commands/run_model.h"

#include <string.h>

#include "schedmate/llm/llm_client.h"

enum status run_model_open(struct run_config *config, struct backend **out,
                           struct error *err)
{
    const struct backend_settings settings = {
        .llm = config->llm,
        .recording = config->llm_recording,
        .recording_mode = config->llm_recording_mode};
    *out = NULL;
    if (!settings.llm && !settings.recording && !settings.recording_mode)
        return STATUS_OK;
    enum status st = backend_open(&settings, out, err);
    if (st == STATUS_OK && strcmp(backend_name(*out), "rules") != 0)
        config->model = (struct run_model){
            .client = backend_client(*out),
            .recording = backend_recording(*out),
        };
    return st;
}

void run_model_account(struct backend *backend, struct provenance_model *out)
{
    *out = (struct provenance_model){0};
    if (!backend || strcmp(backend_name(backend), "rules") == 0)
        return;
    struct llm_account all = llm_client_total(backend_client(backend));
    *out = (struct provenance_model){
        .backend = backend_name(backend),
        .asked = all.calls,
        .hits = all.hits,
        .served = all.asked,
        .misses = all.unknown,
    };
}
