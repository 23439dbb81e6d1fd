/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the reference page of results (docs/results.md) from the tables beside
 * the code that writes the results. The code is in physics.c. */
#ifndef SIM_REFERENCE_H
#define SIM_REFERENCE_H

#include "base/out.h"

void reference_print(struct out *out);

#endif
