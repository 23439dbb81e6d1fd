/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/live/case_file.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "schedmate/live/action_gate.h"
#include "schedmate/live/site.h"
#include "schedmate/llm/ngrams.h"

/* A person's verdict on a diagnosis. */

static const char *const case_file_kinds[] = {"infrastructure", "framework",
                                              "user_script", "other", "none"};

enum { CASE_FILE_N_KINDS = sizeof case_file_kinds / sizeof *case_file_kinds };

static enum status name_in(const char *key, struct text value,
                           const char *const *names, size_t n, const char **out,
                           struct error *err)
{
    for (size_t i = 0; i < n; i++) {
        if (text_is(value, names[i])) {
            *out = names[i];
            return STATUS_OK;
        }
    }
    const char *near = text_nearest(value, names, n);
    return error_set(err, STATUS_USAGE, "--feedback: %s: no '%.*s'%s", key,
                     TEXT_ARGS(value), text_suggest(near).words);
}

static enum status case_file_read_pair(struct text pair, struct arena *arena,
                                       struct case_answer *out,
                                       struct error *err)
{
    static const char *const keys[] = {"kind", "part", "cause", "action"};
    const char *key = NULL;
    struct text value = {0};
    struct text name = text_split(pair, '=', &value);
    enum status st = name_in("keys", name, keys, 4, &key, err);
    if (st != STATUS_OK)
        return st;
    if (key == keys[0])
        return name_in(key, value, case_file_kinds, CASE_FILE_N_KINDS,
                       &out->kind, err);
    if (key == keys[1])
        return name_in(key, value, failure_parts, PART_NONE, &out->part, err);
    if (key == keys[3])
        return name_in(key, value, handler_actions, N_ACTIONS, &out->action,
                       err);
    if (!value.len)
        return error_set(err, STATUS_USAGE, "--feedback: cause: is empty");
    out->cause = arena_copy(arena, value.at, value.len);
    return STATUS_OK;
}

/* Fills in the kind, the part and the action of a known cause, unless they are
 * given. */
static void case_file_follow(const struct log_reason *reason,
                             struct case_answer *out)
{
    if (!out->kind)
        out->kind = failure_kinds[reason->kind];
    if (!out->part && reason->part != PART_NONE)
        out->part = failure_parts[reason->part];
    if (!out->action)
        out->action = handler_actions[reason->action];
}

static enum status unknown_cause(const struct log_knowledge *k,
                                 const char *cause, struct error *err)
{
    const char *near = log_knowledge_near(k, cause);
    return error_set(err, STATUS_USAGE,
                     "--feedback: no cause '%.60s'%s; a new cause needs "
                     "kind=",
                     cause, text_suggest(near).words);
}

/* Fills in what follows from the words given, and refuses words that contradict
 * each other or that give a new cause without its kind. */
static enum status case_file_complete(const struct log_knowledge *k,
                                      struct case_answer *out,
                                      struct error *err)
{
    const struct log_reason *reason =
        out->cause ? log_knowledge_reason(k, out->cause) : NULL;
    if (reason)
        case_file_follow(reason, out);
    else if (out->cause && !out->kind)
        return unknown_cause(k, out->cause, err);
    if (out->part && !out->kind)
        out->kind = case_file_kinds[FAILURE_INFRASTRUCTURE];
    if (out->part &&
        strcmp(out->kind, case_file_kinds[FAILURE_INFRASTRUCTURE]) != 0)
        return error_set(err, STATUS_USAGE,
                         "--feedback: part: is for kind infrastructure");
    return STATUS_OK;
}

enum status case_verdict_read(const char *words, const struct log_knowledge *k,
                              struct arena *arena, struct case_verdict *out,
                              struct error *err)
{
    static const char *const verdicts[] = {"right", "wrong"};
    struct text rest = {0};
    struct text first = text_split(text_from(words), ',', &rest);
    const char *verdict = NULL;
    *out = (struct case_verdict){0};
    enum status st = name_in("verdict", first, verdicts, 2, &verdict, err);
    out->right = st == STATUS_OK && verdict == verdicts[0];
    if (st == STATUS_OK && out->right && rest.len)
        st = error_set(err, STATUS_USAGE,
                       "--feedback: right: takes no other words");
    while (st == STATUS_OK && rest.len) {
        struct text pair = text_split(rest, ',', &rest);
        st = case_file_read_pair(pair, arena, &out->truth, err);
    }
    return st == STATUS_OK ? case_file_complete(k, &out->truth, err) : st;
}

bool case_is_right(const struct case_answer *answer,
                   const struct case_answer *truth)
{
    const struct {
        const char *said, *is;
    } all[] = {{answer->kind, truth->kind},
               {answer->part, truth->part},
               {answer->cause, truth->cause},
               {answer->action, truth->action}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i].is && (!all[i].said || strcmp(all[i].said, all[i].is) != 0))
            return false;
    }
    return true;
}

struct case_answer case_words(const struct diagnosis *d)
{
    if (!d->failed)
        return (struct case_answer){.kind = "none"};
    bool unknown = d->source == HANDLER_NOTHING;
    bool part = d->kind == FAILURE_INFRASTRUCTURE && !unknown;
    return (struct case_answer){.kind = unknown ? "unknown"
                                                : failure_kinds[d->kind],
                                .part = part ? failure_parts[d->part] : NULL,
                                .cause = d->reason[0] ? d->reason : NULL,
                                .action = handler_actions[d->action]};
}

#define CASE_FILE_FORMAT 1

#define SUFFIX ".json"

/* Returns text of a log as JSON of equal length: each zero byte becomes a
 * blank; if the text is not valid UTF-8, each byte that is not ASCII becomes
 * '?'. */
static json_t *window_text(struct text text)
{
    char *clean = mem_alloc(text.len + 1);
    for (size_t i = 0; i < text.len; i++)
        clean[i] = text.at[i] ? text.at[i] : ' ';
    clean[text.len] = 0;
    json_t *value = json_text(clean);
    free(clean);
    return value;
}

json_t *case_answer_json(const struct case_answer *a)
{
    json_t *row = json_object();
    json_put(row, "kind", json_text(a->kind));
    json_put(row, "part", json_text(a->part));
    json_put(row, "cause", json_text(a->cause));
    json_put(row, "action", json_text(a->action));
    return row;
}

static json_t *case_file_diagnosis_json(const struct diagnosis *d)
{
    struct case_answer words = case_words(d);
    json_t *row = case_answer_json(&words);
    json_put(row, "confidence", json_number(d->confidence));
    json_put(row, "source", json_text(handler_sources[d->source]));
    json_put(row, "evidence", json_text(handler_evidence_words[d->evidence]));
    json_put(row, "signature",
             json_text(d->signature ? d->signature->name : NULL));
    return row;
}

static json_t *given_json(const struct case_given *given)
{
    json_t *row = json_object();
    json_put(row, "state", json_text(given->state));
    json_put(row, "exit_code", json_text(given->exit_code));
    json_put(row, "signal", json_text(given->signal));
    json_put(row, "reason", json_text(given->reason));
    return row;
}

static json_t *case_file_knowledge_json(const struct log_knowledge *k)
{
    json_t *row = json_object(), *files = json_array();
    for (size_t i = 0; log_knowledge_file(k, i); i++)
        json_array_append_new(files, json_text(log_knowledge_file(k, i)));
    json_put(row, "schedsim", json_text(SCHEDSIM_VERSION));
    json_put(row, "digest", json_text(log_knowledge_digest(k)));
    json_put(row, "files", files);
    return row;
}

static json_t *window_json(const struct log_window *w)
{
    json_t *row = json_object();
    json_put(row, "located", json_boolean(w->located.found));
    json_put(row, "sure", json_boolean(w->located.sure));
    json_put(row, "first_line", json_integer((json_int_t)w->first_line));
    json_put(row, "error_at", json_integer((json_int_t)w->error_at));
    json_put(row, "text", window_text(w->text));
    return row;
}

static json_t *note_json(const struct case_note *note, int64_t now)
{
    const struct case_verdict *v = note->verdict;
    struct case_answer truth =
        v->right ? case_words(note->diagnosis) : v->truth;
    json_t *row = json_object();
    json_put(row, "format", json_integer(CASE_FILE_FORMAT));
    json_put(row, "unix_s", json_integer(now));
    json_put(row, "log", json_text(note->log));
    json_put(row, "feedback", json_text(v->right ? "right" : "wrong"));
    json_put(row, "note", json_text(note->note));
    json_put(row, "answer", case_file_diagnosis_json(note->diagnosis));
    json_put(row, "truth", case_answer_json(&truth));
    json_put(row, "given", given_json(&note->given));
    json_put(row, "knowledge", case_file_knowledge_json(note->knowledge));
    json_put(row, "window", window_json(note->window));
    return row;
}

/* Returns the path of a new case; NULL if it is too long. Names sort by time:
 * "20261122-174500-1a2b3c4d". */
static const char *case_file_name_of(const char *folder, const char *text,
                                     int64_t now, struct arena *arena)
{
    char when[TIME_TEXT_MAX], digits[TIME_TEXT_MAX], path[PATH_MAX],
        hex[DIGEST_HEX_MAX];
    struct digest *digest = digest_new();
    size_t n = 0;
    digest_add(digest, text, strlen(text));
    digest_end(digest, hex);
    time_to_text(now * SPAN_SECOND, when);
    for (const char *c = when; *c; c++) {
        if (*c >= '0' && *c <= '9')
            digits[n++] = *c;
        else if (*c == ' ')
            digits[n++] = '-';
    }
    digits[n] = 0;
    int len =
        snprintf(path, sizeof path, "%s/%s-%.8s" SUFFIX, folder, digits, hex);
    return len > 0 && len < PATH_MAX ? arena_copy(arena, path, (size_t)len)
                                     : NULL;
}

enum status case_keep(const char *folder, const struct case_note *note,
                      struct arena *arena, const char **path, struct error *err)
{
    struct out *out;
    int64_t now = action_now();
    json_t *row = note_json(note, now);
    char *text = json_dumps(row, JSON_INDENT(1));
    json_decref(row);
    *path = case_file_name_of(folder, text, now, arena);
    enum status st = *path ? home_make_folders(*path, err)
                           : error_set(err, STATUS_USAGE,
                                       "%s: the path is too long", folder);
    if (st == STATUS_OK)
        st = out_open_private(*path, &out, err);
    if (st == STATUS_OK) {
        out_text(out, text);
        out_char(out, '\n');
        st = out_close(out, err);
    }
    free(text);
    return st;
}

static const char *case_file_text_of(const json_t *row, const char *list,
                                     const char *key)
{
    const json_t *at = list ? json_object_get(row, list) : row;
    return json_string_value(json_object_get(at, key));
}

static struct case_answer answer_of(const json_t *row, const char *list)
{
    return (struct case_answer){.kind = case_file_text_of(row, list, "kind"),
                                .part = case_file_text_of(row, list, "part"),
                                .cause = case_file_text_of(row, list, "cause"),
                                .action =
                                    case_file_text_of(row, list, "action")};
}

/* True if the log and the facts of the scheduler alone gave the answer. */
static bool is_by_rules(const json_t *row)
{
    const char *source = case_file_text_of(row, "answer", "source");
    const char *evidence = case_file_text_of(row, "answer", "evidence");
    return (!source || strcmp(source, handler_sources[HANDLER_MODEL]) != 0) &&
           (!evidence ||
            strcmp(evidence, handler_evidence_words[EVIDENCE_KERNEL]) != 0);
}

/* Reads one file and passes the case to `see`. */
static enum status case_file_show(const char *folder, const char *name,
                                  case_see see, void *self, struct error *err)
{
    char path[PATH_MAX], bare[NAME_MAX + 1];
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= PATH_MAX)
        return error_set(err, STATUS_USAGE, "%s: the path is too long", folder);
    snprintf(bare, sizeof bare, "%.*s", (int)(strlen(name) - strlen(SUFFIX)),
             name);
    json_t *json = json_read_file(path, err);
    if (!json)
        return STATUS_BAD_INPUT;
    const char *said = case_file_text_of(json, NULL, "feedback");
    struct case_row row = {
        .name = bare,
        .json = json,
        .unix_s = json_integer_value(json_object_get(json, "unix_s")),
        .log = case_file_text_of(json, NULL, "log"),
        .note = case_file_text_of(json, NULL, "note"),
        .right = said && strcmp(said, "right") == 0,
        .by_rules = is_by_rules(json),
        .answer = answer_of(json, "answer"),
        .truth = answer_of(json, "truth"),
    };
    bool good = json_integer_value(json_object_get(json, "format")) ==
                    CASE_FILE_FORMAT &&
                said && row.log && row.answer.kind &&
                case_file_text_of(json, "window", "text");
    enum status st = good ? see(self, &row, err)
                          : error_set(err, STATUS_BAD_INPUT,
                                      "%s: is not a case of format "
                                      "%d",
                                      path, CASE_FILE_FORMAT);
    json_decref(json);
    return st;
}

static int is_case(const struct dirent *entry)
{
    size_t n = strlen(entry->d_name), end = strlen(SUFFIX);
    return entry->d_name[0] != '.' && n > end &&
           strcmp(entry->d_name + n - end, SUFFIX) == 0;
}

static int case_file_by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

enum status case_each(const char *folder, case_see see, void *self,
                      struct error *err)
{
    struct dirent **names = NULL;
    enum status st = STATUS_OK;
    int n = scandir(folder, &names, is_case, case_file_by_name);
    if (n < 0)
        return error_set(err, STATUS_BAD_INPUT,
                         "%s: cannot be read: %s; 'diagnose LOG --feedback' "
                         "keeps cases",
                         folder, strerror(errno));
    for (int i = 0; i < n; i++) {
        if (st == STATUS_OK)
            st = case_file_show(folder, names[i]->d_name, see, self, err);
        free(names[i]);
    }
    free(names);
    return st;
}

/* Number of similar cases that a question names, their smallest cosine (both
 * assumed), and the bytes of a text that are compared. */
#define SIMILAR_MOST 3
#define SIMILAR_LEAST 0.6
#define SIMILAR_BYTES 20000

struct case_file_similar {
    float *mine, *other; /* vectors */
    struct {
        double cosine;
        char words[160];
    } best[SIMILAR_MOST]; /* the most similar first */
};

static void case_file_embed(struct text text, float *out)
{
    struct error err;
    text.len = text.len < SIMILAR_BYTES ? text.len : SIMILAR_BYTES;
    enum status st = embed_hashed.embed(NULL, &text, 1, out, &err);
    CHECK(st == STATUS_OK); /* it cannot fail (ngrams.h) */
}

static enum status see_similar(void *self, const struct case_row *row,
                               struct error *err)
{
    struct case_file_similar *s = self;
    const json_t *window = json_object_get(row->json, "window");
    const char *lines = json_string_value(json_object_get(window, "text"));
    const struct case_answer *is = row->right ? &row->answer : &row->truth;
    size_t i = SIMILAR_MOST - 1;
    (void)err;
    if (!lines || !is->kind)
        return STATUS_OK;
    case_file_embed(text_from(lines), s->other);
    double cosine = embed_cosine(s->mine, s->other, embed_hashed.dimensions);
    if (cosine < SIMILAR_LEAST || cosine <= s->best[i].cosine)
        return STATUS_OK;
    for (; i > 0 && cosine > s->best[i - 1].cosine; i--)
        s->best[i] = s->best[i - 1];
    s->best[i].cosine = cosine;
    snprintf(s->best[i].words, sizeof s->best[i].words, "%s%s%s%s%.80s",
             is->kind, is->part ? ", " : "", is->part ? is->part : "",
             is->cause ? ": " : "", is->cause ? is->cause : "");
    text_clean(s->best[i].words);
    return STATUS_OK;
}

const char *case_similar(const char *folder, struct text text,
                         struct arena *arena)
{
    uint32_t width = embed_hashed.dimensions;
    struct case_file_similar s = {.mine = ARENA_ARRAY(arena, float, width),
                                  .other = ARENA_ARRAY(arena, float, width)};
    struct error err;
    struct out *out = out_to_memory();
    case_file_embed(text, s.mine);
    if (case_each(folder, see_similar, &s, &err) == STATUS_OK) {
        for (size_t i = 0; i < SIMILAR_MOST && s.best[i].cosine > 0; i++)
            out_printf(out, "Kept case with similar lines (%.2f): %s.\n",
                       s.best[i].cosine, s.best[i].words);
    }
    struct text all = out_memory(out);
    const char *words = all.len ? arena_copy(arena, all.at, all.len) : NULL;
    out_abandon(out);
    return words;
}

static enum status given_end(const json_t *row, struct job_end *end,
                             struct error *err)
{
    const char *state = case_file_text_of(row, "given", "state");
    const char *code = case_file_text_of(row, "given", "exit_code");
    const char *signal = case_file_text_of(row, "given", "signal");
    const char *reason = case_file_text_of(row, "given", "reason");
    enum status st = STATUS_OK;
    if (state)
        st = job_end_read_state(state, end, err);
    if (st == STATUS_OK && code)
        st = job_end_read_code(code, end, err);
    if (st == STATUS_OK && signal)
        st = job_end_read_signal(signal, end, err);
    if (st == STATUS_OK && reason)
        job_end_read_reason(reason, end);
    return st;
}

/* Locates an error in the end of a log in which none was located, because the
 * knowledge may have changed. */
static void locate_again(const struct log_knowledge *k,
                         struct log_classifier *c, struct text text,
                         struct located *out)
{
    struct locator_config config;
    struct text rest = text, line;
    struct locator *search = mem_alloc(sizeof *search);
    option_defaults(locator_options, &config);
    locator_start(search, &config, c, k);
    while (log_first_line(&rest, &line))
        locator_feed(search, line, (uint64_t)(line.at - text.at));
    locator_end(search, out);
    free(search);
}

enum status case_judge(const struct case_row *row,
                       const struct log_knowledge *knowledge,
                       struct log_classifier *classifier, struct diagnosis *out,
                       struct error *err)
{
    const json_t *window = json_object_get(row->json, "window");
    const json_t *json = json_object_get(window, "text");
    struct text text = {json_string_value(json), json_string_length(json)};
    json_int_t at = json_integer_value(json_object_get(window, "error_at"));
    struct located located = {
        .found = json_is_true(json_object_get(window, "located")),
        .sure = json_is_true(json_object_get(window, "sure")),
        .offset = at >= 0 && (size_t)at <= text.len ? (uint64_t)at : 0};
    struct job_end end = {.knowledge = knowledge};
    enum status st = given_end(row->json, &end, err);
    if (st != STATUS_OK)
        return error_prefix(err, "%s: ", row->name);
    if (!located.found)
        locate_again(knowledge, classifier, text, &located);
    if (!located.found && job_end_verdict(&end) != END_SAYS_FAILED)
        text.len = 0;
    const struct diagnosis_sources from = {.knowledge = knowledge,
                                           .window = text,
                                           .error_at = (size_t)located.offset,
                                           .sure = located.sure,
                                           .is_end = !located.found,
                                           .end = &end};
    return diagnosis_make(&from, out, err);
}
