/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The severity of a line by its form, whatever program wrote the line: the
 * field of a logger ("ERROR", "[critical]", "level=error"), the prefix of glog
 * ("E0302 11:20:11") or of a kernel ("[ 8120.11] "). */
#ifndef SIM_LOG_SEVERITY_H
#define SIM_LOG_SEVERITY_H

#include "base/text.h"

/* True if the line reports a fault: its severity is critical or worse, or is
 * error and the line has a word of a state, such as "failed" or "reset". */
bool log_reports_fault(struct text line);

#endif
