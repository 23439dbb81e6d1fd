/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/live/log_speed.h"

#include <stdlib.h>

/* Numbers of bytes read at the end of the log. If these have too few progress
 * lines, the next larger number is tried. */
static const size_t tails[] = {256u << 10, 4u << 20, 32u << 20};
#define HEAD_BYTES (256u << 10)

/* Finds progress lines in the end of the log. The caller frees tail->at. */
static enum status find_progress(struct log_file *file,
                                 struct log_classifier *classifier,
                                 const struct tracker_config *config,
                                 struct text *tail, struct tracker_lines *lines,
                                 struct error *err)
{
    uint64_t size;
    enum status st = log_file_size(file, &size, err);
    for (size_t i = 0; i < sizeof tails / sizeof *tails && st == STATUS_OK;
         i++) {
        uint64_t from = size > tails[i] ? size - tails[i] : 0;
        free((char *)(uintptr_t)tail->at);
        *tail = (struct text){0};
        st = log_file_piece(file, from, (size_t)(size - from), tail, err);
        if (st != STATUS_OK)
            break;
        tracker_find(classifier, config, *tail, lines);
        if (from == 0 || !lines->whole)
            break;
    }
    return st == STATUS_OK ? log_classifier_status(classifier, err) : st;
}

enum status log_speed_read(struct log_file *file,
                           struct log_classifier *classifier,
                           const struct tracker_config *config,
                           struct llm_client *client, struct arena *arena,
                           struct track *out, struct error *err)
{
    struct tracker_lines *lines = mem_alloc(sizeof *lines);
    struct text tail = {0}, head = {0};
    enum status st = find_progress(file, classifier, config, &tail, lines, err);
    if (st == STATUS_OK)
        st = log_file_piece(file, 0, HEAD_BYTES, &head, err);
    if (st == STATUS_OK)
        tracker_read(config, lines, head, out);
    if (st == STATUS_OK && client && tail.len > 0)
        st = tracker_ask(client, lines, head, arena, out, err);
    free((char *)(uintptr_t)head.at);
    free((char *)(uintptr_t)tail.at);
    free(lines);
    return st;
}
