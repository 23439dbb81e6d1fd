/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The figures of a generated cluster that are fitted and not published: how
 * jobs, users and times depend on each other. */
#include "traces/generate/generate_internal.h"

#include <jansson.h>
#include <stddef.h>
#include <string.h>

#include "traces/generate/calibration.h"

#define ROW(field) \
    { \
#field, offsetof(struct traits, field), 1 \
    }
#define LIST(field, n) \
    { \
#field, offsetof(struct traits, field), n \
    }

static const struct {
    const char *name;
    size_t at, n; /* n = 1: a number; otherwise a list of n numbers */
} traits_rows[] = {
    ROW(gap_ac),        ROW(burst),
    ROW(burst_mean),    ROW(day_cv),
    ROW(day_ac),        ROW(hour_cv),
    ROW(hour_ac),       ROW(week_cv),
    ROW(session_mean),  ROW(session_sigma),
    ROW(sweep),         ROW(drift),
    ROW(size_user),     ROW(kind_user),
    ROW(duration_user), ROW(duration_session),
    ROW(size_duration), ROW(few_long),
    ROW(few_large),     ROW(busiest),
    ROW(trend),         ROW(busy_done),
    ROW(state_user),    ROW(state_session),
    ROW(keep_state),    ROW(keep_duration),
    ROW(spread),        ROW(plan),
    ROW(rho),           ROW(wait),
    ROW(bearable),      ROW(peak),
    ROW(on_share),      ROW(on_days),
    ROW(busy_on),       ROW(campaign),
    ROW(reserve),       ROW(undone),
    ROW(gap_scale),     ROW(finish),
    ROW(shift),         ROW(wide),
    ROW(longest),       LIST(gap_median, 3),
    LIST(gap_sigma, 3), LIST(pause, 3),
};

/* Returns the fitted values of the cluster; NULL if there are none. *root owns
 * them; the caller must release it. */
static json_t *traits_values(json_t **root, const char *name)
{
    const struct calibration_file *file = calibration_files;
    while (file->name && strcmp(file->name, "fitted") != 0)
        file++;
    if (!file->name)
        return NULL;
    *root = json_loadb(file->json, file->len, JSON_REJECT_DUPLICATES, NULL);
    return json_object_get(json_object_get(*root, name), "values");
}

enum status traits_load(const char *name, struct traits *out, struct error *err)
{
    json_t *root = NULL, *at = traits_values(&root, name);
    enum status st = STATUS_OK;
    *out = (struct traits){0};
    if (!at)
        st = error_set(err, STATUS_BAD_INPUT,
                       "calibration fitted: %s: expected values", name);
    for (size_t i = 0;
         st == STATUS_OK && i < sizeof traits_rows / sizeof *traits_rows; i++) {
        json_t *value = json_object_get(at, traits_rows[i].name);
        for (size_t k = 0; st == STATUS_OK && k < traits_rows[i].n; k++) {
            json_t *item =
                traits_rows[i].n > 1 ? json_array_get(value, k) : value;
            double number = json_number_value(item);
            if (!json_is_number(item))
                st = error_set(err, STATUS_BAD_INPUT,
                               "calibration fitted: %s.%s: expected %zu "
                               "numbers",
                               name, traits_rows[i].name, traits_rows[i].n);
            memcpy((char *)out + traits_rows[i].at + k * sizeof number, &number,
                   sizeof number);
        }
    }
    json_decref(root);
    return st;
}
