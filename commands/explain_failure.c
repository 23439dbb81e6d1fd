/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "commands/explain_failure.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "commands/cli.h"
#include "commands/table.h"

static const struct verify_failure *find(const struct verify_failures *failures,
                                         uint32_t job, uint32_t attempt)
{
    for (size_t i = 0; i < failures->n_rows; i++) {
        const struct verify_failure *row = &failures->rows[i];
        if (row->job == job && row->attempt == attempt)
            return row;
    }
    return NULL;
}

static const char *word(const struct verify_failures *failures, uint32_t symbol)
{
    return interner_string(&failures->words, symbol);
}

static void print_ruling(const struct verify_failures *failures,
                         const struct verify_failure *row)
{
    char noticed[TABLE_SPAN_MAX], pending[TABLE_SPAN_MAX];
    const char *by = word(failures, row->by);
    bool ends = strcmp(word(failures, row->verdict), "give-up") == 0;
    if (ends) {
        say(stdout, "    the recovery rule '%s' gave the job up", by);
        return;
    }
    say(stdout,
        "    the recovery rule '%s': noticed after %s, pending again after %s, "
        "%s",
        by, table_span(span_seconds(row->detected), noticed),
        table_span(span_seconds(row->delay), pending),
        strcmp(word(failures, row->verdict), "restart") == 0
            ? "from the beginning"
            : "from the last checkpoint");
}

static void print(const struct verify_failures *failures,
                  const struct verify_failure *row)
{
    char lost[TABLE_SPAN_MAX], node[64] = "", suspect[64] = "";
    if (row->node != VERIFY_NO_NODE)
        snprintf(node, sizeof node, " of node %" PRIu32, row->node);
    if (row->suspect != VERIFY_NO_NODE)
        snprintf(suspect, sizeof suspect, "; node %" PRIu32 " was suspected",
                 row->suspect);
    say(stdout,
        "    failure %" PRIu32 " of the job: %s (%s)%s, lost %s of work%s",
        row->number, word(failures, row->cause), word(failures, row->kind),
        node, table_span(span_seconds(row->lost), lost), suspect);
    print_ruling(failures, row);
}

static void put(json_t *event, const struct verify_failures *failures,
                const struct verify_failure *row)
{
    json_t *json = json_object();
    json_put(json, "number", json_integer(row->number));
    json_put(json, "cause", json_text(word(failures, row->cause)));
    json_put(json, "kind", json_text(word(failures, row->kind)));
    if (row->fault)
        json_put(json, "fault", json_integer(row->fault));
    if (row->node != VERIFY_NO_NODE)
        json_put(json, "node", json_integer(row->node));
    if (row->suspect != VERIFY_NO_NODE)
        json_put(json, "suspect", json_integer(row->suspect));
    json_put(json, "by", json_text(word(failures, row->by)));
    json_put(json, "verdict", json_text(word(failures, row->verdict)));
    json_put(json, "detected_s", json_number(span_seconds(row->detected)));
    json_put(json, "delay_s", json_number(span_seconds(row->delay)));
    json_put(json, "lost_s", json_number(span_seconds(row->lost)));
    json_put(event, "failure", json);
}

void explain_failure(const struct verify_failures *failures,
                     const struct verify_attempt *attempt, json_t *json)
{
    const struct verify_data *d = failures->data;
    const struct verify_job *job = &d->jobs[attempt->job];
    uint32_t number = (uint32_t)(attempt - d->attempts) - job->first_attempt;
    const struct verify_failure *row = find(failures, attempt->job, number + 1);
    json_t *all = json_object_get(json, "events");
    if (!row)
        return;
    if (json)
        put(json_array_get(all, json_array_size(all) - 1), failures, row);
    else
        print(failures, row);
}
