/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bytes of a trace: a file or standard input, plain, gzip or zstd (told by the
 * first bytes, never by the name), with the SHA-256 of the bytes as stored. */
#ifndef TRACES_SOURCE_H
#define TRACES_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "sim/base/error.h"

struct source; /* opaque */

/* "-" is standard input. Owned by the caller. */
enum status source_open(const char *path, struct source **out,
                        struct error *err) MUST_USE;

/* 1 to `room` decompressed bytes, or *got == 0 at the end. The message of an
 * error lacks the position, which the caller knows and puts in front. */
enum status source_read(struct source *source, char *at, size_t room,
                        size_t *got, struct error *err) MUST_USE;

/* Stored bytes are digested after they were read, where they lie: one block at
 * each call, which costs little if there is other work in between, because a
 * digest mostly waits for itself. */
void source_digest_block(struct source *source);
/* All that is left: what was read last may be moved or changed from now on. */
void source_release(struct source *source);

/* Bytes in all, if the source is a plain file; 0 if nobody knows yet. */
uint64_t source_size(const struct source *source);

/* 64 hexadecimal digits; empty until the end has been read. */
const char *source_digest(const struct source *source);
void source_close(struct source *source); /* accepts NULL */

#endif
