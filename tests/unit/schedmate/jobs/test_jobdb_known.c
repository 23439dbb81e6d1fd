/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests that adding a job again fills fields of the job that were unknown, and
 * that a history of an older version is extended. */
#include "tests/support/temp_path.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "schedmate/jobs/jobdb.h"

static struct error err;

static void must(enum status st)
{
    if (st != STATUS_OK)
        fail_msg("%s", err.message);
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
    struct jobdb *jobdb;
    (void)state;
    assert_int_equal(truncate(temp_path, 0), 0);
    must(jobdb_open(temp_path, true, &jobdb, &err));
    struct jobdb_job job = job_of("ann", "train", "", 60);
    bool added;
    uint64_t n;
    job.source = text_from("slurm");
    job.source_id = text_from("12");
    job.failure = text_from("infrastructure gpu");
    must(jobdb_add(jobdb, &job, &added, &err));
    assert_true(added);
    struct jobdb_job again = job_of("somebody", "train", "", 99);
    again.source = job.source;
    again.source_id = job.source_id;
    again.state = text_from("FAILED");
    again.hosts = text_from("n1");
    again.failure = text_from("unknown");
    again.gpu_util = 40;
    must(jobdb_add(jobdb, &again, &added, &err));
    assert_false(added);
    must(jobdb_count(jobdb, &n, &err));
    assert_int_equal(n, 1);
    const struct jobdb_filter all = {0};
    must(jobdb_each(jobdb, &all, expect_both_parts, NULL, &err));
    jobdb_close(jobdb);
}

/* A history of version 1, which lacks columns, is extended when it is opened.
 */
static void an_older_history_is_extended(void **state)
{
    struct jobdb *jobdb;
    (void)state;
    assert_int_equal(truncate(temp_path, 0), 0);
    must(jobdb_open(temp_path, true, &jobdb, &err));
    struct jobdb_job job = job_of("ann", "train", "", 60);
    uint64_t n;
    char command[512];
    must(jobdb_add(jobdb, &job, NULL, &err));
    jobdb_close(jobdb);
    snprintf(command, sizeof command,
             "python3 -c \"import sqlite3; d = sqlite3.connect('%s'); "
             "[d.execute('ALTER TABLE jobs DROP COLUMN ' + c) for c in "
             "('state', 'exit_code', 'hosts', 'failure')]; "
             "d.execute('PRAGMA user_version = 1'); d.commit()\"",
             temp_path);
    assert_int_equal(system(command), 0);
    must(jobdb_open(temp_path, false, &jobdb, &err));
    job.state = text_from("FAILED");
    must(jobdb_add(jobdb, &job, NULL, &err));
    must(jobdb_count(jobdb, &n, &err));
    assert_int_equal(n, 2);
    jobdb_close(jobdb);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_known_job_learns_what_was_unknown),
        cmocka_unit_test(an_older_history_is_extended),
    };
    return cmocka_run_group_tests(tests, temp_path_make, temp_path_remove);
}
