/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Baseline for the Failure Handler: compares the end of a failed job's log with
 * the logs of earlier failures, as RCACopilot (EuroSys '24) does. Incidents are
 * ranked by
 *
 *   1 / (1 + d) x exp(-alpha x days),
 *
 * where d is the Euclidean distance between the embedded texts and `days` the
 * time between the two failures. RCACopilot shows the best incidents of K
 * different categories to a language model, which names one of these categories
 * or says "unseen". Here no model is asked: the category of the best incident
 * is the answer, or the category is unseen if the similarity is below a
 * threshold. So K is not used.
 *
 * The formula is published. The value 0.3 of alpha is from memory and was not
 * confirmed. RCACopilot embeds a summary of about 130 words (from memory too)
 * by fastText; here any embedding reads the distinct lines of the end of the
 * log. A category is a kind of failure and, for the infrastructure, the part
 * that failed. */
#ifndef MODELS_INCIDENTS_H
#define MODELS_INCIDENTS_H

#include "schedmate/llm/ngrams.h"
#include "schedmate/logs/handler.h"

struct incidents_config {
    uint32_t lines; /* lines at the end of a log that are compared */
    double alpha;   /* decay of the similarity per day */
    double least;   /* similarity below which the category is unseen */
};
extern const struct option incidents_options[];

/* A failure whose cause is known. */
struct incident {
    enum failure_kind kind;
    enum failure_part part; /* PART_NONE unless infrastructure failed */
    sim_time at;            /* when the job failed */
};

struct incidents; /* the known incidents, with their vectors */

/* Makes an empty collection. Config, embedding and `self` are borrowed; `self`
 * is passed to the embedding. The caller owns the result and frees it with
 * incidents_free, which accepts NULL. */
struct incidents *incidents_new(const struct incidents_config *config,
                                const struct embed_ops *embed, void *self);
void incidents_free(struct incidents *all);

/* Adds a copy of the incident. Of its log only the end is kept, as a vector.
 * Adds nothing and returns the error of the embedding if that fails. */
enum status incidents_add(struct incidents *all, struct text log,
                          const struct incident *incident,
                          struct error *err) MUST_USE;
/* Judges the log of a job that failed at `at`. Of equally similar incidents the
 * earliest added one counts. An unseen category, or an empty collection, gives
 * FAILURE_OTHER with the source HANDLER_NOTHING. Returns the error of the
 * embedding if that fails; *out is then unchanged. */
enum status incidents_judge(struct incidents *all, struct text log, sim_time at,
                            struct diagnosis *out, struct error *err) MUST_USE;

#endif
