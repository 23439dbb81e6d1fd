/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The language model as a queue, first come first served, with one or more
 * servers, each on one GPU. Questions come in order of time, so the time of an
 * answer is known when its question comes, and the station needs no events. */
#ifndef SCHEDMATE_STATION_H
#define SCHEDMATE_STATION_H

#include "base/arena.h"
#include "base/state/ledger.h"

/* Largest number of servers of a station: advice_row.server has 8 bits, and
 * ADVICE_NO_SERVER is not the number of a server. The numbers begin with 0. */
#define STATION_SERVERS_MAX ADVICE_NO_SERVER

struct station {
    sim_time *free_at; /* by server: time at which it has answered all its
                        * questions */
    uint32_t n;        /* number of servers */
    sim_time last;     /* time of the last question */
};

/* When a question is worked on, and by which server. */
struct station_answer {
    sim_time begun, answered;
    uint8_t server;
};

void station_init(struct station *station, uint32_t servers,
                  struct arena *arena);
/* Asks a question at `now` that takes `service` microseconds. The server that
 * is free first works on it; of several such servers, the one with the lowest
 * number. `now` must not be before the last question. */
struct station_answer station_ask(struct station *station, sim_time now,
                                  sim_span service);

#endif
