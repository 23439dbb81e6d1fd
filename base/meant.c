/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/meant.h"

#include <stdio.h>
#include <string.h>

/* A row holds for one kind of name, or for all if `what` is NULL. `name` is the
 * name to suggest; a row without one only says something. */
#define MEANT(what_, word_, name_, says_) \
    { \
        .what = what_, .word = word_, .name = name_, .says = says_ \
    }

static const struct meant {
    const char *what, *word, *name, *says;
} meant[] = {
    MEANT(NULL, "0", "none", NULL),
    MEANT(NULL, "no", "none", NULL),
    MEANT(NULL, "off", "none", NULL),

    MEANT("policy", "fcfs", "fifo", NULL),
    MEANT("policy", "las", "tiresias", NULL),
    MEANT("policy", "mlfq", "tiresias", NULL),
    MEANT("policy", "2das", "tiresias", NULL),
    MEANT("policy", "gittins", "tiresias", "its setting index=gittins"),
    MEANT("policy", "spt", "sjf", NULL),
    MEANT("policy", "sjn", "sjf", NULL),
    MEANT("policy", "srpt", "srtf", NULL),
    MEANT("policy", "easy", "backfill", "it is EASY backfilling"),
    MEANT("policy", "backfilling", "backfill", NULL),
    MEANT("policy", "gavel", NULL,
          "did you mean 'gavel-las' or 'gavel-makespan'?"),
    MEANT("policy", "schedmate", NULL,
          "SchedMate is a layer over a policy, such as 'fifo+schedmate'"),
    MEANT("policy", "advisor", NULL,
          "advisor is a layer over a policy, such as 'sjf+advisor'"),
    MEANT("policy", "tracker", NULL,
          "tracker is a layer over a policy, such as 'lucid+tracker'"),
    MEANT("policy", "handler", NULL,
          "handler is a layer over a policy, such as 'fifo+handler'"),
    MEANT("policy", "all", NULL, "only `compare` takes 'all'"),

    MEANT("placer", "pack", "consolidate", NULL),
    MEANT("placer", "packed", "consolidate", NULL),
    MEANT("placer", "compact", "consolidate", NULL),
    MEANT("placer", "best-fit", "consolidate", NULL),
    MEANT("placer", "bestfit", "consolidate", NULL),
    MEANT("placer", "worst-fit", "spread", NULL),

    MEANT("fault model", "a100", "hardware",
          "--faults hardware:profile=a100-hw"),
    MEANT("fault model", "h100", "hardware",
          "--faults hardware:profile=h100-pretrain"),

    MEANT("llm", "openai", "http", "--llm http://HOST:PORT/v1"),
    MEANT("llm", "ollama", "http", "--llm http://127.0.0.1:11434/v1"),
    MEANT("llm", "vllm", "http", "--llm http://127.0.0.1:8000/v1"),
    MEANT("llm", "llama.cpp", "http", "--llm http://127.0.0.1:8080/v1"),

    MEANT("command", "simulate", "run", NULL),
    MEANT("command", "sim", "run", NULL),
    MEANT("command", "replay", "run", NULL),
    MEANT("command", "policies", NULL, "did you mean 'list policies'?"),
    MEANT("command", "models", NULL, "did you mean 'list models'?"),
    MEANT("command", "clusters", NULL, "did you mean 'list clusters'?"),
    MEANT("command", "man", "help", "the manual: man schedsim"),
    MEANT(
        "command", "completion", NULL,
        "packaging/completions.py prints one, and `meson install` installs it"),
    MEANT("command", "figure", "plot", NULL),
    MEANT("command", "check", "verify", NULL),

    MEANT("figure", "heatmap", "nodes", NULL),
    MEANT("figure", "ecdf", "cdf", NULL),
    MEANT("figure", "distribution", "cdf", NULL),
    MEANT("figure", "boxplot", "boxes", NULL),
    MEANT("figure", "schedule", "gantt", NULL),
    MEANT("figure", "timeline", "gantt", NULL),
    MEANT("figure", "normalised", "relative", NULL),
    MEANT("figure", "normalized", "relative", NULL),
    MEANT("figure", "speedup", "relative", NULL),
    MEANT("figure", "load", "lines", NULL),
    MEANT("figure", "slowdown", "cdf", "its --quantity slowdown"),
    MEANT("figure", "jct", "cdf", "its --quantity jct"),
    MEANT("figure", "wait", "queue-delay", NULL),
    MEANT("figure", "delay", "queue-delay", NULL),

    MEANT("kind", "traces", NULL,
          "'list formats' has the formats of traces; traces to try are in "
          "traces/samples"),
    MEANT("kind", "samples", NULL, "traces to try are in traces/samples"),
    MEANT("kind", "metrics", "columns", NULL),
    MEANT("kind", "presets", "clusters", NULL),
    MEANT("kind", "options", "commands", NULL),

    MEANT("option", "trace", NULL, "the trace stands alone, without an option"),
    MEANT("option", "input", NULL, "the input stands alone, without an option"),
    MEANT("option", "gpus", "cluster", "--cluster 8x8 is 8 nodes of 8 GPUs"),
    MEANT("option", "num-gpus", "cluster",
          "--cluster 8x8 is 8 nodes of 8 GPUs"),
    MEANT("option", "nodes", "cluster", "--cluster 8x8 is 8 nodes of 8 GPUs"),
    MEANT("option", "policies", "policy", NULL),
    MEANT("option", "scheduler", "policy", NULL),
    MEANT("option", "sched", "policy", NULL),
    MEANT("option", "algorithm", "policy", NULL),
    MEANT("option", "output", "out", NULL),
    MEANT("option", "output-dir", "out", NULL),
    MEANT("option", "outdir", "out", NULL),
    MEANT("option", "out-dir", "out", NULL),
    MEANT("option", "csv", "out", "its directory has the results as CSV"),
    MEANT("option", "verbose", "remarks", NULL),
    MEANT("option", "no-progress", "quiet", NULL),
    MEANT("option", "silent", "quiet", NULL),
    MEANT("option", "limit", "jobs", NULL),
    MEANT("option", "max-jobs", "jobs", NULL),
    MEANT("option", "since", "from", NULL),
    MEANT("option", "start", "from", NULL),
    MEANT("option", "until", "to", NULL),
    MEANT("option", "end", "to", NULL),
    MEANT("option", "seeds", "replications", NULL),
    MEANT("option", "predictor", "estimators", NULL),
};

static bool meant_is_given(const char *name, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (names[i] && strcmp(names[i], name) == 0)
            return true;
    }
    return false;
}

bool meant_find(const char *what, struct text word, const char *const *names,
                size_t n, char words[MEANT_WORDS_MAX])
{
    if (strcmp(what, "policy") == 0 && memchr(word.at, ',', word.len)) {
        snprintf(words, MEANT_WORDS_MAX,
                 "one run has one policy; `schedsim "
                 "compare` takes several");
        return true;
    }
    for (size_t i = 0; i < sizeof meant / sizeof *meant; i++) {
        const struct meant *row = &meant[i];
        if ((row->what && strcmp(row->what, what) != 0) ||
            !text_is(word, row->word) ||
            (row->name && !meant_is_given(row->name, names, n)))
            continue;
        if (!row->name)
            snprintf(words, MEANT_WORDS_MAX, "%s", row->says);
        else
            snprintf(words, MEANT_WORDS_MAX, "did you mean '%s%s'?%s%s%s",
                     strcmp(what, "option") == 0 ? "--" : "", row->name,
                     row->says ? " (" : "", row->says ? row->says : "",
                     row->says ? ")" : "");
        return true;
    }
    return false;
}
