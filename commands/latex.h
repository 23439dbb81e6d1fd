/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A comparison as LaTeX, for \usepackage{booktabs}: what --json holds, as two
 * tables. The first is for the text of a paper: a row for each policy, result
 * or setting, its times in one unit a column. The second has everything, a row
 * for each value. Remarks are comments. */
#ifndef COMMANDS_LATEX_H
#define COMMANDS_LATEX_H

#include <stdbool.h>

#include "base/out.h"

/* Opens the stream to which a comparison writes its JSON: standard output, or
 * memory if the answer is to be LaTeX. */
enum status answer_open(bool latex, struct out **out,
                        struct error *err) MUST_USE;

/* Closes the stream; prints its JSON as LaTeX if that is wanted. */
enum status answer_close(bool latex, struct out *out,
                         struct error *err) MUST_USE;

#endif
