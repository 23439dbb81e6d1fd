/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far a step time can be trusted: a logistic regression over named evidence
 * whose weights bench/track_fit.py fits to labelled logs. */
#include <math.h>

#include "schedmate/logs/schedmate_tracker_internal.h"
#include "schedmate/logs/schedmate_tracker_weights.h"

#define NAME(id, name, what) #name,
const char *const tracker_evidence_names[N_TRACKER_EVIDENCE] = {
    TRACKER_EVIDENCE(NAME)};
#define WHAT(id, name, what) what,
const char *const tracker_evidence_meanings[N_TRACKER_EVIDENCE] = {
    TRACKER_EVIDENCE(WHAT)};

#define WEIGHT(id, weight) [TRACKER_##id##_SEEN] = weight,
static const double weights[N_TRACKER_EVIDENCE] = {TRACKER_WEIGHTS(WEIGHT)};

uint32_t tracker_bits(const bool seen[N_TRACKER_EVIDENCE])
{
    uint32_t bits = 0;
    for (unsigned i = 0; i < N_TRACKER_EVIDENCE; i++)
        bits |= (uint32_t)seen[i] << i;
    return bits;
}

/* Largest confidence in a step time that something speaks against. Few of these
 * step times are right (bench/README.md), whatever speaks for them. */
#define OBJECTED_MOST 0.5

double tracker_confidence(uint32_t evidence)
{
    double sum = TRACKER_BIAS;
    for (unsigned i = 0; i < N_TRACKER_EVIDENCE; i++)
        sum += evidence >> i & 1 ? weights[i] : 0;
    double confidence = 1 / (1 + exp(-sum));
    bool objected = evidence & TRACKER_SEEN(OBJECTED);
    return objected && confidence > OBJECTED_MOST ? OBJECTED_MOST : confidence;
}
