/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The actions that the Failure Handler may recommend, after SchedMate: test the
 * network, isolate the node, take a spare, restart. If none of these helps, the
 * user is told. The set is closed: no text of a log and no file of a site adds
 * an action. */
#ifndef MODELS_LOG_HANDLER_ACTION_H
#define MODELS_LOG_HANDLER_ACTION_H

enum handler_action {
    ACTION_NONE,         /* nothing failed */
    ACTION_REPLACE_NODE, /* isolate the node, take a spare, restart the job */
    ACTION_TEST_NETWORK, /* find the node with nccl-tests, then replace it */
    /* the cause was outside the cluster: restart the job */
    ACTION_RESTART,
    ACTION_TELL_OPERATOR,  /* storage or power failed: repair it first */
    ACTION_RESTART_BIGGER, /* restart with more of the resource that ran out */
    ACTION_TELL_USER,
    N_ACTIONS,
};
/* Names by enum handler_action; ends with NULL. The words of the actions are in
 * models/logs/knowledge/actions.json. */
extern const char *const handler_actions[];

#endif
