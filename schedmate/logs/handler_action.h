/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The actions that the Failure Handler may recommend. SchedMate's are: test the
 * network, isolate the node, take a spare, restart. The others are: restart
 * with more of a resource, tell the user or the operator, do nothing. The set
 * is closed: no text of a log and no file of a site adds an action. */
#ifndef MODELS_LOG_HANDLER_ACTION_H
#define MODELS_LOG_HANDLER_ACTION_H

enum handler_action {
    ACTION_NONE,         /* nothing is to be done */
    ACTION_REPLACE_NODE, /* isolate the node, take a spare, restart the job */
    ACTION_TEST_NETWORK, /* find the node with nccl-tests, then replace it */
    /* restart the job: the cause lay outside it and may have passed */
    ACTION_RESTART,
    /* the operator must act first, for example if storage or power failed */
    ACTION_TELL_OPERATOR,
    ACTION_RESTART_BIGGER, /* restart with more of the resource that ran out */
    ACTION_TELL_USER,
    N_ACTIONS,
};
/* Names by enum handler_action; ends with NULL. The words of the actions are in
 * schedmate/logs/knowledge/actions.json. */
extern const char *const handler_actions[];

#endif
