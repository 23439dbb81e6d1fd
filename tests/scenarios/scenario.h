/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A scenario: a few jobs, a configuration and what must come of it, as a text
 * file that can be checked with a pencil. One statement a line, "#" begins a
 * comment, times are seconds:
 *
 *   cluster N nodes of G gpus [vc V] [type T] [speed X] [memory MIB] [rack R]
 *           [profiler yes]
 *   node K down A [up B]            planned change of capacity; nodes count
 *                                   from 0 by vc, then type
 *   job NAME at T gpus G runs D [vc V] [type T] [model M] [memory MIB]
 *           [util PERCENT] [declared D] [ends completed|failed|cancelled]
 *           [elastic adaptive|scales] [batch SAMPLES]
 *   policy|placer|estimators|overhead|interference|belief|throughput|faults|
 *           recovery|conventions|engine SPEC     as on the command line
 *   status ok|incomplete
 *   expect NAME ATTEMPT...          each START..END[@NODE:G[+NODE:G...]][=HOW]
 *                                   G: lowest-highest GPU on the node;
 *                                   HOW: finished stopped moved failed profiled
 *   expect NAME rejected|dropped|waiting|held
 *
 * Every job has one expect line, so nothing happens that is not expected. */
#ifndef TESTS_SCENARIOS_SCENARIO_H
#define TESTS_SCENARIOS_SCENARIO_H

#include "tests/support/lab.h"

struct scenario_expect {
    char name[24];
    struct text rest; /* the rest of the line after the name */
    int line;
};

struct scenario {
    struct lab *lab; /* borrowed */
    struct run_config config;
    enum status status;
    struct scenario_expect expects[LAB_JOBS];
    size_t n_expects;
    struct arena arena;
};

/* Fills *out from the text of a file; strings are owned by its arena. */
enum status scenario_parse(struct text text, const char *path, struct lab *lab,
                           struct scenario *out, struct error *err) MUST_USE;
void scenario_fini(struct scenario *scenario); /* accepts all zeroes */

/* Runs the scenario and compares. STATUS_BROKEN names the first job that
 * differs, with what was expected and what happened. */
enum status scenario_check(const struct scenario *scenario,
                           struct error *err) MUST_USE;

#endif
