/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lets an elastic job learn from an earlier job of its application. A submitted
 * job gets a copy of the samples and models of the job of its application that
 * finished last or, if none has finished, of the job that started first. This
 * shows how much Sia would gain if SchedMate's advisor always found a matching
 * job. This layer gives no run times and no demand. */
#include "models/estimators/donors.h"

struct same_application {
    struct donors *donors; /* by job.model */
};

static enum status same_application_init(void *self, const void *config,
                                         const struct run_env *env,
                                         struct error *err)
{
    (void)config;
    (void)err;
    ((struct same_application *)self)->donors = donors_new(env);
    return STATUS_OK;
}

static void same_application_observe(void *self, const struct event *event,
                                     struct wakeups *wakeups)
{
    (void)wakeups;
    if (event->job)
        donors_note(((struct same_application *)self)->donors, event);
}

static bool same_application_donor(void *self, const struct estimator *below,
                                   const struct job *job, job_id *out)
{
    (void)below;
    return donors_find(((struct same_application *)self)->donors, job, out);
}

const struct estimator_ops estimator_same_application = {
    .name = "same-application",
    .old_name = "kin",
    .summary = "no run times; an elastic job takes over what an earlier job of "
               "its application has learned",
    .state_size = sizeof(struct same_application),
    .init = same_application_init,
    .observe = same_application_observe,
    .donor = same_application_donor,
};
