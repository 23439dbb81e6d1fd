/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libFuzzer target: reads any bytes as a log. Reading forwards and backwards
 * must give the same number of lines and bytes; each answer must be in its
 * range; equal bytes must give equal answers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "schedmate/logs/handler.h"
#include "schedmate/logs/log_host.h"
#include "schedmate/logs/log_stream.h"
#include "schedmate/logs/schedmate_tracker.h"
#include "tests/support/built_in.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t lines_both_ways(struct text text)
{
    struct text rest = text, line;
    size_t n = 0, bytes = 0;
    while (log_first_line(&rest, &line)) {
        n++;
        bytes += line.len;
    }
    CHECK(rest.len == 0);
    rest = text;
    for (size_t i = 0; i < n; i++) {
        CHECK(log_last_line(&rest, &line));
        bytes -= line.len;
    }
    CHECK(rest.len == 0 && bytes == 0);
    return n;
}

static void numbers_are_sane(struct text text)
{
    struct text rest = text, line;
    struct log_numbers numbers;
    while (log_first_line(&rest, &line)) {
        log_numbers_read(line, &numbers);
        CHECK(numbers.n <= LOG_NUMBERS_MAX);
        for (size_t i = 0; i < numbers.n; i++) {
            CHECK(numbers.at[i].kind != NUMBER_NONE);
            CHECK(memchr(numbers.at[i].key, 0, NUMBER_KEY_MAX));
            CHECK(memchr(numbers.at[i].unit, 0, sizeof numbers.at[i].unit));
        }
        struct log_cell cells[8];
        CHECK(log_cells_read(line, cells, 8) <= 8);
    }
}

static double track(struct log_classifier *c, struct text text)
{
    struct tracker_config config;
    struct tracker_lines *lines = mem_alloc(sizeof *lines);
    struct track out;
    option_defaults(tracker_options, &config);
    tracker_find(c, &config, text, lines);
    CHECK(lines->n <= TRACKER_LINES_MAX && lines->walked <= config.walk);
    tracker_read(&config, lines, text, &out);
    free(lines);
    bool found = out.source != TRACKER_NOT_FOUND;
    CHECK(found == !isnan(out.seconds_per_step));
    CHECK(!found || (out.seconds_per_step > 0 && out.seconds_per_step < 86400));
    CHECK(out.confidence >= 0 && out.confidence <= 1);
    return found ? out.seconds_per_step : -1;
}

/* Reads hosts and time stamps of all lines. */
static void places(struct text text)
{
    struct host_guess guess;
    struct host_table *table = host_table_new();
    struct text line;
    host_guess_begin(&guess);
    for (uint64_t i = 1; log_first_line(&text, &line); i++) {
        struct log_stamp at;
        if (log_stamp_of(line, &at))
            log_stamp_complete(&at, at.at);
        host_table_read(table, line);
        host_guess_read(&guess, line, i);
    }
    host_guess_missing(&guess, table, true);
    CHECK(guess.basis < N_HOST_BASES && strlen(guess.name) < LOG_HOST_MAX);
    CHECK((guess.basis == HOST_UNKNOWN) == (guess.name[0] == 0));
    host_table_free(table);
}

static uint64_t locate(struct log_classifier *c, struct text text, size_t n)
{
    struct locator_config config;
    struct locator l;
    struct located out;
    struct text rest = text, line;
    option_defaults(locator_options, &config);
    locator_start(&l, &config, c, built_in_knowledge());
    while (log_first_line(&rest, &line))
        locator_feed(&l, line, (uint64_t)(line.at - text.at));
    locator_end(&l, &out);
    CHECK(out.lines == n);
    if (!out.found)
        return 0;
    CHECK(out.line >= 1 && out.line <= n && out.offset <= text.len);
    CHECK(out.chunk == (out.line - 1) / config.chunk);
    struct diagnosis d;
    handler_judge(built_in_knowledge(), text, (size_t)out.offset, out.sure, &d);
    CHECK(d.kind < FAILURE_N_KINDS && d.part < N_FAILURE_PARTS);
    CHECK((d.kind == FAILURE_INFRASTRUCTURE) == (d.part != PART_NONE));
    CHECK(d.confidence >= 0 && d.confidence <= 1 && d.action < N_ACTIONS);
    return out.line;
}

/* Returns the classifier that all inputs share, or a new one. Both must give
 * equal answers, although the shared one has cached entries of earlier inputs.
 */
static struct log_classifier *classifier(bool shared)
{
    static struct log_classifier *kept;
    static struct error err;
    struct log_classifier *c;
    if (shared && kept)
        return kept;
    CHECK(log_classifier_new(LOG_LINEAR, NULL, &c, &err) == STATUS_OK);
    if (shared)
        kept = c;
    return c;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* A copy of exactly this size, so that sanitizers find a read beyond its
     * end. */
    char *copy = mem_alloc(size + 1);
    if (size)
        memcpy(copy, data, size);
    copy = mem_resize(copy, size ? size : 1);
    struct text text = {copy, size};
    struct log_classifier *c = classifier(true);
    size_t n = lines_both_ways(text);
    numbers_are_sane(text);
    double step = track(c, text);
    places(text);
    uint64_t line = locate(c, text, n);
    double again = track(c, text);
    CHECK(!(again < step) && !(again > step));
    CHECK(locate(c, text, n) == line);
    /* Making a new classifier is slow, so only some inputs are checked with
     * one. */
    if (size % 64 == 0) {
        struct log_classifier *cold = classifier(false);
        CHECK(locate(cold, text, n) == line);
        log_classifier_free(cold);
    }
    free(copy);
    return 0;
}
