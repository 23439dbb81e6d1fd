/* SPDX-License-Identifier: GPL-3.0-or-later */
/* priority_table TRACE CLUSTER POLICY TIME: runs the policy multifactor and, at
 * the first instant from TIME (s) on, writes one line per job that waits or
 * runs, and one per account above it: its state, its name, its priority, and
 * shares, usage and fair-share factor of its leaf. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "policies/shares/priority.h"
#include "sim/run/run_internal.h"

struct table {
    struct run *run;
    sim_time at;
    bool written;
};

static void table_node(const struct share_tree *tree, uint32_t node)
{
    const struct share_node *me = &tree->at[node];
    const struct share_node *above = &tree->at[me->parent];
    const double share = above->children > 0 ? me->shares / above->children : 0;
    const double used = above->usage > 0 ? me->usage / above->usage : 0;
    const double root = tree->at[SHARE_ROOT].usage;
    printf(" %.9f %.9f %.9f %.9f %.9f %.9f\n", share, me->usage,
           root > 0 ? me->usage / root : 0, used, used > 0 ? share / used : -1,
           me->factor);
}

static bool table_at(void *self, sim_time now, uint32_t n_done)
{
    struct table *table = self;
    struct run_result *result = run_result(table->run);
    struct priority *p = table->run->parts.policy.self;
    char id[SOURCE_ID_MAX];
    (void)n_done;
    if (now < table->at)
        return true;
    for (uint32_t i = 0; i < result->jobset.n_jobs; i++) {
        const struct job *job = &result->jobset.jobs[i];
        const uint32_t leaf = p->owners.leaf[i];
        printf("%s %s %" PRIu32, job->state == JOB_PENDING ? "waits" : "other",
               jobset_source_id(&result->jobset, job, id),
               job->state == JOB_PENDING ? priority_of(p, job) : 0);
        table_node(&p->owners.tree, leaf);
        printf("above %s 0", jobset_source_id(&result->jobset, job, id));
        table_node(&p->owners.tree, p->owners.tree.at[leaf].parent);
    }
    table->written = true;
    return false;
}

int main(int argc, char **argv)
{
    struct error err = {.message = ""};
    struct table table = {0};
    if (argc != 5)
        return 2;
    const struct run_config config = {
        .trace = argv[1], .cluster = argv[2], .policy = argv[3]};
    table.at = span_from_seconds(strtod(argv[4], NULL));
    enum status st = run_prepare(&config, &table.run, &err);
    if (st == STATUS_OK) {
        run_on_instant(table.run, table_at, &table);
        st = run_execute(table.run, &err);
        run_free(table.run);
    }
    if (!table.written)
        fprintf(stderr, "priority_table: %s\n", err.message);
    return !table.written || st == STATUS_OK;
}
