/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/logs/handler_facts.h"

#include <string.h>

/* An action and a sentence for one cause, in place of those of the
 * knowledge. */
static const struct fact {
    const char *reason;
    enum handler_action action;
    const char *words;
} facts[] = {
    {.reason = "preempted",
     .action = ACTION_RESTART,
     .words = "put the job back into the queue: it made room for another job"},
    {.reason = "cancelled",
     .action = ACTION_NONE,
     .words = "nothing: somebody ended the job"},
    {.reason = "time limit",
     .action = ACTION_TELL_USER,
     .words =
         "tell the user: ask for a longer limit, or go on from a checkpoint"},
    {.reason = "deadline",
     .action = ACTION_TELL_USER,
     .words = "tell the user: the job could not end before its deadline"},
    {.reason = "storage quota",
     .action = ACTION_TELL_USER,
     .words = "tell the user: the quota of the user's files is used up"},
    {.reason = "quota of the account",
     .action = ACTION_TELL_OPERATOR,
     .words =
         "tell the operator: a limit of the account or namespace is reached"},
    {.reason = "storage full",
     .action = ACTION_TELL_OPERATOR,
     .words = "tell the operator: the file system is full for everybody"},
    {.reason = "remote service",
     .action = ACTION_RESTART,
     .words =
         "restart the job after a pause that grows with each try: a service "
         "outside "
         "the cluster failed"},
    {.reason = "name lookup",
     .action = ACTION_RESTART,
     .words = "restart the job after a pause that grows with each try: a name "
              "could not "
              "be resolved"},
    {.reason = "GPU out of memory",
     .action = ACTION_RESTART_BIGGER,
     .words = "restart with a smaller batch, or on GPUs with more memory"},
    {.reason = "out of memory",
     .action = ACTION_RESTART_BIGGER,
     .words = "restart with more memory of the host"},
};

/* True if a node is known to be at fault, so that no test has to find the node.
 */
static bool node_is_known(const struct job_end *end, const struct diagnosis *d)
{
    bool kernel = d->evidence == EVIDENCE_KERNEL;
    bool lost =
        end && (end->state == END_NODE_FAIL || end->state == END_BOOT_FAIL);
    return d->kind == FAILURE_INFRASTRUCTURE && d->part != PART_OTHER &&
           (kernel || lost);
}

const char *handler_resource(const struct diagnosis *d)
{
    if (!d->failed)
        return NULL;
    if (strcmp(d->reason, "GPU out of memory") == 0)
        return "GPU memory";
    if (strcmp(d->reason, "out of memory") == 0)
        return "host memory";
    return strncmp(d->reason, "storage ", 8) == 0 ? "disk space" : NULL;
}

const char *handler_facts_apply(const struct job_end *end,
                                struct diagnosis *out)
{
    if (!out->failed)
        return NULL;
    if (end && end->state == END_REQUEUED && out->kind == FAILURE_OTHER) {
        out->action = ACTION_NONE;
        return "nothing: the scheduler has put the job back into the queue";
    }
    if (node_is_known(end, out)) {
        out->action = ACTION_REPLACE_NODE;
        return out->evidence == EVIDENCE_KERNEL
                   ? "isolate the node, whose kernel reports the fault, and "
                     "restart the job"
                   : "isolate the node, which the scheduler lost, and restart "
                     "the job";
    }
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        if (strcmp(out->reason, facts[i].reason) != 0)
            continue;
        out->action = facts[i].action;
        return facts[i].words;
    }
    return out->source == HANDLER_NOTHING && out->failed
               ? "tell the user: the cause is unknown; see the end of the log"
               : NULL;
}
