/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the side-car of a trace. */
#include "traces/evidence/sidecar.h"

void sidecar_write_head(struct out *out)
{
    for (size_t i = 0; i < SIDECAR_COLUMNS; i++) {
        if (i)
            out_char(out, ',');
        out_text(out, sidecar_columns[i].names);
    }
    out_char(out, '\n');
}

static void write_log(struct out *out, const struct evidence_log *log)
{
    out_text(out, log->style ? log->style : "");
    out_char(out, ',');
    out_csv(out, text_from(log->path ? log->path : ""));
    out_char(out, ',');
    out_double(out, log->step_s);
    out_char(out, ',');
    out_double(out, log->start_s);
    const uint64_t counts[] = {log->steps, log->steps_per_epoch, log->log_every,
                               log->batch_size};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        out_char(out, ',');
        out_u64(out, counts[i]);
    }
    out_text(out, log->step_time ? ",1\n" : ",0\n");
}

void sidecar_write(struct out *out, const struct sidecar_row *row)
{
    const struct text texts[] = {row->job, row->directory, row->command,
                                 row->branch};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        out_csv(out, texts[i]);
        out_char(out, ',');
    }
    if (row->has_log)
        write_log(out, &row->log);
    else
        out_text(out, ",,,,,,,,\n");
}
