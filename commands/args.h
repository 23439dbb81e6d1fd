/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The arguments of commands as data. A row is an option or a positional
 * argument: its name, its help, the type of its value, and the field of the
 * command's input that receives the value. cli_parse.c reads the command line
 * by these rows and prints --help from them, so that a command gets a filled
 * structure.
 *
 *     static const struct arg rows[] = {
 *         TAKE_WORD(struct verify_input, dir, "DIR", "result directory"),
 *         TAKE_FLAG(struct verify_input, all, "all", "print all violations"),
 *         {0},
 *     };
 *
 * A field of another type than the macro names does not compile. The code is in
 * cli.c. */
#ifndef SIM_ARGS_H
#define SIM_ARGS_H

#include <math.h>

#include "base/option.h"

enum arg_kind {
    ARG_END,    /* the last row of a table */
    ARG_HEAD,   /* no argument: a heading of --help */
    ARG_FLAG,   /* bool: true if given; takes no value */
    ARG_TEXT,   /* const char *, borrowed from the command line */
    ARG_VIEW,   /* struct text, borrowed from the command line */
    ARG_U32,    /* uint32_t */
    ARG_U64,    /* uint64_t */
    ARG_DOUBLE, /* double */
    ARG_SPAN,   /* sim_span, as text_to_duration reads it */
    /* sim_time, as text_to_when reads it, a plain number since 1970;
     * ARG_NO_TIME if not given */
    ARG_TIME,
    ARG_CHOICE, /* unsigned: index into `choices` */
    ARG_LIST,   /* struct arg_list; the option may be given more than once */
    /* struct arg_words; a positional argument that takes all words left */
    ARG_WORDS,
    /* value of the setting in `tables` whose name is that of the option */
    ARG_SETTING,
    /* KEY=VALUE for any setting in `tables`; may be given more than once */
    ARG_SETTINGS,
    /* KEY=VALUE,... for the rows that are of this option; has no field */
    ARG_KEYS,
};

/* Value of a time that is not given. Traces and histories use the same
 * value. */
#define ARG_NO_TIME INT64_MIN

enum { ARG_LIST_MAX = 32 };
/* The values of an option that was given n times, in the order given. */
struct arg_list {
    const char *at[ARG_LIST_MAX];
    size_t n;
};

/* Any number of positional arguments; in the arena of the call. */
struct arg_words {
    const char **at;
    size_t n, cap;
};

struct arena;
/* `value` is borrowed; the list is in the arena. */
void arg_words_add(struct arg_words *words, const char *value,
                   struct arena *arena);

/* A table of settings, and the place in the input of the configuration that the
 * settings fill. */
struct arg_table {
    const struct option *rows; /* NULL: the end of the tables */
    size_t offset;             /* bytes from the start of the input */
};

struct arg {
    enum arg_kind kind;
    /* bytes from the start of the table's structure to the field that receives
     * the value */
    size_t offset;
    /* Name of the option without dashes; for a positional argument its word in
     * the usage line, such as TRACE. */
    const char *name;
    /* word for the value in --help; NULL: the option takes no value, or the
     * argument is positional */
    const char *value;
    const char *help; /* for a positional argument, its noun in messages */
    int letter;       /* short option; 0: none */
    bool often;       /* true if --help shows the option of a command that has
                       * such rows; --help-all shows all */
    bool is_word;     /* true for a positional argument */
    bool is_required; /* true if the command fails without it */
    /* Value if the option is not given, shown in --help. NULL: the field keeps
     * its value from the defaults of the command; an ARG_TIME becomes
     * ARG_NO_TIME. */
    const char *initial;
    /* range of a number, or of a span in seconds; both 0 and above_lo false:
     * any number */
    double lo, hi;
    bool above_lo, below_hi; /* true if the range excludes lo, hi */
    /* For ARG_TIME: true if it may count from the first submission; the field
     * is then LOAD_SINCE_FIRST (traces/load.h) and the time. */
    bool may_be_since;
    /* For ARG_TEXT: joins the texts of an option that is given more than once;
     * NULL: the option may be given once. */
    const char *joint;
    const char *const *choices;     /* for ARG_CHOICE; ends with NULL */
    const struct arg_table *tables; /* for ARG_SETTING and ARG_SETTINGS */
    /* kinds of `list`, separated by blanks, whose names and settings the value
     * may have; NULL: none */
    const char *settings_of;
    /* what the option does outside the simulation, and the values that do so,
     * as in struct option */
    const char *reach, *reach_at;
    /* Option of the same command whose KEY=VALUE sets this row; the key is the
     * name without "OF-" in front or "-OF" at the end. A flag as a key needs no
     * value. The option of this row's name is the former spelling, for one
     * release. NULL: the row is an option of its own. */
    const char *of;
    /* number of the group in --help, by which groups are ordered; 0: the group
     * of struct arg_part */
    unsigned group;
};

/* The macros that end with `...` accept further members of struct arg, such as
 * `.letter = 'o'`. */
#define TAKE_VALUE(kind_, ctype, type, field, name_, value_, help_, ...) \
    { \
        .kind = kind_, .offset = OPTION_FIELD(type, field, ctype), \
        .name = name_, .value = value_, .help = help_, __VA_ARGS__ \
    }
#define TAKE_FLAG(type, field, name_, help_, ...) \
    TAKE_VALUE(ARG_FLAG, bool, type, field, name_, NULL, help_, __VA_ARGS__)
#define TAKE_TEXT(type, field, name_, value_, help_, ...) \
    TAKE_VALUE(ARG_TEXT, const char *, type, field, name_, value_, help_, \
               __VA_ARGS__)
#define TAKE_VIEW(type, field, name_, value_, help_, ...) \
    TAKE_VALUE(ARG_VIEW, struct text, type, field, name_, value_, help_, \
               __VA_ARGS__)
#define TAKE_U32(type, field, name_, value_, help_, ...) \
    TAKE_VALUE(ARG_U32, uint32_t, type, field, name_, value_, help_, \
               __VA_ARGS__)
#define TAKE_U64(type, field, name_, value_, help_, ...) \
    TAKE_VALUE(ARG_U64, uint64_t, type, field, name_, value_, help_, \
               __VA_ARGS__)
#define TAKE_DOUBLE(type, field, name_, value_, help_, ...) \
    TAKE_VALUE(ARG_DOUBLE, double, type, field, name_, value_, help_, \
               __VA_ARGS__)
#define TAKE_SPAN(type, field, name_, value_, help_, ...) \
    TAKE_VALUE(ARG_SPAN, sim_span, type, field, name_, value_, help_, \
               __VA_ARGS__)
#define TAKE_TIME(type, field, name_, value_, help_, ...) \
    TAKE_VALUE(ARG_TIME, sim_time, type, field, name_, value_, help_, \
               __VA_ARGS__)
#define TAKE_CHOICE(type, field, name_, value_, choices_, help_, ...) \
    TAKE_VALUE(ARG_CHOICE, unsigned, type, field, name_, value_, help_, \
               .choices = choices_, __VA_ARGS__)
#define TAKE_LIST(type, field, name_, value_, help_, ...) \
    TAKE_VALUE(ARG_LIST, struct arg_list, type, field, name_, value_, help_, \
               __VA_ARGS__)
#define TAKE_SETTING(tables_, name_, value_, help_, ...) \
    { \
        .kind = ARG_SETTING, .name = name_, .value = value_, .help = help_, \
        .tables = tables_, __VA_ARGS__ \
    }
#define TAKE_SETTINGS(tables_, name_, help_) \
    { \
        .kind = ARG_SETTINGS, .name = name_, .value = "KEY=VALUE", \
        .help = help_, .tables = tables_ \
    }
/* A positional argument that must be given; `noun_` is used in messages such as
 * "a NOUN is missing". */
#define TAKE_WORD(type, field, name_, noun_) \
    TAKE_VALUE(ARG_TEXT, const char *, type, field, name_, NULL, noun_, \
               .is_word = true, .is_required = true)
#define TAKE_OPTIONAL_WORD(type, field, name_, noun_) \
    TAKE_VALUE(ARG_TEXT, const char *, type, field, name_, NULL, noun_, \
               .is_word = true)
/* All positional arguments that are left, at least one. */
#define TAKE_WORDS(type, field, name_, noun_) \
    TAKE_VALUE(ARG_WORDS, struct arg_words, type, field, name_, NULL, noun_, \
               .is_word = true, .is_required = true)
/* All positional arguments that are left, or none. */
#define TAKE_OPTIONAL_WORDS(type, field, name_, noun_) \
    TAKE_VALUE(ARG_WORDS, struct arg_words, type, field, name_, NULL, noun_, \
               .is_word = true)
/* An option whose value is KEY=VALUE,... for the rows that are `of` it. A flag,
 * a setting or a list can have such rows, too; a flag then takes a value or
 * none. */
#define TAKE_KEYS(name_, help_, ...) \
    { \
        .kind = ARG_KEYS, .name = name_, .value = "KEY=VALUE", .help = help_, \
        __VA_ARGS__ \
    }
#define TAKE_HEAD(group_, help_) \
    { \
        .kind = ARG_HEAD, .help = help_, .group = group_ \
    }

/* Sets the fields of rows with an initial value to it, times to ARG_NO_TIME and
 * settings to their defaults; other fields keep their values. `base` is the
 * structure that the offsets refer to. */
void args_defaults(const struct arg *rows, void *base);

/* Returns the key of a row that is of another option. */
struct text arg_key(const struct arg *row);

/* Stores the value of one row. `value`, which is NULL for a flag, must outlive
 * `base`. Returns STATUS_USAGE with a message, such as "--NAME: 'x' is not
 * ...", if the value is wrong or an ARG_LIST is full. `arena` gets the texts of
 * settings and the arrays of ARG_WORDS, and messages about settings begin with
 * `owner`, the name of the command; both may be NULL for rows of other
 * kinds. */
enum status arg_store(const struct arg *row, void *base, const char *value,
                      const char *owner, struct arena *arena,
                      struct error *err) MUST_USE;

#endif
