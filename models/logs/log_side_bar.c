/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/logs/log_side_bar.h"

#include <string.h>

#include "sim/base/ascii.h"

/* A longer text before "%|" is not the label of a bar. */
#define LABEL_MAX 120
/* Bytes after the label in which the counter and the speed stand. */
#define REST_MAX 200
/* Largest length of the ending of a file name. */
#define ENDING_MAX 16

/* Finds the label of a bar: the text before the number in "  40%|". Returns
 * false if the line has no bar. */
static bool label_of(struct text line, struct text *label)
{
    struct text start = {line.at, line.len < LABEL_MAX ? line.len : LABEL_MAX};
    const char *bar = memmem(start.at, start.len, "%|", 2);
    if (!bar)
        return false;
    *label = (struct text){line.at, (size_t)(bar - line.at)};
    while (label->len > 0 && (ascii_is_digit(label->at[label->len - 1]) ||
                              label->at[label->len - 1] == ' '))
        label->len--;
    return true;
}

static bool names_other_work(struct text label)
{
    /* beginnings of words, in lower case */
    static const char *const words[] = {
        "download", "upload",  "load",    "fetch",   "map",     "filter",
        "tokeniz",  "extract", "generat", "valid",   "eval",    "sanity",
        "test",     "predict", "infer",   "sav",     "cach",    "unpack",
        "copy",     "shard",   "resolv",  "process", "convert", "prepar",
        "scan",     "read",    "writ"};
    for (size_t i = 0; i < label.len; i++) {
        if (i > 0 && ascii_is_letter(label.at[i - 1]))
            continue;
        for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
            size_t n = strlen(words[w]), same = 0;
            while (same < n && i + same < label.len &&
                   ascii_lower(label.at[i + same]) == words[w][same])
                same++;
            if (same == n)
                return true;
        }
    }
    return false;
}

/* True for "part-07.parquet:", false for "loss 0.12:". */
static bool names_file(struct text label)
{
    size_t end = label.len, letters = 0;
    if (end == 0 || label.at[end - 1] != ':')
        return false;
    for (end--; end > 0 && ascii_is_name(label.at[end - 1]); end--)
        letters += ascii_is_letter(label.at[end - 1]);
    return letters > 0 && end > 1 && label.at[end - 1] == '.' &&
           label.len - end < ENDING_MAX;
}

bool log_is_side_bar(struct text line)
{
    struct text label;
    if (!label_of(line, &label))
        return false;
    struct text rest = text_skip(line, label.len);
    if (rest.len > REST_MAX)
        rest.len = REST_MAX;
    return names_other_work(label) || names_file(label) ||
           memmem(rest.at, rest.len, "B/s", 3) != NULL;
}
