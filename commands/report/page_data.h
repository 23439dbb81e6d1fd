/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the numbers of the page as JSON. Long arrays of numbers are texts with
 * commas between the numbers; a missing number leaves its place empty. */
#ifndef REPORT_PAGE_DATA_H
#define REPORT_PAGE_DATA_H

#include "base/json.h"
#include "commands/report/occupancy.h"

struct page_wishes {
    /* title of the page; NULL: made from the trace and the policies */
    const char *title;
    uint32_t waiters; /* jobs in the list of the longest waits of a run */
};

/* Makes all numbers of the page. Returns the error of page_waiters. The caller
 * frees *out with json_decref, also after an error. */
enum status page_data(const struct report_runs *runs,
                      const struct page_wishes *wishes, json_t **out,
                      struct error *err) MUST_USE;

/* In page_charts.c. Returns a text of numbers with four significant digits and
 * commas between them; NaN becomes an empty text. */
json_t *page_numbers(const double *values, size_t n);
/* Adds what the charts of a run draw to `json`. */
void page_charts(const struct report_runs *runs, const struct report_run *run,
                 json_t *json);
/* In page_nodes.c. Makes the map of nodes over time: rows of nodes and of
 * servers of the language model, with a character for each bin, and GPU hours
 * by state and virtual cluster. */
json_t *page_nodes(const struct report_run *run,
                   const struct occupancy *occupancy);

#endif
