/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/advisor/look.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "schedmate/advisor/advisor_internal.h"

enum {
    LOOK_LINE_MAX = 240, /* bytes of a line that are shown */
    OUTLINE_MAX = 150,   /* the same for outlines and grep */
    ALIKE_MIN = 4,       /* similar lines that become one */
    SHORT_FILE =
        3500, /* bytes of a view that is shown without being asked for */
    STATEMENT_LINES = 12, /* lines of a statement that an outline joins */
    HITS_MAX = 40,        /* lines that grep shows, in all and of one file */
    HITS_OF_FILE = 8,
    GREP_FILES = 500, /* files that grep reads, and bytes of all of them */
    GREP_BYTES = 16 << 20,
    LOOK_WORDS_MAX = 12, /* words of one grep */
    SUGGEST_MAX = 2000,  /* paths among which the nearest is looked for */
};

static bool look_is_first(const struct look *look, const char *path)
{
    for (size_t i = 0; i < look->n_first; i++) {
        if (strcmp(look->first[i], path) == 0)
            return true;
    }
    return false;
}

void look_add_first(struct look *look, const char *path)
{
    if (!look_is_first(look, path) && look->n_first < LOOK_FIRST_MAX)
        look->first[look->n_first++] = path;
}

static bool look_ends(const char *path, const char *end)
{
    size_t n = strlen(path), m = strlen(end);
    return n > m && strcmp(path + n - m, end) == 0;
}

bool look_text(const struct look *look, const char **path, struct text *out,
               bool *cut, char why[WORKSPACE_WHY_MAX])
{
    const struct workspace *workspace = look->workspace;
    const struct workspace_file *file = workspace_find(workspace, *path);
    *cut = false;
    if (!workspace->read(workspace->self, file ? file->path : *path,
                         look->arena, out, cut, why))
        return false;
    if (file)
        *path = file->path;
    if (look_ends(*path, ".ipynb"))
        *out = notebook_code(*out, look->arena);
    return true;
}

/* Views of the lines of a file. */

struct look_line {
    struct text text; /* without the blanks at its ends */
    size_t number, indent;
};

struct look_lines {
    struct look_line *at;
    size_t n;
    size_t n_all; /* lines of the file */
};

static bool look_is_source(const char *path)
{
    return look_ends(path, ".py") || look_ends(path, ".ipynb");
}

/* True for a comment of a script or configuration that says nothing to a
 * scheduler. */
static bool look_is_comment(struct text line)
{
    static const char *const directives[] = {"#SBATCH", "#PBS", "#BSUB", "#$ "};
    if (text_char(line, 0) != '#')
        return false;
    for (size_t i = 0; i < sizeof directives / sizeof *directives; i++) {
        if (text_starts(line, directives[i]))
            return false;
    }
    return true;
}

static bool look_is_note(const char *path)
{
    return look_ends(path, ".md") || look_ends(path, ".rst") ||
           look_ends(path, ".txt");
}

/* Returns the lines that say something: no blank lines, no comments, no
 * docstrings. */
static struct look_lines look_lines_of(const struct look *look,
                                       const char *path, struct text source)
{
    bool is_source = look_is_source(path), is_note = look_is_note(path);
    struct text code = is_source ? py_strip(source, look->arena) : source;
    struct look_lines lines = {0};
    size_t cap = 1;
    for (size_t i = 0; i < source.len; i++)
        cap += source.at[i] == '\n';
    lines.at = ARENA_ARRAY(look->arena, struct look_line, cap);
    while (source.len) {
        struct text line = text_split(source, '\n', &source);
        struct text plain = text_split(code, '\n', &code);
        struct text trimmed = text_trim(is_source ? plain : line);
        if (trimmed.len && trimmed.at[trimmed.len - 1] == '\r')
            trimmed = text_trim((struct text){trimmed.at, trimmed.len - 1});
        lines.n_all++;
        if (!trimmed.len ||
            (!is_source && !is_note && look_is_comment(trimmed)))
            continue;
        lines.at[lines.n++] = (struct look_line){
            trimmed, lines.n_all,
            (size_t)(trimmed.at - (is_source ? plain : line).at)};
    }
    return lines;
}

static size_t look_number_end(struct text t, size_t i)
{
    while (i < t.len && (ascii_is_digit(t.at[i]) || t.at[i] == '.'))
        i++;
    return i;
}

/* True if two lines differ in numbers alone or, where a line is nothing but
 * literals (of a list), in these. */
static bool look_alike(struct text a, struct text b)
{
    size_t i = 0, k = 0;
    bool literals = true;
    while (i < a.len && k < b.len) {
        char c = a.at[i], d = b.at[k];
        if (ascii_is_digit(c) && ascii_is_digit(d)) {
            i = look_number_end(a, i);
            k = look_number_end(b, k);
        } else if (c != d) {
            return false;
        } else if ((c == '"' || c == '\'') && literals) {
            i = py_string_end(a, i);
            k = py_string_end(b, k);
        } else {
            literals &= !ascii_is_name(c) && c != '=' && c != ':';
            i++;
            k++;
        }
    }
    return i >= a.len && k >= b.len;
}

static void look_put(struct out *out, struct text t, size_t max)
{
    size_t len = t.len < max ? t.len : max;
    while (len < t.len && len && ((unsigned char)t.at[len] & 0xc0) == 0x80)
        len--;
    out_bytes(out, t.at, len);
    out_text(out, len < t.len ? " ...\n" : "\n");
}

/* Writes lines from..to in at most about `room` bytes. Returns the number of
 * the first line that did not fit, 0 if all did. */
static size_t look_put_lines(const struct look_lines *lines, size_t from,
                             size_t to, size_t room, struct out *out)
{
    size_t start = out_memory(out).len;
    for (size_t i = 0; i < lines->n && lines->at[i].number <= to; i++) {
        const struct look_line *line = &lines->at[i];
        size_t alike = 1;
        if (line->number < from)
            continue;
        if (out_memory(out).len - start > room)
            return line->number;
        while (i + alike < lines->n &&
               look_alike(line->text, lines->at[i + alike].text))
            alike++;
        for (size_t k = 0; k < (line->indent + 3) / 4; k++)
            out_char(out, ' ');
        look_put(out, line->text, LOOK_LINE_MAX);
        if (alike >= ALIKE_MIN) {
            out_printf(out, "... %zu more like this\n", alike - 1);
            i += alike - 1;
        }
    }
    return 0;
}

/* Reads a file for a view. Writes the reason and returns false if it cannot be
 * read. */
static bool look_open(const struct look *look, const char **path,
                      struct look_lines *lines, bool *cut, struct out *out)
{
    char why[WORKSPACE_WHY_MAX];
    struct text source;
    if (!look_text(look, path, &source, cut, why)) {
        const struct workspace *workspace = look->workspace;
        size_t n =
            workspace->n_files < SUGGEST_MAX ? workspace->n_files : SUGGEST_MAX;
        const char **known = ARENA_ARRAY(look->arena, const char *, n + 1);
        for (size_t i = 0; i < n; i++)
            known[i] = workspace->files[i].path;
        const char *near = text_nearest(text_from(*path), known, n);
        out_printf(out, "%s cannot be shown: %s%s%s.\n", *path, why,
                   near ? "; near: " : "", near ? near : "");
        return false;
    }
    look->shown(look->self, *path);
    *lines = look_lines_of(look, *path, source);
    return true;
}

static void look_read(const struct look *look, const char *path, size_t from,
                      size_t to, size_t room, struct out *out)
{
    struct look_lines lines;
    bool cut;
    if (!look_open(look, &path, &lines, &cut, out))
        return;
    out_printf(out, "== %s, ", path);
    if (from > 1 || to < lines.n_all)
        out_printf(out, "lines %zu-%zu of ", from,
                   to < lines.n_all ? to : lines.n_all);
    out_printf(out, "%zu lines%s\n", lines.n_all,
               cut ? " of the part that may be read" : "");
    size_t next = look_put_lines(&lines, from, to, room, out);
    if (next)
        out_printf(out, "... cut; \"read %s %zu-%zu\" goes on\n", path, next,
                   next + 149);
}

/* The outline of a source. */

/* Returns the statement that begins on line i and goes on until its brackets
 * close, on one line and without the text of help=. Sets *n to its lines. */
static struct text look_statement(const struct look_lines *lines, size_t i,
                                  struct arena *arena, size_t *n)
{
    struct out *all = out_to_memory();
    int depth = 0;
    size_t k = i;
    do {
        struct text line = lines->at[k].text;
        if (k > i)
            out_char(all, ' ');
        for (size_t j = 0; j < line.len; j++) {
            char c = line.at[j];
            depth += (c == '(' || c == '[' || c == '{') -
                     (c == ')' || c == ']' || c == '}');
        }
        size_t help = 0;
        while (help + 5 < line.len && memcmp(line.at + help, "help=", 5) != 0)
            help++;
        if (help + 5 < line.len && strchr("'\"", line.at[help + 5])) {
            out_bytes(all, line.at, help);
            out_text(all, "...");
            line = text_skip(line, py_string_end(line, help + 5));
        }
        out_bytes(all, line.at, line.len);
        k++;
    } while (k < lines->n && k < i + STATEMENT_LINES && depth > 0);
    struct text t = out_memory(all);
    t.at = arena_copy(arena, t.at, t.len);
    out_abandon(all);
    *n = k - i;
    return t;
}

static bool look_has(struct text line, const char *word, size_t n)
{
    for (size_t i = 0; i + n <= line.len; i++) {
        size_t k = 0;
        while (k < n && ascii_lower(line.at[i + k]) == word[k])
            k++;
        if (k == n)
            return true;
    }
    return false;
}

static bool look_has_one(struct text line, const char *const *words)
{
    for (; *words; words++) {
        if (look_has(line, *words, strlen(*words)))
            return true;
    }
    return false;
}

/* True for `name = literal`. */
static bool look_sets_literal(struct text line)
{
    struct text value;
    text_split(line, '=', &value);
    char c = text_char(text_trim(value), 0);
    return ascii_is_digit(c) || (c && strchr("'\"-.", c)) ||
           text_is(text_trim(value), "True") ||
           text_is(text_trim(value), "False");
}

/* 3: the line declares an option; 2: it sets a literal of a module or tells of
 * the training; 1: it sets something else of a module; 0: none of these. */
static int look_weight(const struct look_line *line)
{
    static const char *const declares[] = {
        "add_argument(", "add_arg(", "option(",  "define_",   ": int =",
        ": float =",     ": str =",  ": bool =", "optional[", NULL};
    static const char *const tells[] = {
        "optim",      "lr",          "learning_rate", "batch_size", "batchsize",
        "batch=",     "epoch",       "steps",         "iters",      "dataset",
        "loader",     "pretrained",  "model =",       "model=",     "net =",
        "accum",      "amp",         "bf16",          "bfloat",     "fp16",
        "float16",    "distributed", "world_size",    "block_size", "seq_len",
        "max_length", "crop",        "resize",        "image_size", "img_size",
        "input_size", "warmup",      "trainer",       "tokens",     NULL};
    static const char *const talks[] = {"print",   "log",    "import ",
                                        "assert ", "raise ", "self.",
                                        "def ",    "class ", NULL};
    char first = text_char(line->text, 0);
    if (look_has_one(line->text, declares))
        return 3;
    if ((!ascii_is_name(first) && first != '\'' && first != '"') ||
        look_has_one(line->text, talks))
        return 0;
    bool sets = memchr(line->text.at, '=', line->text.len) != NULL;
    bool of_module = line->indent == 0 && sets &&
                     !text_starts(line->text, "if ") &&
                     !text_starts(line->text, "elif ");
    if (of_module && look_sets_literal(line->text))
        return 2;
    if ((sets || memchr(line->text.at, '(', line->text.len)) &&
        look_has_one(line->text, tells))
        return 2;
    return of_module;
}

static void look_outline(const struct look *look, const char *path, size_t room,
                         struct out *out)
{
    struct look_lines lines;
    bool cut;
    if (!look_is_source(path)) {
        look_read(look, path, 1, SIZE_MAX, room, out);
        return;
    }
    if (!look_open(look, &path, &lines, &cut, out))
        return;
    struct text *rows = ARENA_ARRAY(look->arena, struct text, lines.n + 1);
    size_t used = 0, left_out = 0, n;
    for (int weight = 3; weight > 0; weight--) {
        for (size_t i = 0; i < lines.n; i += n) {
            const struct look_line statement = {
                look_statement(&lines, i, look->arena, &n), lines.at[i].number,
                lines.at[i].indent};
            struct text row = statement.text;
            if (look_weight(&statement) != weight)
                continue;
            size_t len = row.len < OUTLINE_MAX ? row.len : OUTLINE_MAX;
            if (used + len + 6 > room) {
                left_out++;
                continue;
            }
            rows[i] = row;
            used += len + 6;
        }
    }
    out_printf(out, "== %s, outline of %zu lines\n", path, lines.n_all);
    for (size_t i = 0; i < lines.n; i++) {
        if (!rows[i].len)
            continue;
        out_printf(out, "%zu: ", lines.at[i].number);
        look_put(out, rows[i], OUTLINE_MAX);
    }
    if (left_out)
        out_printf(out, "... %zu more; grep or read finds them\n", left_out);
}

void look_at_first(const struct look *look, const char *path, size_t room,
                   struct out *out)
{
    const struct workspace_file *file = workspace_find(look->workspace, path);
    size_t most = room < SHORT_FILE ? room : SHORT_FILE;
    if (file && file->bytes <= 2 * SHORT_FILE)
        look_read(look, path, 1, SIZE_MAX, most, out);
    else
        look_outline(look, path, most, out);
}

/* The tree. */

struct look_folder {
    struct text path;
    size_t n; /* files in the folder itself */
    int rank; /* 0: first to be shown */
};

static struct text look_folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return (struct text){path, slash ? (size_t)(slash - path) : 0};
}

/* True if a file lies in a folder that says little about a job. */
static bool look_is_aside(struct text folder)
{
    static const char *const names[] = {
        "test",   "tests",       "testing",  "doc",      "docs",
        "vendor", "third_party", "vendored", "external", "thirdparty",
        "assets", "images",      "site",     "imgs",     "figures"};
    while (folder.len) {
        struct text name = text_split(folder, '/', &folder);
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            if (text_is_nocase(name, names[i]))
                return true;
        }
    }
    return false;
}

static bool look_is_below(struct text folder, const char *below)
{
    size_t n = strlen(below);
    return n == 0 || (text_starts(folder, below) &&
                      (folder.len == n || folder.at[n] == '/'));
}

static int look_rank(const struct look *look, struct text folder)
{
    for (size_t i = 0; i < look->n_first; i++) {
        if (text_equal(look_folder_of(look->first[i]), folder))
            return 0;
    }
    if (folder.len == 0)
        return 1;
    int rank = look_is_aside(folder) ? 100 : 2;
    for (size_t i = 0; i < folder.len; i++)
        rank += folder.at[i] == '/';
    return rank;
}

static int look_by_rank(const void *a, const void *b)
{
    const struct look_folder *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    size_t n = x->path.len < y->path.len ? x->path.len : y->path.len;
    int order = n ? memcmp(x->path.at, y->path.at, n) : 0;
    return order ? order
                 : (x->path.len > y->path.len) - (x->path.len < y->path.len);
}

/* Finds the folders that hold files, those to be shown first at the front.
 * Returns their number. */
static size_t look_folders(const struct look *look, const char *below,
                           struct look_folder **out)
{
    const struct workspace *workspace = look->workspace;
    struct look_folder *all =
        ARENA_ARRAY(look->arena, struct look_folder, workspace->n_files + 1);
    size_t n = 0;
    for (size_t i = 0; i < workspace->n_files; i++) {
        struct text folder = look_folder_of(workspace->files[i].path);
        size_t k = n;
        if (!look_is_below(folder, below))
            continue;
        while (k > 0 && !text_equal(all[k - 1].path, folder))
            k--;
        if (k == 0)
            all[n++] = (struct look_folder){folder, 1, look_rank(look, folder)};
        else
            all[k - 1].n++;
    }
    if (n)
        qsort(all, n, sizeof *all, look_by_rank);
    *out = all;
    return n;
}

/* Writes one folder on a line, with the names of at most `max` of its files. */
static void look_put_folder(const struct look *look,
                            const struct look_folder *folder, size_t max,
                            struct out *out)
{
    const struct workspace *workspace = look->workspace;
    size_t shown = 0;
    out_bytes(out, folder->path.at, folder->path.len);
    out_text(out, "/:");
    for (int firsts = 1; firsts >= 0; firsts--) {
        for (size_t i = 0; i < workspace->n_files && shown < max; i++) {
            const struct workspace_file *file = &workspace->files[i];
            if (!text_equal(look_folder_of(file->path), folder->path) ||
                look_is_first(look, file->path) != (bool)firsts)
                continue;
            const char *slash = strrchr(file->path, '/');
            out_printf(out, " %s", slash ? slash + 1 : file->path);
            if (file->bytes >= 10240)
                out_printf(out, "(%" PRIu64 "k)", file->bytes >> 10);
            shown++;
        }
    }
    if (shown < folder->n)
        out_printf(out, " and %zu more", folder->n - shown);
    out_char(out, '\n');
}

void look_tree(const struct look *look, const char *below, size_t room,
               struct out *out)
{
    struct look_folder *folders;
    size_t n = look_folders(look, below, &folders), shown = 0, files = 0;
    size_t start = out_memory(out).len;
    for (; shown < n && out_memory(out).len - start < room; shown++) {
        const struct look_folder *folder = &folders[shown];
        bool whole = folder->rank == 0 || text_is(folder->path, below);
        if (folder->rank >= 100 && !*below)
            break;
        look_put_folder(look, folder,
                        *below && whole ? 120
                        : whole         ? 24
                                        : 8,
                        out);
    }
    for (size_t i = shown; i < n; i++)
        files += folders[i].n;
    if (files)
        out_printf(out, "and %zu files in %zu more folders\n", files,
                   n - shown);
    if (n == 0)
        out_printf(out, "no files in %s\n", *below ? below : "the directory");
}

/* Requests. */

struct look_words {
    char text[256];
    const char *at[LOOK_WORDS_MAX + 1];
};

/* Splits a|b|c into words in lower case. */
static void look_split_words(struct text all, struct look_words *words)
{
    size_t n = 0, len = all.len < sizeof words->text - 1
                            ? all.len
                            : sizeof words->text - 1;
    char *rest = words->text;
    for (size_t i = 0; i < len; i++)
        words->text[i] = ascii_lower(all.at[i]);
    words->text[len] = '\0';
    while (rest && n < LOOK_WORDS_MAX) {
        char *word = strsep(&rest, "|");
        if (*word)
            words->at[n++] = word;
    }
    words->at[n] = NULL;
}

struct look_grep {
    const struct look *look;
    struct look_words words;
    size_t room, hits, files, bytes;
    struct out *out;
};

static void look_grep_file(struct look_grep *grep, const char *path)
{
    const struct look *look = grep->look;
    char why[WORKSPACE_WHY_MAX];
    struct arena arena;
    struct text source;
    size_t of_file = 0;
    bool cut;
    if (grep->files++ >= GREP_FILES || grep->bytes > GREP_BYTES)
        return;
    arena_init(&arena);
    struct look own = *look;
    own.arena = &arena;
    if (look_text(&own, &path, &source, &cut, why)) {
        grep->bytes += source.len;
        const struct look_lines lines = look_lines_of(&own, path, source);
        for (size_t i = 0; i < lines.n; i++) {
            if (!look_has_one(lines.at[i].text, grep->words.at))
                continue;
            if (++of_file > HITS_OF_FILE || grep->hits >= HITS_MAX ||
                out_memory(grep->out).len > grep->room)
                continue;
            grep->hits++;
            out_printf(grep->out, "%s:%zu: ", path, lines.at[i].number);
            look_put(grep->out, lines.at[i].text, OUTLINE_MAX);
        }
        if (of_file)
            look->shown(look->self, path);
        if (of_file > HITS_OF_FILE)
            out_printf(grep->out, "%s: %zu more\n", path,
                       of_file - HITS_OF_FILE);
    }
    arena_fini(&arena);
}

/* Searches the files below a folder, those that matter most first. */
static void look_grep_all(struct look_grep *grep, const char *where)
{
    const struct look *look = grep->look;
    const struct workspace *workspace = look->workspace;
    for (size_t i = 0; i < look->n_first; i++) {
        if (look_is_below(look_folder_of(look->first[i]), where))
            look_grep_file(grep, look->first[i]);
    }
    for (size_t i = 0; i < workspace->n_files; i++) {
        const char *path = workspace->files[i].path;
        struct text folder = look_folder_of(path);
        bool aside = look_is_aside(folder) || look_is_note(path);
        if (look_is_below(folder, where) && (*where || !aside) &&
            !look_is_first(look, path))
            look_grep_file(grep, path);
    }
}

static void look_grep(const struct look *look, struct text words,
                      const char *where, size_t room, struct out *out)
{
    struct look_grep grep = {
        .look = look, .out = out, .room = out_memory(out).len + room};
    look_split_words(words, &grep.words);
    out_printf(out, "== grep %.*s%s%s\n", TEXT_ARGS(words),
               *where ? " in " : "", where);
    if (*where && workspace_find(look->workspace, where))
        look_grep_file(&grep, where);
    else
        look_grep_all(&grep, where);
    if (grep.hits == 0)
        out_text(out, "no line holds one of these words\n");
    if (grep.files > GREP_FILES || grep.bytes > GREP_BYTES)
        out_text(out, "... not all files were searched; name a folder\n");
}

/* Cuts the last word off `t` if it is a line or a range of lines such as 12-40.
 */
static bool look_range(struct text *t, size_t *from, size_t *to)
{
    size_t i = t->len;
    uint64_t a, b;
    struct text second;
    while (i && t->at[i - 1] != ' ' && t->at[i - 1] != ':')
        i--;
    if (i == 0)
        return false;
    struct text first = text_split(text_skip(*t, i), '-', &second);
    if (!text_to_u64(first, &a))
        return false;
    if (!second.len || !text_to_u64(second, &b))
        b = a + 149;
    *from = a ? a : 1;
    *to = b;
    *t = text_trim((struct text){t->at, i - 1});
    return true;
}

static const char *look_path(const struct look *look, struct text t)
{
    t = text_trim(t);
    while (t.len > 1 && strchr("'\"`", t.at[0]) && t.at[t.len - 1] == t.at[0])
        t = (struct text){t.at + 1, t.len - 2};
    while (t.len > 1 && t.at[t.len - 1] == '/')
        t.len--;
    while (text_starts(t, "./"))
        t = text_skip(t, 2);
    return text_is(t, ".") ? ""
                           : arena_copy(look->arena, t.at ? t.at : "", t.len);
}

/* Returns the path of the only file that ends with /PATH; NULL if there is none
 * or there are several. */
static const char *look_by_end(const struct look *look, const char *path)
{
    const struct workspace *workspace = look->workspace;
    const char *found = NULL;
    size_t n = strlen(path);
    for (size_t i = 0; i < workspace->n_files && n; i++) {
        const char *other = workspace->files[i].path;
        size_t m = strlen(other);
        if (m <= n || other[m - n - 1] != '/' ||
            strcmp(other + m - n, path) != 0)
            continue;
        if (found)
            return NULL;
        found = other;
    }
    return found;
}

/* True if the path is that of a folder. If there is neither such a folder nor
 * such a file, *path becomes that of the only file that ends with it. */
static bool look_is_folder(const struct look *look, const char **path)
{
    struct look_folder *folders;
    if (!**path)
        return true;
    if (workspace_find(look->workspace, *path))
        return false;
    const char *found = look_by_end(look, *path);
    if (!found && look_folders(look, *path, &folders) > 0)
        return true;
    *path = found ? found : *path;
    return false;
}

/* Meets "grep WORDS" or "grep WORDS in PATH", without the first word. */
static void look_grep_request(const struct look *look, struct text rest,
                              size_t room, struct out *out)
{
    const char *in = "";
    struct text words = rest;
    for (size_t i = 0; i + 4 < rest.len; i++) {
        if (memcmp(rest.at + i, " in ", 4) == 0) {
            words.len = i;
            in = look_path(look, text_skip(rest, i + 4));
        }
    }
    look_grep(look, text_from(look_path(look, words)), in, room, out);
}

/* Shows lines of a file, or the files of a folder. */
static void look_show(const struct look *look, struct text what, size_t room,
                      struct out *out)
{
    size_t from = 1, to = SIZE_MAX;
    look_range(&what, &from, &to);
    const char *path = look_path(look, what);
    if (!look_is_folder(look, &path)) {
        look_read(look, path, from, to, room, out);
        return;
    }
    out_printf(out, "== folder %s\n", *path ? path : ".");
    look_tree(look, path, room, out);
}

void look_request(const struct look *look, const char *request, size_t room,
                  struct out *out)
{
    struct text rest, all = text_trim(text_from(request));
    struct text verb = text_split(all, ' ', &rest);
    if (text_is(verb, "grep")) {
        look_grep_request(look, rest, room, out);
    } else if (text_is(verb, "outline")) {
        const char *path = look_path(look, rest);
        if (look_is_folder(look, &path))
            look_show(look, rest, room, out);
        else
            look_outline(look, path, room, out);
    } else if (text_is(verb, "read") || text_is(verb, "list")) {
        look_show(look, text_trim(rest), room, out);
    } else {
        look_show(look, all, room, out);
    }
}
