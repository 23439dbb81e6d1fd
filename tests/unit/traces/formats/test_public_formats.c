/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests that readers of public traces keep deadlines, priorities, CPUs and
 * memory, and count GPUs of all workers. */
#include "tests/support/temp_path.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "traces/trace.h"

/* Reads the first row of `text`. The texts of the row are valid until the
 * returned reader is closed. */
static struct trace_reader *first(const char *text, const char *spec,
                                  const char *format, struct trace_row *row)
{
    struct trace_reader *reader;
    struct error err;
    FILE *file = fopen(temp_path, "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    if (trace_open(temp_path, spec, &reader, &err) != STATUS_OK ||
        trace_next(reader, row, &err) != STATUS_OK)
        fail_msg("%s", err.message);
    assert_string_equal(trace_format(reader)->name, format);
    return reader;
}

static void itp_deadlines_count_from_the_collection(void **state)
{
    (void)state;
    struct trace_row row;
    struct trace_reader *reader =
        first("job_id,submission_time,num_iteration,model_name,deadline,"
              "batch_size,num_gpu,duration\n"
              "u-1,1000,50,gpt2,4600.5,128,8,1800\n",
              NULL, "itp", &row);
    assert_int_equal(row.deadline, 3600 * SPAN_SECOND + SPAN_SECOND / 2);
    assert_int_equal(row.duration, 1800 * SPAN_SECOND);
    assert_int_equal(row.gpus, 8);
    assert_true(text_is(row.model, "gpt2"));
    assert_int_equal(trace_rare_facts(reader), TRACE_BIT(DEADLINE));
    trace_close(reader);
}

static void pai_names_cut_run_times(void **state)
{
    (void)state;
    struct trace_row row;
    char note[TRACE_NOTE_MAX];
    struct trace_reader *reader =
        first("job_id,arrival_s,service_sec,gpu_count\n"
              "a,16.0,172800.0,8\n",
              NULL, "alibaba-pai", &row);
    assert_int_equal(row.gpus, 8);
    trace_note(reader, note);
    assert_non_null(strstr(note, "1 run times are exactly two days"));
    assert_int_equal(trace_rare_facts(reader), 0);
    trace_close(reader);
}

static void spot_counts_the_gpus_of_all_workers(void **state)
{
    (void)state;
    struct trace_row row;
    struct trace_reader *reader =
        first("job_name,organization,gpu_model,cpu_request,gpu_request,"
              "worker_num,submit_time,duration,job_type\n"
              "7,57,A100,15,2,16,9589663,41060,Spot\n",
              NULL, "alibaba-spot", &row);
    assert_int_equal(row.gpus, 32);
    assert_int_equal(row.cpus, 240);
    assert_true(text_is(row.priority, "Spot"));
    assert_true(text_is(row.gpu_type, "A100"));
    trace_close(reader);
}

static void spot_refuses_an_empty_number_of_workers(void **state)
{
    (void)state;
    struct trace_row row;
    struct error err;
    struct trace_reader *reader =
        first("job_name,organization,gpu_model,cpu_request,gpu_request,"
              "worker_num,submit_time,duration,job_type\n"
              "7,57,A100,15,2,16,9589663,41060,Spot\n"
              "8,57,A100,15,2,,9589664,41060,Spot\n",
              NULL, "alibaba-spot", &row);
    assert_int_equal(trace_next(reader, &row, &err), STATUS_BAD_INPUT);
    assert_non_null(strstr(err.message, ":3:16: worker_num: empty"));
    trace_close(reader);
}

static void gavel_divides_steps_by_measured_speeds(void **state)
{
    (void)state;
    struct trace_row row;
    struct trace_reader *reader =
        first("ResNet-18 (batch size 256)\tpython3 main.py\timages\t--steps\t1"
              "\t10300\t1\t2\t7200.000000\t30\n",
              NULL, "gavel", &row);
    assert_int_equal(row.submitted, 30 * SPAN_SECOND);
    assert_int_equal(row.deadline, 7200 * SPAN_SECOND);
    assert_true(text_is(row.priority, "2"));
    assert_true(row.derived);
    assert_true(row.duration > 999 * SPAN_SECOND &&
                row.duration < 1001 * SPAN_SECOND);
    assert_true(text_is(row.model, "ResNet-18"));
    assert_int_equal(row.batch_size, 256);
    trace_close(reader);
    reader = first("A3C\tpython3 main.py\t--max-steps\t0\t100\t5.0\t4\n",
                   "gavel:type=k80", "gavel", &row);
    /* no throughput of this job was measured on k80 */
    assert_int_equal(row.duration, TRACE_NO_TIME);
    assert_int_equal(row.deadline, TRACE_NO_TIME);
    trace_close(reader);
}

static const char long_swf[] =
    "1 0 5 60 16 -1 -1 16 100 2048 1 3 1 7 1 1 -1 -1 8 A100 high\n";

static void swf_takes_values_from_further_fields(void **state)
{
    (void)state;
    struct trace_row row;
    char note[TRACE_NOTE_MAX];
    struct trace_reader *reader = first(long_swf, NULL, "swf", &row);
    assert_int_equal(row.gpus, 16);
    assert_true(row.mem_mib == 32);
    trace_note(reader, note);
    assert_non_null(strstr(note, "1 lines have more than 18 fields"));
    trace_close(reader);
    reader = first(long_swf, "swf:gpus=19,gpu_type=20,priority=21,vc_field=15",
                   "swf", &row);
    assert_int_equal(row.gpus, 8);
    assert_true(row.mem_mib == 32);
    assert_true(text_is(row.gpu_type, "A100"));
    assert_true(text_is(row.priority, "high") && text_is(row.vc, "1"));
    trace_close(reader);
}

static void slurm_keeps_priority_and_memory(void **state)
{
    (void)state;
    struct trace_row row;
    struct trace_reader *reader =
        first("JobID|Submit|State|Elapsed|AllocTRES|Priority\n"
              "5|2024-05-01T10:00:00|COMPLETED|1-00:00:10|"
              "cpu=8,gres/gpu=2,mem=64G,node=1|4294\n",
              NULL, "slurm", &row);
    assert_true(row.mem_mib == 65536);
    assert_true(text_is(row.priority, "4294"));
    assert_int_equal(row.cpus, 8);
    trace_close(reader);
    reader = first(
        "{\"jobs\": [{\"job_id\": 5, \"priority\": {\"set\": true, "
        "\"infinite\": false, \"number\": 17}, \"time\": {\"submission\": "
        "10, \"start\": 20, \"end\": 30, \"elapsed\": 10}, \"tres\": "
        "{\"allocated\": [{\"type\": \"mem\", \"name\": null, \"count\": "
        "512}, {\"type\": \"gres\", \"name\": \"gpu\", \"count\": 1}]}}]}",
        NULL, "slurm-json", &row);
    assert_true(row.mem_mib == 512);
    assert_true(text_is(row.priority, "17"));
    trace_close(reader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(itp_deadlines_count_from_the_collection),
        cmocka_unit_test(pai_names_cut_run_times),
        cmocka_unit_test(spot_counts_the_gpus_of_all_workers),
        cmocka_unit_test(spot_refuses_an_empty_number_of_workers),
        cmocka_unit_test(gavel_divides_steps_by_measured_speeds),
        cmocka_unit_test(swf_takes_values_from_further_fields),
        cmocka_unit_test(slurm_keeps_priority_and_memory),
    };
    return cmocka_run_group_tests(tests, temp_path_make, temp_path_remove);
}
