/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The file `accounting` of Grid Engine, which has no header. Fields are those
 * of accounting(5): colons between them, the request of the job (`category`) as
 * the 40th. Versions differ by a field before it, so the fields near the
 * request are counted from it. */
#include <string.h>

#include "traces/formats/records_internal.h"

#define FIELDS_LEAST 40
#define REQUEST_FIRST 37
#define REQUEST 39 /* of a job whose request is empty */

static size_t cut_fields(struct text line, struct text cells[ROWS_CELLS_MAX])
{
    size_t n = 0;
    bool more = true;
    while (more && n < ROWS_CELLS_MAX) {
        const size_t len = line.len;
        cells[n] = text_split(line, ':', &line);
        more = cells[n++].len < len;
    }
    return n;
}

bool records_is_sge(struct text line)
{
    struct text cells[ROWS_CELLS_MAX];
    double number;
    if (cut_fields(line, cells) < FIELDS_LEAST)
        return false;
    for (size_t i = 8; i <= 12; i++) {
        if (!text_to_double(cells[i], &number))
            return false;
    }
    return text_to_double(cells[8], &number) && number > 1e8;
}

static size_t find_request(const struct text *cells, size_t n)
{
    for (size_t i = REQUEST_FIRST; i < n; i++) {
        if (text_char(cells[i], 0) == '-' && cells[i].len > 2)
            return i;
    }
    return REQUEST;
}

/* A time of 0 says that the job did not get that far. */
static struct text sge_time_of(struct text t)
{
    return text_is(t, "0") ? (struct text){"", 0} : t;
}

static void write_job(const struct text *cells, size_t request, struct out *out)
{
    const struct text row[] = {cells[8],
                               sge_time_of(cells[9]),
                               sge_time_of(cells[10]),
                               cells[13],
                               cells[3],
                               cells[4],
                               cells[0],
                               cells[request - 5],
                               cells[12],
                               cells[request]};
    const struct text task = cells[request - 4];
    out_csv(out, cells[5]);
    if (!text_is(task, "0")) {
        out_char(out, '.');
        out_csv(out, task);
    }
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        out_char(out, ',');
        out_csv(out, row[i]);
    }
    out_char(out, '\n');
}

enum status records_sge(const struct rows *source, struct text t,
                        struct out *out, struct error *err)
{
    struct text cells[ROWS_CELLS_MAX];
    uint64_t number = 0;
    out_text(out, "job_number,submission_time,start_time,end_time,ru_wallclock,"
                  "owner,job_name,qname,slots,exit_status,category\n");
    while (t.len) {
        struct text line = text_split(t, '\n', &t);
        number++;
        line = text_trim(line);
        if (!line.len || line.at[0] == '#')
            continue;
        const size_t n = cut_fields(line, cells);
        if (n < FIELDS_LEAST)
            return rows_bad_at(source, number, 1, "category", err,
                               "%zu fields between colons, but accounting of "
                               "Grid Engine has at least %d",
                               n, FIELDS_LEAST);
        const size_t request = find_request(cells, n);
        /* Tasks of a parallel job have rows of their own besides the job's. */
        if (request + 2 < n && !text_is(cells[request + 2], "NONE"))
            continue;
        write_job(cells, request, out);
    }
    return STATUS_OK;
}
