/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parsed traces that several runs share. A trace is parsed once for each set of
 * load options, whichever thread asks first; the others wait for it. Each
 * caller gets a copy of its own, equal to what jobset_load returns, so that a
 * run with a shelf writes the same bytes as one without. An error is kept too,
 * and given to everybody who asks for the trace.
 *
 * A file that changes while the shelf exists is not read again: the digest in
 * the jobset is that of the bytes that were parsed. */
#ifndef TRACES_SHELF_H
#define TRACES_SHELF_H

#include "sim/base/out.h"
#include "traces/load.h"

struct shelf;

/* `max_bytes`: when the parsed traces need more memory than this, those that
 * were not used for the longest time are dropped and parsed again if somebody
 * asks for them; 0: SHELF_BYTES. All functions may be called by several threads
 * at once, except shelf_free, after which no trace may be asked for. */
#define SHELF_BYTES ((size_t)1 << 30)
struct shelf *shelf_new(size_t max_bytes);
void shelf_free(struct shelf *shelf); /* accepts NULL */

/* Gives the name of a trace to bytes that are no file: a run whose config.trace
 * is `name` reads what `make` writes, as a file of format `native` unless the
 * run names another format. `make` is called when the trace is first asked for,
 * at most once at a time for each name; it may be called again after the trace
 * was dropped, and must then write the same bytes. `name` is copied; it must
 * not be the path of a file. */
struct shelf_maker {
    enum status (*make)(void *self, struct out *bytes, struct error *err);
    void *self; /* borrowed until shelf_free */
};
void shelf_add(struct shelf *shelf, const char *name, struct shelf_maker maker);

/* As jobset_load, from the shelf. `shelf` NULL: calls jobset_load. */
enum status shelf_load(struct shelf *shelf, const char *path,
                       const char *format_spec,
                       const struct load_options *options, struct jobset *out,
                       struct error *err) MUST_USE;

/* Returns how often a trace was parsed. */
uint64_t shelf_parsed(struct shelf *shelf);

#endif
