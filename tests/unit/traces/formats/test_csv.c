/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests the format csv, which reads columns by a map. */
#include "tests/support/temp_path.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "traces/trace.h"

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* Reads the first row of `text` by a map. The texts of the row are valid until
 * the returned reader is closed. */
static struct trace_reader *first(const char *text, const char *map,
                                  struct trace_row *row)
{
    struct trace_reader *reader;
    struct error err;
    char spec[512];
    put(temp_path, text);
    snprintf(spec, sizeof spec, "csv:%s", map);
    if (trace_open(temp_path, spec, &reader, &err) != STATUS_OK ||
        trace_next(reader, row, &err) != STATUS_OK)
        fail_msg("%s", err.message);
    return reader;
}

/* Checks that the first row, or the map, gives an error with these words. */
static void expect_error(const char *text, const char *map, const char *words)
{
    struct trace_reader *reader = NULL;
    struct trace_row row;
    struct error err;
    char spec[512];
    put(temp_path, text);
    snprintf(spec, sizeof spec, "csv:%s", map);
    enum status st = trace_open(temp_path, spec, &reader, &err);
    if (st == STATUS_OK) {
        st = trace_next(reader, &row, &err);
        trace_close(reader);
    }
    assert_true(st == STATUS_BAD_INPUT || st == STATUS_USAGE);
    if (!strstr(err.message, words))
        fail_msg("'%s' has no '%s'", err.message, words);
}

static void names_may_have_blanks_and_cells_quotes(void **state)
{
    (void)state;
    struct trace_row row;
    struct trace_reader *reader =
        first("\"Job, ID\";Who; GPU count ;\"When: start\";Took\n"
              "\"7; b\";ann;4;2024-05-01T10:00:00.5Z;1-00:00:01\n",
              "submit=\"When: start\",gpus=GPU count,duration=Took,"
              "user=Who,id=#1",
              &row);
    assert_true(text_is(row.source_id, "7; b") && text_is(row.user, "ann"));
    assert_int_equal(row.gpus, 4);
    assert_int_equal(row.duration, 86401 * SPAN_SECOND);
    assert_int_equal(row.submitted,
                     INT64_C(1714557600) * SPAN_SECOND + SPAN_SECOND / 2);
    trace_close(reader);
}

static void gpus_are_products_of_columns(void **state)
{
    (void)state;
    struct trace_row row;
    char note[TRACE_NOTE_MAX];
    struct trace_reader *reader = first(
        "t,n,percent,d,mem\n1,3,50,60,64G\n",
        "submit=t,gpus=n*percent*0.01,duration=d:min,mem=mem,nodes=n", &row);
    assert_int_equal(row.gpus, 2); /* 1.5 is rounded up */
    assert_int_equal(row.nodes, 3);
    assert_int_equal(row.duration, 3600 * SPAN_SECOND);
    assert_true(row.mem_mib == 65536);
    trace_note(reader, note);
    assert_string_equal(note, "csv: 1 numbers of GPUs rounded up");
    assert_int_equal(trace_rare_facts(reader), TRACE_BIT(MEM));
    trace_close(reader);
    trace_close(
        first("t,g,d\n1,,60\n", "submit=t,gpus=g:or=0,duration=d", &row));
    assert_int_equal(row.gpus, 0);
    trace_close(first("t,d\n1,60\n", "submit=t,gpus=8,duration=d", &row));
    assert_int_equal(row.gpus, 8);
    trace_close(first("t,g,d,m\n1,gpu:a100:4,60,2048\n",
                      "submit=t,gpus=g*2:gres,duration=d,mem=m:kib", &row));
    assert_int_equal(row.gpus, 8);
    assert_true(row.mem_mib == 2);
    trace_close(first("t;g;d\n1;cpu=8,gres/gpu=2;60\n",
                      "submit=t,gpus=g:tres,duration=d", &row));
    assert_int_equal(row.gpus, 2);
}

static void times_have_units_and_origins(void **state)
{
    (void)state;
    struct trace_row row;
    trace_close(first("t,s,e,g\n1714557600000,1714557600500000,"
                      "1714557660500000000,1\n",
                      "submit=t:ms,start=s:us,end=e:ns,gpus=g", &row));
    assert_int_equal(row.submitted, INT64_C(1714557600) * SPAN_SECOND);
    assert_int_equal(row.queue, SPAN_SECOND / 2);
    assert_int_equal(row.duration, 60 * SPAN_SECOND);
    trace_close(first("t,d,g\n1.5,2,1\n",
                      "submit=t:h,origin=2024-05-01,duration=d:d,gpus=g",
                      &row));
    assert_int_equal(row.submitted, INT64_C(1714527000) * SPAN_SECOND);
    assert_int_equal(row.duration, 2 * SPAN_DAY);
    trace_close(first("t,d,g\n01.05.2024 10:00,2,1\n",
                      "submit=t,date=%d.%m.%Y %H:%M,zone=+02:00,duration=d,"
                      "gpus=g",
                      &row));
    assert_int_equal(row.submitted, INT64_C(1714550400) * SPAN_SECOND);
    trace_close(first("t,d,g,due\n10,20,1,60\n",
                      "submit=t,duration=d,gpus=g,due=due", &row));
    assert_int_equal(row.deadline, 50 * SPAN_SECOND);
}

static void lengths_are_written_in_many_ways(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double seconds;
    } good[] = {
        {"1-02:03:04", 93784}, {"00:10", 10},
        {"10:00:00", 36000},   {"1 day, 2:03:04", 93784},
        {"2 days", 172800},    {"2 days 00:00:01.5", 172801.5},
        {"99:59:59", 359999},
    };
    static const char *const bad[] = {"5",    "1-",    "1:2:3:4",  "a:b",
                                      "1::2", "-1:00", "1 day, x", "1-2-3:4"};
    struct trace_row row;
    char text[64];
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        snprintf(text, sizeof text, "t;g;d\n1;1;%s\n", good[i].text);
        trace_close(first(text, "submit=t,gpus=g,duration=d:clock", &row));
        assert_true(span_seconds(row.duration) == good[i].seconds);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(text, sizeof text, "t;g;d\n1;1;%s\n", bad[i]);
        expect_error(text, "submit=t,gpus=g,duration=d:clock",
                     "is not a time [D-]HH:MM:SS");
    }
}

static void only_two_parts_are_hours_and_minutes(void **state)
{
    (void)state;
    struct trace_row row;
    trace_close(
        first("t,d,g\n1,02:30,1\n", "submit=t,duration=d:hm,gpus=g", &row));
    assert_int_equal(row.duration, 9000 * SPAN_SECOND);
    trace_close(
        first("t,d,g\n1,02:30:10,1\n", "submit=t,duration=d:hm,gpus=g", &row));
    assert_int_equal(row.duration, 9010 * SPAN_SECOND);
}

static void gpus_and_memory_are_written_in_many_ways(void **state)
{
    (void)state;
    static const struct {
        const char *gpus, *form, *type;
        uint32_t n;
    } gpus[] = {
        {"4x A100", "text", "A100", 4},
        {"A100 \xc3\x97 4", "text", "A100", 4},
        {"8 GPUs\xc3", "text", "", 8},
        {"4xA100 (SXM)", "text", "A100", 4},
        {"nodes=2:ngpus=4", "request", "", 8},
        {"select=3:ncpus=8:ngpus=2", "request", "", 6},
        {"nvidia.com/gpu=2", "request", "", 2},
        {"2:ngpus=4+1:ngpus=2", "request", "", 10},
        {"walltime=2:ngpus=4", "request", "", 4},
        {"ngpus=-1", "request", "", 0},
        {"[0; 1; 2]", "list", "", 3},
        {"cpu=8,gres/gpu:h100=2", "tres", "h100", 2},
        {"gpu:v100:3", "gres", "v100", 3},
    };
    static const struct {
        const char *text;
        double mib;
    } memory[] = {{"4000Mc", 4000}, {"4000Mn", 4000}, {"64GB", 65536},
                  {"64GiB", 65536}, {"2048K", 2},     {"1T", 1048576},
                  {"512", 512},     {"1.5 g", 1536}};
    struct trace_row row;
    char text[128], map[128];
    for (size_t i = 0; i < sizeof gpus / sizeof *gpus; i++) {
        snprintf(text, sizeof text, "t|g|d\n1|%s|5\n", gpus[i].gpus);
        snprintf(map, sizeof map, "submit=t,gpus=g:%s,duration=d",
                 gpus[i].form);
        struct trace_reader *reader = first(text, map, &row);
        if (row.gpus != gpus[i].n || !text_is(row.gpu_type, gpus[i].type))
            fail_msg("%s: %u '%.*s'", gpus[i].gpus, row.gpus,
                     TEXT_ARGS(row.gpu_type));
        trace_close(reader);
    }
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) {
        snprintf(text, sizeof text, "t|m|d\n1|%s|5\n", memory[i].text);
        trace_close(first(text, "submit=t,gpus=1,duration=d,mem=m", &row));
        assert_true(row.mem_mib == memory[i].mib);
    }
}

static void cells_and_names_are_separated_as_the_map_says(void **state)
{
    (void)state;
    static const struct {
        const char *text, *map;
    } cases[] = {
        {"t g d\n7 2 5\n", "sep=space,submit=t,gpus=g,duration=d"},
        {"t;g;d\n7;2;5\n", "sep=semicolon,submit=t,gpus=g,duration=d"},
        {"t|g|d\n7|2|5\n", "sep=bar,submit=t,gpus=g,duration=d"},
        {"t~g~d\n7~2~5\n", "sep=~,submit=t,gpus=g,duration=d"},
        {"7,2,5\n", "header=t,submit=t,gpus=#2,duration=#3"},
        {"t;g;d\n7,0;2;1.005,0\n",
         "decimal=comma,submit=t,gpus=g,duration=d:ms,sep=semicolon"},
        /* Not written with a comma: two of them, letters, 64 bytes. */
        {"t;g;d;i;v;n\n7;2;5;1,2,3;a,b;"
         "0000000000000000000000000000000000000000000000000000000000000000,5\n",
         "decimal=comma,submit=t,gpus=g,duration=d,id=i,vc=v,name=n,"
         "sep=semicolon"},
    };
    struct trace_row row;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trace_reader *reader = first(cases[i].text, cases[i].map, &row);
        assert_int_equal(row.submitted, 7 * SPAN_SECOND);
        assert_int_equal(row.gpus, 2);
        if (i != 5)
            assert_int_equal(row.duration, 5 * SPAN_SECOND);
        else
            assert_int_equal(row.duration, 1005 * SPAN_SECOND / 1000);
        if (i == 6)
            assert_true(text_is(row.source_id, "1,2,3") &&
                        text_is(row.vc, "a,b") && row.name.len == 66);
        trace_close(reader);
    }
}

static void rows_of_one_id_are_joined(void **state)
{
    (void)state;
    static const struct {
        const char *same, *rows;
        /* seconds; -1: not known */
        int submitted, queue, duration;
        uint32_t gpus, nodes, attempts;
    } cases[] = {
        {"parts", "10,5,20,4,,a,\n10,7,30,4,2,a,\n", 10, 5, 32, 8, 3, 0},
        {"parts", "10,7,30,4,2,a,\n10,5,20,4,,a,\n", 10, 5, 32, 8, 3, 0},
        {"parts", "10,5,,4,1,a,\n8,,30,4,1,a,\n", 8, 7, 30, 8, 2, 0},
        {"parts", "10,,30,4,1,a,\n10,,20,4,1,a,\n", 10, -1, 30, 8, 2, 0},
        {"parts", "10,,20,4,1,a,\n10,,30,4,1,a,\n", 10, -1, 30, 8, 2, 0},
        {"parts", "10,5,30,4,1,a,\n10,5,,4,1,a,\n", 10, 5, 30, 8, 2, 0},
        {"parts", "10,5,,4,1,a,\n10,5,30,4,1,a,\n", 10, 5, 30, 8, 2, 0},
        {"parts", "10,5,30,4,1,,\n10,5,30,4,1,,\n", 10, 5, 30, 4, 1, 0},
        {"attempts", "10,5,20,4,1,a,\n12,10,30,0,2,a,\n", 10, 12, 30, 4, 2, 2},
        {"attempts", "10,,20,4,1,a,\n12,,30,2,1,a,\n", 10, -1, 30, 2, 1, 2},
        {"attempts", "12,,20,4,1,a,\n10,,30,2,1,a,\n", 10, -1, 20, 4, 1, 2},
        {"attempts", "10,5,20,4,1,a,\n12,,30,2,1,a,\n", 10, -1, 30, 2, 1, 2},
        {"attempts", "10,5,20,4,1,a,\n12,10,,2,1,a,\n", 10, 5, 20, 4, 1, 2},
        {"attempts", "10,15,20,4,1,a,3\n12,1,30,2,1,a,\n", 10, 15, 20, 4, 1, 4},
        {"first", "10,5,20,4,1,a,\n12,10,30,8,1,a,\n", 10, 5, 20, 4, 1, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trace_row row;
        char text[128], map[128];
        snprintf(text, sizeof text, "t,w,d,g,n,i,a\n%s", cases[i].rows);
        snprintf(map, sizeof map,
                 "submit=t,wait=w,duration=d,gpus=g,nodes=n,id=i,attempts=a,"
                 "same=%s",
                 cases[i].same);
        trace_close(first(text, map, &row));
        const int queue =
            row.queue == TRACE_NO_TIME ? -1 : (int)(row.queue / SPAN_SECOND);
        if (row.submitted != cases[i].submitted * SPAN_SECOND ||
            queue != cases[i].queue ||
            row.duration != cases[i].duration * SPAN_SECOND ||
            row.gpus != cases[i].gpus || row.nodes != cases[i].nodes ||
            row.attempts != cases[i].attempts)
            fail_msg("%s: %g %d %g %u %u %u", cases[i].rows,
                     span_seconds(row.submitted), queue,
                     span_seconds(row.duration), row.gpus, row.nodes,
                     row.attempts);
    }
    expect_error("t,d,g,i\n", "submit=t,duration=d,gpus=g,id=i,same=all",
                 "same: 'all' is not");
}

static void the_note_says_what_was_taken_for_what(void **state)
{
    (void)state;
    struct trace_row row;
    struct error err;
    char note[TRACE_NOTE_MAX];
    struct trace_reader *reader = first(
        "t,g,d,s\n2024-10-27 02:30:00,1.5,5,RUNNING\n"
        "2024-10-27 02:30:00,1,5,a word of more than thirty bytes or two\n",
        "submit=t,gpus=g*1,duration=d,state=s,zone=Europe/Berlin", &row);
    assert_int_equal(row.submitted, INT64_C(1729989000) * SPAN_SECOND);
    assert_int_equal(trace_next(reader, &row, &err), STATUS_OK);
    trace_note(reader, note);
    assert_string_equal(
        note, "csv: dates without a zone are taken as Europe/Berlin; 2 dates "
              "of a repeated hour taken as the earlier; 1 ends of unknown "
              "words, such as 'a word of more than thirty byt'; 1 jobs had not "
              "ended; 1 numbers of GPUs rounded up");
    trace_close(reader);
}

static enum trace_end end_of(const char *word, const char *map)
{
    struct trace_row row;
    char text[128], spec[256];
    snprintf(text, sizeof text, "t,d,g,s\n1,2,1,%s\n", word);
    snprintf(spec, sizeof spec, "submit=t,duration=d,gpus=g,state=s%s", map);
    trace_close(first(text, spec, &row));
    if (row.duration == TRACE_NO_TIME)
        return (enum trace_end)99; /* the job had not ended */
    return row.end;
}

static void ends_are_common_words_or_those_of_the_map(void **state)
{
    (void)state;
    assert_int_equal(end_of("Succeeded", ""), TRACE_END_COMPLETED);
    assert_int_equal(end_of("COMPLETED", ""), TRACE_END_COMPLETED);
    assert_int_equal(end_of("error", ""), TRACE_END_FAILED);
    assert_int_equal(end_of("Cancelled by 12", ""), TRACE_END_CANCELLED);
    assert_int_equal(end_of("Running", ""), 99);
    assert_int_equal(end_of("odd", ""), TRACE_END_UNKNOWN);
    assert_int_equal(end_of("-", ""), TRACE_END_UNKNOWN);
    const char *map = ":ok=A+\"b:c\":failed=D:running=E";
    assert_int_equal(end_of("a", map), TRACE_END_COMPLETED);
    assert_int_equal(end_of("b:c", map), TRACE_END_COMPLETED);
    assert_int_equal(end_of("D", map), TRACE_END_FAILED);
    assert_int_equal(end_of("E", map), 99);
    assert_int_equal(end_of("b", ":ok=\"a\"+b"), TRACE_END_COMPLETED);
    assert_int_equal(end_of("COMPLETED", map), TRACE_END_UNKNOWN);
}

static void files_without_a_header_have_numbers(void **state)
{
    (void)state;
    struct trace_row row;
    struct trace_reader *reader =
        first("\n5|ann|2|60\n6|bob|4|60\n",
              "header=no,submit=#1,gpus=#3,duration=#4,user=#2", &row);
    assert_int_equal(row.submitted, 5 * SPAN_SECOND);
    assert_true(text_is(row.user, "ann") && row.gpus == 2 && row.line == 2);
    trace_close(reader);
    reader = first("5|ann|2|60\n",
                   "header=t+who+g+d,submit=t,gpus=g,"
                   "duration=d,user=who,missing=ann",
                   &row);
    assert_int_equal(row.user.len, 0);
    trace_close(reader);
}

static void maps_are_shared_as_files(void **state)
{
    (void)state;
    struct trace_row row;
    char path[4200], map[4400];
    snprintf(path, sizeof path, "%s.json", temp_path);
    put(path, "{\"comment\": \"ours\", \"submit\": \"t:ms\", \"gpus\": "
              "\"g\",\n \"duration\": \"\\\"a, b\\\"\", \"vc\": \"v\"}");
    snprintf(map, sizeof map, "map=%s,vc=w", path);
    struct trace_reader *reader =
        first("t,g,\"a, b\",v,w\n1000,4,60,x,y\n", map, &row);
    assert_int_equal(row.submitted, SPAN_SECOND);
    assert_int_equal(row.duration, 60 * SPAN_SECOND);
    assert_true(text_is(row.vc, "y"));
    trace_close(reader);
    put(path, "{\"submit\": \"t\",\n \"gpu\": \"g\"}");
    expect_error("t,g\n", map, ".json:2:2: no key 'gpu'; did you mean 'gpus'?");
    put(path, "{\"submit\": 5}");
    expect_error("t,g\n", map, ".json:1:2: submit: a text is expected");
    put(path, "[]");
    expect_error("t,g\n", map, ".json:1:1: a column map is a JSON object");
    put(path, "{");
    expect_error("t,g\n", map, ".json:1:");
    unlink(path);
    expect_error("t,g\n", map, ".json");
}

static void mistakes_of_a_map_name_the_place(void **state)
{
    (void)state;
    static const char text[] = "when,gpus,took,twice,twice\n1,2,3,4,5\n";
#define REST ",gpus=gpus,duration=took"
    static const struct {
        const char *map, *words;
    } cases[] = {
        {"gpus=gpus", "the map lacks submit="},
        {"submit=when", "the map lacks gpus="},
        {"submit=when,gpus=gpus,start=when", "lacks duration=, or start="},
        {"submit=wehn" REST,
         ":1:1: header: no column 'wehn' for submit=; did you mean 'when'?"},
        {"submit=zzzzzz" REST, "it has when, gpus, took, twice, twice"},
        {"submit=#9" REST, "no column '#9'"},
        {"submit=twice" REST, "#4 and #5 tell them apart"},
        {"submit=when:clock" REST, "submit: 'when:clock': a unit is expected"},
        {"submit=when*2" REST, "only numbers can be multiplied"},
        {"submit=\"when" REST, "submit: '\"when': a column is expected"},
        {"submit=when,gpus=gpus*,duration=took", "expected after '*'"},
        {"submit=when,gpus=gpus:x,duration=took",
         "or=NUMBER, gres, tres, text"},
        {"submit=when,gpus=gpus:or=x,duration=took", "or=NUMBER, gres"},
        {"submit=when,state=took:fine=X" REST, "ok=WORD+WORD, failed="},
        {"submit=when,user=took:s" REST, "a text has no unit"},
        {"submit=when,sep=xx" REST, "sep: 'xx' is not comma"},
        {"submit=when,zone=Mars/North" REST, "zone: 'Mars/North' is no offset"},
        {"submit=when,origin=soon" REST, "origin: 'soon' is not a date"},
        {"submit=when" REST ",mem=took:stone", "b, kib, mib, gib, tib"},
        {"submit=when:hm" REST, "a unit is expected: date, s, ms"},
        {"submit=when:weeks" REST, "a unit is expected: date, s, ms"},
        {"submit=when,gpus=gpus,duration=took:date", "expected: clock, hm, s"},
        {"submit=when,gpus=gpus,duration=took:weeks", "expected: clock, hm"},
        {"submit=when,gpus=1*2*3*4*5,duration=took", "more than 4 factors"},
        {"submit=when,state=took:ok=" REST, "ok=WORD+WORD, failed="},
        {"submit=\"when\"x" REST, "'*' or ':' is expected after a quote"},
        {"submit=#0" REST, "no column '#0' for submit="},
        {"submit=#x" REST, "no column '#x' for submit="},
        {"submit=#9999999999" REST, "no column '#9999999999' for submit="},
        {"submit=when" REST ",decimal=point", "decimal: 'point' is not comma"},
        {"submit=when" REST ",same=first", "same=first needs id=COLUMN"},
        {"submit=when,sep=\"" REST, "sep: '\"' is not comma, semicolon, tab"},
        {"submit=when" REST
         ",missing=a+b+c+d+e+f+g+h+i+j+k+l+m+n+o+p+q+r+s+t+u+v+w+x+y+z",
         "missing: more than 17 words"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_error(text, cases[i].map, cases[i].words);
}

static void mistakes_of_a_cell_name_the_place(void **state)
{
    (void)state;
    expect_error("t,g,d\n1714557600000,1,1\n", "submit=t,gpus=g,duration=d",
                 ":2:1: t: '1714557600000' s is more than 100 years; if the "
                 "column counts in smaller units, write ':ms'");
    expect_error("t,g,d\n1,,1\n", "submit=t,gpus=g*2,duration=d",
                 ":2:3: g: empty; a number of GPUs is expected");
    expect_error("t,g,d\n1,1,1x\n", "submit=t,gpus=g,duration=d",
                 ":2:5: d: '1x' is not a time [D-]HH:MM:SS and not a number");
    expect_error("t,g,d\n1,-2,1\n", "submit=t,gpus=g*2,duration=d",
                 ":2:3: g: gpus= gives -4");
    expect_error("t,g,n,d\n1,2,x,1\n", "submit=t,gpus=g*n,duration=d",
                 ":2:5: n: 'x' is not a number");
    expect_error("t,g,d\n1,a few,1\n", "submit=t,gpus=g:text,duration=d",
                 ":2:3: g: 'a few' has no number of GPUs");
    expect_error("t;g;d\n1;cpu=x,gres/gpu=2;1\n",
                 "submit=t,gpus=g:tres,duration=d",
                 ":2:3: g: 'cpu=x,gres/gpu=2' is not a list such as cpu=8");
    expect_error("t,g,d,m\n1,1,1,5 stones\n",
                 "submit=t,gpus=g,duration=d,mem=m",
                 ":2:7: m: '5 stones' is not a number");
    expect_error("t,g,d\n1e99,1,1\n", "submit=t:ms,gpus=g,duration=d",
                 ":2:1: t: '1e99' is not a number of milliseconds");
    expect_error("t,g,d\n1,1,1:00\n", "submit=t,gpus=g,duration=d:min",
                 ":2:5: d: '1:00' is not a number of minutes");
    expect_error("t,g,d\n1714557600,1,1\n", "submit=t:date,gpus=g,duration=d",
                 ":2:1: t: '1714557600' is not a date (YYYY-MM-DD HH:MM:SS)");
    expect_error("t,g,d\n2024-05-01,1,1\n",
                 "submit=t:date,date=%d.%m.%Y,gpus=g,duration=d",
                 ":2:1: t: '2024-05-01' is not a date (%d.%m.%Y)");
    expect_error("t,g,d\n1714557600000000,1,1\n", "submit=t,gpus=g,duration=d",
                 "write ':us' after its name");
    expect_error("t,g,d\n1714557600000000000,1,1\n",
                 "submit=t,gpus=g,duration=d", "write ':ns' after its name");
    expect_error("t,g,d\n5e13,1,1\n", "submit=t,gpus=g,duration=d",
                 ":2:1: t: '5e13' is not a date (YYYY-MM-DD HH:MM:SS) and not "
                 "a number of seconds");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_may_have_blanks_and_cells_quotes),
        cmocka_unit_test(gpus_are_products_of_columns),
        cmocka_unit_test(times_have_units_and_origins),
        cmocka_unit_test(lengths_are_written_in_many_ways),
        cmocka_unit_test(only_two_parts_are_hours_and_minutes),
        cmocka_unit_test(gpus_and_memory_are_written_in_many_ways),
        cmocka_unit_test(cells_and_names_are_separated_as_the_map_says),
        cmocka_unit_test(rows_of_one_id_are_joined),
        cmocka_unit_test(the_note_says_what_was_taken_for_what),
        cmocka_unit_test(ends_are_common_words_or_those_of_the_map),
        cmocka_unit_test(files_without_a_header_have_numbers),
        cmocka_unit_test(maps_are_shared_as_files),
        cmocka_unit_test(mistakes_of_a_map_name_the_place),
        cmocka_unit_test(mistakes_of_a_cell_name_the_place),
    };
    return cmocka_run_group_tests(tests, temp_path_make, temp_path_remove);
}
