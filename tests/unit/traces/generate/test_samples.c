/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For each sample trace, the command in traces/samples/README.md must write
 * exactly the bytes of the file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/test.h"

#include "base/text.h"
#include "commands/commands_internal.h"
#include "tests/support/slurp.h"

#define SAMPLE_MAX (300 * 1024)

/* Writes the path of a file in the folder of samples. The build system sets
 * SCHEDSIM_ROOT. */
static void sample_path(char *out, size_t room, struct text name)
{
    const char *root = getenv("SCHEDSIM_ROOT");
    snprintf(out, room, "%s/traces/samples/%.*s", root ? root : ".",
             TEXT_ARGS(name));
}

static char *read_file(const char *path, size_t *len)
{
    char *bytes = slurp(path, len);
    if (!bytes)
        fail_msg("cannot read %s", path);
    assert_true(*len > 0 && *len <= SAMPLE_MAX);
    return bytes;
}

/* Returns the text between the n-th pair of back quotes in the line; n counts
 * from 0. */
static struct text quoted(struct text line, int n)
{
    struct text rest = line, cell = {0};
    for (int i = 0; i <= 2 * n + 1; i++)
        cell = text_split(rest, '`', &rest);
    return cell;
}

static void generate(struct text command, char *path)
{
    static struct error err;
    char buf[512], *argv[32], *save = NULL;
    int argc = 0;
    assert_true(command.len < sizeof buf);
    memcpy(buf, command.at, command.len);
    buf[command.len] = 0;
    for (char *word = strtok_r(buf, " ", &save); word && argc < 28;
         word = strtok_r(NULL, " ", &save))
        argv[argc++] = word;
    assert_true(argc > 3 && strcmp(argv[2], "generate") == 0);
    char output[] = "-o";
    argv[argc++] = output;
    argv[argc++] = path;
    argv[argc] = NULL;
    if (cli_run(&trace_command_generate, "trace generate", argc - 2, argv + 2,
                &err) != STATUS_OK)
        fail_msg("%s", err.message);
}

/* Removes the side-car that some commands write next to the trace. */
static void remove_sidecar(const char *trace)
{
    char path[4096];
    snprintf(path, sizeof path, "%s.evidence.csv", trace);
    unlink(path);
}

static void compare(struct text file, struct text command)
{
    char sample[4096], path[] = "/tmp/schedsim-sample-XXXXXX";
    sample_path(sample, sizeof sample, file);
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    generate(command, path);
    size_t n_want, n_got;
    char *want = read_file(sample, &n_want), *got = read_file(path, &n_got);
    unlink(path);
    remove_sidecar(path);
    if (n_want != n_got || memcmp(want, got, n_want) != 0)
        fail_msg("%s is not what its command writes", sample);
    free(want);
    free(got);
}

static void every_sample_is_what_its_command_writes(void **state)
{
    (void)state;
    size_t len, n = 0;
    char path[4096];
    sample_path(path, sizeof path, text_from("README.md"));
    char *table = read_file(path, &len);
    struct text rest = {table, len};
    while (rest.len) {
        struct text line = text_split(rest, '\n', &rest);
        if (line.len < 3 || memcmp(line.at, "| `", 3) != 0)
            continue;
        compare(quoted(line, 0), quoted(line, 1));
        n++;
    }
    free(table);
    assert_int_equal(n, 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_sample_is_what_its_command_writes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
