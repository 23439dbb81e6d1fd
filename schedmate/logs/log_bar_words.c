/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words that say what the work of a progress bar is. */
#include "base/ascii.h"
#include "schedmate/logs/log_bar.h"
#include "schedmate/logs/log_bar_internal.h"

#include <string.h>

bool log_has_beginning(struct text text, const char *const *list)
{
    for (size_t i = 0; i < text.len; i++) {
        if (!ascii_is_letter(text.at[i]) ||
            (i > 0 && ascii_is_letter(text.at[i - 1])))
            continue;
        for (size_t w = 0; list[w]; w++) {
            size_t n = strlen(list[w]), same = 0;
            while (same < n &&
                   ascii_lower(text_char(text, i + same)) == list[w][same])
                same++;
            if (same == n)
                return true;
        }
    }
    return false;
}

const char *const log_trial_words[] = {
    "valid",   "val",     "eval",   "test",   "predict", "infer",   "sanit",
    "generat", "sampler", "sampli", "denois", "reconst", "validat", NULL};

const char *const log_other_words[] = {
    "download", "upload",   "load",     "fetch",   "map",      "filter",
    "tokeni",   "extract",  "sav",      "cach",    "unpack",   "copy",
    "shard",    "resolv",   "process",  "convert", "prepar",   "scan",
    "read",     "writ",     "encod",    "embed",   "comput",   "calcul",
    "calibrat", "compress", "quantiz",  "prun",    "collect",  "render",
    "search",   "index",    "retriev",  "rerank",  "adding",   "build",
    "compil",   "creat",    "merg",     "check",   "verif",    "warm",
    "transcri", "translat", "decod",    "scor",    "cluster",  "crawl",
    "pars",     "split",    "pack",     "dedup",   "clean",    "augment",
    "normali",  "import",   "install",  "export",  "prefill",  "captur",
    "profil",   "bench",    "metric",   "crop",    "resiz",    "plot",
    "visual",   "measur",   "request",  "prompt",  "featur",   "dataset",
    "files",    "layer",    "pipeline", "rollout", "annotat",  "statist",
    "analy",    "matching", "aligning", "detecti", "segmenti", "tracking",
    "gather",   "initiali", "quer",     "questio", "document", "chunk",
    "inspect",  "attack",   "explain",  "permut",  "simulati", NULL};

const char *const log_sure_words[] = {"training", "trainer", "pretraining",
                                      "epoch",    "finetun", "fine",
                                      "tuning",   NULL};

const char *const log_training_words[] = {
    "train",   "pretrain", "epoch",  "step", "iter",
    "finetun", "tuning",   "optimi", "fit",  NULL};

const char *const log_step_words[] = {"step", "iter", NULL};

bool log_names_other_work(struct text text)
{
    if (text.len > LABEL_MAX)
        text.len = LABEL_MAX;
    return (log_has_beginning(text, log_trial_words) ||
            log_has_beginning(text, log_other_words)) &&
           !log_has_beginning(text, log_training_words);
}

bool log_names_training(struct text text)
{
    if (text.len > LABEL_MAX)
        text.len = LABEL_MAX;
    return log_has_beginning(text, log_sure_words);
}

bool log_starts_training(struct text line)
{
    static const char *const starts[] = {"start", "begin", "began",
                                         "run",   "resum", NULL};
    static const char *const training[] = {"training", "finetun", "tuning",
                                           NULL};
    if (line.len > LABEL_MAX)
        line.len = LABEL_MAX;
    return log_has_beginning(line, starts) && log_has_beginning(line, training);
}
