/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the outcome as JUnit XML: a test suite for each trace, a test case for
 * each policy and metric. A failed run, too many unfinished jobs and an
 * expected value that is not measured are test cases too. No attribute depends
 * on the clock or on the machine. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "commands/study/gate_internal.h"

/* Writes text as an attribute or as content, at most ERROR_MAX - 1 bytes of it.
 * Control characters, which XML 1.0 mostly does not allow, and bytes that are
 * not UTF-8 become '?'. */
static void junit_put(struct out *out, const char *text)
{
    char clean[ERROR_MAX];
    snprintf(clean, sizeof clean, "%s", text);
    text_clean(clean);
    for (const char *at = clean; *at; at++) {
        if (strchr("<>&\"'", *at))
            out_printf(out, "&#%d;", *at);
        else
            out_char(out, *at);
    }
}

static void put_attribute(struct out *out, const char *name, const char *value)
{
    out_printf(out, " %s=\"", name);
    junit_put(out, value);
    out_char(out, '"');
}

static void begin_case(const struct gate_case *c, const char *what,
                       struct out *out)
{
    char name[4096];
    snprintf(name, sizeof name, "%s %s", c->policy->name, what);
    out_text(out, "    <testcase");
    put_attribute(out, "classname", c->trace->name);
    put_attribute(out, "name", name);
    out_char(out, '>');
}

/* Writes the element <failure> or <error> of a test case. */
static void junit_put_failure(struct out *out, const char *element,
                              const char *type, const char *message)
{
    out_printf(out, "\n      <%s", element);
    put_attribute(out, "type", type);
    put_attribute(out, "message", message);
    out_char(out, '>');
    junit_put(out, message);
    out_printf(out, "</%s>\n    ", element);
}

static void end_case(struct out *out)
{
    out_text(out, "</testcase>\n");
}

static void junit_put_metric(const struct gate_cases *cases,
                             const struct gate_case *c, size_t metric,
                             struct out *out)
{
    const struct gate_outcome *o = &c->outcomes[metric];
    struct gate_texts t;
    char words[ERROR_MAX];
    gate_texts(cases, c, metric, &t);
    begin_case(c, c->trace->metrics[metric].name, out);
    if (o->is_new)
        snprintf(words, sizeof words, "is %s; no value is expected", t.now);
    else
        snprintf(words, sizeof words, "is %s, expected %s: %s (tolerance %s)",
                 t.now, t.expected,
                 *t.difference                     ? t.difference
                 : o->verdict == GATE_INCOMPARABLE ? "not comparable"
                                                   : "no difference is defined",
                 t.tolerance);
    if (gate_fails(o)) {
        junit_put_failure(out, "failure",
                          o->is_new                         ? "new"
                          : o->verdict == GATE_INCOMPARABLE ? "incomparable"
                                                            : "outside",
                          words);
    } else if (gate_is_shown(o)) {
        out_text(out, "\n      <system-out>");
        junit_put(out, words);
        out_text(out, "</system-out>\n    ");
    }
    end_case(out);
}

/* Writes a test case that fails because other jobs finished than expected. */
static void put_unfinished(const struct gate_case *c, struct out *out)
{
    char line[GATE_LINE_MAX];
    begin_case(c, "unfinished", out);
    junit_put_failure(out, "failure", "incomparable", gate_done_text(c, line));
    end_case(out);
}

static void junit_put_case(const struct gate_cases *cases,
                           const struct gate_case *c, struct out *out)
{
    if (c->failed) {
        begin_case(c, "run", out);
        junit_put_failure(out, "error", "run", c->failed->message);
        end_case(out);
        return;
    }
    for (size_t m = 0; m < c->trace->n_metrics; m++)
        junit_put_metric(cases, c, m, out);
    if (c->is_incomparable)
        put_unfinished(c, out);
}

/* Numbers of test cases of a suite or of all suites. */
struct gate_junit_tally {
    size_t tests, failures, errors;
};

static void junit_count(const struct gate_case *c,
                        struct gate_junit_tally *tally)
{
    if (c->failed) {
        tally->tests++;
        tally->errors++;
        return;
    }
    tally->tests += c->trace->n_metrics + c->is_incomparable;
    tally->failures += c->is_incomparable;
    for (size_t m = 0; m < c->trace->n_metrics; m++)
        tally->failures += gate_fails(&c->outcomes[m]);
}

static void put_tally(const char *indent, const char *element, const char *name,
                      const struct gate_junit_tally *t, struct out *out)
{
    out_printf(out, "%s<%s", indent, element);
    put_attribute(out, "name", name);
    out_printf(out,
               " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" "
               "skipped=\"0\">\n",
               t->tests, t->failures, t->errors);
}

/* Writes the suite of the trace of case i: this case and those after it with
 * the same trace. Returns the index of the case after them. */
static size_t put_suite(const struct gate_cases *cases, size_t i,
                        struct out *out)
{
    const struct gate_trace *trace = cases->at[i].trace;
    struct gate_junit_tally tally = {0};
    size_t end = i;
    for (; end < cases->n && cases->at[end].trace == trace; end++)
        junit_count(&cases->at[end], &tally);
    put_tally("  ", "testsuite", trace->name, &tally, out);
    for (; i < end; i++)
        junit_put_case(cases, &cases->at[i], out);
    out_text(out, "  </testsuite>\n");
    return end;
}

/* Writes a suite for expected values whose run or metric is no longer in the
 * file. */
static void put_gone(const struct gate_cases *cases, struct out *out)
{
    size_t n = cases->n_gone + cases->stale.count;
    struct gate_junit_tally tally = {n, n, 0};
    if (!n)
        return;
    put_tally("  ", "testsuite", cases->file->path, &tally, out);
    for (size_t i = 0; i < n; i++) {
        bool is_row = i < cases->n_gone;
        const struct gate_recorded *row =
            is_row ? &cases->file->rows[cases->gone[i]] : NULL;
        char name[4096];
        if (row)
            snprintf(name, sizeof name, "%s %s", row->trace, row->policy);
        else
            snprintf(name, sizeof name, "%s",
                     cases->stale.at[i - cases->n_gone].text);
        out_text(out, "    <testcase");
        put_attribute(out, "classname", cases->file->path);
        put_attribute(out, "name", name);
        out_char(out, '>');
        junit_put_failure(out, "failure", "gone",
                          "is expected, but no longer run");
        end_case(out);
    }
    out_text(out, "  </testsuite>\n");
}

void gate_junit(const struct gate_cases *cases, struct out *out)
{
    struct gate_junit_tally all = {0};
    size_t gone = cases->n_gone + cases->stale.count;
    for (size_t i = 0; i < cases->n; i++)
        junit_count(&cases->at[i], &all);
    all.tests += gone;
    all.failures += gone;
    out_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    put_tally("", "testsuites", cases->file->path, &all, out);
    for (size_t i = 0; i < cases->n;)
        i = put_suite(cases, i, out);
    put_gone(cases, out);
    out_text(out, "</testsuites>\n");
}
