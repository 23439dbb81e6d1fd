/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests the job database: jobs and vectors are read back unchanged, each job
 * once; two writers at the same time, or a killed writer, leave only whole
 * jobs; matches are found for a new job; adding a job again fills fields that
 * were unknown; and a history of an older version is extended. */
#include "tests/support/test.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "schedmate/jobs/lookup.h"

static struct error err;

static void must(enum status st)
{
    if (st != STATUS_OK)
        fail_msg("%s", err.message);
}

struct fixture {
    char path[64];
    struct jobdb *jobdb;
    struct arena arena;
};

static int setup(void **state)
{
    static struct fixture f;
    f = (struct fixture){.path = "/tmp/schedsim-store-XXXXXX"};
    int fd = mkstemp(f.path);
    assert_true(fd >= 0);
    close(fd); /* a database may be created in an empty file */
    arena_init(&f.arena);
    must(jobdb_open(f.path, true, &f.jobdb, &err));
    *state = &f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    char journal[80];
    jobdb_close(f->jobdb);
    arena_fini(&f->arena);
    snprintf(journal, sizeof journal, "%s-journal", f->path);
    unlink(journal);
    unlink(f->path);
    return 0;
}

static struct jobdb_job job_of(const char *user, const char *command,
                               const char *metadata, double seconds)
{
    return (struct jobdb_job){.user = text_from(user),
                              .command = text_from(command),
                              .metadata = text_from(metadata),
                              .end = text_from("completed"),
                              .submitted = JOBDB_NO_TIME,
                              .duration = span_from_seconds(seconds),
                              .gpus = 4,
                              .gpu_util = -1,
                              .mem_mib = -1};
}

static uint64_t count(struct jobdb *jobdb)
{
    uint64_t n;
    must(jobdb_count(jobdb, &n, &err));
    return n;
}

static bool copy_first(void *self, const struct jobdb_job *job)
{
    struct fixture *f = ((void **)self)[0];
    struct jobdb_job *out = ((void **)self)[1];
    *out = *job;
    out->user.at = arena_copy(&f->arena, job->user.at, job->user.len);
    out->source_id.at =
        arena_copy(&f->arena, job->source_id.at, job->source_id.len);
    out->metadata.at =
        arena_copy(&f->arena, job->metadata.at, job->metadata.len);
    return false;
}

static void a_job_comes_back_as_it_went_in(void **state)
{
    struct fixture *f = *state;
    struct jobdb_job in = job_of("anna", "python a.py", "model_name=a", 12.5);
    struct jobdb_job out = {0};
    in.source = text_from("trace");
    /* identifiers may contain any bytes */
    in.source_id = (struct text){"7\0x", 3};
    in.submitted = 1600000000000001;
    in.gpu_util = 55.5;
    must(jobdb_add(f->jobdb, &in, NULL, &err));
    must(jobdb_each(f->jobdb, &(struct jobdb_filter){0}, copy_first,
                    (void *[]){f, &out}, &err));
    assert_true(text_is(out.user, "anna"));
    assert_true(text_is(out.metadata, "model_name=a"));
    assert_int_equal(out.source_id.len, 3);
    assert_memory_equal(out.source_id.at, "7\0x", 3);
    assert_int_equal(out.submitted, in.submitted);
    assert_int_equal(out.duration, 12500000);
    assert_true(out.gpu_util == 55.5);
    assert_true(out.mem_mib == -1);
}

static void a_job_of_a_source_is_there_once(void **state)
{
    struct fixture *f = *state;
    struct jobdb_job job = job_of("anna", "", "", 1);
    bool added;
    job.source = text_from("trace");
    job.source_id = text_from("1");
    must(jobdb_add(f->jobdb, &job, &added, &err));
    assert_true(added);
    must(jobdb_add(f->jobdb, &job, &added, &err));
    assert_false(added);
    job.source = job.source_id = (struct text){0};
    must(jobdb_add(f->jobdb, &job, &added, &err));
    must(jobdb_add(f->jobdb, &job, &added, &err));
    assert_true(added);
    assert_int_equal(count(f->jobdb), 3);
}

static void what_is_not_committed_is_not_there(void **state)
{
    struct fixture *f = *state;
    struct jobdb_job job = job_of("anna", "", "", 1);
    must(jobdb_begin(f->jobdb, &err));
    must(jobdb_add(f->jobdb, &job, NULL, &err));
    jobdb_close(f->jobdb);
    must(jobdb_open(f->path, false, &f->jobdb, &err));
    assert_int_equal(count(f->jobdb), 0);
}

/* Starts a child process that opens the database and adds jobs: one by one, or
 * (`killed`) all in one transaction, in which the child kills itself. Otherwise
 * the child exits with 0 on success. */
static pid_t start_writer(const struct fixture *f, int jobs, bool killed)
{
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    struct jobdb *jobdb;
    if (jobdb_open(f->path, true, &jobdb, &err) != STATUS_OK ||
        (killed && jobdb_begin(jobdb, &err) != STATUS_OK))
        _exit(1);
    for (int i = 0; i < jobs; i++) {
        struct jobdb_job job = job_of("w", "", "same=text", 1);
        if (jobdb_add(jobdb, &job, NULL, &err) != STATUS_OK)
            _exit(1);
    }
    if (killed)
        raise(SIGKILL);
    jobdb_close(jobdb);
    _exit(0);
}

static void two_writers_lose_nothing(void **state)
{
    struct fixture *f = *state;
    pid_t writers[2] = {start_writer(f, 60, false), start_writer(f, 60, false)};
    for (int i = 0; i < 2; i++) {
        int status;
        assert_int_equal(waitpid(writers[i], &status, 0), writers[i]);
        assert_int_equal(status, 0);
    }
    assert_int_equal(count(f->jobdb), 120);
}

static void a_killed_writer_leaves_nothing_half_done(void **state)
{
    struct fixture *f = *state;
    struct jobdb_job job = job_of("anna", "", "", 1);
    int status;
    must(jobdb_add(f->jobdb, &job, NULL, &err));
    /* more jobs than SQLite's cache holds, so that some reach the disk */
    pid_t pid = start_writer(f, 5000, true);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(count(f->jobdb), 1);
    must(jobdb_add(f->jobdb, &job, NULL, &err));
    assert_int_equal(count(f->jobdb), 2);
}

static enum status check_vectors(void *self, int64_t id, struct text text,
                                 uint64_t n_jobs, const float *values, size_t n,
                                 struct error *error)
{
    (void)id, (void)n_jobs, (void)error;
    int *seen = self;
    if (text_is(text, "dense")) {
        assert_int_equal(n, 5);
        assert_true(values[0] == 1 && values[4] == 5);
    } else if (text_is(text, "sparse")) {
        assert_int_equal(n, 300);
        for (size_t i = 0; i < n; i++)
            assert_true(values[i] == (i == 299 ? -2.5f : 0));
    } else {
        assert_null(values);
    }
    ++*seen;
    return STATUS_OK;
}

static void vectors_come_back_dense_or_sparse(void **state)
{
    struct fixture *f = *state;
    const float dense[] = {1, 2, 3, 4, 5};
    float sparse[300] = {0};
    int seen = 0;
    sparse[299] = -2.5f;
    must(jobdb_put_vector(f->jobdb, text_from("dense"), "e", dense, 5, &err));
    must(jobdb_put_vector(f->jobdb, text_from("sparse"), "e", sparse, 300,
                          &err));
    must(jobdb_put_vector(f->jobdb, text_from("other"), "x", dense, 5, &err));
    must(jobdb_each_text(f->jobdb, "e", check_vectors, &seen, &err));
    assert_int_equal(seen, 3);
}

static void what_is_no_history_is_refused(void **state)
{
    (void)state;
    struct jobdb *other;
    char path[] = "/tmp/schedsim-other-XXXXXX";
    int fd = mkstemp(path);
    for (int i = 0; i < 200; i++)
        assert_true(write(fd, "no database at all\n", 19) == 19);
    close(fd);
    assert_int_equal(jobdb_open(path, true, &other, &err), STATUS_BAD_INPUT);
    assert_non_null(strstr(err.message, path));
    unlink(path);
    assert_int_equal(jobdb_open(path, false, &other, &err), STATUS_FAILED);
}

/* A program that is killed before it has made the tables leaves an empty
 * file. */
static void an_empty_file_is_an_empty_history(void **state)
{
    struct fixture *f = *state;
    struct jobdb *other;
    uint64_t jobs = 1;
    assert_int_equal(truncate(f->path, 0), 0);
    must(jobdb_open(f->path, false, &other, &err));
    must(jobdb_count(other, &jobs, &err));
    assert_int_equal(jobs, 0);
    jobdb_close(other);
}

/* Computes an embedding with one dimension per letter, so that cosines can be
 * computed by hand. */
static enum status letters(void *self, const struct text *texts, size_t count,
                           float *out, struct error *error)
{
    int *calls = self;
    const struct text text = texts[0];
    double square = 0;
    (void)error;
    assert_int_equal(count, 1);
    ++*calls;
    memset(out, 0, 26 * sizeof *out);
    for (size_t i = 0; i < text.len; i++)
        out[(text.at[i] - 'a') % 26]++;
    for (size_t i = 0; i < 26; i++)
        square += (double)(out[i] * out[i]);
    for (size_t i = 0; i < 26; i++)
        out[i] = (float)(out[i] / sqrt(square));
    return STATUS_OK;
}

static void the_nearest_above_the_threshold_are_averaged(void **state)
{
    struct fixture *f = *state;
    int calls = 0;
    const struct embed_ops by_letters = {"letters", "", 26, letters};
    const struct lookup_config config = {
        .top = 3, .threshold = 0.9, .coverage = 0.5};
    struct lookup r;
    struct jobdb_job jobs[] = {
        job_of("a", "", "aaaa", 100), job_of("b", "", "aaab", 200),
        job_of("c", "", "aaab", 400), job_of("d", "", "aabb", 1e6),
        job_of("e", "", "zzzz", 1e6), job_of("f", "", "aaaa", 1e6)};
    jobs[0].gpu_util = 80;
    jobs[0].hosts = text_from("gpu-[1-2]");
    jobs[5].end =
        /* a failed job does not tell how long a whole run takes */
        text_from("failed");
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++)
        must(jobdb_add(f->jobdb, &jobs[i], NULL, &err));
    for (int again = 0; again < 2; again++) {
        must(lookup_similar(f->jobdb, &config, &by_letters, &calls,
                            text_from("aaaa"), 1, &f->arena, &r, &err));
        assert_int_equal(r.basis, LOOKUP_SIMILAR);
        assert_int_equal(r.n, 3);
        assert_true(text_is(r.matches[0].job.user, "a"));
        assert_true(text_is(r.matches[0].job.hosts, "gpu-[1-2]"));
        assert_true(fabs(r.matches[0].score - 1) < 1e-6);
        /* the later of two jobs with equal scores */
        assert_true(text_is(r.matches[1].job.user, "c"));
        assert_true(fabs(r.matches[1].score - 3 / sqrt(10)) < 1e-6);
        assert_true(fabs(r.duration_s.mean - 700.0 / 3) < 1e-9);
        assert_true(fabs(r.duration_s.spread - 152.752523) < 1e-4);
        assert_int_equal(r.gpu_util.n, 1);
        assert_true(r.gpu_util.mean == 80 && r.gpu_util.spread == 0);
        assert_int_equal(r.mem_mib.n, 0);
    }
    /* Four texts and the question are embedded in the first lookup, then the
     * question alone in the second, because the vectors of the texts are
     * kept. */
    assert_int_equal(calls, 4 + 1 + 1);
    must(lookup_similar(f->jobdb, &config, &by_letters, &calls, text_from("q"),
                        1, &f->arena, &r, &err));
    assert_int_equal(r.basis, LOOKUP_NOTHING);
    assert_int_equal(r.n, 0);
    /* little is known about the job, so the job is not compared */
    must(lookup_similar(f->jobdb, &config, &by_letters, &calls,
                        text_from("aaaa"), 0.4, &f->arena, &r, &err));
    assert_int_equal(r.basis, LOOKUP_LITTLE);
    assert_int_equal(r.n, 0);
}

static void a_resubmission_is_the_same_user_directory_command_and_branch(
    void **state)
{
    struct fixture *f = *state;
    const struct lookup_config config = {.top = 2, .threshold = 0.9};
    struct jobdb_filter who = {.user = text_from("anna"),
                               .command = text_from("python a.py")};
    struct lookup r;
    for (int i = 0; i < 3; i++) {
        struct jobdb_job job = job_of("anna", "python a.py", "", 10 * (i + 1));
        must(jobdb_add(f->jobdb, &job, NULL, &err));
        job.branch = text_from("other");
        must(jobdb_add(f->jobdb, &job, NULL, &err));
    }
    must(lookup_resubmission(f->jobdb, &config, &who, &f->arena, &r, &err));
    assert_int_equal(r.basis, LOOKUP_RESUBMISSION);
    assert_int_equal(r.n, 2);
    assert_true(r.duration_s.mean == 25); /* the mean of the two latest runs */
    who.user = text_from("bert");
    must(lookup_resubmission(f->jobdb, &config, &who, &f->arena, &r, &err));
    assert_int_equal(r.basis, LOOKUP_NOTHING);
}

static bool expect_both_parts(void *self, const struct jobdb_job *job)
{
    (void)self;
    assert_true(text_is(job->state, "FAILED"));
    assert_true(text_is(job->failure, "infrastructure gpu"));
    assert_true(text_is(job->hosts, "n1"));
    assert_true(text_is(job->user, "ann"));
    assert_true(job->gpu_util == 40);
    assert_true(job->duration == 60 * SPAN_SECOND);
    return true;
}

/* The epilog reports the cause of a failure first; the accounting reports the
 * state and the usage later. The history keeps the first value of a field and
 * fills fields that were unknown. */
static void a_known_job_learns_what_was_unknown(void **state)
{
    struct fixture *f = *state;
    struct jobdb_job job = job_of("ann", "train", "", 60);
    bool added;
    uint64_t n;
    job.source = text_from("slurm");
    job.source_id = text_from("12");
    job.failure = text_from("infrastructure gpu");
    must(jobdb_add(f->jobdb, &job, &added, &err));
    assert_true(added);
    struct jobdb_job again = job_of("somebody", "train", "", 99);
    again.source = job.source;
    again.source_id = job.source_id;
    again.state = text_from("FAILED");
    again.hosts = text_from("n1");
    again.failure = text_from("unknown");
    again.gpu_util = 40;
    must(jobdb_add(f->jobdb, &again, &added, &err));
    assert_false(added);
    must(jobdb_count(f->jobdb, &n, &err));
    assert_int_equal(n, 1);
    const struct jobdb_filter all = {0};
    must(jobdb_each(f->jobdb, &all, expect_both_parts, NULL, &err));
}

/* A history of version 1, which lacks columns, is extended when it is opened.
 */
static void an_older_history_is_extended(void **state)
{
    struct fixture *f = *state;
    struct jobdb_job job = job_of("ann", "train", "", 60);
    uint64_t n;
    char command[512];
    must(jobdb_add(f->jobdb, &job, NULL, &err));
    jobdb_close(f->jobdb);
    snprintf(command, sizeof command,
             "python3 -c \"import sqlite3; d = sqlite3.connect('%s'); "
             "[d.execute('ALTER TABLE jobs DROP COLUMN ' + c) for c in "
             "('state', 'exit_code', 'hosts', 'failure')]; "
             "d.execute('PRAGMA user_version = 1'); d.commit()\"",
             f->path);
    assert_int_equal(system(command), 0);
    must(jobdb_open(f->path, false, &f->jobdb, &err));
    job.state = text_from("FAILED");
    must(jobdb_add(f->jobdb, &job, NULL, &err));
    must(jobdb_count(f->jobdb, &n, &err));
    assert_int_equal(n, 2);
}

int main(void)
{
#define WITH(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
    const struct CMUnitTest tests[] = {
        WITH(a_job_comes_back_as_it_went_in),
        WITH(a_job_of_a_source_is_there_once),
        WITH(what_is_not_committed_is_not_there),
        WITH(two_writers_lose_nothing),
        WITH(a_killed_writer_leaves_nothing_half_done),
        WITH(vectors_come_back_dense_or_sparse),
        WITH(what_is_no_history_is_refused),
        WITH(an_empty_file_is_an_empty_history),
        WITH(the_nearest_above_the_threshold_are_averaged),
        WITH(a_resubmission_is_the_same_user_directory_command_and_branch),
        WITH(a_known_job_learns_what_was_unknown),
        WITH(an_older_history_is_extended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
