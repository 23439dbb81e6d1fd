/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The settings of the engine and the law of time. Some settings of the law of
 * time and of the overhead models used to be settings of the engine. Their old
 * names are accepted for one release, with a remark. */
#include <string.h>

#include "sim/run/compose_internal.h"

static const struct moved_option {
    const char *old;   /* old key of --engine */
    const char *owner; /* owner that has the setting now */
    /* key of the setting at that owner; NULL: it has none, and the old setting
     * only chooses `law` */
    const char *key;
    const char *law; /* law of time that the setting belongs to; NULL: any */
    bool inverted;   /* true if the meaning of true and false was exchanged */
} moved_options[] = {
    {.old = "end_lag_s", .owner = "time-law", .key = "lag_s"},
    {.old = "end_grid_s", .owner = "time-law", .key = "step_s", .law = "grid"},
    {.old = "countdown", .owner = "time-law", .law = "countdown"},
    {.old = "restore_both",
     .owner = "time-law",
     .key = "later_stays_slow",
     .law = "countdown",
     .inverted = true},
    {.old = "profile_keeps_work",
     .owner = "overhead",
     .key = "profile_keeps_work"},
    {.old = "free_moves", .owner = "overhead", .key = "free_moves"},
};

static const struct moved_option *find_moved(struct text key)
{
    for (size_t i = 0; i < sizeof moved_options / sizeof *moved_options; i++) {
        if (text_is(key, moved_options[i].old))
            return &moved_options[i];
    }
    return NULL;
}

/* True if the value switches the setting off. A setting that is off needs no
 * particular law of time. */
static bool is_off(const struct moved_option *row, struct text value)
{
    sim_span span;
    if (row->inverted)
        return text_is(value, "true");
    return text_is(value, "false") || (text_to_span(value, &span) && !span);
}

static enum status choose_law(struct run *run, const char *law,
                              struct error *err)
{
    if (run->moved_law && strcmp(run->moved_law, law) != 0)
        return error_set(err, STATUS_USAGE,
                         "--engine: its settings ask for two laws of time, %s "
                         "and %s; choose one with --time-law",
                         run->moved_law, law);
    run->moved_law = law;
    return STATUS_OK;
}

static void move_to(struct run *run, const struct moved_option *row,
                    struct text value)
{
    run->moved[run->n_moved++] = (struct moved_setting){
        row->owner,
        {.key = text_from(row->key), .value = value},
    };
}

/* Called for a setting that the user switches off. If the conventions choose
 * the law of time of this row, replaces the law by `exact` or, for an inverted
 * setting, sets its new key to false. */
static enum status switch_off(struct run *run, const struct moved_option *row,
                              struct error *err)
{
    if (strcmp(compose_ruled(run, row->owner, "exact"), row->law) != 0)
        return STATUS_OK;
    if (!row->inverted)
        return choose_law(run, "exact", err);
    move_to(run, row, text_from("false"));
    return STATUS_OK;
}

static enum status move_setting(struct run *run, const struct moved_option *row,
                                struct text value, struct error *err)
{
    remarks_add(&run->result.remarks, REMARK_DETAIL,
                "--engine %s is --%s %s%s%s now; the old name will be removed "
                "in the next release",
                row->old, row->owner, row->law ? row->law : "NAME",
                row->key ? ":" : "", row->key ? row->key : "");
    if (row->law && is_off(row, value))
        return switch_off(run, row, err);
    if (row->key)
        move_to(run, row, row->inverted ? text_from("true") : value);
    return row->law ? choose_law(run, row->law, err) : STATUS_OK;
}

/* Moves the settings with old names out of *spec to their new owners. */
static enum status move_settings(struct run *run, struct spec *spec,
                                 struct error *err)
{
    enum status st = STATUS_OK;
    size_t n = 0;
    for (size_t i = 0; i < spec->n_settings && st == STATUS_OK; i++) {
        const struct moved_option *row = find_moved(spec->settings[i].key);
        if (row)
            st = move_setting(run, row, spec->settings[i].value, err);
        else
            spec->settings[n++] = spec->settings[i];
    }
    spec->n_settings = n;
    return st;
}

/* Puts a default before all other settings. Settings of the conventions and of
 * the user come later and so override it. */
static enum status put_first(struct spec *spec, const char *key,
                             const char *value, struct error *err)
{
    if (spec->n_settings == SPEC_SETTINGS_MAX)
        return error_set(err, STATUS_USAGE, "engine: too many settings");
    memmove(spec->settings + 1, spec->settings,
            spec->n_settings++ * sizeof *spec->settings);
    spec->settings[0] =
        (struct spec_setting){.key = text_from(key), .value = text_from(value)};
    return STATUS_OK;
}

enum status compose_engine(struct run *run, struct error *err)
{
    struct engine_config *config = &run->parts.config;
    struct arena *arena = &run->result.arena;
    const char *text = NULL;
    struct spec spec;
    if (run->config.engine)
        text = compose_prefix(arena, "engine:", run->config.engine);
    enum status st = compose_merge(run, "engine", text, "engine", &spec, err);
    if (st == STATUS_OK)
        st = move_settings(run, &spec, err);
    if (st == STATUS_OK && (run->parts.policy.ops->needs & POLICY_SHARES))
        st = put_first(&spec, "share_limit", "2", err);
    if (st == STATUS_OK)
        st = spec_apply(&spec, engine_options, config, "engine", arena, err);
    if (st == STATUS_OK)
        compose_note_options(run, "engine", engine_options, config);
    return st;
}

enum status compose_time_law(struct run *run, struct error *err)
{
    const char *text = run->config.time_law;
    return compose_part(run, &time_laws_kind, text ? text : run->moved_law,
                        "exact", &run->parts.law.part, err);
}
