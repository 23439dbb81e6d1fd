/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The policies that several options and words name together. */
#ifndef COMMANDS_POLICY_LIST_H
#define COMMANDS_POLICY_LIST_H

#include "base/arena.h"
#include "base/error.h"
#include "commands/args.h"

/* Replaces each value "a,b" of the list by its policies, and "all" by every
 * policy that keeps the sizes of jobs: elastic ones change the work of a job,
 * so that one table could not hold both. What follows a ":" belongs to the last
 * policy: "fifo,tiresias:queues=1/2,promote=4" names two. The texts are in the
 * arena. Returns STATUS_USAGE if the list gets more than ARG_LIST_MAX policies.
 */
enum status policy_list_expand(struct arg_list *list, struct arena *arena,
                               struct error *err) MUST_USE;

#endif
