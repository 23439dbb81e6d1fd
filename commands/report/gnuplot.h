/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs gnuplot, another program, on a script. No shell takes part: gnuplot
 * reads the script from its standard input and writes the figure to its
 * standard output, and texts of a result get into a script only through
 * gnuplot_quote. */
#ifndef REPORT_GNUPLOT_H
#define REPORT_GNUPLOT_H

#include "base/out.h"

/* Runs gnuplot without the settings of the user and writes what it draws to
 * `out`. Returns STATUS_FAILED if gnuplot is not installed, cannot be started,
 * fails or draws nothing. The error has the last error message of gnuplot, if
 * it printed one. A PDF gets a fixed date. */
enum status gnuplot_run(struct text script, struct out *out,
                        struct error *err) MUST_USE;

/* Writes a text in single quotes, in which gnuplot replaces nothing. A single
 * quote becomes a typographic apostrophe, a control character '?'. */
void gnuplot_quote(struct out *out, const char *text);

#endif
