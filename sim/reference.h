/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reference page of results (docs/results.md), printed from the tables
 * beside the code that writes them. */
#ifndef SIM_REFERENCE_H
#define SIM_REFERENCE_H

#include "sim/base/out.h"

void reference_print(struct out *out);

#endif
