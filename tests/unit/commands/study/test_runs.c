/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests many runs on several threads. Each run must have the bytes of a run
 * alone, each trace is parsed once if the shelf has room for all, and an error
 * belongs to its run only. */
#include "commands/study/sweep_internal.h"

#include <stdlib.h>
#include <string.h>

#include "sim/results/report.h"
#include "tests/support/test.h"
#include "traces/shelf.h"

#define NATIVE "traces/samples/native.csv"
#define ITP "traces/samples/itp.csv"
enum { N = 12 };

/* Outputs of the runs that `take` keeps, by index of the run. */
struct kept {
    char *text[N]; /* jobs.csv and summary.json; NULL: the run failed */
    char error[N][200];
    /* number of calls of `note`; the call that ends the study, 0: none */
    size_t n_noted, halt_after;
};

static char *text_of(struct results results)
{
    struct out *out = out_to_memory();
    struct summary summary;
    job_pass(out, NULL, results, &summary);
    report_summary(out, results, &summary);
    summary_fini(&summary);
    struct text text = out_memory(out);
    char *copy = strndup(text.at, text.len);
    out_abandon(out);
    return copy;
}

static void take(void *self, const struct study_run *run)
{
    struct kept *kept = self;
    if (run->replay && !kept->text[run->index])
        kept->text[run->index] = text_of(run->replay->results);
    snprintf(kept->error[run->index], sizeof *kept->error, "%.150s",
             run->err->message);
}

static bool note(void *self, const struct study_run *run)
{
    struct kept *kept = self;
    assert_null(run->replay);
    return ++kept->n_noted != kept->halt_after;
}

static void forget(struct kept *kept)
{
    for (size_t i = 0; i < N; i++)
        free(kept->text[i]);
    *kept = (struct kept){0};
}

/* Fills the tasks: six policies on each of two traces, among them one with
 * estimators that learn and one that loads GLPK. */
static void fill(struct study_task tasks[N])
{
    static const char *const policies[] = {
        "fifo", "srtf", "tiresias", "lucid+schedmate", "gavel-las", "backfill"};
    for (size_t i = 0; i < N; i++) {
        bool is_native = i % 2 == 0;
        tasks[i] = (struct study_task){
            .config = {.trace = is_native ? NATIVE : ITP,
                       .cluster = is_native ? "16x8" : "8x8",
                       .policy = policies[i / 2],
                       .estimators = i / 2 == 5 ? "gbdt,history" : NULL,
                       .load.limit = 300,
                       .seed = i}};
    }
}

static void each_run_has_the_bytes_of_a_run_by_itself(void **state)
{
    (void)state;
    struct study_task tasks[N];
    struct kept alone = {0};
    struct error err = {0};
    fill(tasks);
    for (size_t i = 0; i < N; i++) {
        struct replay replay;
        enum status st =
            replay_run(&tasks[i].config, &tasks[i].observe, &replay, &err);
        if (st != STATUS_OK && st != STATUS_INCOMPLETE)
            fail_msg("%s", err.message);
        alone.text[i] = text_of(replay.results);
        replay_fini(&replay);
    }
    for (unsigned threads = 1; threads <= 4; threads += 3) {
        struct kept kept = {0};
        struct study study = {.tasks = tasks,
                              .n = N,
                              .n_threads = threads,
                              .self = &kept,
                              .shelf = shelf_new(threads == 1 ? 1 : 0),
                              .take = take,
                              .note = note};
        assert_int_equal(study_execute(&study, &err), STATUS_OK);
        assert_int_equal(study.n_done, N);
        assert_int_equal(study.n_failed, 0);
        for (size_t i = 0; i < N; i++) {
            assert_non_null(kept.text[i]);
            assert_string_equal(kept.text[i], alone.text[i]);
        }
        /* A shelf of one byte keeps only the last trace. */
        assert_int_equal(shelf_parsed(study.shelf), threads == 1 ? N : 2);
        shelf_free(study.shelf);
        forget(&kept);
    }
    forget(&alone);
}

static void an_error_stays_with_its_run(void **state)
{
    (void)state;
    struct study_task tasks[N];
    struct kept kept = {0};
    struct error err = {0};
    fill(tasks);
    tasks[3].config.policy = "fivo";
    tasks[7].config.trace = tasks[8].config.trace = "no-such-file.csv";
    struct study study = {.tasks = tasks,
                          .n = N,
                          .n_threads = 3,
                          .self = &kept,
                          .take = take,
                          .note = note};
    assert_int_equal(study_execute(&study, &err), STATUS_OK);
    assert_int_equal(study.n_done, N);
    assert_int_equal(study.n_failed, 3);
    assert_non_null(strstr(kept.error[3], "did you mean 'fifo'?"));
    assert_non_null(strstr(kept.error[7], "no-such-file.csv"));
    assert_string_equal(kept.error[7], kept.error[8]);
    assert_non_null(kept.text[4]);
    forget(&kept);

    study.stop_at_error = true;
    study.n_threads = 1;
    assert_int_equal(study_execute(&study, &err), STATUS_USAGE);
    assert_int_equal(study.n_done, 4);
    assert_non_null(strstr(err.message, "fivo"));
    forget(&kept);
}

static void note_can_end_a_study(void **state)
{
    (void)state;
    struct study_task tasks[N];
    struct kept kept = {.halt_after = 2};
    struct error err = {0};
    fill(tasks);
    struct study study = {
        .tasks = tasks, .n = N, .n_threads = 1, .self = &kept, .note = note};
    assert_int_equal(study_execute(&study, &err), STATUS_OK);
    assert_true(study.n_done >= 2 && study.n_done < N);
}

/* Writes a trace of `*self` jobs, for a trace that is not a file. */
static enum status make(void *self, struct out *bytes, struct error *err)
{
    (void)err;
    out_text(bytes, "submitted_unix_s,duration_s,gpus\n");
    for (int i = 0; i < *(int *)self; i++)
        out_printf(bytes, "%d,100,8\n", i);
    return STATUS_OK;
}

static void a_trace_may_be_made(void **state)
{
    (void)state;
    int few = 3, more = 5;
    struct kept kept = {0};
    struct error err = {0};
    struct shelf *shelf = shelf_new(0);
    shelf_add(shelf, "few jobs", (struct shelf_maker){make, &few});
    shelf_add(shelf, "more jobs", (struct shelf_maker){make, &more});
    const struct study_task tasks[] = {
        {.config = {.trace = "few jobs", .cluster = "1x8"}},
        {.config = {.trace = "more jobs", .cluster = "1x8"}},
        {.config = {.trace = "few jobs", .cluster = "1x8", .policy = "sjf"}}};
    struct study study = {.tasks = tasks,
                          .n = 3,
                          .n_threads = 2,
                          .shelf = shelf,
                          .self = &kept,
                          .take = take};
    assert_int_equal(study_execute(&study, &err), STATUS_OK);
    assert_int_equal(study.n_failed, 0);
    assert_int_equal(shelf_parsed(shelf), 2);
    assert_non_null(strstr(kept.text[0], "\"jobs\": 3"));
    assert_non_null(strstr(kept.text[1], "\"jobs\": 5"));
    shelf_free(shelf);
    forget(&kept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_run_has_the_bytes_of_a_run_by_itself),
        cmocka_unit_test(an_error_stays_with_its_run),
        cmocka_unit_test(note_can_end_a_study),
        cmocka_unit_test(a_trace_may_be_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
