/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "commands/explain_reasons.h"

const char *const explain_codes[] = {
#define EXPLAIN_CODE(name, code, help) code,
    EXPLAIN_REASONS(EXPLAIN_CODE)
#undef EXPLAIN_CODE
};
const char *const explain_helps[] = {
#define EXPLAIN_HELP(name, code, help) help,
    EXPLAIN_REASONS(EXPLAIN_HELP)
#undef EXPLAIN_HELP
};

void explain_reasons_rank(struct explain_reasons *reasons)
{
    reasons->main = EXPLAIN_NONE;
    for (unsigned r = 1; r < EXPLAIN_N_REASONS; r++) {
        if (reasons->spans[r] > reasons->spans[reasons->main])
            reasons->main = (enum explain_reason)r;
    }
}

sim_span explain_reasons_sum(const struct explain_reasons *reasons)
{
    sim_span sum = 0;
    for (unsigned r = 0; r < EXPLAIN_N_REASONS; r++)
        sum += reasons->spans[r];
    return sum;
}

void explain_reasons_put(json_t *json, const struct explain_reasons *reasons)
{
    json_t *all = json_object();
    for (unsigned r = 1; r < EXPLAIN_N_REASONS; r++) {
        if (reasons->spans[r])
            json_put(all, explain_codes[r],
                     json_number(span_seconds(reasons->spans[r])));
    }
    json_put(json, "reason", json_text(explain_codes[reasons->main]));
    json_put(json, "reasons", all);
}
