/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests generated logs: equal bytes in any window, no lines from the future,
 * and true step times. */
#include "tests/support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedmate/logs/log_stream.h"
#include "tests/support/log_life.h"

static struct text all_of(const struct log_source *source, struct arena *arena)
{
    return log_text(source, 0, UINT64_MAX, arena);
}

/* The whole text of a log, and the position up to which the lines of log_each
 * have matched it. `lines`: number of these lines. */
struct joined {
    struct text whole;
    size_t at;
    uint64_t lines;
};

static void join(void *self, struct text line, uint64_t number)
{
    struct joined *j = self;
    assert_int_equal(number, j->lines++);
    assert_true(j->at + line.len < j->whole.len);
    assert_memory_equal(j->whole.at + j->at, line.at, line.len);
    j->at += line.len + 1;
}

static void any_window_has_the_bytes_of_the_whole(void **state)
{
    (void)state;
    gsl_rng *rng = rng_open(1, "windows of logs");
    for (int round = 0; round < 40; round++) {
        struct log_life life;
        struct arena arena, other;
        arena_init(&arena);
        arena_init(&other);
        log_life_draw(rng, &life);
        uint64_t n = log_count(&life.source);
        struct text whole = all_of(&life.source, &arena);
        struct joined j = {.whole = whole};
        log_each(&life.source, join, &j);
        assert_int_equal(j.at, whole.len);
        assert_int_equal(j.lines, n);
        struct log_reader reader = {
            .source = &life.source, .chunk = 20, .arena = &other};
        struct text chunk;
        size_t at = 0;
        for (uint64_t i = 0; log_chunk(&reader, i, &chunk); i++) {
            assert_memory_equal(chunk.at, whole.at + at, chunk.len);
            at += chunk.len;
        }
        assert_int_equal(at, whole.len);
        uint64_t wanted = rng_below(rng, (uint32_t)n + 5);
        struct text tail = log_tail(&life.source, wanted, &arena);
        assert_memory_equal(tail.at, whole.at + whole.len - tail.len, tail.len);
        struct text rest =
            log_text(&life.source, n > wanted ? n - wanted : 0, wanted, &arena);
        assert_true(text_equal(rest, tail));
        arena_fini(&arena);
        arena_fini(&other);
    }
    rng_free(rng);
}

static void a_log_grows_at_its_end_only(void **state)
{
    (void)state;
    gsl_rng *rng = rng_open(2, "growing logs");
    for (int round = 0; round < 60; round++) {
        struct log_life life;
        struct arena arena;
        arena_init(&arena);
        log_life_draw(rng, &life);
        life.source.n_attempts = 1;
        struct log_attempt *a = &life.attempts[0];
        struct text after = all_of(&life.source, &arena);
        a->end = LOG_RUNNING;
        for (int k = 0; k < 4; k++) {
            struct text before = all_of(&life.source, &arena);
            assert_true(before.len <= after.len);
            assert_memory_equal(before.at, after.at, before.len);
            after = before;
            const struct log_segment *last = &a->segments[a->n_segments - 1];
            if (a->until > last->at)
                a->until = last->at + (a->until - last->at) / 2;
            else if (a->n_segments > 1)
                a->n_segments--;
        }
        arena_fini(&arena);
    }
    rng_free(rng);
}

/* Words before the time of a step, and its unit in seconds. */
static const struct {
    const char *key;
    double unit;
} step_keys[] = {
    {"\tTime ", 1},
    {"batch_time ", 1},
    {"elapsed time per iteration (ms): ", 1e-3},
    {"elapsed time per iteration (s): ", 1},
    {"batch_cost: ", 1},
    {"step time ", 1},
    {"batch time ", 1},
    {", time ", 1e-3},
    {"step_avg:", 1e-3},
    {"dt: ", 1e-3},
    {"  time: ", 1},
    {", time: ", 1},
};

/* Compares the times of steps in the lines of a text, except those of
 * evaluations, with the true time. Returns the number of times found. */
static size_t compare_times(struct text text, double seconds)
{
    size_t n = 0;
    struct text line;
    while (log_first_line(&text, &line)) {
        char copy[1024];
        snprintf(copy, sizeof copy, "%.*s", (int)line.len, line.at);
        if (strstr(copy, "Test: ") || strstr(copy, "val)") ||
            strstr(copy, "Eval"))
            continue;
        for (size_t k = 0; k < sizeof step_keys / sizeof *step_keys; k++) {
            const char *at = strstr(copy, step_keys[k].key);
            if (!at)
                continue;
            at += strlen(step_keys[k].key);
            char *end;
            double value = strtod(at, &end);
            const char *point = memchr(at, '.', (size_t)(end - at));
            double digit = point ? pow(10, -(double)(end - point - 1)) : 1;
            double error = fabs(value * step_keys[k].unit - seconds);
            if (error > 0.5 * digit * step_keys[k].unit + 2e-6)
                fail_msg("%s: not %.9g s", copy, seconds);
            n++;
        }
    }
    return n;
}

/* Checks the printed step times of a job that first works alone for 400 steps
 * and then shares its GPUs. */
static void check_times(gsl_rng *rng, const char *style, uint64_t key,
                        size_t *found)
{
    struct log_life life;
    struct arena arena;
    arena_init(&arena);
    log_life_draw(rng, &life);
    struct log_kind *kind = &life.source.kind;
    kind->style = log_style_find(text_from(style));
    kind->prints_time = true;
    kind->jitter = 0;
    kind->log_every = 1 + kind->log_every % 7;
    life.source.key = key;
    life.source.n_attempts = 1;
    struct log_attempt *a = &life.attempts[0];
    double speed = 0.35 + 0.6 * gsl_rng_uniform(rng);
    sim_span half = span_from_seconds(400 * kind->step_s);
    sim_time change = 60 * SPAN_SECOND + half;
    struct log_segment *s = life.segments[0];
    s[0] = (struct log_segment){.at = 0, .speed = 0};
    s[1] = (struct log_segment){.at = 60 * SPAN_SECOND, .speed = 1};
    s[2] = (struct log_segment){.at = change, .work = half, .speed = speed};
    a->n_segments = 2;
    a->until = change;
    a->end = LOG_RUNNING;
    struct text alone = all_of(&life.source, &arena);
    *found += compare_times(alone, kind->step_s);
    a->n_segments = 3;
    a->until = change + (sim_span)((double)half / speed);
    struct text both = all_of(&life.source, &arena);
    struct text beside = text_skip(both, alone.len), line;
    /* The first progress line after the change is a mean over both speeds, and
     * the epoch that contains the change can be, too. So skip 40 lines. */
    for (int i = 0; i < 40 && log_first_line(&beside, &line); i++)
        ;
    *found += compare_times(beside, kind->step_s / speed);
    arena_fini(&arena);
}

static void lines_show_the_true_time_of_a_step(void **state)
{
    static const char *const styles[] = {
        "torch-imagenet", "megatron",  "nanogpt", "mmengine",
        "paddle",         "deepspeed", "fairseq"};
    (void)state;
    gsl_rng *rng = rng_open(3, "times in logs");
    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++) {
        size_t found = 0;
        for (uint64_t key = 0; key < 6; key++)
            check_times(rng, styles[i], key, &found);
        if (found < 100)
            fail_msg("%s: only %zu times of steps", styles[i], found);
    }
    rng_free(rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_window_has_the_bytes_of_the_whole),
        cmocka_unit_test(a_log_grows_at_its_end_only),
        cmocka_unit_test(lines_show_the_true_time_of_a_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
