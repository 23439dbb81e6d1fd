/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/run/classes.h"

#include "base/ascii.h"

const struct option classes_options[] = {
    OPT_TEXT(struct classes_config, spot, "spot", "spot|best-effort|low",
             "priorities whose jobs are spot: a policy may stop them for "
             "guaranteed jobs, which are all others",
             "assumed: the words of public traces"),
    OPT_SPAN(struct classes_config, guarantee, "guarantee_s", 3600, 1,
             SECONDS_MAX,
             "window for which a spot job hopes to run without a stop",
             "GFS (ASPLOS'26): 1 h"),
    {0},
};

static bool classes_same(struct text a, struct text b)
{
    for (size_t i = 0; a.len == b.len && i < a.len; i++) {
        const char x = a.at[i], y = b.at[i];
        if ((ascii_is_upper(x) ? x + 32 : x) !=
            (ascii_is_upper(y) ? y + 32 : y))
            return false;
    }
    return a.len == b.len;
}

static bool classes_has(struct text words, struct text priority)
{
    while (words.len) {
        if (classes_same(text_trim(text_split(words, '|', &words)), priority))
            return true;
    }
    return false;
}

uint32_t classes_mark(struct jobset *jobset,
                      const struct classes_config *config)
{
    uint32_t n = 0, last = 0;
    bool spot = false;
    for (uint32_t i = 0; jobset->terms && i < jobset->n_jobs; i++) {
        struct job_terms *terms = &jobset->terms[i];
        if (terms->priority != last) {
            last = terms->priority;
            spot = last && classes_has(text_from(config->spot),
                                       text_from(jobset_string(jobset, last)));
        }
        terms->spot = spot;
        n += spot;
    }
    return n;
}
