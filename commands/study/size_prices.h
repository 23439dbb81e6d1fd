/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads prices of GPUs from a JSON file of the user. No price is built in. */
#ifndef STUDY_SIZE_PRICES_H
#define STUDY_SIZE_PRICES_H

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"

/* Hours of a month: a twelfth of 365.25 days. */
#define SIZE_MONTH_HOURS 730.5

struct size_price {
    const char *type;
    double per_gpu_hour; /* in the currency of the file, >= 0 */
    uint32_t gpus;       /* GPUs of a node; 0: not stated */
    double speed;        /* speed as in a cluster file; 0: not stated */
};

struct size_prices {
    const char *currency;
    struct size_price *types;
    size_t n;
};

/* Reads {"currency": text, "types": [{"name", "per_gpu_hour", "gpus", "speed"},
 * ...]}. Texts are in the arena. Returns STATUS_BAD_INPUT if the file cannot be
 * read, has another form, or prices a type twice. */
enum status size_prices_read(const char *path, struct arena *arena,
                             struct size_prices *out,
                             struct error *err) MUST_USE;
/* Returns the price of a type; NULL: the file has none. `prices` may be NULL.
 */
const struct size_price *size_price_of(const struct size_prices *prices,
                                       const char *type);

#endif
