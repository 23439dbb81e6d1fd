/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a command line by the rows of a command, and prints the rows as --help.
 * The only file that uses argp, with flags that keep argp from exiting or
 * printing by itself. */
#include "commands/cli.h"
#include "commands/run_options.h"

/* argp.h needs the struct option of getopt, but base/option.h has
 * another. */
#define option getopt_option
#include <argp.h>
#undef option
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/meant.h"
#include "commands/cli_renamed.h"
#include "commands/terminal.h"

/* The key of an option that has no letter is LONG_KEYS and its number, that of
 * a line of help is HELP_KEY. */
enum { SLOTS_MAX = 128, LONG_KEYS = 0x200, HELP_KEY = 0x1000 };

/* A row of one of the command's parts, and the value that the command line
 * gave. */
struct slot {
    const struct arg *row;
    char *base;         /* structure that the offset of the row refers to */
    const char **given; /* place for the text of the value; NULL: none */
    const char *value;  /* NULL: not given yet */
    int key; /* key that argp passes for the option; 0: the row is no option */
};

struct parser {
    const char *path;
    struct slot slots[SLOTS_MAX];
    size_t n;
    /* one for each row and for its help; ends with a row of zeroes */
    struct argp_option options[2 * SLOTS_MAX + 1];
    size_t n_options;
    char words[128]; /* positional arguments, as shown in the usage line */
    struct argp argp;
    struct arena *arena;
    struct error *err;
    bool failed; /* true if *err has a message */
    /* true if a person typed the words, who is told of former spellings */
    bool is_typed;
    bool all;   /* true to print all options */
    bool brief; /* true to print only the options that are used often */
};

static bool parse_is_shadowed(const struct parser *p, const char *name)
{
    for (size_t i = 0; name && i < p->n; i++) {
        const char *other = p->slots[i].row->name;
        if (other && strcmp(other, name) == 0)
            return true;
    }
    return false;
}

/* Returns the help text of a row, extended by its initial value and by whether
 * it is required; if `brief`, its first clause. Only `all` shows keys. */
static const char *help_of(const struct arg *row, bool brief, bool all,
                           struct arena *arena)
{
    const char *end = strstr(row->help, "; ");
    if (row->kind == ARG_KEYS && !all) {
        const size_t n = strlen(row->help) + 32;
        char *help = arena_alloc(arena, n);
        snprintf(help, n, "%s (keys: --help-all)", row->help);
        return help;
    }
    if (brief)
        return end ? arena_copy(arena, row->help, (size_t)(end - row->help))
                   : row->help;
    if (!row->initial && !row->is_required)
        return row->help;
    size_t n =
        strlen(row->help) + 32 + strlen(row->initial ? row->initial : "");
    char *help = arena_alloc(arena, n);
    snprintf(help, n, "%s%s%s", row->help,
             row->is_required ? " (required)" : "; default ",
             row->initial ? row->initial : "");
    return help;
}

static void parse_add_word(struct parser *p, const struct arg *row)
{
    size_t n = strlen(p->words);
    snprintf(p->words + n, sizeof p->words - n,
             row->is_required ? "%s%s%s" : "%s[%s]%s", n ? " " : "", row->name,
             row->kind == ARG_WORDS ? "..." : "");
}

/* `flags`: OPTION_HIDDEN leaves the row out of --help. */
static void parse_add_option(struct parser *p, const struct arg *row, int key,
                             unsigned group, int flags)
{
    p->options[p->n_options++] =
        (struct argp_option){.name = row->name,
                             .key = key,
                             .arg = row->value,
                             .doc = help_of(row, p->brief, p->all, p->arena),
                             .flags = flags,
                             .group = (int)(row->group ? row->group : group)};
    if (row->kind == ARG_FLAG && row->value)
        p->options[p->n_options - 1].flags |= OPTION_ARG_OPTIONAL;
}

/* Adds the line of --help-all on a row that is of another option. */
static void parse_add_key(struct parser *p, const struct arg *row,
                          unsigned group)
{
    const struct text key = arg_key(row);
    const size_t n =
        key.len + strlen(row->of) + (row->value ? strlen(row->value) : 0) + 8;
    char *name = arena_alloc(p->arena, n);
    snprintf(name, n, "--%s %.*s%s%s", row->of, (int)key.len, key.at,
             row->value ? "=" : "", row->value ? row->value : "");
    p->options[p->n_options++] =
        (struct argp_option){.name = name,
                             .key = HELP_KEY,
                             .doc = help_of(row, false, true, p->arena),
                             .flags = OPTION_DOC,
                             .group = (int)(row->group ? row->group : group)};
}

/* True if help leaves the row out. Brief help has the rows that are used often;
 * a command without such rows leaves the options of a run to --help-all. */
static bool parse_hides(const struct parser *p, const struct arg_part *part,
                        const struct arg *row)
{
    if (row->of)
        return true;
    if (p->brief)
        return !row->often || part->is_rare;
    return !p->all && part->rows == run_args;
}

static void parse_add_part(struct parser *p, const struct arg_part *part,
                           char *input)
{
    const char **given =
        part->given ? (const char **)(void *)(input + part->given) : NULL;
    for (size_t i = 0; part->rows[i].kind != ARG_END; i++) {
        const struct arg *row = &part->rows[i];
        bool is_option = !row->is_word && row->kind != ARG_HEAD;
        int key = row->letter ? row->letter : LONG_KEYS + (int)p->n;
        if (parse_is_shadowed(p, row->name))
            continue;
        CHECK(p->n < SLOTS_MAX);
        p->slots[p->n++] = (struct slot){.row = row,
                                         .base = input + part->offset,
                                         .given = given ? &given[i] : NULL,
                                         .key = is_option ? key : 0};
        if (row->is_word)
            parse_add_word(p, row);
        else
            parse_add_option(p, row, is_option ? key : 0, part->group,
                             parse_hides(p, part, row) ? OPTION_HIDDEN : 0);
        if (row->of && p->all)
            parse_add_key(p, row, part->group);
    }
}

static error_t parse_fail(struct parser *p, const struct slot *slot,
                          const char *word)
{
    const char *name = slot->row->name;
    if (slot->row->is_word)
        error_set(p->err, STATUS_USAGE, "%s: give one %s only: '%s' and '%s'",
                  p->path, slot->row->help, slot->value, word);
    else if (slot->row->of)
        error_set(p->err, STATUS_USAGE,
                  "--%s %s: is given twice: '%s' and '%s'", slot->row->of, name,
                  slot->value, word);
    else
        error_set(p->err, STATUS_USAGE, "--%s: is given twice: '%s' and '%s'",
                  name, slot->value, word);
    p->failed = true;
    return EINVAL;
}

static const char *parse_join(struct arena *arena, const char *a,
                              const char *joint, const char *b)
{
    size_t n = strlen(a) + strlen(joint) + strlen(b) + 1;
    char *all = arena_alloc(arena, n);
    snprintf(all, n, "%s%s%s", a, joint, b);
    return all;
}

/* Stores a value. Refuses a second value for the same option unless its row
 * accepts several; argp would silently use the last one. */
static error_t parse_store(struct parser *p, struct slot *slot,
                           const char *word)
{
    enum arg_kind kind = slot->row->kind;
    bool repeats =
        kind == ARG_LIST || kind == ARG_WORDS || kind == ARG_SETTINGS;
    if (slot->value && word && slot->row->joint)
        word = parse_join(p->arena, slot->value, slot->row->joint, word);
    else if (slot->value && word && !repeats)
        return parse_fail(p, slot, word);
    slot->value = word ? word : "";
    if (slot->given)
        *slot->given = word;
    if (arg_store(slot->row, slot->base, word, p->path, p->arena, p->err) ==
        STATUS_OK)
        return 0;
    p->failed = true;
    return EINVAL;
}

/* Stores a positional argument in the first positional row that has no value
 * yet or takes all words left. */
static error_t store_word(struct parser *p, const char *word)
{
    struct slot *last = NULL;
    size_t n_words = 0;
    for (size_t i = 0; i < p->n; i++) {
        if (!p->slots[i].row->is_word)
            continue;
        last = &p->slots[i];
        n_words++;
        if (!last->value || last->row->kind == ARG_WORDS)
            return parse_store(p, last, word);
    }
    return n_words == 1 ? parse_fail(p, last, word) : ARGP_ERR_UNKNOWN;
}

/* Returns the row that is of the option `of` and has the key with which the
 * text begins; NULL if there is none. */
static struct slot *parse_find_key(struct parser *p, const char *of,
                                   struct text text)
{
    const size_t len = strcspn(text.at, "=,");
    for (size_t i = 0; i < p->n; i++) {
        const struct arg *row = p->slots[i].row;
        if (!row->of || strcmp(row->of, of) != 0)
            continue;
        const struct text key = arg_key(row);
        if (key.len == len && memcmp(key.at, text.at, len) == 0)
            return &p->slots[i];
    }
    return NULL;
}

static error_t parse_refuse_key(struct parser *p, const char *of,
                                struct text text)
{
    char *keys[SLOTS_MAX];
    size_t n = 0;
    for (size_t i = 0; i < p->n; i++) {
        if (p->slots[i].row->of && strcmp(p->slots[i].row->of, of) == 0) {
            const struct text key = arg_key(p->slots[i].row);
            keys[n++] = arena_copy(p->arena, key.at, key.len);
        }
    }
    text.len = strcspn(text.at, "=,");
    const char *near = text_nearest(text, (const char *const *)(void *)keys, n);
    if (near)
        error_set(p->err, STATUS_USAGE,
                  "--%s: no key '%.*s'; did you mean '%s'?", of,
                  TEXT_ARGS(text), near);
    else
        error_set(p->err, STATUS_USAGE,
                  "--%s: no key '%.*s'; 'schedsim %s --help-all' has them", of,
                  TEXT_ARGS(text), p->path);
    p->failed = true;
    return EINVAL;
}

/* Sets rows that are of an option by its value, KEY=VALUE,... A comma belongs
 * to a value unless a key follows. */
static error_t parse_store_keys(struct parser *p, const char *of,
                                const char *value)
{
    error_t failed = 0;
    for (const char *at = value; at && !failed;) {
        struct slot *slot = parse_find_key(p, of, text_from(at));
        if (!slot)
            return parse_refuse_key(p, of, text_from(at));
        const char *end = strchr(at, ',');
        while (end && !parse_find_key(p, of, text_from(end + 1)))
            end = strchr(end + 1, ',');
        const size_t len = end ? (size_t)(end - at) : strlen(at);
        const char *one = arena_copy(p->arena, at, len);
        const char *is = strchr(one, '=');
        const bool is_flag = slot->row->kind == ARG_FLAG;
        if (is_flag == !is) {
            failed = parse_store(p, slot, is ? is + 1 : NULL);
        } else {
            error_set(p->err, STATUS_USAGE, "--%s: %s %s", of, one,
                      is_flag ? "takes no value" : "lacks its value");
            p->failed = true;
            failed = EINVAL;
        }
        at = end ? end + 1 : NULL;
    }
    return failed;
}

/* True if the option is a flag, whose keys follow an '='. */
static bool is_flag_of(const struct parser *p, const char *name)
{
    for (size_t i = 0; i < p->n; i++) {
        if (p->slots[i].row->name && strcmp(p->slots[i].row->name, name) == 0)
            return p->slots[i].row->kind == ARG_FLAG;
    }
    return false;
}

/* Stores the value of an option. A value that begins with a key goes to the row
 * of that key. */
static error_t parse_store_option(struct parser *p, struct slot *slot,
                                  const char *value)
{
    const struct arg *row = slot->row;
    const bool is_key = value && parse_find_key(p, row->name, text_from(value));
    if (row->of && p->is_typed) {
        const struct text key = arg_key(row);
        fprintf(stderr,
                "note: %s: --%s is called --%s%c%.*s%s now; the old name will "
                "be removed in the next release\n",
                p->path, row->name, row->of, is_flag_of(p, row->of) ? '=' : ' ',
                (int)key.len, key.at, row->value ? "=" : "");
    }
    if (row->kind == ARG_FLAG && value) {
        error_t failed = parse_store(p, slot, NULL);
        return failed ? failed : parse_store_keys(p, row->name, value);
    }
    return is_key || row->kind == ARG_KEYS
               ? parse_store_keys(p, row->name, value)
               : parse_store(p, slot, value);
}

static error_t cli_parse_key(int key, char *arg, struct argp_state *state)
{
    struct parser *p = state->input;
    if (key == ARGP_KEY_ARG)
        return store_word(p, arg);
    for (size_t i = 0; i < p->n; i++) {
        if (p->slots[i].key == key && key != 0)
            return parse_store_option(p, &p->slots[i], arg);
    }
    return ARGP_ERR_UNKNOWN;
}

/* A negative group comes last in --help. */
#define GROUP_LAST ((unsigned)-1)

const struct arg cli_common_args[] = {
    TAKE_CHOICE(struct cli_call, color, "color", "WHEN", tone_when_words,
                "colours: auto (on a terminal, unless $NO_COLOR is set; "
                "default), always or never",
                .group = GROUP_LAST),
    {0},
};

/* True if a row is an option, or the heading of a group that shows one. Brief
 * help has no headings. */
static bool parse_shows(const struct parser *p, const struct argp_option *row)
{
    bool shows = row->key != 0;
    for (size_t k = 0; k < p->n_options && !shows && !p->brief; k++)
        shows = p->options[k].group == row->group && p->options[k].key &&
                !(p->options[k].flags & OPTION_HIDDEN);
    return shows;
}

/* Drops the headings of groups that show no option: argp prints them. */
static void drop_empty_headings(struct parser *p)
{
    size_t n = 0;
    for (size_t i = 0; i < p->n_options; i++) {
        if (parse_shows(p, &p->options[i]))
            p->options[n++] = p->options[i];
    }
    memset(p->options + n, 0, (p->n_options - n) * sizeof *p->options);
    p->n_options = n;
}

/* True if a part of the command that is not the options of a run has a row that
 * is used often. */
static bool parse_has_often(const struct command *command)
{
    for (size_t i = 0; i < ARG_PARTS_MAX && command->parts[i].rows; i++) {
        const struct arg *row = command->parts[i].rows;
        for (; row != run_args && row->kind != ARG_END; row++) {
            if (row->often)
                return true;
        }
    }
    return false;
}

static void init(struct parser *p, const struct command *command,
                 const char *path, bool all, struct cli_call *call,
                 struct error *err)
{
    *p = (struct parser){.path = path,
                         .is_typed = call->argc > 0,
                         .all = all,
                         .brief = !all && parse_has_often(command),
                         .arena = &call->arena,
                         .err = err};
    for (size_t i = 0; i < ARG_PARTS_MAX && command->parts[i].rows; i++) {
        const struct arg_part *part = &command->parts[i];
        args_defaults(part->rows, (char *)call + part->offset);
        parse_add_part(p, part, (char *)call);
    }
    parse_add_part(p, &(struct arg_part){.rows = cli_common_args},
                   (char *)call);
    drop_empty_headings(p);
    const char *about = command->about ? command->about : command->summary;
    const char *notes = command->notes ? command->notes : "";
    size_t n = strlen(about) + strlen(notes) + 2;
    char *doc = arena_alloc(p->arena, n);
    /* argp prints the text after a vertical tab below the options */
    snprintf(doc, n, "%s%s%s", about, *notes ? "\v" : "", notes);
    p->argp = (struct argp){.options = p->options,
                            .parser = cli_parse_key,
                            .args_doc = p->words[0] ? p->words : NULL,
                            .doc = doc};
}

/* Prints help with its headings in colour: the word "Usage:", and lines that
 * are indented by one blank and end with a colon. */
static void print_help(char *text)
{
    const char *on = tone_on(stdout, TONE_HEADING);
    const char *off = tone_off(stdout, TONE_HEADING);
    for (char *line = text, *end; *line; line = end) {
        end = strchrnul(line, '\n');
        size_t len = (size_t)(end - line), head = 0;
        if (strncmp(line, "Usage:", 6) == 0)
            head = 6;
        else if (len > 1 && line[0] == ' ' && line[1] != ' ' && end[-1] == ':')
            head = len;
        end += *end == '\n';
        printf("%s%.*s%s%.*s", head ? on : "", (int)head, line, head ? off : "",
               (int)((size_t)(end - line) - head), line + head);
    }
}

unsigned cli_print_arguments(const struct command *command, const char *path,
                             enum cli_help help)
{
    unsigned n_hidden = 0;
    struct parser *p = mem_zalloc(1, sizeof *p);
    struct cli_call *call = mem_zalloc(1, command->input_size);
    char name[64], *text = NULL;
    size_t size;
    init(p, command, path, help == CLI_HELP_ALL, call, NULL);
    /* leave out argp's own note on the syntax of options, which adds nothing */
    setenv("ARGP_HELP_FMT", "no-dup-args-note", 0);
    snprintf(name, sizeof name, "schedsim %s", path);
    FILE *to = open_memstream(&text, &size);
    CHECK(to);
    argp_help(&p->argp, to,
              help == CLI_USAGE
                  ? ARGP_HELP_USAGE
                  : ARGP_HELP_LONG | ARGP_HELP_DOC | ARGP_HELP_SHORT_USAGE,
              name);
    fclose(to);
    print_help(text);
    free(text);
    for (size_t i = 0; i < p->n_options; i++)
        n_hidden += (p->options[i].flags & OPTION_HIDDEN) != 0;
    for (size_t i = 0; i < p->n; i++)
        n_hidden -= p->slots[i].row->of != NULL;
    arena_fini(&call->arena);
    free(call);
    free(p);
    return n_hidden;
}

/* True if the argument names an option, in full or abbreviated. */
static bool parse_is_known(const char *arg, const char *const *names, size_t n)
{
    size_t len = strcspn(arg, "=");
    for (size_t i = 0; i < n; i++) {
        if (strncmp(arg, names[i], len) == 0)
            return true;
    }
    return false;
}

/* Reports the first unknown option, or else the word at which argp stopped,
 * because argp does not say which word it failed to parse. */
static enum status parse_refuse(const struct parser *p, int argc, char **argv,
                                int stopped, struct error *err)
{
    const char *names[2 * SLOTS_MAX];
    size_t n = 0;
    for (size_t i = 0; i < p->n_options; i++) {
        if (p->options[i].name)
            names[n++] = p->options[i].name;
    }
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strncmp(argv[i], "--", 2) != 0 ||
            parse_is_known(argv[i] + 2, names, n))
            continue;
        struct text word = {argv[i] + 2, strcspn(argv[i] + 2, "=")};
        char meant[MEANT_WORDS_MAX];
        if (meant_find("option", word, names, n, meant))
            return error_set(err, STATUS_USAGE, "no option '%.*s'; %s",
                             (int)word.len + 2, argv[i], meant);
        const char *near = text_nearest(word, names, n);
        if (near)
            return error_set(err, STATUS_USAGE,
                             "no option '%s'; did you mean '--%s'?", argv[i],
                             near);
        return error_set(err, STATUS_USAGE, "no option '%s'; see --help",
                         argv[i]);
    }
    const char *at =
        argv[stopped > 0 && stopped <= argc ? stopped - 1 : argc - 1];
    if (at[0] == '-' && at[1] == '-')
        return error_set(err, STATUS_USAGE,
                         "%s: its value is missing, or it "
                         "has one and takes none; see "
                         "--help",
                         at);
    return error_set(err, STATUS_USAGE, "'%s' is not understood; see --help",
                     at);
}

static enum status check_required(const struct parser *p)
{
    for (size_t i = 0; i < p->n; i++) {
        const struct arg *row = p->slots[i].row;
        if (!row->is_required || p->slots[i].value)
            continue;
        if (row->is_word)
            return error_set(p->err, STATUS_USAGE,
                             "%s: a %s is missing; see --help", p->path,
                             row->help);
        if (row->of) {
            const struct text key = arg_key(row);
            return error_set(p->err, STATUS_USAGE, "%s: --%s %.*s= is missing",
                             p->path, row->of, (int)key.len, key.at);
        }
        return error_set(p->err, STATUS_USAGE, "%s: --%s is missing", p->path,
                         row->name);
    }
    return STATUS_OK;
}

enum status cli_parse(const struct command *command, const char *path, int argc,
                      char **argv, struct cli_call *input, struct error *err)
{
    struct parser *p = mem_zalloc(1, sizeof *p);
    int at = 0;
    enum status st;
    init(p, command, path, false, input, err);
    char **words = cli_renamed(path, &argc, argv);
    error_t failed = argp_parse(&p->argp, argc, words, ARGP_SILENT, &at, p);
    if (p->failed)
        st = STATUS_USAGE;
    else if (failed)
        st = parse_refuse(p, argc, words, at, err);
    else
        st = check_required(p);
    free(words);
    free(p);
    return st;
}
