/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests Slurm's accounting, as text and as JSON: jobs have the usage of their
 * steps, and states and resources are read in all forms that Slurm writes. */
#include "tests/support/temp_path.h"
#include "tests/support/test.h"

#include <stdio.h>

#include "traces/formats/slurm_internal.h"
#include "traces/trace.h"

static struct trace_reader *opened(const char *text, const char *spec,
                                   const char *format)
{
    struct trace_reader *reader;
    struct error err;
    FILE *file = fopen(temp_path, "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    if (trace_open(temp_path, spec, &reader, &err) != STATUS_OK)
        fail_msg("%s", err.message);
    assert_string_equal(trace_format(reader)->name, format);
    return reader;
}

static void next(struct trace_reader *reader, struct trace_row *row)
{
    struct error err;
    if (trace_next(reader, row, &err) != STATUS_OK)
        fail_msg("%s", err.message);
}

static void end(struct trace_reader *reader)
{
    struct trace_row row;
    struct error err;
    assert_int_equal(trace_next(reader, &row, &err), STATUS_END);
    trace_close(reader);
}

/* Two jobs. The first has two steps of one hour: one at 140 % of two GPUs
 * together, and one with two tasks at 30 % each. */
static const char with_steps[] =
    "JobIDRaw|JobName|User|Partition|Cluster|Submit|Start|End|ElapsedRaw|"
    "TimelimitRaw|State|ExitCode|AllocTRES|NNodes|NTasks|NodeList|WorkDir|"
    "SubmitLine|TRESUsageInAve\n"
    "101|a|ann|gpu|ci|2026-11-20T10:00:00|2026-11-20T10:05:00|"
    "2026-11-20T12:05:00|7200|1440|COMPLETED|0:0|"
    "billing=16,cpu=16,gres/gpu:a100=2,gres/gpu=2,mem=64G,node=1|1||n1|/home/a|"
    "sbatch a.sh|\n"
    "101.batch|batch|||ci|2026-11-20T10:05:00|2026-11-20T10:05:00|"
    "2026-11-20T11:05:00|3600||COMPLETED|0:0|cpu=16,gres/gpu=2|1|1|n1|||"
    "cpu=00:50:00,gres/gpumem=20480M,gres/gpuutil=140\n"
    "101.0|python|||ci|2026-11-20T11:05:00|2026-11-20T11:05:00|"
    "2026-11-20T12:05:00|3600||COMPLETED|0:0|cpu=16,gres/gpu=2|1|2|n1|||"
    "gres/gpumem=10G,gres/gpuutil=30\n"
    "102|b|bob|gpu|ci|2026-11-20T10:01:00|Unknown|Unknown|0|UNLIMITED|"
    "PENDING|0:0||1||None assigned|/home/b|sbatch b.sh|\n";

static void steps_belong_to_the_job_before_them(void **state)
{
    (void)state;
    struct trace_row row;
    char note[TRACE_NOTE_MAX];
    struct trace_reader *reader =
        opened(with_steps, "slurm:utc_offset_h=8", "slurm");
    next(reader, &row);
    assert_true(text_is(row.source_id, "101"));
    assert_int_equal(row.gpus, 2);
    assert_true(text_is(row.gpu_type, "a100"));
    assert_int_equal(row.cpus, 16);
    assert_true(row.duration == 7200 * SPAN_SECOND);
    assert_true(row.queue == 300 * SPAN_SECOND);
    assert_true(row.declared == 1440 * 60 * SPAN_SECOND);
    /* 2026-11-20 02:00 UTC */
    assert_true(row.submitted == 1795140000 * SPAN_SECOND);
    /* (140 x 1 h + 2 x 30 x 1 h) / 2 h / 2 GPUs */
    assert_true(row.gpu_util == 50);
    assert_true(row.gpu_mem_mib == 10240);
    assert_true(text_is(row.record->hosts, "n1"));
    assert_true(text_is(row.record->command, "sbatch a.sh"));
    next(reader, &row);
    assert_true(row.duration == TRACE_NO_TIME);
    assert_true(row.queue == TRACE_NO_TIME);
    assert_true(row.gpu_util == -1);
    assert_int_equal(row.end, TRACE_END_UNKNOWN);
    assert_int_equal(row.declared, 0);
    trace_note(reader, note);
    assert_string_equal(note, "Slurm: dates without a zone are taken as UTC+8 "
                              "h; 2 rows of steps joined to their jobs; 1 jobs "
                              "wait or run and have no run time yet");
    end(reader);
}

static void usage_that_cannot_be_is_left_out(void **state)
{
    (void)state;
    struct trace_row row;
    char note[TRACE_NOTE_MAX];
#define AT "2026-11-20T10:00:00"
    struct trace_reader *reader =
        opened("JobIDRaw|Submit|ElapsedRaw|Elapsed|State|AllocTRES|NTasks|"
               "TRESUsageInAve\n"
               "1|" AT "|60||COMPLETED|gres/gpu=1||\n"
               "1.0|" AT "|60||COMPLETED|||gres/gpuutil=300,gres/gpumem=5M\n"
               "2|" AT "|60||COMPLETED|cpu=1||\n"
               "2.0|" AT "|60||COMPLETED||1|gres/gpuutil=30,gres/gpumem=5M\n"
               "3|" AT "|60||COMPLETED|gres/gpu=1||\n"
               "3.0|" AT "|x|01:00|COMPLETED||1|gres/gpuutil=30\n"
               "3.1|" AT "|x|x|COMPLETED||1|gres/gpuutil=90\n"
               "3.2|" AT "|60||COMPLETED||1|cpu=x\n"
               "3.3|" AT "|60||COMPLETED||1|cpu=5\n"
               "4|" AT "|60||COMPLETED|gres/gpu=1||\n",
               "slurm", "slurm");
#undef AT
    for (int job = 1; job <= 4; job++) {
        next(reader, &row);
        assert_true(row.gpu_util == (job == 3 ? 30 : -1));
        assert_true(row.gpu_mem_mib == (job == 1 ? 5 : -1));
    }
    trace_note(reader, note);
    assert_string_equal(note, "Slurm: dates without a zone are taken as UTC+0 "
                              "h; 6 rows of steps joined to their jobs; 1 "
                              "utilisations above 100 % left out");
    end(reader);
}

static void resources_are_read_in_each_way_of_writing(void **state)
{
    (void)state;
    struct trace_row row;
    struct trace_reader *reader = opened(
        "JobID^Submit^Elapsed^State^ReqTRES^ReqGRES^NNodes^ExitCode\n"
        "1^2026-11-20T10:00:00^1-02:03:04^OUT_OF_ME+^cpu=4,gres/gpu:h100=8^^2^"
        "0:9\n"
        "2^1795140000^05:06^CANCELLED by 1001^^gpu:v100:4^2^0:15\n"
        "3^2026-11-20T10:00:00^00:00:01^TIMEOUT^^gres:gpu:3(IDX:0-2)^^0:0\n"
        "4^2026-11-20T10:00:00^00:00:01^TIMEOUT^gres/gpu:2^^^0:0\n"
        "5^2026-11-20T10:00:00^00:00:01^TIMEOUT^cpu=1,gres/gpu^^^0:0\n",
        NULL, "slurm");
    next(reader, &row);
    assert_int_equal(row.gpus, 8);
    assert_true(text_is(row.gpu_type, "h100"));
    assert_true(row.duration == (86400 + 7384) * SPAN_SECOND);
    assert_int_equal(row.end, TRACE_END_FAILED);
    assert_true(text_is(row.record->state, "OUT_OF_MEMORY"));
    assert_true(text_is(row.record->exit_code, "0:9"));
    next(reader, &row);
    assert_int_equal(row.gpus, 8); /* four on each of two nodes */
    assert_true(text_is(row.gpu_type, "v100"));
    assert_true(row.duration == 306 * SPAN_SECOND);
    assert_true(row.submitted == 1795140000 * SPAN_SECOND);
    assert_int_equal(row.end, TRACE_END_CANCELLED);
    next(reader, &row);
    assert_int_equal(row.gpus, 3);
    assert_int_equal(row.end, TRACE_END_FAILED);
    for (int i = 0; i < 2; i++) { /* these say no number */
        next(reader, &row);
        assert_int_equal(row.gpus, 0);
    }
    end(reader);
}

static void limits_are_read_in_each_way_of_writing(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double minutes;
    } limits[] = {
        {"90", 90},       {"90:30", 90.5},        {"01:30:00", 90},
        {"1-12", 2160},   {"1-12:30", 2190},      {"1-12:30:30", 2190.5},
        {"UNLIMITED", 0}, {"Partition_Limit", 0},
    };
    sim_span limit;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        assert_true(slurm_limit_read(text_from(limits[i].text), &limit));
        assert_true(span_seconds(limit) == limits[i].minutes * 60);
    }
    static const char *const bad[] = {"x-1",  "40000-1", "1:2:3:4",
                                      "1::2", ":1",      "1-:2"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (slurm_limit_read(text_from(bad[i]), &limit))
            fail_msg("%s is a limit", bad[i]);
    assert_false(slurm_limit_read(text_from("1-"), &limit));
    assert_false(slurm_limit_read(text_from("soon"), &limit));
}

static void a_bad_line_costs_no_other_job(void **state)
{
    (void)state;
    struct trace_row row;
    struct error err;
    struct trace_reader *reader =
        opened("JobID|Submit|Elapsed|State|AllocTRES\n"
               "1|2026-11-20T10:00:00|00:01:00|COMPLETED|gres/gpu=1\n"
               "2|2026-11-20T10:00:00|00:01:00|COM|PLETED|gres/gpu=1\n"
               "3|2026-11-20T10:00:00|00:01:00|COMPLETED|gres/gpu=1\n",
               NULL, "slurm");
    next(reader, &row);
    assert_true(text_is(row.source_id, "1"));
    assert_int_equal(trace_next(reader, &row, &err), STATUS_BAD_INPUT);
    assert_non_null(strstr(err.message, ":3:1: line: 6 cells, but the header"));
    next(reader, &row);
    assert_true(text_is(row.source_id, "3"));
    end(reader);
}

static void json_of_old_and_new_parsers_is_equal(void **state)
{
    (void)state;
    struct trace_row row;
    struct trace_reader *reader = opened(
        "{\"meta\": {\"a\": [1]}, \"n\": 12, \"jobs\": [\n"
        "{\"job_id\": 12, \"user\": \"ann\", \"partition\": \"gpu\","
        " \"cluster\": \"ci\", \"nodes\": \"n1\", \"restart_cnt\": 1,"
        " \"state\": {\"current\": \"FAILED\"},"
        " \"exit_code\": {\"return_code\": 1},"
        " \"time\": {\"submission\": 1000, \"start\": 1100, \"end\": 2100,"
        "  \"elapsed\": 1000, \"limit\": 60},"
        " \"tres\": {\"allocated\": ["
        "  {\"type\": \"gres\", \"name\": \"gpu:a100\", \"count\": 2},"
        "  {\"type\": \"gres\", \"name\": \"gpu\", \"count\": 2}]}},\n"
        "{\"job_id\": 13, \"state\": {\"current\": [\"FAILED\"]},"
        " \"exit_code\": {\"return_code\": {\"set\": true, \"number\": 1},"
        "  \"signal\": {\"id\": {\"set\": true, \"number\": 9}}},"
        " \"time\": {\"submission\": 1000, \"start\": 1100, \"elapsed\": 1000,"
        "  \"limit\": {\"set\": true, \"infinite\": false, \"number\": 60}},"
        " \"tres\": {\"allocated\": [], \"requested\": ["
        "  {\"type\": \"gres\", \"name\": \"gpu\", \"count\": 2}]}}],\n"
        " \"errors\": []}",
        NULL, "slurm-json");
    for (int i = 0; i < 2; i++) {
        next(reader, &row);
        assert_int_equal(row.gpus, 2);
        assert_int_equal(row.end, TRACE_END_FAILED);
        assert_true(row.duration == 1000 * SPAN_SECOND);
        assert_true(row.queue == 100 * SPAN_SECOND);
        assert_true(row.declared == 3600 * SPAN_SECOND);
        assert_int_equal(row.attempts, i == 0 ? 2 : 0);
        assert_true(text_is(row.record->exit_code, i == 0 ? "1:0" : "1:9"));
    }
    end(reader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_belong_to_the_job_before_them),
        cmocka_unit_test(usage_that_cannot_be_is_left_out),
        cmocka_unit_test(resources_are_read_in_each_way_of_writing),
        cmocka_unit_test(limits_are_read_in_each_way_of_writing),
        cmocka_unit_test(a_bad_line_costs_no_other_job),
        cmocka_unit_test(json_of_old_and_new_parsers_is_equal),
    };
    return cmocka_run_group_tests(tests, temp_path_make, temp_path_remove);
}
