/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of what happened at an instant, which estimators, the forecast and
 * the policy observe. */
#include "sim/engine/engine_internal.h"

void engine_note_watched(struct engine *e, enum event_kind kind,
                         const struct job *job, node_id node)
{
    struct event_list *list = &e->events;
    list->at =
        mem_grow(list->at, &list->cap, list->count + 1, sizeof *list->at);
    list->at[list->count++] = (struct event){
        .at = e->board.now, .kind = kind, .node = node, .job = job};
}

void engine_note_lost(struct engine *e, enum event_kind kind,
                      const struct job *job, sim_span lost, bool from_start)
{
    if (!e->is_watched)
        return;
    engine_note_watched(e, kind, job, NODE_NONE);
    struct event *event = &e->events.at[e->events.count - 1];
    event->lost = lost;
    event->from_start = from_start;
}

void engine_note_end(struct engine *e, const struct job *job, bool aborted)
{
    if (!e->is_watched)
        return;
    engine_note_watched(e, EVENT_FINISHED, job, NODE_NONE);
    e->events.at[e->events.count - 1].aborted = aborted;
}
