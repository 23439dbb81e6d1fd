/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options. One row defines an option: its name on the command line and in
 * manifest.json, its type check (it does not compile unless field and macro
 * agree), its range check, its default and its help text.
 *
 *     static const struct option tiresias_options[] = {
 *         OPT_SPAN(struct tiresias_config, quantum, "quantum_s", 60, 1, 86400,
 *                  "time between preemption rounds", "paper, section 3.2"),
 *         {0},
 *     };
 *
 * The name of a quantity ends with its unit (_s, _gpu_s, _mib). A number that
 * the simulator assumes names its source in the last column. A row that only
 * some value of another row makes effective says so after that column
 * (OPT_WHEN); spec_apply refuses to set it otherwise. */
#ifndef SIM_BASE_OPTION_H
#define SIM_BASE_OPTION_H

#include <stddef.h>

#include "base/error.h"
#include "base/text.h"

enum option_kind {
    OPTION_END, /* marks the last row */
    OPTION_BOOL,
    OPTION_U32,
    OPTION_DOUBLE,
    OPTION_SPAN, /* read by text_to_duration, kept as sim_span */
    /* kept as const char *: the default, or a copy in the caller's arena */
    OPTION_TEXT,
    OPTION_CHOICE, /* kept as unsigned: index into `choices` */
};

struct option {
    const char *name;
    enum option_kind kind;
    size_t offset;
    double number, lo, hi; /* default and inclusive range; seconds for spans */
    const char *text;      /* default of OPTION_TEXT */
    const char *const *choices; /* ends with NULL */
    const char *help, *source;
    /* "KEY=VALUE[/VALUE...]" or "KEY!=VALUE": the row has an effect only if the
     * row KEY of this table has one of these values, as option_value writes
     * them, or has another value; NULL: always */
    const char *when;
    bool path; /* true if OPTION_TEXT names a file or directory that a run
                * reads */
    /* What the setting does outside the simulation, such as "runs a program";
     * NULL: nothing. A file sets it only if the user trusts the file
     * (commands/trust.h). */
    const char *reach;
    /* values that do so, separated by '|'; NULL: every value */
    const char *reach_at;
};

/* OPT_TEXT and OPT_CHOICE accept further members of struct option, such as
 * `.reach = "runs a program"`. */

/* An offsetof that fails to compile if the field has another type. */
#define OPTION_FIELD(type, field, ctype) \
    (offsetof(type, field) + 0 * sizeof((ctype *)0 == &((type *)0)->field))

#define OPT_WHEN(condition) .when = condition
#define OPT_BOOL(type, field, name_, deflt, help_, source_, ...) \
    { \
        .name = name_, .kind = OPTION_BOOL, \
        .offset = OPTION_FIELD(type, field, bool), .number = deflt, .lo = 0, \
        .hi = 1, .help = help_, .source = source_, __VA_ARGS__ \
    }
#define OPT_U32(type, field, name_, deflt, lo_, hi_, help_, source_, ...) \
    { \
        .name = name_, .kind = OPTION_U32, \
        .offset = OPTION_FIELD(type, field, uint32_t), .number = deflt, \
        .lo = lo_, .hi = hi_, .help = help_, .source = source_, __VA_ARGS__ \
    }
#define OPT_DOUBLE(type, field, name_, deflt, lo_, hi_, help_, source_, ...) \
    { \
        .name = name_, .kind = OPTION_DOUBLE, \
        .offset = OPTION_FIELD(type, field, double), .number = deflt, \
        .lo = lo_, .hi = hi_, .help = help_, .source = source_, __VA_ARGS__ \
    }
#define OPT_SPAN(type, field, name_, deflt, lo_, hi_, help_, source_, ...) \
    { \
        .name = name_, .kind = OPTION_SPAN, \
        .offset = OPTION_FIELD(type, field, sim_span), .number = deflt, \
        .lo = lo_, .hi = hi_, .help = help_, .source = source_, __VA_ARGS__ \
    }
#define OPT_TEXT(type, field, name_, deflt, help_, source_, ...) \
    { \
        .name = name_, .kind = OPTION_TEXT, \
        .offset = OPTION_FIELD(type, field, const char *), .text = deflt, \
        .help = help_, .source = source_, __VA_ARGS__ \
    }
/* A file or a directory that a run reads; the manifest gives its SHA-256. */
#define OPT_PATH(type, field_, name_, deflt, help_, source_, ...) \
    { \
        .name = name_, .kind = OPTION_TEXT, \
        .offset = OPTION_FIELD(type, field_, const char *), .text = deflt, \
        .help = help_, .source = source_, .path = true, __VA_ARGS__ \
    }
#define OPT_CHOICE(type, field, name_, deflt, choices_, help_, source_, ...) \
    { \
        .name = name_, .kind = OPTION_CHOICE, \
        .offset = OPTION_FIELD(type, field, unsigned), .number = deflt, \
        .choices = choices_, .help = help_, .source = source_, __VA_ARGS__ \
    }

/* Fills `config` with the defaults of all rows. `rows` may be NULL. */
void option_defaults(const struct option *rows, void *config);

/* Sets one option from text. STATUS_USAGE for an unknown key, or for a value
 * that has another type, is out of range or is none of the choices; the message
 * names `owner` (e.g. "policy sjf") and, for an unknown key, the nearest known
 * one or all. Text values are copied to `arena`. */
enum status option_set(const struct option *rows, void *config,
                       const char *owner, struct text key, struct text value,
                       struct arena *arena, struct error *err) MUST_USE;

/* Fills the error for a `key` that none of the tables has: names the nearest
 * key, lists the keys, or says that there are none. Returns STATUS_USAGE. */
enum status option_unknown(const struct option *const *tables, size_t n_tables,
                           const char *owner, struct text key,
                           struct error *err);

#define OPTION_TEXT_MAX 64
/* Returns the current value as text that option_set accepts; that of an
 * OPTION_DOUBLE has at most 15 significant digits. The text lies in `buf`,
 * belongs to the config or is a constant. */
const char *option_value(const struct option *row, const void *config,
                         char buf[OPTION_TEXT_MAX]);
const char *option_kind_name(const struct option *row);

/* True unless the row's condition (`when`) fails: then its value has no effect.
 * The table `rows` must hold the row that the condition names. */
bool option_is_read(const struct option *rows, const struct option *row,
                    const void *config);

#define SPEC_LAYERS_MAX 8
#define SPEC_SETTINGS_MAX 64
struct spec_setting {
    struct text key, value;
    bool bare;  /* the user wrote KEY alone, which turns a switch on; then the
                 * value is "true" */
    bool ruled; /* true if --conventions set it: then it may have no effect */
};
/* A plug-in as the user writes it: "name[+layer...][:key=value,...]". */
struct spec {
    struct text name;
    struct text layers[SPEC_LAYERS_MAX];
    size_t n_layers;
    struct spec_setting settings[SPEC_SETTINGS_MAX];
    size_t n_settings;
};

/* Parses a spec. The texts of *out are views into `text`, which must outlive
 * *out. STATUS_USAGE if the name is missing, a setting has no key, or there are
 * too many layers or settings; the message names `what`. */
enum status spec_parse(const char *what, struct text text, struct spec *out,
                       struct error *err) MUST_USE;
/* Adds the layers of "layer[+layer...]", "" for none, to *out. STATUS_USAGE if
 * there are too many. */
enum status spec_add_layers(const char *what, struct text layers,
                            struct spec *out, struct error *err) MUST_USE;

/* Sets the defaults, then the settings of the spec. Fails as option_set does,
 * with STATUS_USAGE if a KEY without a value names no switch, and with
 * STATUS_USAGE if a setting has no effect beside the others (`when`): a user
 * who varies it would compare equal runs. */
enum status spec_apply(const struct spec *spec, const struct option *rows,
                       void *config, const char *owner, struct arena *arena,
                       struct error *err) MUST_USE;

#endif
