/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The language model as a queue: c servers, first come first served, each on
 * one GPU. A question is asked at the present, which never goes back, so its
 * whole fate is known at once and the station needs no events. */
#ifndef SCHEDMATE_STATION_H
#define SCHEDMATE_STATION_H

#include "sim/base/arena.h"
#include "sim/state/ledger.h"

/* Most servers of a station; a number of a server fits advice_row.server. */
#define STATION_SERVERS_MAX 254

struct station {
    sim_time *free_at; /* by server: when it has answered all its questions */
    uint32_t n;        /* number of servers */
    sim_time last;     /* time of the last question */
};

/* A question that the station has taken. */
struct station_answer {
    sim_time begun, answered;
    uint8_t server;
};

void station_init(struct station *station, uint32_t servers,
                  struct arena *arena);
/* Asks at `now` for `service` microseconds of work. The server that is free
 * first works on it; among equal ones the one with the lowest number. `now`
 * must not be before the last question. */
struct station_answer station_ask(struct station *station, sim_time now,
                                  sim_span service);

#endif
