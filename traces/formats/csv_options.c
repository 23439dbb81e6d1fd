/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The settings of the format csv. */
#include "traces/formats/csv.h"

const struct option csv_options[] = {
    OPT_PATH(struct csv_config, map, "map", "",
             "a JSON object with these settings as texts, to share a map; a "
             "setting given beside it takes precedence",
             NULL),
    OPT_TEXT(struct csv_config, values[CSV_SUBMIT], "submit", "",
             "when the job was submitted: a date or a number. Required. "
             "Values are COLUMN or #NUMBER, then :UNIT (date, s, ms, us, ns, "
             "min, h, d); without a unit a cell is a date or seconds",
             NULL),
    OPT_TEXT(
        struct csv_config, values[CSV_GPUS], "gpus", "",
        "GPUs of the whole job, such as Nodes*GPUs or GPUs:or=0 (0 where "
        "the cell is empty); :gres and :tres read Slurm's texts, :text reads "
        "4x A100, :request 2:ngpus=4, :list counts 0,1,2,3. Required",
        NULL),
    OPT_TEXT(struct csv_config, values[CSV_DURATION], "duration", "",
             "run time: :clock is [D-]HH:MM:SS, :hm is HH:MM, otherwise as "
             "submit. Required "
             "unless start and end are given",
             NULL),
    OPT_TEXT(struct csv_config, values[CSV_START], "start", "",
             "when the job started", NULL),
    OPT_TEXT(struct csv_config, values[CSV_END], "end", "",
             "when the job ended", NULL),
    OPT_TEXT(struct csv_config, values[CSV_WAIT], "wait", "",
             "how long the job waited in the recorded cluster", NULL),
    OPT_TEXT(struct csv_config, values[CSV_LIMIT], "limit", "",
             "run time or limit that the submitter stated", NULL),
    OPT_TEXT(struct csv_config, values[CSV_DUE], "due", "",
             "when the job should have ended", NULL),
    OPT_TEXT(struct csv_config, values[CSV_DEADLINE], "deadline", "",
             "time from the submission by which the job should have ended",
             NULL),
    OPT_TEXT(struct csv_config, values[CSV_ID], "id", "",
             "identifier of the job", NULL),
    OPT_TEXT(struct csv_config, values[CSV_USER], "user", "",
             "who submitted the job", NULL),
    OPT_TEXT(struct csv_config, values[CSV_VC], "vc", "",
             "virtual cluster: partition, queue or pool", NULL),
    OPT_TEXT(struct csv_config, values[CSV_NAME], "name", "", "name of the job",
             NULL),
    OPT_TEXT(struct csv_config, values[CSV_MODEL], "model", "",
             "what the job trains", NULL),
    OPT_TEXT(struct csv_config, values[CSV_DATASET], "dataset", "",
             "on which data", NULL),
    OPT_TEXT(struct csv_config, values[CSV_GPU_TYPE], "gpu_type", "",
             "the only GPU type on which the job may run", NULL),
    OPT_TEXT(struct csv_config, values[CSV_KIND], "kind", "",
             "kind of job, kept by trace convert", NULL),
    OPT_TEXT(struct csv_config, values[CSV_PRIORITY], "priority", "",
             "priority, a number or a word, kept as it is written", NULL),
    OPT_TEXT(struct csv_config, values[CSV_STATE], "state", "",
             "how the job ended: COLUMN:ok=WORD+WORD:failed=WORD:cancelled="
             "WORD:running=WORD. Without lists of words, common words are "
             "understood",
             NULL),
    OPT_TEXT(struct csv_config, values[CSV_CPUS], "cpus", "",
             "CPU cores of the whole job", NULL),
    OPT_TEXT(struct csv_config, values[CSV_NODES], "nodes", "",
             "nodes of the job", NULL),
    OPT_TEXT(struct csv_config, values[CSV_BATCH_SIZE], "batch_size", "",
             "total batch size", NULL),
    OPT_TEXT(struct csv_config, values[CSV_ATTEMPTS], "attempts", "",
             "attempts in the recorded cluster", NULL),
    OPT_TEXT(struct csv_config, values[CSV_MEM], "mem", "",
             "main memory of the whole job: :b, :kib, :mib, :gib or :tib; "
             "without a unit MiB, or the unit that ends the cell, as in 64G",
             NULL),
    OPT_TEXT(struct csv_config, values[CSV_GPU_MEM], "gpu_mem", "",
             "memory that the job needs on each GPU; units as for mem", NULL),
    OPT_TEXT(struct csv_config, values[CSV_GPU_UTIL], "gpu_util", "",
             "utilisation of one GPU, percent", NULL),
    OPT_TEXT(struct csv_config, sep, "sep", "",
             "character between cells: comma, semicolon, tab, bar or the "
             "character itself; default: the one that the header has most",
             NULL),
    OPT_TEXT(struct csv_config, header, "header", "",
             "no: the first line is a job and columns are #1, #2, ...; or the "
             "names of the columns of a file without a header, separated by "
             "'+'",
             NULL),
    OPT_TEXT(struct csv_config, zone, "zone", "",
             "zone of dates that name none, such as +08:00 or Asia/Shanghai; "
             "default UTC",
             NULL),
    OPT_TEXT(struct csv_config, date, "date", "",
             "how dates are written, as for strptime: %d.%m.%Y %H:%M; default "
             "YYYY-MM-DD HH:MM:SS, with or without fractions and a zone",
             NULL),
    OPT_TEXT(struct csv_config, origin, "origin", "",
             "date from which times that are numbers count; default 1970-01-01",
             NULL),
    OPT_TEXT(struct csv_config, missing, "missing", "",
             "words that stand for an empty cell, separated by '+', beside -, "
             "Unknown, None, NA, N/A, NaN, NaT and null",
             NULL),
    OPT_TEXT(struct csv_config, same, "same", "",
             "what rows of one id are: attempts (submitted with the first, run "
             "as the last), parts at the same time, such as nodes (GPUs are "
             "summed), or first (the others repeat it); without it, a row that "
             "repeats an id is dropped",
             NULL),
    OPT_TEXT(struct csv_config, decimal, "decimal", "",
             "comma: numbers are written as in 1.234,5", NULL),
    {0},
};
