/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parsed traces that several runs share. The first thread that requests a trace
 * with a set of load options parses it; threads that request it meanwhile wait.
 * Each caller gets its own copy, equal to what jobset_load returns, so that a
 * run writes the same bytes with and without a shelf. An error is kept too and
 * returned to each later request.
 *
 * A file that changes while the shelf exists is not read again: the digest in
 * the jobset is that of the bytes that were parsed. */
#ifndef TRACES_SHELF_H
#define TRACES_SHELF_H

#include "base/out.h"
#include "traces/load.h"

struct shelf;

/* Makes a shelf. `max_bytes`: if the parsed traces need more memory than this,
 * the least recently used ones are dropped, and parsed again if they are
 * requested; 0: SHELF_BYTES. Several threads may call all functions at once,
 * except shelf_free, after which no function may be called. */
#define SHELF_BYTES ((size_t)1 << 30)
struct shelf *shelf_new(size_t max_bytes);
void shelf_free(struct shelf *shelf); /* accepts NULL */

/* Gives a name to a trace that `make` writes: a run whose config.trace is
 * `name` reads these bytes, as a file of format `native` unless the run names
 * another format. `make` is called at the first request for each combination of
 * format and load options, and again after the trace was dropped. Requests with
 * different options may call it in several threads at once. It must always
 * write the same bytes. `name` is copied; it must not be the path of a file. */
struct shelf_maker {
    enum status (*make)(void *self, struct out *bytes, struct error *err);
    void *self; /* must live until shelf_free */
};
void shelf_add(struct shelf *shelf, const char *name, struct shelf_maker maker);

/* Loads a jobset as jobset_load does, but parses only if the shelf lacks it.
 * `shelf` NULL: calls jobset_load. */
enum status shelf_load(struct shelf *shelf, const char *path,
                       const char *format_spec,
                       const struct load_options *options, struct jobset *out,
                       struct error *err) MUST_USE;

/* Returns the number of times that the shelf has parsed a trace, including
 * those that failed. */
uint64_t shelf_parsed(struct shelf *shelf);

#endif
