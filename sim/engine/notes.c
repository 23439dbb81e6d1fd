/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of what happened at an instant, which estimators, the forecast and
 * the policy observe. */
#include "sim/engine/engine_internal.h"

void engine_note(struct engine *e, enum event_kind kind, const struct job *job,
                 node_id node)
{
    struct event_list *list = &e->events;
    if (!e->is_watched)
        return;
    list->at =
        mem_grow(list->at, &list->cap, list->count + 1, sizeof *list->at);
    list->at[list->count++] = (struct event){
        .at = e->board.now, .kind = kind, .node = node, .job = job};
}

void engine_note_lost(struct engine *e, enum event_kind kind,
                      const struct job *job, sim_span lost, bool from_start)
{
    engine_note(e, kind, job, NODE_NONE);
    if (!e->is_watched)
        return;
    struct event *event = &e->events.at[e->events.count - 1];
    event->lost = lost;
    event->from_start = from_start;
}

void engine_note_end(struct engine *e, const struct job *job, bool aborted)
{
    engine_note(e, EVENT_FINISHED, job, NODE_NONE);
    if (e->is_watched)
        e->events.at[e->events.count - 1].aborted = aborted;
}
