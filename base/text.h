/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text: views into a buffer that the caller owns, parsers (of numbers, times
 * and dates) that can fail, and interned strings. Nothing here depends on the
 * locale. */
#ifndef SIM_BASE_TEXT_H
#define SIM_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/units.h"

struct text {
    const char *at; /* borrowed; not terminated */
    size_t len;
};

/* For messages: printf("%.*s", TEXT_ARGS(t)) prints at most 60 bytes. */
#define TEXT_ARGS(t) (int)((t).len > 60 ? 60 : (t).len), (t).at ? (t).at : ""

struct text text_from(const char *s);
bool text_is(struct text t, const char *s);
bool text_is_nocase(struct text t, const char *s); /* ignores the case of ASCII
                                                    * letters */
bool text_equal(struct text a, struct text b);
struct text text_trim(struct text t); /* cuts off blanks and tabs at both
                                       * ends */
bool text_starts(struct text t, const char *s);

/* Returns the text without its first n bytes; n is at most t.len. */
static inline struct text text_skip(struct text t, size_t n)
{
    return (struct text){t.at + n, t.len - n};
}

/* Returns byte i, or 0 if i lies outside the text. An i of SIZE_MAX, which is 0
 * - 1, lies outside. */
static inline char text_char(struct text t, size_t i)
{
    return i < t.len ? t.at[i] : '\0';
}

/* Returns the part before the first `c` (all of `t` if there is none); *rest
 * is set to the part after it. */
struct text text_split(struct text t, char c, struct text *rest);

/* Each parses a whole decimal number; text_to_i64 and text_to_u32 accept a
 * sign. Returns false if the text is anything else or the number does not
 * fit. */
bool text_to_i64(struct text t, int64_t *out);
bool text_to_u32(struct text t, uint32_t *out);
bool text_to_u64(struct text t, uint64_t *out);

/* Parses a finite decimal number of at most 63 bytes ("1", "-0.5", "1e3").
 * Returns false for anything else, such as NaN and infinities. */
bool text_to_double(struct text t, double *out) MUST_USE;
/* Parses true, false, yes, no, on or off, in upper or lower case, or 1 or 0.
 * Returns false for anything else. */
bool text_to_bool(struct text t, bool *out) MUST_USE;

/* Parses seconds with an optional sign, fraction or exponent. Rounds to the
 * nearest microsecond, half away from zero. Returns false for anything else and
 * beyond +-SECONDS_MAX. */
bool text_to_span(struct text t, sim_span *out) MUST_USE;
/* Parses a length of time with or without a unit: "90" or "90s" (seconds),
 * "10min", "2h", "1.5d", "1week", "2 days"; blanks may stand before the unit.
 * Returns false for anything else and beyond +-SECONDS_MAX. */
bool text_to_duration(struct text t, sim_span *out) MUST_USE;
/* Parses seconds as text_to_span does, but without its limit, for files that
 * this program writes: simulated time may exceed the limit for inputs. Returns
 * false beyond the range of a sim_span. */
bool text_to_any_span(struct text t, sim_span *out) MUST_USE;

/* Parses a date, "YYYY-MM-DD[( |T)HH:MM[:SS[.frac]][Z|(+|-)HH[:]MM]]", into
 * microseconds since 1970 UTC. Digits of the fraction after the sixth are cut.
 * A date without a zone is taken as UTC; *zoned (`zoned` may be NULL) is true
 * if the text has a zone. Returns false for anything else. */
bool text_to_time(struct text t, sim_time *out, bool *zoned) MUST_USE;

/* Parses a date as a person writes one: as text_to_time does, or shorter, which
 * is its first moment: "2020", "2020-10", "20201003" (years 1970 to 2200). */
bool text_to_date(struct text t, sim_time *out);

/* Parses a whole number of at least 0, with or without a unit: "1500", "1.5k",
 * "2M". Returns false for anything else. */
bool text_to_count(struct text t, uint64_t *out);

/* What a time that a person writes counts from. */
enum when_base {
    WHEN_DATE,  /* 1970: a date, as text_to_date reads it */
    WHEN_FIRST, /* the first submission: "2d", "36h", "day 10" */
    WHEN_PLAIN, /* a number of seconds; the option says from what */
};
/* Parses a time of any of these kinds into microseconds, WHEN_DATE before
 * WHEN_PLAIN: four digits from 1970 to 2200 are a year. A time after the first
 * submission is at least 0. Returns false for anything else. */
bool text_to_when(struct text t, enum when_base *base, sim_time *out);

/* Convert a civil (proleptic Gregorian) date to days since 1970-01-01, and
 * back. */
int64_t civil_to_days(int64_t year, unsigned month, unsigned day);
void civil_from_days(int64_t days, int64_t *year, unsigned *month,
                     unsigned *day);

#define TIME_TEXT_MAX 40
/* Writes a time since 1970 UTC as "YYYY-MM-DD HH:MM:SS" and a terminator; a
 * fraction of a second is cut. */
void time_to_text(sim_time at, char out[TIME_TEXT_MAX]);

#define U64_TEXT_MAX 24
/* Writes decimal digits; returns the length; writes no terminator. `out` must
 * have room for U64_TEXT_MAX bytes; all may be written. */
size_t u64_to_text(uint64_t value, char *out);

#define SPAN_TEXT_MAX 28
/* Writes seconds as the shortest exact decimal: "3600", "0.5". Returns the
 * length; writes no terminator. `out` must have room for SPAN_TEXT_MAX bytes;
 * all may be written. */
size_t span_to_text(sim_span span, char *out);

/* A slot of a hash table. Hash and length identify a string of up to eight
 * bytes, so that a look-up need not read it. */
struct interner_slot {
    uint64_t hash;
    uint32_t len, next; /* `next`: symbol plus 1; 0: an empty slot */
};

/* Stores each distinct string once. Symbols are dense, in order of first use;
 * symbol 0 is always the empty string. */
struct interner {
    struct arena arena;
    struct text *strings; /* by symbol; each is also 0-terminated */
    struct interner_slot *slots;
    size_t n_strings, cap_strings, n_slots;
};

void interner_init(struct interner *in);
void interner_fini(struct interner *in);
/* Makes *out an interner with the same strings and symbols as `in`. */
void interner_copy(const struct interner *in, struct interner *out);
/* Returns approximately the number of bytes of memory that an interner
 * needs. */
size_t interner_bytes(const struct interner *in);
uint32_t interner_add(struct interner *in, struct text t);
/* Returns the symbol of a string; UINT32_MAX if the string was never added. */
uint32_t interner_find(const struct interner *in, struct text t);
const char *interner_string(const struct interner *in, uint32_t symbol);

/* Returns the 64-bit FNV-1a hash, for hash tables and for the names of random
 * streams. */
uint64_t text_hash(struct text t);

/* Makes text that may come from a hostile file fit for a terminal, in place:
 * control characters (including line feeds, the eight-bit ones of ISO 6429 and
 * those that change the direction of text) and bytes that are not UTF-8 become
 * '?', one for each byte. */
void text_clean(char *s);

/* Returns the candidate nearest to `t` by edit distance, or NULL if none is
 * near enough to suggest. */
const char *text_nearest(struct text t, const char *const *candidates,
                         size_t count);

/* How a refusal ends: "; did you mean 'NEAR'?" with at most 100 bytes of the
 * name, or nothing where `near` is NULL. */
struct text_suggestion {
    char words[128];
};
struct text_suggestion text_suggest(const char *near);

#endif
