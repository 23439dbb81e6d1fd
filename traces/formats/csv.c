/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any file with one job per row. A column map gives the meaning of each column
 * (csv_map.h has the grammar). Columns that the map does not name are not read.
 * The file has a header, or its columns have numbers or names that the user
 * gives. Cells are separated by one character; a cell may be in double quotes,
 * and blanks around it do not count. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "traces/columns.h"
#include "traces/formats/csv_cells.h"
#include "traces/formats/records.h"
#include "traces/zone.h"

/* Size of a cell with a number, at most. */
#define NUMBER_MAX 64

/* A value that the table of columns cannot express, such as a product of
 * columns. read_products computes it. */
struct product {
    enum csv_key key;
    const struct csv_value *value;
};

struct csv {
    struct rows *rows; /* `made`, or borrowed */
    struct rows *made; /* owned; NULL: the file is rows of cells as it is */
    char layout[RECORDS_NOTE_MAX];
    char *numbers; /* cells with a decimal point; NULL: not needed */
    struct csv_map map;
    struct csv_missing missing;
    struct zone zone;
    struct columns columns;
    struct trace_column table[CSV_N_KEYS];
    int16_t cells[CSV_N_KEYS]; /* by row of the table: index of the cell */
    size_t n_table;
    struct product products[CSV_N_KEYS];
    size_t n_products;
    int used[CSV_N_KEYS * CSV_TERMS_MAX]; /* cells to read, each once */
    size_t n_used;
    char separator;
    char strange[32];   /* first unknown word for an end */
    uint64_t n_strange; /* number of such words */
    uint64_t n_running, n_rounded;
};

static const struct {
    const char *word;
    char separator;
} separators[] = {
    {"comma", ','}, {"semicolon", ';'}, {"tab", '\t'}, {"bar", '|'}};

char csv_likely_separator(struct text head)
{
    struct text line = text_split(head, '\n', &head);
    while (head.len && !text_trim(line).len)
        line = text_split(head, '\n', &head);
    char best = ',';
    size_t most = 0;
    for (size_t k = 0; k < sizeof separators / sizeof *separators; k++) {
        size_t n = 0;
        bool quoted = false;
        for (size_t i = 0; i < line.len; i++) {
            quoted ^= line.at[i] == '"';
            n += !quoted && line.at[i] == separators[k].separator;
        }
        if (n > most) {
            most = n;
            best = separators[k].separator;
        }
    }
    return best;
}

static enum status set_separator(struct csv *self, struct error *err)
{
    const char *sep = self->map.config.sep;
    self->separator = '\0';
    if (sep && strcmp(sep, "space") == 0)
        self->separator =
            self->made ? csv_likely_separator(rows_head(self->rows)) : ' ';
    else if (!sep || !*sep || (self->made && *sep == ' '))
        self->separator = csv_likely_separator(rows_head(self->rows));
    for (size_t k = 0; sep && k < sizeof separators / sizeof *separators; k++) {
        if (strcmp(sep, separators[k].word) == 0)
            self->separator = separators[k].separator;
    }
    if (!self->separator && strlen(sep) == 1 && !strchr("\"\r\n", *sep))
        self->separator = *sep;
    if (!self->separator)
        return error_set(err, STATUS_USAGE,
                         "trace format csv: sep: '%s' is not comma, semicolon, "
                         "tab, bar, space or one character",
                         sep);
    rows_separate(self->rows, self->separator);
    return STATUS_OK;
}

static enum status set_clock(struct csv *self, struct error *err)
{
    const struct csv_config *c = &self->map.config;
    struct clock *clock = &self->columns.clock;
    struct clock utc = {0};
    sim_time origin;
    if (c->date && *c->date)
        clock->format = c->date;
    if (c->origin && *c->origin) {
        if (!clock_read(&utc, text_from(c->origin), &origin))
            return error_set(err, STATUS_USAGE,
                             "trace format csv: origin: '%s' is not a date",
                             c->origin);
        self->columns.epoch = origin;
    }
    if (!c->zone || !*c->zone || zone_fixed(text_from(c->zone), &clock->offset))
        return STATUS_OK;
    enum status st =
        zone_open(text_from(c->zone), "trace format csv", &self->zone, err);
    if (st == STATUS_OK)
        clock->zone = &self->zone;
    return st;
}

/* Returns the name of a column, from the header or, if there is none, from the
 * user's list, or "#3" after the end of that list; "" after the last column. */
static struct text column_name(const struct csv *self, size_t at)
{
    const char *given = self->map.config.header;
    const char *name = rows_header_name(self->rows, at);
    struct text word = {"", 0};
    if (!name || !given || !*given || strcmp(given, "no") == 0)
        return text_from(name ? name : "");
    struct text list = text_from(given);
    for (size_t i = 0; i <= at; i++) {
        if (!csv_take_word(&list, &word))
            return text_from(name);
    }
    return word;
}

static enum status no_column(const struct csv *self, enum csv_key key,
                             struct text name, struct error *err)
{
    char room[2048], list[512] = "";
    const char *names[ROWS_CELLS_MAX];
    size_t n = 0, used = 0, len = 0;
    for (; n < ROWS_CELLS_MAX && rows_header_name(self->rows, n); n++) {
        struct text t = column_name(self, n);
        if (used + t.len + 1 > sizeof room)
            break;
        memcpy(room + used, t.at, t.len);
        room[used + t.len] = '\0';
        names[n] = room + used;
        used += t.len + 1;
        if (len < sizeof list)
            len += (size_t)snprintf(list + len, sizeof list - len, "%s%s",
                                    n ? ", " : "", names[n]);
    }
    const char *near = text_nearest(name, names, n);
    return rows_bad_at(self->rows, 1, 1, "header", err,
                       "no column '%.*s' for %s=; %s%s%s", TEXT_ARGS(name),
                       csv_keys[key].name, near ? "did you mean '" : "it has ",
                       near ? near : list, near ? "'?" : "");
}

/* Finds the cell of the only column with this name or number, such as #3. */
static enum status find_cell(const struct csv *self, enum csv_key key,
                             struct text name, int *out, struct error *err)
{
    uint32_t number;
    int found = -1;
    for (size_t i = 0; rows_header_name(self->rows, i); i++) {
        if (!text_equal(column_name(self, i), name))
            continue;
        if (found >= 0)
            return rows_bad_at(self->rows, 1, 1, "header", err,
                               "two columns are called '%.*s'; #%zu and #%zu "
                               "tell them apart",
                               TEXT_ARGS(name), (size_t)found + 1, i + 1);
        found = (int)i;
    }
    if (found < 0 && text_char(name, 0) == '#' &&
        text_to_u32(text_skip(name, 1), &number) && number >= 1 &&
        number <= ROWS_CELLS_MAX && rows_header_name(self->rows, number - 1))
        found = (int)number - 1;
    *out = found;
    return found >= 0 ? STATUS_OK : no_column(self, key, name, err);
}

static void use_cell(struct csv *self, int cell)
{
    for (size_t i = 0; i < self->n_used; i++) {
        if (self->used[i] == cell)
            return;
    }
    self->used[self->n_used++] = cell;
}

/* Returns true if the table of columns can express the value. */
static bool is_simple(enum csv_key key, const struct csv_value *value)
{
    const enum csv_class class = csv_keys[key].class;
    if (class == CSV_WORDS || class == CSV_AMOUNT)
        return false;
    return value->n_terms == 1 && value->terms[0].cell >= 0 &&
           value->form == CSV_PLAIN && !value->has_otherwise;
}

static enum status add_value(struct csv *self, enum csv_key key,
                             struct error *err)
{
    struct csv_value *value = &self->map.values[key];
    for (size_t i = 0; i < value->n_terms; i++) {
        struct csv_term *term = &value->terms[i];
        if (!term->column.len)
            continue;
        enum status st = find_cell(self, key, term->column, &term->cell, err);
        if (st != STATUS_OK)
            return st;
        use_cell(self, term->cell);
    }
    if (value->n_terms && is_simple(key, value)) {
        self->cells[self->n_table] = (int16_t)value->terms[0].cell;
        self->table[self->n_table++] =
            (struct trace_column){.names = csv_keys[key].name,
                                  .kind = csv_keys[key].kind,
                                  .unit = value->unit};
    } else if (value->n_terms && key != CSV_STATE) {
        self->products[self->n_products++] = (struct product){key, value};
    }
    return STATUS_OK;
}

static enum status set_decimal(struct csv *self, struct error *err)
{
    const char *same = self->map.config.same;
    const char *decimal = self->map.config.decimal;
    if (decimal && *decimal && strcmp(decimal, "comma") != 0)
        return error_set(err, STATUS_USAGE,
                         "trace format csv: decimal: '%s' is not comma",
                         decimal);
    if (decimal && *decimal)
        self->numbers = mem_alloc(CSV_N_KEYS * CSV_TERMS_MAX * NUMBER_MAX);
    if (same && *same && !self->map.values[CSV_ID].n_terms)
        return error_set(err, STATUS_USAGE,
                         "trace format csv: same=%s needs id=COLUMN", same);
    return STATUS_OK;
}

static enum status csv_open(void *state, const void *config, struct rows *rows,
                            struct error *err)
{
    struct csv *self = state;
    enum status st = csv_map_read(config, &self->map, err);
    if (st == STATUS_OK)
        st = records_open(rows, &self->made, self->layout, err);
    if (st == STATUS_OK)
        st = set_decimal(self, err);
    if (st != STATUS_OK)
        return st;
    rows = self->made ? self->made : rows;
    self->rows = rows;
    const char *header = self->map.config.header;
    st = set_separator(self, err);
    if (st == STATUS_OK)
        st = csv_missing_set(&self->missing, self->map.config.missing, err);
    if (st == STATUS_OK)
        st = header && *header ? rows_header_numbers(rows, err)
                               : rows_header(rows, NULL, 0, NULL, err);
    for (size_t key = 0; key < CSV_N_KEYS && st == STATUS_OK; key++)
        st = add_value(self, (enum csv_key)key, err);
    if (st == STATUS_OK)
        st = columns_use(&self->columns, self->table, self->n_table,
                         self->cells, rows, err);
    return st == STATUS_OK ? set_clock(self, err) : st;
}

/* Rewrites a number such as "1.234,5" as "1234.5". Returns false if the text is
 * not such a number. */
static bool point_number(struct csv *self, size_t used, struct text *t)
{
    char *to = self->numbers + used * NUMBER_MAX;
    size_t n = 0, commas = 0;
    if (t->len >= NUMBER_MAX)
        return false;
    for (size_t i = 0; i < t->len; i++) {
        const char c = t->at[i];
        commas += c == ',';
        if (!ascii_is_digit(c) && !strchr(".,-", c))
            return false;
        if (c != '.')
            to[n++] = c == ',' ? '.' : c;
    }
    *t = commas == 1 ? (struct text){to, n} : *t;
    return commas == 1;
}

/* Trims the cells that are read, and empties each cell whose text stands for a
 * missing value. */
static void tidy(struct csv *self)
{
    for (size_t i = 0; i < self->n_used; i++) {
        struct text t = rows_cell(self->rows, self->used[i]);
        if (!t.len)
            continue;
        struct text trimmed = text_trim(t);
        if (self->numbers && point_number(self, i, &trimmed)) {
            rows_set_cell(self->rows, self->used[i], trimmed);
            continue;
        }
        const bool missing = csv_is_missing(&self->missing, trimmed);
        if (missing || trimmed.len != t.len)
            rows_set_cell(self->rows, self->used[i],
                          (struct text){trimmed.at, missing ? 0 : trimmed.len});
    }
}

/* Stores a product in its field of the row. A count is rounded up. */
static enum status store(struct csv *self, const struct product *p,
                         double product, struct trace_row *row,
                         struct error *err)
{
    void *field = (char *)row + csv_keys[p->key].field;
    const bool is_count = csv_keys[p->key].class == CSV_COUNT;
    /* 1.1 * 10 is a little above 11 and must not become 12. */
    const double up = ceil(product - 1e-9 * fabs(product));
    if (!(product >= 0 && product <= 1e15) || (is_count && up > UINT32_MAX))
        return rows_bad(self->rows, p->value->terms[0].cell, err,
                        "%s= gives %g, which is not from 0 to %u",
                        csv_keys[p->key].name, product, UINT32_MAX);
    if (!is_count) {
        *(double *)field = product;
        return STATUS_OK;
    }
    self->n_rounded += p->key == CSV_GPUS && up - product > 1e-9 * product;
    *(uint32_t *)field = (uint32_t)up;
    return STATUS_OK;
}

static enum status read_products(struct csv *self, struct trace_row *row,
                                 struct error *err)
{
    enum status st = STATUS_OK;
    for (size_t i = 0; i < self->n_products && st == STATUS_OK; i++) {
        const struct product *p = &self->products[i];
        double product;
        bool known;
        struct text type = {"", 0};
        st = csv_product(self->rows, p->value, &product, &known, &type, err);
        if (type.len && !self->map.values[CSV_GPU_TYPE].n_terms)
            row->gpu_type = type;
        if (st != STATUS_OK)
            return st;
        if (known)
            st = store(self, p, product, row, err);
        else if (p->key == CSV_GPUS)
            st = rows_bad(self->rows, p->value->terms[0].cell, err,
                          "empty; a number of GPUs is expected. If such jobs "
                          "have none, write ':or=0' after the column");
    }
    return st;
}

static void read_end(struct csv *self, struct trace_row *row)
{
    const struct csv_value *value = &self->map.values[CSV_STATE];
    bool running, strange;
    struct text word = rows_cell(self->rows, value->terms[0].cell);
    row->end = csv_end(value, word, &running, &strange);
    if (strange && !self->n_strange++)
        snprintf(self->strange, sizeof self->strange, "%.*s",
                 (int)(word.len < 30 ? word.len : 30), word.at);
    if (running)
        row->duration = TRACE_NO_TIME;
    self->n_running += running;
}

static enum status csv_next(void *state, struct trace_row *row,
                            struct error *err)
{
    struct csv *self = state;
    enum status st = rows_next(self->rows, err);
    row->line = rows_line_number(self->rows);
    if (st != STATUS_OK)
        return st;
    tidy(self);
    st = columns_fill(&self->columns, row, err);
    if (st == STATUS_OK)
        st = read_products(self, row, err);
    if (st == STATUS_OK && self->map.values[CSV_STATE].n_terms)
        read_end(self, row);
    return st;
}

static uint32_t csv_rare(const void *state)
{
    const struct csv *self = state;
    return columns_rare(&self->columns) |
           (self->map.values[CSV_MEM].n_terms ? TRACE_BIT(MEM) : 0);
}

static int csv_recognise(struct text head)
{
    (void)head;
    return 0; /* the format needs a column map, so no file is recognised */
}

static void csv_note(const void *state, char *buf, size_t room)
{
    const struct csv *self = state;
    const struct clock *clock = &self->columns.clock;
    const char *zone = self->map.config.zone;
    size_t n = 0;
    buf[0] = '\0';
#define SAY(condition, ...) \
    if ((condition) && n < room) { \
        n += (size_t)snprintf(buf + n, room - n, "%s", n ? "; " : "csv: "); \
        if (n < room) \
            n += (size_t)snprintf(buf + n, room - n, __VA_ARGS__); \
    }
    SAY(self->layout[0], "%s", self->layout)
    SAY(clock->n_local, "dates without a zone are taken as %s",
        zone && *zone ? zone : "UTC")
    SAY(clock->n_twice,
        "%" PRIu64 " dates of a repeated hour taken as the "
        "earlier",
        clock->n_twice)
    SAY(self->n_strange, "%" PRIu64 " ends of unknown words, such as '%s'",
        self->n_strange, self->strange)
    SAY(self->n_running, "%" PRIu64 " jobs had not ended", self->n_running)
    SAY(self->n_rounded, "%" PRIu64 " numbers of GPUs rounded up",
        self->n_rounded)
#undef SAY
}

static const char *csv_same(const void *config)
{
    const struct csv_config *c = config;
    return c->same;
}

static void csv_close(void *state)
{
    struct csv *self = state;
    csv_map_close(&self->map);
    rows_close(self->made);
    free(self->numbers);
    zone_close(&self->zone);
}

const struct trace_ops trace_csv = {
    .name = "csv",
    .summary = "any file with one job in each row, by a map of its columns",
    .options = csv_options,
    .config_size = sizeof(struct csv_config),
    .state_size = sizeof(struct csv),
    .layout = "rows of cells between one separator, with or without a header; "
              "csv:submit=COLUMN,gpus=COLUMN,duration=COLUMN,... says which "
              "column is what; 'trace guess FILE' proposes a map",
    .recognise = csv_recognise,
    .open = csv_open,
    .next = csv_next,
    .close = csv_close,
    .same = csv_same,
    .note = csv_note,
    .rare = csv_rare,
};
