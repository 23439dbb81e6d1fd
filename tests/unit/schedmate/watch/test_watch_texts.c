/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests how the output of Slurm's commands is parsed, and how a log that grows
 * is read on. */
#include "tests/support/temp_path.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "schedmate/watch/watch_internal.h"

/* Returns the texts of a list, which it frees, joined by blanks. */
static const char *joined(json_t *list)
{
    static char words[300];
    size_t i, n = 0;
    json_t *one;
    words[0] = 0;
    json_array_foreach(list, i, one) n +=
        (size_t)snprintf(words + n, sizeof words - n, "%s%s", i ? " " : "",
                         json_string_value(one));
    json_decref(list);
    return words;
}

static void lists_of_nodes_are_expanded(void **state)
{
    static const char *const all[][2] = {
        {"n[1-3,07],m1", "n1 n2 n3 n07 m1"},
        {"n1", "n1"},
        {"n[3-1]", ""},
        {"n[x]", ""},
        {"n[1-x]", ""},
        {"n[4", "n4"},
        {"n]1,m", "n]1 m"},
        {"n[4294967295-4294967295]", "n4294967295"},
        {"n[0000000000001]", "n000000001"},
        {"", ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        assert_string_equal(joined(slurm_nodes(text_from(all[i][0]))),
                            all[i][1]);
    json_t *most = slurm_nodes(text_from("n[0-5000],m[1-3]"));
    assert_int_equal(json_array_size(most), 4096);
    json_decref(most);
}

static void gpus_are_those_of_each_group_of_nodes(void **state)
{
    static const char *const all[][2] = {
        {"JobId=1 Nodes=n[1-2] CPU_IDs=0 GRES=gpu:2(IDX:0-1) Nodes=m GRES="
         "gpu:1(IDX:3)",
         "n1:0 n1:1 n2:0 n2:1 m:3"},
        {"JobId=1 Nodes=n1 GRES=craynetwork:1(IDX:0)", ""},
        {"JobId=1 Nodes=n1 GRES=gpu:2", ""},
        {"JobId=1 Nodes=n1 GRES=gpu:2(IDX:x)", ""},
        {"JobId=1 Nodes=", ""},
        {"JobId=1", ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        assert_string_equal(joined(slurm_gpus(text_from(all[i][0]))),
                            all[i][1]);
}

static void values_end_before_the_next_key(void **state)
{
    static const char *const all[][3] = {
        {"JobId=7 JobName=a b=c StdOut=/x y Power=", "StdOut", "/x y"},
        {"JobId=7 JobName=a Name=b", "JobName", "a"},
        {"StdOut=/a StdOut=/b", "StdOut", "/b"},
        {"JobId=7 Reason=a 1=2 B", "Reason", "a 1=2 B"},
        {"JobId=7 Reason=a CPUs/Task=2", "Reason", "a"},
        {"JobId=7 Reason=a S:C:T=2", "Reason", "a"},
        {"JobId=7 Reason=a {x=2", "Reason", "a {x=2"},
        {"Comment=(null) X=1", "Comment", ""},
        {"xStdOut=/a", "StdOut", ""},
        {"StdOut", "StdOut", ""},
    };
    struct slurm_row row;
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct text value = slurm_value(text_from(all[i][0]), all[i][1]);
        if (!text_is(value, all[i][2]))
            fail_msg("%s: '%.*s'", all[i][0], TEXT_ARGS(value));
    }
    assert_true(slurm_time(text_from("1970-01-01T00:01:00")) == 60);
    assert_true(slurm_time(text_from("Unknown")) == -1);
    assert_true(slurm_queue_line(text_from("1|1|RUNNING|0|a|n1|None"), &row));
    assert_true(text_is(row.nodes, "n1") && row.uid == 0);
    assert_false(slurm_queue_line(text_from("1|1||0|a|n1|None"), &row));
    assert_false(slurm_queue_line(text_from("1|1|RUNNING|a|a"), &row));
    assert_false(slurm_queue_line(text_from("x|1|RUNNING|0|a"), &row));
}

static void write_log(const void *bytes, size_t n)
{
    FILE *file = fopen(temp_path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, n, file), n);
    assert_int_equal(fclose(file), 0);
}

static void begin(struct watch_file *file)
{
    struct stat about;
    assert_int_equal(stat(temp_path, &about), 0);
    *file = (struct watch_file){.path = temp_path,
                                .uid = UINT32_MAX,
                                .dev = about.st_dev,
                                .inode = about.st_ino};
}

static void take_line(void *self, struct watch_file *file, struct text line)
{
    (void)file;
    *(size_t *)self += line.len + 1;
}

static void logs_are_read_only_if_they_are_the_same(void **state)
{
    static const struct {
        const char *bytes;
        size_t n;
        enum follow_end end;
    } heads[] = {
        {"\x1f\x8b\x08", 3, FOLLOW_COMPRESSED},
        {"\x1f text", 6, FOLLOW_READ},
        {"\x28\xb5\x2f\xfd", 4, FOLLOW_COMPRESSED},
        {"\x28\xb5", 2, FOLLOW_READ},
        {"\xff\xfe"
         "a",
         3, FOLLOW_UTF16},
        {"\xfe\xff"
         "a",
         3, FOLLOW_UTF16},
        {"\xff"
         "b",
         2, FOLLOW_READ},
        {"\xfe"
         "b",
         2, FOLLOW_READ},
        {"", 0, FOLLOW_READ},
    };
    struct watch_file file;
    size_t got = 0;
    uint64_t bytes;
    const struct follow_request request = {
        .path = temp_path, .limit = 1u << 30, .line = take_line, .self = &got};
    (void)state;
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        write_log(heads[i].bytes, heads[i].n);
        begin(&file);
        assert_int_equal(follow_read(&file, &request, &bytes), heads[i].end);
    }
    write_log("one\ntwo\r", 8);
    begin(&file);
    got = 0;
    assert_int_equal(follow_read(&file, &request, &bytes), FOLLOW_READ);
    assert_int_equal(got, 4); /* "\r" may be the first half of "\r\n" */
    assert_true(follow_begins_same(&file, temp_path));
    write_log("One\ntwo\r\n", 9);
    assert_int_equal(follow_read(&file, &request, &bytes), FOLLOW_TRUNCATED);
    assert_false(follow_begins_same(&file, temp_path));
    assert_false(follow_begins_same(&file, "/none"));
    write_log("on", 2);
    assert_int_equal(follow_read(&file, &request, &bytes), FOLLOW_TRUNCATED);
    assert_false(follow_begins_same(&file, temp_path));
    file.offset = 2;
    assert_int_equal(follow_read(&file, &request, &bytes), FOLLOW_TRUNCATED);
    assert_false(follow_begins_same(&file, temp_path));
    file.uid = 12345;
    assert_int_equal(follow_read(&file, &request, &bytes), FOLLOW_FOREIGN);
    file.dev++;
    assert_int_equal(follow_read(&file, &request, &bytes), FOLLOW_OTHER);
    file.dev--;
    file.inode++;
    assert_int_equal(follow_read(&file, &request, &bytes), FOLLOW_OTHER);
    const struct follow_request folder = {.path = "/"};
    assert_int_equal(follow_read(&file, &folder, &bytes), FOLLOW_GONE);
    const struct follow_request none = {.path = "/none"};
    assert_int_equal(follow_read(&file, &none, &bytes), FOLLOW_GONE);
}

/* Of a line without an end that is longer than the memory for one, the
 * beginning is passed and the rest skipped. */
static void an_endless_line_is_cut(void **state)
{
    const size_t n = 3u << 20;
    char *text = mem_alloc(n);
    struct watch_file file;
    size_t got = 0;
    uint64_t bytes, all = 0;
    struct follow_request request = {
        .path = temp_path, .limit = 1, .line = take_line, .self = &got};
    (void)state;
    memset(text, 'x', n);
    text[n - 3] = '\n';
    write_log(text, n);
    free(text);
    begin(&file);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(follow_read(&file, &request, &bytes), FOLLOW_READ);
        all += bytes;
    }
    assert_int_equal(file.lines, 1);
    assert_true(got > 1000 && got < n / 2);
    assert_int_equal(all, n - 2);
    request.to_end = true;
    assert_int_equal(follow_read(&file, &request, &bytes), FOLLOW_READ);
    assert_int_equal(file.lines, 2);
    assert_int_equal(bytes, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_of_nodes_are_expanded),
        cmocka_unit_test(gpus_are_those_of_each_group_of_nodes),
        cmocka_unit_test(values_end_before_the_next_key),
        cmocka_unit_test(logs_are_read_only_if_they_are_the_same),
        cmocka_unit_test(an_endless_line_is_cut),
    };
    return cmocka_run_group_tests(tests, temp_path_make, temp_path_remove);
}
