/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a scenario and compares the result with the expected result. */
#include <stdio.h>
#include <string.h>

#include "base/out.h"
#include "tests/scenarios/own_advice.h"
#include "tests/scenarios/own_policy.h"

static const char *how_word(const struct attempt *attempt)
{
    static const char *const words[LEDGER_RATE + 1] = {
        [LEDGER_STOPPED] = "stopped",   [LEDGER_MOVED] = "moved",
        [LEDGER_PROFILED] = "profiled", [LEDGER_FINISHED] = "finished",
        [LEDGER_FAILED] = "failed",     [LEDGER_EVICTED] = "evicted",
    };
    if (attempt->end == TIME_NEVER)
        return "running";
    return words[attempt->how] ? words[attempt->how] : "ended strangely";
}

/* Writes the GPUs of an attempt as NODE:LOWEST-HIGHEST, joined by "+". */
static void put_places(struct out *out, const struct ledger *ledger,
                       const struct attempt *attempt)
{
    struct gpu_slice slices[64];
    uint32_t n = ledger_where(ledger, attempt, slices, 64);
    for (uint32_t i = 0; i < n && i < 64; i++)
        out_printf(out, "%s%u:%d-%d", i ? "+" : "", slices[i].node,
                   __builtin_ctzll(slices[i].mask),
                   63 - __builtin_clzll(slices[i].mask));
}

/* Writes an attempt in the form in which the scenario expects it, without the
 * parts that the expected text leaves out. */
static void put_attempt(struct out *out, const struct run_result *result,
                        const struct attempt *attempt, struct text expected)
{
    sim_time zero = result->jobset.zero;
    out_span(out, attempt->start + zero);
    out_text(out, "..");
    if (attempt->end != TIME_NEVER)
        out_span(out, attempt->end + zero);
    if (memchr(expected.at, '&', expected.len) && attempt->shared)
        out_char(out, '&');
    if (memchr(expected.at, '@', expected.len)) {
        out_char(out, '@');
        put_places(out, &result->ledger, attempt);
    }
    if (memchr(expected.at, '=', expected.len)) {
        out_char(out, '=');
        out_text(out, how_word(attempt));
    }
    if (memchr(expected.at, '!', expected.len)) {
        const struct attempt_cost *cost = ledger_cost(
            &result->ledger, (uint32_t)(attempt - result->ledger.attempts));
        out_char(out, '!');
        out_span(out, cost ? cost->lost : 0);
    }
}

/* Writes the attempts of the job and, if it has none, is held or was
 * rejected, its state, in the form of an expect line. */
static void put_outcome(struct out *out, const struct run_result *result,
                        job_id job, struct text expected)
{
    enum { ROOM = 64 };
    const struct attempt *attempts[ROOM];
    size_t n = lab_attempts(&result->ledger, job, attempts, ROOM);
    for (size_t i = 0; i < n && i < ROOM; i++) {
        struct text token = text_split(text_trim(expected), ' ', &expected);
        if (i)
            out_char(out, ' ');
        if (!token.at)
            token = text_from("");
        put_attempt(out, result, attempts[i], token);
    }
    enum job_state state = result->jobset.jobs[job].state;
    if (n == 0 || state == JOB_HELD || state == JOB_REJECTED)
        out_printf(out, "%s%s", n ? " " : "",
                   state == JOB_PENDING ? "waiting" : lab_state_name(state));
}

/* Writes the line with each sequence of blanks replaced by one blank. */
static void put_squeezed(struct out *out, struct text line)
{
    bool first = true;
    while (line.len) {
        struct text word = text_split(line, ' ', &line);
        if (word.len == 0)
            continue;
        if (!first)
            out_char(out, ' ');
        out_bytes(out, word.at, word.len);
        first = false;
    }
}

static job_id find_job(const struct run_result *result, const char *name)
{
    const struct jobset *w = &result->jobset;
    for (job_id job = 0; job < w->n_jobs; job++) {
        if (strcmp(jobset_string(w, w->jobs[job].name), name) == 0)
            return job;
    }
    return JOB_NONE;
}

static enum status compare(const struct run_result *result,
                           const struct scenario_expect *expect,
                           struct error *err)
{
    struct out *want = out_to_memory(), *got = out_to_memory();
    put_squeezed(want, expect->rest);
    job_id job = find_job(result, expect->name);
    if (job == JOB_NONE)
        out_text(got, "dropped");
    else
        put_outcome(got, result, job, out_memory(want));
    enum status st = STATUS_OK;
    struct text w = out_memory(want), g = out_memory(got);
    if (!text_equal(w, g))
        st = error_set(
            err, STATUS_BROKEN, "line %d: job %s: expected '%.*s', got '%.*s'",
            expect->line, expect->name, (int)w.len, w.at, (int)g.len, g.at);
    out_abandon(want);
    out_abandon(got);
    return st;
}

/* Checks that each job of the scenario has an expect line, and that each expect
 * line names a job. */
static enum status check_names(const struct scenario *s, struct error *err)
{
    const struct lab *lab = s->lab;
    for (size_t i = 0; i < s->n_expects; i++) {
        size_t k = 0;
        while (k < lab->n_jobs &&
               strcmp(lab->jobs[k].name, s->expects[i].name) != 0)
            k++;
        if (k == lab->n_jobs)
            return error_set(err, STATUS_BROKEN, "line %d: no job %s",
                             s->expects[i].line, s->expects[i].name);
    }
    for (size_t k = 0; k < lab->n_jobs; k++) {
        size_t i = 0;
        while (i < s->n_expects &&
               strcmp(lab->jobs[k].name, s->expects[i].name) != 0)
            i++;
        if (i == s->n_expects)
            return error_set(err, STATUS_BROKEN, "job %s is not expected",
                             lab->jobs[k].name);
    }
    return STATUS_OK;
}

/* Compares the changes of nodes with an expected text "T WORD NODE, ...". */
static enum status check_changes(const struct scenario *s,
                                 const struct run_result *result,
                                 struct error *err)
{
    static const char *const words[LEDGER_RATE + 1] = {
        [LEDGER_NODE_DOWN] = "down",
        [LEDGER_NODE_UP] = "up",
        [LEDGER_NODE_LENT] = "lent",
        [LEDGER_NODE_BACK] = "back",
    };
    if (!s->changes)
        return STATUS_OK;
    struct out *got = out_to_memory();
    for (size_t i = 0; i < result->ledger.n_node_changes; i++) {
        const struct node_change *c = &result->ledger.node_changes[i];
        out_text(got, i ? ", " : "");
        out_span(got, c->at + result->jobset.zero);
        out_printf(got, " %s %u", words[c->kind], c->node);
    }
    struct text g = out_memory(got);
    enum status st = STATUS_OK;
    if (!text_is(g, s->changes))
        st = error_set(err, STATUS_BROKEN, "the nodes changed: %.*s",
                       (int)g.len, g.at);
    out_abandon(got);
    return st;
}

/* Compares the status of the run with the expected status, and the message in
 * *err with the expected words. */
static enum status check_status(const struct scenario *s, enum status st,
                                struct error *err)
{
    if (st != s->status) {
        if (st == STATUS_OK)
            error_set(err, STATUS_BROKEN, "the run was complete");
        return STATUS_BROKEN;
    }
    if (st == STATUS_OK || strstr(err->message, s->message))
        return STATUS_OK;
    char found[512];
    snprintf(found, sizeof found, "%.500s", err->message);
    return error_set(err, STATUS_BROKEN, "the run ended with: %s", found);
}

static enum status check_result(const struct scenario *s,
                                const struct run_result *result,
                                struct error *err)
{
    enum status st = check_changes(s, result, err);
    if (st == STATUS_OK && s->decisions && result->n_decisions != s->decisions)
        st = error_set(err, STATUS_BROKEN, "there were %ju decisions",
                       (uintmax_t)result->n_decisions);
    for (size_t i = 0; i < s->n_expects && st == STATUS_OK; i++)
        st = compare(result, &s->expects[i], err);
    return st;
}

enum status scenario_check(const struct scenario *s, struct error *err)
{
    static struct own_policy own;
    static struct own_advice advice;
    struct run *run = NULL;
    enum status st =
        s->status == STATUS_BAD_PLAN ? STATUS_OK : check_names(s, err);
    if (st == STATUS_OK)
        st = lab_write(s->lab, err);
    if (st == STATUS_OK)
        st = lab_prepare(s->lab, s->config, &run, err);
    if (st == STATUS_OK)
        st = own_policy_put(&own, s, run, err);
    if (st == STATUS_OK)
        st = own_advice_put(&advice, s, run, err);
    if (st != STATUS_OK)
        goto out;
    st = check_status(s, run_execute(run, err), err);
    if (st == STATUS_OK)
        st = own_policy_check(&own, err);
    if (st == STATUS_OK && s->status != STATUS_BAD_PLAN)
        st = check_result(s, run_result(run), err);
out:
    run_free(run);
    return st;
}
