/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chooses the action. The knowledge has one action for each cause
 * (log_knowledge.h); this file has the exceptions: for some causes, and for
 * what the scheduler or the kernel reports. */
#ifndef MODELS_HANDLER_FACTS_H
#define MODELS_HANDLER_FACTS_H

#include "schedmate/logs/schedmate_handler.h"

/* Sets out->action if one of the exceptions applies, and returns a sentence
 * that says what to do. Returns a sentence also if the cause of a failure is
 * unknown; NULL if the job did not fail or the words of the action are enough.
 * `end` may be NULL. */
const char *handler_facts_apply(const struct job_end *end,
                                struct diagnosis *out);

/* Returns the resource that ran out: "GPU memory", "host memory" or "disk
 * space"; NULL if none did. */
const char *handler_resource(const struct diagnosis *d);

#endif
