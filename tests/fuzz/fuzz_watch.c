/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libFuzzer target: reads any bytes as figures of GPUs and as the output of
 * Slurm's commands. Figures that are accepted lie in their ranges, texts that
 * are found lie within the input, and no line gives more than 4,096 GPUs. */
#include <jansson.h>

#include "base/check.h"
#include "schedmate/watch/watch_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_part(struct text part, struct text whole)
{
    return part.len == 0 ||
           (part.at >= whole.at && part.at + part.len <= whole.at + whole.len);
}

static void try_gpus(struct text all)
{
    struct gpu_format format = {0};
    struct gpu_sample s;
    struct text rest = all;
    while (rest.len > 0) {
        struct text line = text_split(rest, '\n', &rest);
        if (!gpu_text_line(&format, line, &s))
            continue;
        CHECK(s.util >= 0 || s.mem_mib >= 0);
        CHECK(s.util <= 100 && s.mem_mib <= 4e6);
        CHECK(is_part(s.node, all) && is_part(s.index, all) &&
              is_part(s.uuid, all) && is_part(s.job, all));
    }
}

static void try_slurm(struct text all)
{
    struct slurm_row row;
    struct text rest = all;
    while (rest.len > 0) {
        struct text line = text_split(rest, '\n', &rest);
        if (slurm_queue_line(line, &row))
            CHECK(row.state.len > 0 && is_part(row.reason, line));
        CHECK(is_part(slurm_value(line, "StdOut"), line));
        CHECK(slurm_time(slurm_value(line, "EndTime")) >= -1e18);
        json_t *gpus = slurm_gpus(line);
        CHECK(json_array_size(gpus) <= 4096);
        json_decref(gpus);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct text all = {(const char *)data, size};
    try_gpus(all);
    try_slurm(all);
    return 0;
}
