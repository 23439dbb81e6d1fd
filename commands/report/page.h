/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the page of `schedsim report`: one HTML file that needs no network.
 * The page holds the style, the scripts and the numbers, which the scripts
 * draw. */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include <jansson.h>
#include <stdbool.h>

#include "base/out.h"

/* A file of commands/report/page or of uPlot, which is compiled into the
 * program. */
struct page_asset {
    const char *name, *text;
    size_t len;
};
/* all files; the name of the last element is NULL */
extern const struct page_asset page_assets[];

/* True if the program was built with uPlot. Without it the page draws lines
 * itself: they cannot be zoomed. */
bool page_has_uplot(void);
/* Writes the page. `data`: the result of page_data. */
void page_write(struct out *out, const json_t *data);

#endif
