/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/evidence/evidence_log.h"

const char *const evidence_styles[EVIDENCE_STYLES] = {
    "torch-imagenet", "hf-trainer", "deepspeed", "megatron",
    "lightning",      "nanogpt",    "fairseq",   "keras",
    "mmengine",       "paddle",     "rl",        "plain-epoch",
};

const char *evidence_style(struct text word)
{
    for (size_t i = 0; i < EVIDENCE_STYLES; i++) {
        if (text_is(word, evidence_styles[i]))
            return evidence_styles[i];
    }
    return NULL;
}
