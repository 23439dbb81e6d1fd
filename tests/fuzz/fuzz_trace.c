/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libFuzzer target: reads any bytes as a trace in the format that is recognised
 * or that the first byte selects, and by the column map that is guessed. Each
 * row must be read or refused. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "traces/guess/guess.h"
#include "traces/registry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* No map is guessed for inputs of this many bytes or more, to save time. */
#define LARGE (size_t)(16 * 1024)

static void read_rows(const char *path, const char *spec)
{
    static struct error err;
    struct trace_reader *reader;
    struct trace_row row;
    if (trace_open(path, spec, &reader, &err) != STATUS_OK)
        return;
    enum status st;
    for (int bad = 0; bad < 100; bad += st != STATUS_OK) {
        st = trace_next(reader, &row, &err);
        if (st == STATUS_END)
            break;
    }
    trace_close(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct error err;
    char path[64];
    /* A column map with all kinds of values. */
    static const char map[] =
        "csv:header=no,submit=#1,gpus=#2*#3:or=1,duration=#4,start=#5,end=#6,"
        "state=#7,mem=#8,user=#9,zone=+01:00,missing=x+?";
    const char *spec = NULL;
    size_t n = 0;
    while (trace_formats[n])
        n++;
    if (size > 0 && data[0] < n) {
        spec = trace_formats[data[0]]->name;
        spec = strcmp(spec, "csv") == 0 ? map : spec;
        data++, size--;
    }
    int fd = memfd_create("trace", 0);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        return 0;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    struct proposal guess;
    if (size < LARGE) {
        if (guess_map(path, &guess, &err) == STATUS_OK && guess.spec)
            read_rows(path, guess.spec);
        guess_free(&guess);
    }
    read_rows(path, spec);
    close(fd);
    return 0;
}
