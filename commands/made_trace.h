/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Traces that are made for replications, without files: what `trace resample`
 * or `trace generate` writes, for any number of seeds. The source of a
 * resampled trace is read once, when it is first needed. */
#ifndef SIM_MADE_TRACE_H
#define SIM_MADE_TRACE_H

#include "base/out.h"
#include "sim/run/run.h"

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
/* Prepares the resampling of the trace of a run, with its format and its times
 * --from and --to. `words`: at most MADE_WORDS_MAX further options, as above.
 * Returns STATUS_USAGE also if the run would use evidence of the recorded jobs,
 * because evidence cannot be resampled. */
enum { MADE_WORDS_MAX = 4 };
enum status made_trace_of_run(const struct run_config *config,
                              const char *const *words, size_t n_words,
                              struct made_trace **out,
                              struct error *err) MUST_USE;
void made_trace_free(struct made_trace *made); /* accepts NULL */

/* Writes the replication with this seed in the format native: the bytes that
 * the command would write to a file. Several threads may call it at once. */
enum status made_trace_write(struct made_trace *made, uint64_t seed,
                             struct out *out, struct error *err) MUST_USE;
/* Adds a remark if the traces that are made are much alike because the source
 * of a resampled trace has few blocks (RESAMPLE_BLOCKS_FEW). Called after
 * made_trace_write. */
void made_trace_remark(struct made_trace *made, struct remarks *remarks);
/* Sets *out to the preset of the cluster that recorded the source, or that is
 * imitated; NULL if it is not known. */
enum status made_trace_cluster(struct made_trace *made, const char **out,
                               struct error *err) MUST_USE;

#endif
