/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A scenario: a few jobs, a configuration and the expected result, in a text
 * file that can be checked by hand. One statement per line; "#" begins a
 * comment; times are seconds:
 *
 *   cluster N nodes of G gpus [vc V] [type T] [speed X] [memory MIB] [rack R]
 *           [profiler yes]
 *   node K down A [up B]            planned change of capacity; nodes count
 *                                   from 0 by vc, then type, profilers last
 *   job NAME at T gpus G runs D [user U] [vc V] [type T] [model M] [memory MIB]
 *           [util PERCENT] [declared D] [ends completed|failed|cancelled]
 *           [priority spot]         of class spot
 *           [elastic adaptive|scales] [batch SAMPLES]
 *           [log STYLE step T every STEPS [epoch STEPS] [mute yes]]
 *                                   the job writes a log; mute: the lines of
 *                                   the log have no step time
 *   policy|profilers|placer|estimators|forecast|overhead|interference|belief|
 *           throughput|faults|recovery|monitor|schedmate|conventions|
 *           time-law|engine SPEC
 *                                   as on the command line
 *   advice JOB after D [runs D] [util PERCENT] [memory MIB] [donor JOB]
 *           [secret yes]            what an estimator layer on top of the chain
 *                                   says of the job, D after its submission;
 *                                   secret: the policy cannot know that advice
 *                                   will come
 *   policy packer[:SETTING,...]     tests/probes/packer.h
 *   policy script                   the policy does what these lines say:
 *   at T [refused] DEED             once, at the decision at T; there must be
 *                                   a decision at T
 *   always [refused] DEED           at each decision
 *           start JOB [as GPUS TYPE|on NODE GPUS|across NODE NODE]
 *           share JOB with JOB, profile JOB for D
 *           stop JOB, imagine_gone JOB
 *           lend node K, take_back node K
 *           wake at T|after D|round D, rest until T
 *   status ok|incomplete|broken [WORDS]    WORDS: a part of the message
 *   sees T EVENT[, EVENT...]        what the script observes at T: finished
 *                                   profiled failed stopped down up submitted
 *                                   belief wake, each with its job or node; if
 *                                   there is one such line, each instant that
 *                                   the script sees needs one
 *   changes [T WORD NODE, ...]      expected changes of nodes; WORD: down up
 *                                   lent back; an empty list: no changes
 *   decisions N                     expected number of decisions
 *   expect NAME ATTEMPT... START..END[&][@NODE:G[+NODE:G...]][=HOW][!D]
 *                                   &: shared a GPU; G: lowest-highest GPU on
 *                                   the node; HOW: finished stopped moved
 *                                   failed profiled evicted; D: work lost
 *   expect NAME ATTEMPT... held     failed, and waits for its restart
 *   expect NAME ATTEMPT... rejected its nodes have left for good
 *   expect NAME rejected|dropped|waiting|held
 *
 * Each job must have one expect line, so that nothing unexpected can happen. */
#ifndef TESTS_SCENARIOS_SCENARIO_H
#define TESTS_SCENARIOS_SCENARIO_H

#include "tests/probes/script.h"
#include "tests/support/advice.h"
#include "tests/support/lab.h"

struct scenario_expect {
    char name[24];
    /* words of the expect line after the name of the job */
    struct text rest;
    int line;
};

/* A deed as the scenario writes it. Jobs and types have names, which are
 * replaced by numbers before the run. */
struct scenario_deed {
    struct deed deed;
    char job[24], other[24], type[24]; /* "": none */
    int line;
};

/* A line "advice": the answer of an estimator layer about a job. */
struct scenario_advice {
    struct test_advice advice; /* `donor` is not set */
    char job[24], donor[24];   /* names of jobs; donor "": none */
    int line;
};

struct scenario {
    struct lab *lab; /* borrowed */
    struct run_config config;
    /* A policy of the tests that replaces the policy in `config`. */
    enum scenario_own { OWN_NONE, OWN_SCRIPT, OWN_PACKER } own;
    struct text own_spec; /* name and settings of this policy */
    struct scenario_deed deeds[SCRIPT_DEEDS];
    size_t n_deeds;
    struct scenario_advice advice[LAB_JOBS];
    size_t n_advice;
    enum status status;
    const char *message;   /* text that the error message must contain */
    char sees[SCRIPT_LOG]; /* expected log of the script; "": any log */
    size_t n_sees;
    const char *changes; /* expected changes of nodes; NULL: any changes */
    uint64_t decisions;  /* expected number of decisions; 0: any number */
    struct scenario_expect expects[LAB_JOBS];
    size_t n_expects;
    struct arena arena;
};

/* Fills *out and the lab from the text of a scenario file, which must outlive
 * *out. Returns STATUS_BAD_INPUT with a message that begins with `path`. The
 * caller calls scenario_fini also after an error. */
enum status scenario_parse(struct text text, const char *path, struct lab *lab,
                           struct scenario *out, struct error *err) MUST_USE;
void scenario_fini(struct scenario *scenario); /* accepts all zeroes */

/* Runs the scenario and compares the result. Returns STATUS_BROKEN if the
 * result differs; the message then names the first difference. */
enum status scenario_check(const struct scenario *scenario,
                           struct error *err) MUST_USE;

#endif
