/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/advisor/answer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "schedmate/advisor/advisor_internal.h"
#include "schedmate/advisor/python/py_machine.h"
#include "schedmate/llm/llm_text.h"

/* Evidence of a value: 1 if it stands in its quote, less if it has to be
 * concluded from it (a number that is computed less than a name), little if the
 * quote is of a note such as a README. */
static const double evidence_direct = 1, evidence_name = 0.92,
                    evidence_number = 0.9, evidence_note = 0.75;

/* How often the rules are right, by where they found a value. Assumed after 371
 * fields of 45 projects that the rules did not know, of which 90 of 100 values
 * were right: numbers of the command nearly always, what is concluded from
 * names less often than what a line sets. */
static const double rules_command = 0.97, rules_command_name = 0.9,
                    rules_line = ANSWER_RULES_USUAL, rules_guess = 0.85;

enum {
    QUOTE_MIN = 3, /* bytes of a quote without blanks */
    QUOTE_MAX = 400,
    QUOTE_GAP = 1500, /* bytes that "..." in a quote may stand for */
    NUMBERS_MAX = 12, /* numbers of a quote that are looked at */
};

static bool answer_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Returns the index after the first place at or after `from` where `quote`
 * stands, blanks of both aside, and sets *begins to where it begins; 0 if there
 * is none. */
static size_t answer_search(struct text source, size_t from, struct text quote,
                            size_t *begins)
{
    for (size_t i = from; i < source.len; i++) {
        size_t k = 0, j = i;
        if (answer_is_blank(source.at[i]))
            continue;
        for (; k < quote.len && j < source.len; j++) {
            while (k < quote.len && answer_is_blank(quote.at[k]))
                k++;
            if (k == quote.len ||
                (!answer_is_blank(source.at[j]) && source.at[j] != quote.at[k]))
                break;
            k += !answer_is_blank(source.at[j]);
        }
        while (k < quote.len && answer_is_blank(quote.at[k]))
            k++;
        if (k == quote.len) {
            *begins = i;
            return j;
        }
    }
    return 0;
}

/* The same for a quote whose parts are joined by "...". */
static size_t answer_find_quote(struct text source, size_t from,
                                struct text quote, size_t *begins)
{
    size_t at = from, part_begins = 0;
    bool first = true;
    while (quote.len) {
        const char *dots = memmem(quote.at, quote.len, "...", 3);
        struct text part = {quote.at,
                            dots ? (size_t)(dots - quote.at) : quote.len};
        quote = text_skip(quote, dots ? part.len + 3 : quote.len);
        part = text_trim(part);
        if (!part.len)
            continue;
        struct text rest = source;
        if (!first && at + QUOTE_GAP < rest.len)
            rest.len = at + QUOTE_GAP;
        at = answer_search(rest, at, part, &part_begins);
        if (!at)
            return 0;
        if (first)
            *begins = part_begins;
        first = false;
    }
    return first ? 0 : at;
}

/* Returns the quote without blanks at its ends, without a line number in front
 * ("41: ") and without marks around it that do not belong to it. */
static struct text answer_plain_quote(struct text quote)
{
    quote = text_trim(quote);
    size_t n = 0;
    while (n < quote.len && ascii_is_digit(quote.at[n]))
        n++;
    if (n && n < quote.len && text_starts(text_skip(quote, n), ": "))
        quote = text_trim(text_skip(quote, n + 1));
    if (quote.len > QUOTE_MAX)
        quote.len = QUOTE_MAX;
    return quote;
}

static size_t answer_solid(struct text t)
{
    size_t n = 0;
    for (size_t i = 0; i < t.len; i++)
        n += !answer_is_blank(t.at[i]);
    return n;
}

/* What one line of an answer says. */
struct answer_line {
    struct text field, value, place, quote;
};

struct answer_reader {
    const struct look *look;
    struct text command;
    struct model_answer *out;
};

static void advisor_answer_refuse(const struct answer_reader *reader,
                                  struct text field, const char *why,
                                  struct text about)
{
    struct model_answer *out = reader->out;
    char words[300];
    if (out->n_refused == ADVISOR_REFUSED_MAX)
        return;
    snprintf(words, sizeof words, "%.*s: %s%s%.*s", TEXT_ARGS(field), why,
             about.len ? " " : "", TEXT_ARGS(about));
    char *copy = arena_copy(reader->look->arena, words, strlen(words));
    llm_utf8_clean(copy, strlen(copy));
    text_clean(copy);
    out->refused[out->n_refused++] = copy;
}

/* True if what stands at `at` is a comment or a docstring. `code`: a Python
 * source without these, else empty. */
static bool answer_in_comment(const char *path, struct text source,
                              struct text code, size_t at)
{
    size_t from = at;
    if (code.len)
        return answer_is_blank(code.at[at]);
    while (from && source.at[from - 1] != '\n')
        from--;
    struct text line = text_trim(text_skip(source, from));
    const char *dot = strrchr(path, '.');
    return text_char(line, 0) == '#' && !text_starts(line, "#SBATCH") &&
           !text_starts(line, "#PBS") && !text_starts(line, "#BSUB") &&
           !text_starts(line, "#$ ") && !(dot && strcmp(dot, ".md") == 0);
}

/* True for a note such as a README; a text file that the command names is a
 * configuration. */
static bool answer_is_note(struct text command, const char *path)
{
    const char *dot = strrchr(path, '.');
    if (!dot)
        return false;
    return strcmp(dot, ".md") == 0 || strcmp(dot, ".rst") == 0 ||
           (strcmp(dot, ".txt") == 0 &&
            !memmem(command.at, command.len, path, strlen(path)));
}

static size_t answer_number_of_line(struct text source, size_t at)
{
    size_t line = 1;
    for (size_t i = 0; i < at; i++)
        line += source.at[i] == '\n';
    return line;
}

/* Finds the quote in a file, outside comments, at the line `wanted` or the next
 * place after it if there are several. Sets *where to "path:line" and returns
 * true if it stands there. `why`: the reason, if not. */
static bool answer_in_file(const struct answer_reader *reader, const char *path,
                           struct text quote, uint64_t wanted,
                           const char **where, const char **why)
{
    struct arena *arena = reader->look->arena;
    char refusal[WORKSPACE_WHY_MAX];
    struct text source, code = {0};
    size_t at = 0, begins = 0, best = 0;
    bool cut, found = false, comment = false;
    if (!look_text(reader->look, &path, &source, &cut, refusal)) {
        *why = arena_copy(arena, refusal, strlen(refusal));
        return false;
    }
    const char *dot = strrchr(path, '.');
    if (dot && (strcmp(dot, ".py") == 0 || strcmp(dot, ".ipynb") == 0))
        code = py_strip(source, arena);
    while ((at = answer_find_quote(source, at, quote, &begins)) != 0) {
        if (answer_in_comment(path, source, code, begins)) {
            comment = true;
            continue;
        }
        best = found ? best : begins;
        found = true;
        if (!wanted || answer_number_of_line(source, begins) >= wanted) {
            best = wanted ? begins : best;
            break;
        }
    }
    if (!found) {
        *why = comment ? "the quote is a comment in" : "the quote is not in";
        return false;
    }
    char place[600];
    snprintf(place, sizeof place, "%.*s:%zu", 500, path,
             answer_number_of_line(source, best));
    *where = arena_copy(arena, place, strlen(place));
    return true;
}

/* Splits "path:12" or "path:12-14" into path and line. */
static const char *answer_path(struct text place, struct arena *arena,
                               uint64_t *line)
{
    size_t n = place.len;
    struct text rest;
    *line = 0;
    while (n && (ascii_is_digit(place.at[n - 1]) || place.at[n - 1] == '-'))
        n--;
    if (n && place.at[n - 1] == ':' &&
        text_to_u64(text_split(text_skip(place, n), '-', &rest), line))
        place.len = n - 1;
    while (text_starts(place, "./"))
        place = text_skip(place, 2);
    return arena_copy(arena, place.at ? place.at : "", place.len);
}

/* Finds where the quote of a line stands. Returns NULL if it does not stand
 * where the line says, and refuses the line. */
static const char *answer_place(const struct answer_reader *reader,
                                const struct answer_line *line)
{
    const struct look *look = reader->look;
    const char *where = NULL, *why = "the quote is not in";
    size_t begins;
    uint64_t number;
    if (answer_solid(line->quote) < QUOTE_MIN) {
        advisor_answer_refuse(reader, line->field, "there is no quote",
                              line->quote);
        return NULL;
    }
    bool anywhere = line->place.len == 0;
    if (text_is_nocase(line->place, "command") || anywhere) {
        if (answer_find_quote(reader->command, 0, line->quote, &begins))
            return "command";
    }
    for (size_t i = 0; anywhere && i < look->n_first; i++) {
        if (answer_in_file(reader, look->first[i], line->quote, 0, &where,
                           &why))
            return where;
    }
    if (!anywhere && !text_is_nocase(line->place, "command") &&
        answer_in_file(reader, answer_path(line->place, look->arena, &number),
                       line->quote, number, &where, &why))
        return where;
    advisor_answer_refuse(reader, line->field, why, line->place);
    return NULL;
}

/* Evidence. */

/* True if the character at i belongs to a number that began before it: a digit,
 * a point, an exponent, or a mark between digits as in 10_000 and 10,000. */
static bool answer_goes_on(struct text quote, size_t i)
{
    char c = quote.at[i], before = quote.at[i - 1];
    bool digit_follows = ascii_is_digit(text_char(quote, i + 1));
    if (c == '-' || c == '+')
        return (before == 'e' || before == 'E') && digit_follows;
    if (c == 'e' || c == 'E')
        return digit_follows || text_char(quote, i + 1) == '-' ||
               text_char(quote, i + 1) == '+';
    if (c == ',')
        return digit_follows && ascii_is_digit(text_char(quote, i + 3)) &&
               !ascii_is_digit(text_char(quote, i + 4));
    return ascii_is_digit(c) || c == '.' || (c == '_' && digit_follows);
}

/* Reads the numbers of a quote. Returns how many. */
static size_t answer_numbers(struct text quote, double numbers[NUMBERS_MAX])
{
    size_t n = 0;
    for (size_t i = 0; i < quote.len && n < NUMBERS_MAX; i++) {
        char digits[64];
        size_t len = 0;
        if (!ascii_is_digit(quote.at[i]) &&
            !(quote.at[i] == '.' && ascii_is_digit(text_char(quote, i + 1))))
            continue;
        do {
            if (quote.at[i] != '_' && quote.at[i] != ',')
                digits[len++] = quote.at[i];
            i++;
        } while (i < quote.len && len < sizeof digits &&
                 answer_goes_on(quote, i));
        while (len && digits[len - 1] == '.')
            len--;
        n += text_to_double((struct text){digits, len}, &numbers[n]);
    }
    return n;
}

static bool answer_equal(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

/* True if a number stands in the quote, or is a product, quotient or power of
 * two that do. */
static bool answer_says_number(struct text quote, double value)
{
    double numbers[NUMBERS_MAX];
    size_t n = answer_numbers(quote, numbers);
    for (size_t i = 0; i < n; i++) {
        if (answer_equal(numbers[i], value))
            return true;
        for (size_t k = 0; k < n; k++) {
            double a = numbers[i], b = numbers[k];
            if (i != k && (answer_equal(a * b, value) ||
                           (b != 0 && answer_equal(a / b, value)) ||
                           (a > 0 && b < 64 && answer_equal(pow(a, b), value))))
                return true;
        }
    }
    return false;
}

/* Writes the letters and digits of a text in lower case. Returns how many. */
static size_t answer_squeeze(struct text t, char *out, size_t max)
{
    size_t n = 0;
    for (size_t i = 0; i < t.len && n < max; i++) {
        if (ascii_is_alnum(t.at[i]))
            out[n++] = ascii_lower(t.at[i]);
    }
    return n;
}

/* True if a word of at least four letters or digits of a value, or all of a
 * shorter value, stands in the quote, other characters aside. */
static bool answer_says_name(struct text quote, struct text value)
{
    char a[QUOTE_MAX], b[METADATA_VALUE_MAX];
    size_t n = answer_squeeze(quote, a, sizeof a), words = 0, m = 0;
    while (value.len) {
        m = answer_squeeze(text_split(value, ' ', &value), b, sizeof b);
        words += m > 0;
        if (m >= 4 && memmem(a, n, b, m))
            return true;
    }
    return words == 1 && m > 0 && memmem(a, n, b, m);
}

static double answer_evidence(struct text command, enum metadata_field field,
                              const struct answer_line *line, const char *where)
{
    struct text value = line->value, quote = line->quote;
    double number;
    bool from_command = strcmp(where, "command") == 0;
    if (!from_command) {
        char path[600];
        snprintf(path, sizeof path, "%s", where);
        char *colon = strrchr(path, ':');
        if (colon)
            *colon = '\0';
        if (answer_is_note(command, path))
            return evidence_note;
    }
    if (!metadata_is_number(field))
        return answer_says_name(quote, value) ? evidence_direct : evidence_name;
    if (!text_to_double(value, &number))
        return 0;
    /* One process of one GPU is what a command without a launcher starts. */
    if (answer_says_number(quote, number) || (from_command && number == 1))
        return evidence_direct;
    return evidence_number;
}

/* Reading. */

static struct text answer_part(struct text *rest)
{
    return text_trim(text_split(*rest, '|', rest));
}

static bool answer_is_null(struct text value)
{
    static const char *const nulls[] = {"null", "none", "unknown", "n/a", ""};
    for (size_t i = 0; i < sizeof nulls / sizeof *nulls; i++) {
        if (text_is_nocase(value, nulls[i]))
            return true;
    }
    return false;
}

/* Returns a number in its shortest form: "600,000" and "6e5" are 600000. */
static struct text answer_number(struct text value, struct arena *arena)
{
    char digits[64];
    size_t n = 0;
    double number;
    for (size_t i = 0; i < value.len && n < sizeof digits; i++) {
        if (value.at[i] != ',' && value.at[i] != '_')
            digits[n++] = value.at[i];
    }
    if (!text_to_double((struct text){digits, n}, &number))
        return value;
    struct out *out = out_to_memory();
    llm_json_number(out, number);
    struct text t = out_memory(out);
    t.at = arena_copy(arena, t.at, t.len);
    out_abandon(out);
    return t;
}

static void answer_take(const struct answer_reader *reader,
                        struct answer_line *line)
{
    struct arena *arena = reader->look->arena;
    struct model_answer *out = reader->out;
    enum metadata_field field = metadata_field_of(line->field);
    if (answer_is_null(line->value)) {
        if (field < METADATA_FIELDS)
            out->withdrawn[field] = true;
        return;
    }
    const char *where = answer_place(reader, line);
    if (!where)
        return;
    if (field == METADATA_FIELDS) {
        metadata_add(&out->metadata, line->field, line->value, arena);
        return;
    }
    if (metadata_is_number(field))
        line->value = answer_number(line->value, arena);
    if (!metadata_can_be(field, line->value)) {
        advisor_answer_refuse(reader, line->field, "the value cannot be",
                              line->value);
        return;
    }
    metadata_set(&out->metadata, field, line->value, where, arena);
    struct metadata_value *set = &out->metadata.fields[field];
    set->quote = arena_copy(arena, line->quote.at, line->quote.len);
    set->evidence = answer_evidence(reader->command, field, line, where);
    out->withdrawn[field] = false;
}

void answer_read(const struct look *look, const char *command,
                 const char *const *lines, size_t n, struct model_answer *out)
{
    const struct answer_reader reader = {look, text_from(command), out};
    *out = (struct model_answer){0};
    for (size_t i = 0; i < n; i++) {
        struct text rest = text_from(lines[i]);
        struct answer_line line = {0};
        line.field = answer_part(&rest);
        line.value = answer_part(&rest);
        line.place = answer_part(&rest);
        line.quote = answer_plain_quote(rest);
        if (!line.quote.len && line.place.len) {
            line.quote = answer_plain_quote(line.place);
            line.place = (struct text){"", 0};
        }
        answer_take(&reader, &line);
    }
}

void answer_keep(const struct look *look, const char *command,
                 const struct metadata *before, struct model_answer *out)
{
    const struct answer_reader reader = {look, text_from(command), out};
    size_t n_refused = out->n_refused;
    for (unsigned i = 0; i < METADATA_FIELDS; i++) {
        const struct metadata_value *value = &before->fields[i];
        if (!value->quote || out->withdrawn[i] || out->metadata.fields[i].text)
            continue;
        struct answer_line line = {
            text_from(metadata_name(i)), text_from(value->text),
            text_from(value->where), text_from(value->quote)};
        answer_take(&reader, &line);
    }
    out->n_refused = n_refused;
}

/* Merging. */

static double answer_weight_of_rules(enum metadata_field field,
                                     const struct metadata_value *value)
{
    if (!value->text)
        return 0;
    if (!value->where)
        return rules_guess;
    if (strcmp(value->where, "command") == 0)
        return metadata_is_number(field) ? rules_command : rules_command_name;
    bool line =
        strchr(value->where, ':') &&
        strncmp(value->where, PY_LIBRARY_PATH, sizeof PY_LIBRARY_PATH - 1) != 0;
    return line ? rules_line : rules_guess;
}

/* Returns the trust in an answer of a model that was not measured: 0.9, which
 * weighs as much as PRIOR numbers, and the share of the numbers that the rules
 * found on a line or in the command where the answer agrees. A right answer
 * agrees as often as the rules are right. */
static double answer_trust(const struct model_answer *answer,
                           const struct metadata *rules)
{
    enum { PRIOR = 3 };
    double agreed = 0, compared = 0;
    for (unsigned i = 0; i < METADATA_FIELDS; i++) {
        const struct metadata_value *said = &answer->metadata.fields[i];
        const struct metadata_value *found = &rules->fields[i];
        double a, b;
        if (!metadata_is_number(i) || !said->text ||
            answer_weight_of_rules(i, found) < rules_line)
            continue;
        compared++;
        agreed += text_to_double(text_from(said->text), &a) &&
                  text_to_double(text_from(found->text), &b) &&
                  answer_equal(a, b);
    }
    double share = compared > 0 ? fmin(1, agreed / compared / rules_line) : 0;
    return (PRIOR * ANSWER_MODEL_USUAL + compared * share) / (PRIOR + compared);
}

_Static_assert(METADATA_FIELDS <= LLM_TRUST_FIELDS, "a count for each field");

void answer_merge(const struct model_answer *answer,
                  const struct metadata *rules, double trust,
                  const struct llm_trust *measured, struct arena *arena,
                  struct metadata *out)
{
    const struct metadata *model = &answer->metadata;
    bool by_field = trust == 0 && llm_trust_has_fields(measured);
    if (trust == 0 && !by_field)
        trust = answer_trust(answer, rules);
    *out = (struct metadata){.command = rules->command};
    for (unsigned i = 0; i < METADATA_FIELDS; i++) {
        const struct metadata_value *said = &model->fields[i];
        const struct metadata_value *found = &rules->fields[i];
        double weight = answer_weight_of_rules(i, found);
        double evidence = said->text             ? said->evidence
                          : answer->withdrawn[i] ? evidence_name
                                                 : 0;
        if (by_field) {
            trust = llm_trust_field_model(measured, i, ANSWER_MODEL_USUAL);
            weight =
                weight > 0 ? llm_trust_field_rules(measured, i, weight) : 0;
            /* What follows from a quote is part of what was measured. */
            evidence = evidence >= evidence_number ? 1 : evidence;
        }
        double against = trust * evidence;
        out->fields[i] = against > weight ? *said : *found;
    }
    for (size_t i = 0; i < model->n_other; i++)
        metadata_add(out, text_from(model->other[i].key),
                     text_from(model->other[i].value), arena);
    for (size_t i = 0; i < rules->n_other; i++)
        metadata_add(out, text_from(rules->other[i].key),
                     text_from(rules->other[i].value), arena);
}
