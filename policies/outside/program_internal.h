/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by program.c and program_open.c. */
#ifndef OUTSIDE_PROGRAM_INTERNAL_H
#define OUTSIDE_PROGRAM_INTERNAL_H

#include "policies/outside/answer.h"
#include "policies/outside/child.h"
#include "policies/outside/message.h"
#include "policies/outside/program.h"
#include "policies/outside/record.h"

struct program {
    const struct program_config *config;
    struct policy_ops ops;
    struct introduction said;
    /* The question goes to this function if it is set, else to `child`, else to
     * `record`. */
    struct program_answerer answerer;
    struct child *child;   /* the program; NULL: it does not run */
    struct record *record; /* record of the answers; NULL: there is none */
    struct messages messages;
    bool woken; /* true if a wake came since the last question */
    uint64_t n_asked, n_spared;
};

/* Asks the program, or the function or record that replaces it. *answer is
 * valid until the next question. Returns the errors of child_ask and
 * record_next, and STATUS_FAILED if the function gives no answer. */
enum status program_ask(struct program *program, struct text question,
                        struct text *answer, struct error *err) MUST_USE;
/* Adds an answer that was understood to the record, if one is written. */
void program_keep(struct program *program, struct text question,
                  struct text answer);

/* Hooks of the descriptor. */
enum status program_init(void *self, const void *config,
                         const struct run_env *env, struct error *err);
void program_observe(void *self, const struct view *view,
                     const struct event *event);
void program_decide(void *self, const struct view *view, struct plan *plan);
size_t program_count(const void *self, struct policy_count *out);

#endif
