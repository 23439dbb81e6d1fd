/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The question to a language model why a job failed, and what its answer is
 * worth. The model sees facts (scheduler, kernel, the other logs, what the
 * rules found and why) and two parts of the log with numbered lines: that
 * around the first error and the end. Each field of its answer may be null. A
 * quote counts if a shown line has it, the cause's line if it was shown, a host
 * if a shown line names it.
 *
 * Of two answers that differ, the one decides that is trusted more in this
 * class (llm_trust.h). But no model overrules what the kernel, the scheduler or
 * a check reports, nor, without a quote, a strong signature of hardware; and
 * none says "no failure" of a job that failed, or "failed" of one that
 * completed, by the scheduler's word. */
#ifndef SCHEDMATE_HANDLER_ASK_H
#define SCHEDMATE_HANDLER_ASK_H

#include "schedmate/logs/diagnosis.h"

/* Asks from->client about the window and the tail, and weighs the answer
 * against *out, which has that of the rules. Both are kept in *out. Asks
 * nothing if from->config forbids it. Texts of *out may lie in from->arena.
 * Returns errors of the client. */
enum status handler_ask(const struct diagnosis_sources *from,
                        struct diagnosis *out, struct error *err) MUST_USE;

#endif
