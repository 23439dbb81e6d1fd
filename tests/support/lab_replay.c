/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/support/lab_replay.h"

#include "traces/trace.h"

bool lab_replay(const struct lab *lab, struct run_config config,
                struct replay *out, struct error *err)
{
    struct replay_options options = {0};
    config.trace = lab->trace;
    config.cluster = lab->cluster;
    config.format = "native";
    config.load.from = config.load.to = TRACE_NO_TIME;
    enum status st = replay_run(&config, &options, out, err);
    return st == STATUS_OK || st == STATUS_INCOMPLETE;
}
