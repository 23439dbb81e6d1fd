/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads utilisation and memory of GPUs from the texts of NVIDIA's tools and of
 * other exporters for Prometheus. */
#include "schedmate/watch/watch_internal.h"

#include <string.h>

/* Largest credible memory of a GPU, MiB. */
#define MEM_MOST 4e6
#define MIB 1048576.0

static bool gpu_text_in_range(struct gpu_format *f, double value, double most)
{
    bool good = value >= 0 && value <= most;
    /* DCGM's blank values begin at 2^31 - 16 and 2^47. */
    bool blank = value >= 2147483632.0;
    f->refused += !good && !blank;
    return good;
}

/* Reads a number that may be followed by a unit. */
static bool gpu_text_number(struct text cell, double *out)
{
    struct text rest;
    return text_to_double(text_split(text_trim(cell), ' ', &rest), out);
}

/* Returns the value of a label of a Prometheus line; an empty text if there is
 * none. */
static struct text gpu_text_label(struct text labels, const char *name)
{
    size_t n = strlen(name);
    for (size_t at = 0; at + n + 2 < labels.len; at++) {
        const char *c = labels.at + at;
        bool begins = at == 0 || c[-1] == ',' || c[-1] == '{' || c[-1] == ' ';
        if (!begins || memcmp(c, name, n) != 0 || c[n] != '=' ||
            c[n + 1] != '"')
            continue;
        struct text rest, value = text_skip(labels, at + n + 2);
        return text_split(value, '"', &rest);
    }
    return (struct text){0};
}

/* Figures of Prometheus exporters, and the factors that turn their values into
 * percent or MiB. */
#define FIGURE(name_, mem_, unit_) \
    { \
        .name = name_, .mem = mem_, .unit = unit_ \
    }
static const struct {
    const char *name;
    bool mem;
    double unit;
} gpu_text_figures[] = {
    FIGURE("DCGM_FI_DEV_GPU_UTIL", false, 1),
    FIGURE("DCGM_FI_PROF_GR_ENGINE_ACTIVE", false, 100),
    FIGURE("DCGM_FI_DEV_FB_USED", true, 1),
    FIGURE("dcgm_gpu_utilization", false, 1),
    FIGURE("dcgm_fb_used", true, 1),
    FIGURE("nvidia_smi_utilization_gpu_ratio", false, 100),
    FIGURE("nvidia_smi_memory_used_bytes", true, 1 / MIB),
};

static bool prometheus(struct gpu_format *f, struct text line,
                       struct gpu_sample *out)
{
    struct text labels, rest, value;
    struct text name = text_split(line, '{', &labels);
    double x;
    const char *end = labels.len ? memrchr(labels.at, '}', labels.len) : NULL;
    if (!end)
        return false;
    value = text_trim(text_skip(labels, (size_t)(end + 1 - labels.at)));
    labels.len = (size_t)(end - labels.at);
    if (!text_to_double(text_split(value, ' ', &rest), &x))
        return false;
    for (size_t i = 0; i < sizeof gpu_text_figures / sizeof *gpu_text_figures;
         i++) {
        if (!text_is(text_trim(name), gpu_text_figures[i].name))
            continue;
        x *= gpu_text_figures[i].unit;
        if (!gpu_text_in_range(f, x, gpu_text_figures[i].mem ? MEM_MOST : 100))
            return false;
        *(gpu_text_figures[i].mem ? &out->mem_mib : &out->util) = x;
        out->index = gpu_text_label(labels, "gpu");
        out->uuid = gpu_text_label(labels, "UUID");
        if (!out->uuid.len)
            out->uuid = gpu_text_label(labels, "uuid");
        out->node = gpu_text_label(labels, "Hostname");
        out->job = gpu_text_label(labels, "hpc_job");
        if (!out->job.len)
            out->job = gpu_text_label(labels, "pod");
        return true;
    }
    return false;
}

/* Splits a line of a table at blanks, or of CSV at commas, and returns the
 * number of cells. A table has no empty cells. */
static size_t gpu_text_split(struct text line, char at,
                             struct text cells[GPU_COLUMNS_MAX])
{
    size_t n = 0;
    while (line.len > 0 && n < GPU_COLUMNS_MAX) {
        struct text cell = text_trim(text_split(line, at, &line));
        if (cell.len > 0 || at == ',')
            cells[n++] = cell;
    }
    return n;
}

static void gpu_text_begin(struct gpu_format *f, int kind)
{
    uint64_t refused = f->refused;
    *f = (struct gpu_format){.index = -1,
                             .uuid = -1,
                             .util = -1,
                             .mem = -1,
                             .mem_unit = 1,
                             .refused = refused};
    f->kind = (__typeof__(f->kind))kind;
}

static bool starts_nocase(struct text t, const char *s)
{
    size_t n = strlen(s);
    return t.len >= n && text_is_nocase((struct text){t.at, n}, s);
}

/* True if a heading of nvidia-smi is this name, perhaps with a unit after it,
 * as in "memory.used [MiB]". */
static bool is_column(struct text cell, const char *name)
{
    size_t n = strlen(name);
    return starts_nocase(cell, name) && (cell.len == n || cell.at[n] == ' ');
}

static void csv_header(struct gpu_format *f, struct text line)
{
    struct text cells[GPU_COLUMNS_MAX];
    size_t n = gpu_text_split(line, ',', cells);
    gpu_text_begin(f, GPU_CSV);
    for (size_t i = 0; i < n; i++) {
        if (is_column(cells[i], "index"))
            f->index = (int)i;
        else if (is_column(cells[i], "uuid") || is_column(cells[i], "gpu_uuid"))
            f->uuid = (int)i;
        else if (is_column(cells[i], "utilization.gpu"))
            f->util = (int)i;
        else if (is_column(cells[i], "memory.used"))
            f->mem = (int)i;
    }
    f->strange = (f->index < 0 && f->uuid < 0) || (f->util < 0 && f->mem < 0);
}

/* The headers of tables begin with '#'. dcgmi writes "#Entity  GPUTL" over rows
 * that begin with two words, "GPU 0"; nvidia-smi writes "# gpu  sm" over rows
 * that begin with the index. */
static void table_header(struct gpu_format *f, struct text line)
{
    struct text cells[GPU_COLUMNS_MAX];
    size_t n = gpu_text_split(text_skip(line, 1), ' ', cells);
    bool dcgmi = n > 0 && starts_nocase(cells[0], "Entity");
    bool smi = false;
    for (size_t i = 0; i < n; i++)
        smi |= text_is_nocase(cells[i], "gpu");
    if (!dcgmi && !smi)
        return; /* the line of units */
    gpu_text_begin(f, GPU_TABLE);
    if (dcgmi)
        f->index = 1;
    for (size_t i = 0; i < n; i++) {
        int column = (int)i + dcgmi;
        if (!dcgmi && text_is_nocase(cells[i], "gpu"))
            f->index = column;
        else if (text_is_nocase(cells[i], "GPUTL") ||
                 text_is_nocase(cells[i], "sm"))
            f->util = column;
        else if (text_is_nocase(cells[i], "FBUSD") ||
                 text_is_nocase(cells[i], "fb"))
            f->mem = column;
    }
    f->strange = f->util < 0 && f->mem < 0;
}

static struct text gpu_text_cell(const struct text *cells, size_t n, int at)
{
    return at >= 0 && (size_t)at < n ? cells[at] : (struct text){0};
}

static bool gpu_text_row(struct gpu_format *f, struct text line,
                         struct gpu_sample *out)
{
    struct text cells[GPU_COLUMNS_MAX];
    size_t n = gpu_text_split(line, f->kind == GPU_CSV ? ',' : ' ', cells);
    double x;
    out->index = gpu_text_cell(cells, n, f->index);
    out->uuid = gpu_text_cell(cells, n, f->uuid);
    if (out->index.len == 0 && out->uuid.len == 0)
        return false;
    if (gpu_text_number(gpu_text_cell(cells, n, f->util), &x) &&
        gpu_text_in_range(f, x, 100))
        out->util = x;
    if (gpu_text_number(gpu_text_cell(cells, n, f->mem), &x) &&
        gpu_text_in_range(f, x * f->mem_unit, MEM_MOST))
        out->mem_mib = x * f->mem_unit;
    return out->util >= 0 || out->mem_mib >= 0;
}

/* True for a header of nvidia-smi's CSV. */
static bool is_csv_header(const struct gpu_format *f, struct text line)
{
    double first;
    struct text rest, head = text_split(line, ',', &rest);
    return line.at && line.len > 0 && rest.len > 0 &&
           (f->kind == GPU_UNKNOWN || f->kind == GPU_CSV) &&
           !text_to_double(head, &first) && !text_starts(head, "GPU-") &&
           (memmem(line.at, line.len, "utilization", 11) ||
            memmem(line.at, line.len, "memory.", 7));
}

bool gpu_text_line(struct gpu_format *f, struct text line,
                   struct gpu_sample *out)
{
    *out = (struct gpu_sample){.util = -1, .mem_mib = -1};
    line = text_trim(line);
    if (line.len == 0)
        return false;
    if (memchr(line.at, '{', line.len)) {
        f->kind = GPU_PROMETHEUS;
        return prometheus(f, line, out);
    }
    if (line.at[0] == '#') {
        if (text_starts(line, "# HELP") || text_starts(line, "# TYPE"))
            f->kind = GPU_PROMETHEUS;
        else
            table_header(f, line);
        return false;
    }
    if (is_csv_header(f, line)) {
        csv_header(f, line);
        return false;
    }
    if (f->kind == GPU_UNKNOWN || f->kind == GPU_PROMETHEUS || f->strange)
        return false;
    return gpu_text_row(f, line, out);
}
