/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The numbers of the page as JSON. Long arrays of numbers are texts with commas
 * between the numbers. */
#ifndef REPORT_PAGE_DATA_H
#define REPORT_PAGE_DATA_H

#include "report/page.h"
#include "sim/base/json_out.h"

/* The caller frees the result with json_decref. */
json_t *page_data(const struct report_runs *runs,
                  const struct page_wishes *wishes) MUST_USE;

#endif
