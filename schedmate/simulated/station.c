/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each question to the language model waits for the first free server. */
#include "schedmate/simulated/schedmate.h"

#include "base/check.h"

void station_init(struct station *station, uint32_t servers,
                  struct arena *arena)
{
    CHECK(servers > 0 && servers <= STATION_SERVERS_MAX);
    *station = (struct station){
        .free_at = ARENA_ARRAY(arena, sim_time, servers),
        .n = servers,
    };
}

struct station_answer station_ask(struct station *station, sim_time now,
                                  sim_span service)
{
    uint32_t best = 0;
    CHECK(now >= station->last && service >= 0);
    station->last = now;
    for (uint32_t i = 1; i < station->n; i++) {
        if (station->free_at[i] < station->free_at[best])
            best = i;
    }
    sim_time begun = station->free_at[best];
    /* A server that is idle at `now` became free earlier, but begins only now.
     * Which of several idle servers works changes no time. */
    if (begun < now)
        begun = now;
    station->free_at[best] = begun + service;
    return (struct station_answer){begun, begun + service, (uint8_t)best};
}
