/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words that set a mark. */
#include <string.h>

#include "schedmate/logs/log_marks_internal.h"

struct word {
    const char *text; /* lower case; a word is a run of letters */
    uint8_t mark;     /* enum log_mark that the word sets */
};

/* In alphabetical order, as the binary search requires. */
static const struct word words[] = {
    {"aborted", MARK_KILL_WORD},
    {"aborting", MARK_KILL_WORD},
    {"acc", MARK_LOSS_WORD},
    {"accuracy", MARK_LOSS_WORD},
    {"batch", MARK_STEP_WORD},
    {"batches", MARK_STEP_WORD},
    {"bleu", MARK_EVAL_WORD},
    {"cancelled", MARK_KILL_WORD},
    {"cannot", MARK_NEGATION},
    {"checkpoint", MARK_FILE_WORD},
    {"core", MARK_KILL_WORD},
    {"corrupted", MARK_FAIL_WORD},
    {"could", MARK_NEGATION},
    {"crashed", MARK_FAIL_WORD},
    {"critical", MARK_ERROR_WORD},
    {"debug", MARK_INFO_WORD},
    {"denied", MARK_FAIL_WORD},
    {"deprecated", MARK_DEPRECATED},
    {"deprecation", MARK_DEPRECATED},
    {"download", MARK_LOAD_WORD},
    {"downloading", MARK_LOAD_WORD},
    {"dumped", MARK_KILL_WORD},
    {"elapsed", MARK_TIME_WORD},
    {"epoch", MARK_EPOCH_WORD},
    {"epochs", MARK_EPOCH_WORD},
    {"err", MARK_ERROR_WORD},
    {"error", MARK_ERROR_WORD},
    {"errors", MARK_ERROR_WORD},
    {"eta", MARK_TIME_WORD},
    {"eval", MARK_EVAL_WORD},
    {"evaluate", MARK_EVAL_WORD},
    {"evaluating", MARK_EVAL_WORD},
    {"evaluation", MARK_EVAL_WORD},
    {"exceeded", MARK_FAIL_WORD},
    {"exception", MARK_EXCEPTION_WORD},
    {"exceptions", MARK_EXCEPTION_WORD},
    {"exit", MARK_KILL_WORD},
    {"exitcode", MARK_KILL_WORD},
    {"exited", MARK_KILL_WORD},
    {"exiting", MARK_KILL_WORD},
    {"fail", MARK_FAIL_WORD},
    {"failed", MARK_FAIL_WORD},
    {"failing", MARK_FAIL_WORD},
    {"failure", MARK_FAIL_WORD},
    {"fatal", MARK_ERROR_WORD},
    {"fault", MARK_FAIL_WORD},
    {"futurewarning", MARK_WARNING_NAME},
    {"grad", MARK_LOSS_WORD},
    {"illegal", MARK_FAIL_WORD},
    {"inactive", MARK_FAIL_WORD},
    {"info", MARK_INFO_WORD},
    {"invalid", MARK_FAIL_WORD},
    {"it", MARK_STEP_WORD},
    {"iter", MARK_STEP_WORD},
    {"iteration", MARK_STEP_WORD},
    {"iterations", MARK_STEP_WORD},
    {"iters", MARK_STEP_WORD},
    {"kill", MARK_KILL_WORD},
    {"killed", MARK_KILL_WORD},
    {"killing", MARK_KILL_WORD},
    {"loaded", MARK_LOAD_WORD},
    {"loading", MARK_LOAD_WORD},
    {"lockup", MARK_FAIL_WORD},
    {"loss", MARK_LOSS_WORD},
    {"losses", MARK_LOSS_WORD},
    {"lr", MARK_LOSS_WORD},
    {"missing", MARK_FAIL_WORD},
    {"ms", MARK_TIME_WORD},
    {"no", MARK_NEGATION},
    {"not", MARK_NEGATION},
    {"notice", MARK_INFO_WORD},
    {"oom", MARK_FAIL_WORD},
    {"overflow", MARK_WARN_WORD},
    {"panic", MARK_ERROR_WORD},
    {"ppl", MARK_LOSS_WORD},
    {"preemption", MARK_KILL_WORD},
    {"quota", MARK_FAIL_WORD},
    {"refused", MARK_FAIL_WORD},
    {"samples", MARK_RATE_WORD},
    {"saved", MARK_FILE_WORD},
    {"saving", MARK_FILE_WORD},
    {"sec", MARK_TIME_WORD},
    {"seconds", MARK_TIME_WORD},
    {"segfault", MARK_FAIL_WORD},
    {"segmentation", MARK_FAIL_WORD},
    {"signal", MARK_KILL_WORD},
    {"sigterm", MARK_KILL_WORD},
    {"speed", MARK_RATE_WORD},
    {"step", MARK_STEP_WORD},
    {"steps", MARK_STEP_WORD},
    {"sxid", MARK_ERROR_WORD},
    {"terminate", MARK_KILL_WORD},
    {"terminated", MARK_KILL_WORD},
    {"terminating", MARK_KILL_WORD},
    {"test", MARK_EVAL_WORD},
    {"testing", MARK_EVAL_WORD},
    {"throughput", MARK_RATE_WORD},
    {"time", MARK_TIME_WORD},
    {"timed", MARK_FAIL_WORD},
    {"timeout", MARK_FAIL_WORD},
    {"tokens", MARK_RATE_WORD},
    {"traceback", MARK_TRACEBACK_WORD},
    {"train", MARK_TRAIN_WORD},
    {"training", MARK_TRAIN_WORD},
    {"unable", MARK_NEGATION},
    {"uncorrectable", MARK_FAIL_WORD},
    {"unreachable", MARK_FAIL_WORD},
    {"userwarning", MARK_WARNING_NAME},
    {"val", MARK_EVAL_WORD},
    {"valid", MARK_EVAL_WORD},
    {"validation", MARK_EVAL_WORD},
    {"warn", MARK_WARN_WORD},
    {"warning", MARK_WARN_WORD},
    {"warnings", MARK_WARN_WORD},
    {"xid", MARK_ERROR_WORD},
};

uint64_t log_mark_word(const char *word, size_t len)
{
    size_t lo = 0, hi = sizeof words / sizeof *words;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        int order = strncmp(word, words[mid].text, len);
        if (order == 0 && words[mid].text[len])
            order = -1;
        if (order == 0)
            return UINT64_C(1) << words[mid].mark;
        if (order < 0)
            hi = mid;
        else
            lo = mid + 1;
    }
    return 0;
}
