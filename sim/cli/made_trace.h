/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Traces that are made for replications, without files: what `trace resample`
 * or `trace generate` writes, for any number of seeds. The source of a
 * resampled trace is read once, when it is first needed. */
#ifndef SIM_MADE_TRACE_H
#define SIM_MADE_TRACE_H

#include "sim/base/out.h"

enum made_kind { MADE_RESAMPLED, MADE_GENERATED };

struct made_trace; /* opaque */

/* Prepares the making of traces. The caller owns *out, which is unchanged on an
 * error. `source`: the trace to resample, or the cluster to imitate. `words`:
 * options as on the command line of `trace resample` or `trace generate`, such
 * as "--joint" or "--jobs=5000". STATUS_USAGE for wrong options, for those that
 * name a file or a format to write, for --repositories, and for resampling
 * standard input. Strings are copied. */
enum status made_trace_open(enum made_kind kind, const char *source,
                            const char *const *words, size_t n_words,
                            struct made_trace **out,
                            struct error *err) MUST_USE;
void made_trace_free(struct made_trace *made); /* accepts NULL */

/* Writes the replication with this seed in the format native: the bytes that
 * the command would write to a file. Several threads may call it at once. */
enum status made_trace_write(struct made_trace *made, uint64_t seed,
                             struct out *out, struct error *err) MUST_USE;
/* Sets *out to the preset of the cluster that recorded the source, or that is
 * imitated; NULL if it is not known. */
enum status made_trace_cluster(struct made_trace *made, const char **out,
                               struct error *err) MUST_USE;

#endif
