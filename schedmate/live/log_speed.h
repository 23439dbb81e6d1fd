/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads from the end of a log on disk how fast its job trains
 * (schedmate_tracker.h): 256 KiB or, if these have too few progress lines, 4
 * and 32 MiB. */
#ifndef SCHEDMATE_LOG_SPEED_H
#define SCHEDMATE_LOG_SPEED_H

#include "schedmate/live/log_file.h"
#include "schedmate/logs/schedmate_tracker.h"

/* `client`: asked after the rules; NULL: no model is asked. out->why may lie in
 * the arena. */
enum status log_speed_read(struct log_file *file,
                           struct log_classifier *classifier,
                           const struct tracker_config *config,
                           struct llm_client *client, struct arena *arena,
                           struct track *out, struct error *err) MUST_USE;

#endif
