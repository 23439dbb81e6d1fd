/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests that the reader of each format fills the fields that its columns have.
 */
#include "tests/support/temp_path.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/out.h"
#include "traces/trace.h"

static void put_bytes(struct text t)
{
    FILE *file = fopen(temp_path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(t.at, 1, t.len, file), t.len);
    assert_int_equal(fclose(file), 0);
}

/* Reads the first row of `text`. The texts of the row are valid until the
 * returned reader is closed. */
static struct trace_reader *first(const char *text, const char *spec,
                                  const char *format, struct trace_row *row)
{
    struct trace_reader *reader;
    struct error err;
    put_bytes(text_from(text));
    if (trace_open(temp_path, spec, &reader, &err) != STATUS_OK ||
        trace_next(reader, row, &err) != STATUS_OK)
        fail_msg("%s", err.message);
    assert_string_equal(trace_format(reader)->name, format);
    return reader;
}

static void expect_times(const struct trace_row *row, const char *submitted,
                         double duration, double queue)
{
    char at[TIME_TEXT_MAX];
    time_to_text(row->submitted, at);
    assert_string_equal(at, submitted);
    assert_true(span_seconds(row->duration) == duration);
    if (queue < 0)
        assert_true(row->queue == TRACE_NO_TIME);
    else
        assert_true(span_seconds(row->queue) == queue);
}

static const char kalos[] =
    "job_id,user,node_num,gpu_num,cpu_num,mem_per_pod_GB,shared_mem_per_pod,"
    "type,state,submit_time,start_time,end_time,fail_time,stop_time,duration,"
    "queue,gpu_time\n"
    "a,u,8,64,960,1000,100.0,Other,FAILED,2023-05-17 11:00:58+00:00,2023-05-17 "
    "11:01:08+00:00,2023-05-17 11:01:16+00:00,,,18,10.0,1152.0\n";

static void kalos_counts_waiting_as_duration_and_seren_does_not(void **state)
{
    (void)state;
    struct trace_row row;
    trace_close(first(kalos, NULL, "kalos", &row));
    expect_times(&row, "2023-05-17 11:00:58", 8, 10);
    assert_int_equal(row.gpus, 64);
    assert_int_equal(row.end, TRACE_END_FAILED);
    trace_close(first(kalos, "acme:cluster=seren", "acme", &row));
    expect_times(&row, "2023-05-17 11:00:58", 18, 10);
    trace_close(first("job_id,user,node_num,gpu_num,cpu_num,type,state,"
                      "submit_time,start_time,end_time,duration,queue,gpu_time"
                      "\n1,u,1,8,128,Other,FAILED,2023-03-01 00:18:22+08:00,"
                      "2023-03-01 00:18:54+08:00,2023-03-01 00:20:51+08:00,"
                      "117,32,936.0\n",
                      NULL, "acme", &row));
    expect_times(&row, "2023-02-28 16:18:22", 117, 32);
}

static void helios_is_eight_hours_ahead(void **state)
{
    (void)state;
    struct trace_row row;
    const char *text = "job_id,user,vc,jobname,gpu_num,cpu_num,node_num,state,"
                       "submit_time,start_time,end_time,duration,queue\n"
                       "9,u,v,n,16,64,2.0,CANCELLED,2020-04-01 03:00:00,"
                       "2020-04-01 03:00:07,2020-04-01 03:01:07,,\n";
    struct trace_reader *reader = first(text, NULL, "helios", &row);
    expect_times(&row, "2020-03-31 19:00:00", 60, 7);
    assert_int_equal(row.nodes, 2);
    assert_int_equal(row.end, TRACE_END_CANCELLED);
    assert_true(text_is(row.name, "n"));
    trace_close(reader);
    trace_close(first(text, "helios:utc_offset_h=-1.5", "helios", &row));
    expect_times(&row, "2020-04-01 04:30:00", 60, 7);
}

static const char philly[] =
    "[{\"status\":\"Killed\",\"vc\":\"v\",\"jobid\":\"j\",\"attempts\":["
    "{\"start_time\":\"2017-11-05 01:50:00\",\"end_time\":\"2017-11-05 "
    "01:10:00\",\"detail\":[{\"ip\":\"m1\",\"gpus\":[\"gpu0\"]},{\"ip\":\"m2\","
    "\"gpus\":[\"gpu0\",\"gpu1\"]}]},"
    "{\"start_time\":\"None\",\"end_time\":\"2017-11-05 03:00:00\","
    "\"detail\":[]},"
    "{\"start_time\":\"2017-11-05 04:00:00\",\"end_time\":\"2017-11-05 "
    "04:01:00\",\"detail\":[{\"ip\":\"m1\",\"gpus\":[\"gpu3\"]}]}],"
    "\"submitted_time\":\"2017-11-05 01:40:00\",\"user\":\"u\"},\n"
    "{\"status\":\"Pass\",\"vc\":null,\"jobid\":\"k\",\"attempts\":[],"
    "\"submitted_time\":\"2017-10-08 16:10:00\",\"user\":\"u\"}]";

/* The first attempt begins before clocks are set back, and ends after. */
static void philly_sums_complete_attempts_on_pacific_time(void **state)
{
    (void)state;
    struct trace_row row;
    struct error err;
    struct trace_reader *reader = first(philly, NULL, "philly", &row);
    expect_times(&row, "2017-11-05 08:40:00", 20 * 60 + 60, 10 * 60);
    assert_int_equal(row.gpus, 3);
    assert_int_equal(row.attempts, 3);
    assert_int_equal(row.end, TRACE_END_CANCELLED);
    assert_true(text_is(row.source_id, "j"));
    assert_int_equal(trace_next(reader, &row, &err), STATUS_OK);
    assert_int_equal(row.line, 2);
    assert_int_equal(row.gpus, 0);
    assert_true(row.duration == TRACE_NO_TIME);
    assert_int_equal(trace_next(reader, &row, &err), STATUS_END);
    trace_close(reader);
    /* duration=span: from the first start, 08:50 UTC, to the last end, 12:01
     * UTC */
    trace_close(first(philly, "philly:duration=span", "philly", &row));
    expect_times(&row, "2017-11-05 08:40:00", (3 * 60 + 11) * 60, 10 * 60);
}

static void muri_counts_milliseconds(void **state)
{
    (void)state;
    struct trace_row row;
    const char *text = "job_id,num_gpu,submit_time,iterations,model_name,"
                       "batch_size,duration,interval,iteration_time,"
                       "resource_time_0,resource_time_1,resource_time_2,"
                       "priority\n3,8,201694000,5,dqn,128,4472936999,0,5,4,8,"
                       "0.5,0\n";
    trace_close(first(text, NULL, "muri", &row));
    expect_times(&row, "1970-01-03 08:01:34", 4472936, -1);
    trace_close(first(text, "muri:epoch_s=1503091218,whole_seconds=false",
                      "muri", &row));
    expect_times(&row, "2017-08-21 05:21:52", 4472936.999, -1);
}

static void sia_takes_run_times_from_profiles(void **state)
{
    (void)state;
    struct trace_row row;
    const char *text = "name,time,application,num_replicas,batch_size\n"
                       "bert-0,487.661836,bert,16,384\n";
    trace_close(first(text, NULL, "sia", &row));
    assert_int_equal(row.submitted, 487661836);
    assert_int_equal(row.elasticity, JOB_ADAPTIVE);
    assert_true(row.duration > 20 * 60 * SPAN_SECOND &&
                row.duration < SPAN_HOUR);
    sim_span sixteen = row.duration;
    /* 13 GPUs are interpolated between 12 and 14; 65 are outside the
     * profiles. */
    sim_span times[4];
    static const char *const gpus[] = {"12", "13", "14", "65"};
    for (size_t i = 0; i < 4; i++) {
        char other[128];
        snprintf(other, sizeof other,
                 "name,time,application,num_replicas,batch_size\n"
                 "bert-0,0,bert,%s,384\n",
                 gpus[i]);
        trace_close(first(other, NULL, "sia", &row));
        times[i] = row.duration;
    }
    assert_true(times[0] > times[1] && times[1] > times[2] &&
                times[2] > sixteen);
    assert_true(times[3] == TRACE_NO_TIME);
    trace_close(first(text, "sia:derive_duration=false", "sia", &row));
    assert_true(row.duration == TRACE_NO_TIME);
}

static void swf_counts_from_its_start_time(void **state)
{
    (void)state;
    struct trace_row row;
    const char *text = "; UnixStartTime: 1000000000\n;\n\n"
                       "  5 60 -1 30 8 -1 -1 -1 90 -1 5 7 2 3 4 6 -1 -1\r\n";
    struct trace_reader *reader = first(text, "swf:vc=queue", "swf", &row);
    expect_times(&row, "2001-09-09 01:47:40", 30, -1);
    assert_int_equal(row.gpus, 8);
    assert_int_equal(row.declared, 90 * SPAN_SECOND);
    assert_int_equal(row.end, TRACE_END_CANCELLED);
    assert_true(text_is(row.vc, "4"));
    trace_close(reader);
}

static void lucid_knows_what_a_job_uses(void **state)
{
    (void)state;
    struct trace_row row;
    trace_close(first("job_id,vc,user,gpu_num,submit_s,duration_s,model,dataset"
                      ",batchsize,amp,gpu_util,gmem_util,gmem\n"
                      "1000,p,u,1,10,244,W01,D1,32,1,7.5,4.0,1790.0\n",
                      "lucid:epoch_s=86400", "lucid", &row));
    expect_times(&row, "1970-01-02 00:00:10", 244, -1);
    assert_true(row.amp && row.gpu_util == 7.5 && row.gpu_mem_mib == 1790);
    trace_close(first("job_id,user,vc,jobname,gpu_num,cpu_num,state,"
                      "submit_time,duration,model,dataset,batchsize,amp,speed,"
                      "gpu_util,gmem_util,gmem\n1,u,v,n,2,8,COMPLETED,"
                      "2020-09-01 08:00:00,61,ResNet,CIFAR,64,0,3.5,20,10,900"
                      "\n",
                      NULL, "lucid", &row));
    expect_times(&row, "2020-09-01 00:00:00", 61, -1);
    assert_int_equal(row.end, TRACE_END_COMPLETED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kalos_counts_waiting_as_duration_and_seren_does_not),
        cmocka_unit_test(helios_is_eight_hours_ahead),
        cmocka_unit_test(philly_sums_complete_attempts_on_pacific_time),
        cmocka_unit_test(muri_counts_milliseconds),
        cmocka_unit_test(sia_takes_run_times_from_profiles),
        cmocka_unit_test(swf_counts_from_its_start_time),
        cmocka_unit_test(lucid_knows_what_a_job_uses),
    };
    return cmocka_run_group_tests(tests, temp_path_make, temp_path_remove);
}
