/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/job_ids.h"

#include <stdio.h>
#include <stdlib.h>

#include "traces/jobset.h"

void job_ids_init(struct job_ids *ids, const struct run_env *env)
{
    *ids = (struct job_ids){0};
    interner_init(&ids->texts);
    for (uint32_t i = 0; i < env->n_jobs; i++) {
        char buf[SOURCE_ID_MAX];
        uint32_t id = env->jobs[i].source_id;
        const char *text = buf;
        if (id & SOURCE_ID_NUMBER)
            snprintf(buf, sizeof buf, "%u", id & ~SOURCE_ID_NUMBER);
        else
            text = env->string(env->strings, id);
        size_t known = ids->texts.n_strings;
        uint32_t symbol = interner_add(&ids->texts, text_from(text));
        ids->job = mem_grow(ids->job, &ids->cap, symbol + 1, sizeof *ids->job);
        if (symbol == known)
            ids->job[symbol] = i;
    }
}

void job_ids_fini(struct job_ids *ids)
{
    interner_fini(&ids->texts);
    free(ids->job);
}

job_id job_ids_find(const struct job_ids *ids, struct text id)
{
    uint32_t symbol = interner_find(&ids->texts, id);
    return symbol == UINT32_MAX || symbol == 0 ? JOB_NONE : ids->job[symbol];
}
