/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/logs/log_locator.h"

#include <string.h>

#include "base/ascii.h"
#include "schedmate/logs/log_causes.h"
#include "schedmate/logs/log_stream.h"

enum log_locator_phase {
    OUTSIDE,
    FRAMES, /* after "Traceback (most recent call last):" */
    CODE,   /* after a frame: the next line may be its source code */
};

/* Largest number of lines of other programs between the lines of a traceback.
 */
#define ALIEN_MAX 3

/* Bytes at the start of a line in which the form of a report is looked for. */
#define LOOKED_AT 512

static bool locator_has(struct text t, const char *word)
{
    size_t len = t.len < LOOKED_AT ? t.len : LOOKED_AT;
    return memmem(t.at, len, word, strlen(word)) != NULL;
}

static bool has_one_of(struct text t, const char *const *words)
{
    while (*words && !locator_has(t, *words))
        words++;
    return *words != NULL;
}

static bool starts_one_of(struct text t, const char *const *words)
{
    while (*words && !text_starts(t, *words))
        words++;
    return *words != NULL;
}

static bool locator_ends_with(struct text t, const char *end)
{
    size_t n = strlen(end);
    return t.len > n && memcmp(t.at + t.len - n, end, n) == 0;
}

/* True for the name of a class that can end a traceback. */
static bool locator_is_class(struct text name)
{
    static const char *const ends[] = {
        "Error",   "Exception",   "Exit",          "Interrupt", "Failure",
        "Timeout", "Unsupported", "StopIteration", NULL};
    for (size_t i = 0; ends[i]; i++) {
        if (locator_ends_with(name, ends[i]))
            return true;
    }
    return false;
}

static bool is_dotted(char c)
{
    return ascii_is_name(c) || c == '.' || c == '$';
}

/* Returns the dotted name that the line begins with; *message becomes the
 * rest. */
static struct text dotted_name(struct text line, struct text *message)
{
    size_t n = 0;
    while (n < line.len && is_dotted(line.at[n]))
        n++;
    *message = text_skip(line, n);
    return (struct text){line.at, n};
}

/* True for a text that can follow the name of a class: ": text", nothing, or
 * first the class that a wrapper holds, as in "RayTaskError(ValueError):
 * text". */
static bool follows_class(struct text rest)
{
    if (text_char(rest, 0) == '(') {
        const char *end = memchr(rest.at, ')', rest.len);
        if (!end)
            return false;
        rest = text_skip(rest, (size_t)(end - rest.at) + 1);
    }
    char next = text_char(rest, 1);
    return text_trim(rest).len == 0 ||
           (rest.at[0] == ':' && (!next || next == ' '));
}

/* Splits "module.SomeError: message" and returns true. Returns false for a line
 * of another form; *class and *message are set nevertheless. */
static bool is_exception(struct text line, struct text *class,
                         struct text *message)
{
    *class = dotted_name(line, message);
    return ascii_is_letter(text_char(line, 0)) && locator_is_class(*class) &&
           follows_class(*message);
}

/* True if the line ends a traceback. Sets *class and *message as is_exception
 * does. At the end of a traceback the class may have any name that begins with
 * a capital, if its module is named too, as in
 * "torch._dynamo.exc.Unsupported". */
static bool ends_traceback(struct text line, struct text *class,
                           struct text *message)
{
    if (is_exception(line, class, message))
        return true;
    const char *dot = memrchr(class->at, '.', class->len);
    size_t at = dot ? (size_t)(dot - class->at) + 1 : class->len;
    return ascii_is_letter(text_char(line, 0)) &&
           ascii_is_upper(text_char(*class, at)) && follows_class(*message);
}

/* Returns the line without the words that some languages put before the class
 * of an exception. Sets *root to whether the line begins with "Caused by: ". */
static struct text skip_words(struct text line, bool *root)
{
    static const char *const words[] = {"Caused by: ",
                                        "ERROR: LoadError: ",
                                        "ERROR: ",
                                        "LoadError: ",
                                        "nested task error: ",
                                        "Uncaught exception: ",
                                        "ERROR:root:",
                                        NULL};
    *root = text_starts(line, words[0]);
    for (size_t i = 0; words[i]; i++) {
        if (text_starts(line, words[i]))
            line = text_skip(line, strlen(words[i]));
    }
    if (text_starts(line, "Exception in thread \"")) {
        const char *end = memmem(line.at, line.len, "\" ", 2);
        if (end)
            line = text_skip(line, (size_t)(end - line.at) + 2);
    }
    return line;
}

/* True for a frame of Python, C++, Java, Julia or Go, or a line that rich
 * draws. */
static bool is_stack(struct text line)
{
    static const char *const at_front[] = {
        "frame #",      "\xe2\x94\x82", "\xe2\x95\xad",
        "\xe2\x95\xb0", "\tat ",        "    @     0x",
        "Stacktrace:",  "goroutine ",   NULL};
    struct text t = text_trim(line);
    if (starts_one_of(line, at_front) || text_starts(t, "at java.") ||
        text_starts(t, "File \""))
        return true;
    char mark = text_char(t, 0);
    size_t n = 1;
    if (mark != '#' && mark != '[')
        return false;
    while (text_char(t, n) == ' ' || ascii_is_digit(text_char(t, n)))
        n++;
    if (mark == '#')
        return n > 1 && text_starts(text_skip(t, n), "0x");
    return n > 1 && t.at != line.at && text_char(t, n) == ']';
}

static bool is_library(struct text line)
{
    static const char *const places[] = {
        "site-packages", "dist-packages", "/lib/python", "\\lib\\",
        "<frozen ",      "\\Lib\\",       NULL};
    return has_one_of(line, places);
}

static struct log_trace_state *stream_of(struct log_traceback *t, uint64_t id)
{
    struct log_trace_state *oldest = t->streams;
    for (size_t i = 0; i < TRACEBACK_STREAMS; i++) {
        struct log_trace_state *s = &t->streams[i];
        if (s->used && s->id == id)
            return s;
        if (s->used < oldest->used)
            oldest = s;
    }
    *oldest = (struct log_trace_state){.id = id};
    return oldest;
}

static size_t blanks(struct text line)
{
    size_t n = 0;
    while (text_char(line, n) == ' ')
        n++;
    return n;
}

static void locator_begin(struct log_trace_state *s)
{
    s->phase = FRAMES;
    s->alien = 0;
    s->in_library = s->raised = false;
    s->indent = 0;
    s->survived = s->survives;
    s->survives = false;
}

/* Reads a frame of a traceback or the source code below a frame. */
static void read_frame(struct log_trace_state *s, struct text line)
{
    struct text t = text_trim(line);
    bool frame = text_starts(t, "File \"") ||
                 (text_starts(t, "\xe2\x94\x82 /") && locator_has(t, ".py:"));
    if (frame) {
        s->in_library = is_library(t);
        s->raised = false;
        s->phase = CODE;
    } else if (s->phase == CODE) {
        s->raised = !s->in_library && text_starts(t, "raise ");
        s->phase = FRAMES;
    }
}

/* Reads a line that follows "Traceback". Returns false if it is not part of the
 * traceback. */
static bool read_inside(struct log_trace_state *s, struct text line,
                        struct log_traced *out)
{
    bool root;
    if (text_char(line, 0) == ' ' || is_stack(line)) {
        read_frame(s, line);
        out->kind = LINE_FRAME;
        out->survived = s->survived;
        return true;
    }
    struct text t = skip_words(line, &root);
    if (ends_traceback(t, &out->class, &out->message)) {
        out->kind = LINE_EXCEPTION;
        out->text = t;
        out->raised = s->raised;
        out->survived = s->survived;
        s->phase = OUTSIDE;
        return true;
    }
    if (++s->alien > ALIEN_MAX || text_trim(line).len == 0)
        s->phase = OUTSIDE;
    return false;
}

static void read_outside(struct log_trace_state *s, struct text line,
                         struct log_traced *out)
{
    static const char *const survived[] = {
        "Exception ignored in",
        "--- Logging error ---",
        "Error in atexit._run_exitfuncs",
        "Exception in thread Thread-",
        "Exception in thread QueueFeederThread",
        NULL};
    if (starts_one_of(line, survived)) {
        s->survives = out->survived = true;
        return;
    }
    if (is_stack(line)) {
        out->kind = LINE_FRAME;
        bool drawn = text_starts(line, "\xe2\x95\xb0") ||
                     text_starts(line, "\xe2\x95\xad");
        if (drawn)
            locator_begin(s);
        return;
    }
    struct text t = skip_words(line, &out->root);
    if (is_exception(t, &out->class, &out->message)) {
        out->kind = LINE_EXCEPTION;
        out->text = t;
    }
}

struct log_traced log_traceback_next(struct log_traceback *t, struct text line)
{
    struct log_stream stream = log_stream_of(line);
    struct log_trace_state *s = stream_of(t, stream.id);
    struct log_traced out = {.kind = LINE_PLAIN, .text = stream.line};
    s->used = ++t->lines;
    if (locator_has(line, "Traceback (most recent call last)")) {
        locator_begin(s);
        s->indent = blanks(stream.line);
        out.kind = LINE_FRAME;
        out.survived = s->survived;
        return out;
    }
    if (s->phase != OUTSIDE) {
        size_t indent = blanks(stream.line);
        struct text inner =
            text_skip(stream.line, indent < s->indent ? indent : s->indent);
        if (read_inside(s, inner, &out))
            return out;
    }
    read_outside(s, stream.line, &out);
    return out;
}

const char *const locate_methods[] = {"scan", "binary", "last", NULL};

const struct option locator_options[] = {
    OPT_CHOICE(struct locator_config, method, "locator", LOCATE_SCAN,
               locate_methods, "how the first error is found",
               "binary: SchedMate, Algorithm 1, corrected"),
    OPT_U32(struct locator_config, chunk, "chunk", 20, 1, 1000,
            "lines per chunk", "SchedMate, Failure Locator"),
    OPT_U32(struct locator_config, gap, "gap", 2, 0, 1000,
            "chunks without errors that one run of errors may hold",
            "chosen on labelled logs: bench/README.md"),
    OPT_U32(struct locator_config, dense, "dense", 2, 1, 1000,
            "error lines that make a run of errors credible",
            "chosen on labelled logs: bench/README.md"),
    OPT_U32(struct locator_config, survived, "survived", 3, 1, 1000000,
            "progress lines after a run of errors that make it harmless",
            "chosen on labelled logs: bench/README.md"),
    OPT_U32(struct locator_config, forgotten, "forgotten", 200, 1, 1000000,
            "lines after a run of errors that make it harmless if a later run "
            "names a cause",
            "chosen on labelled logs: bench/README.md"),
    {0},
};

/* True if a line says that a process was ended or that the machine failed,
 * perhaps after a progress bar on the same line. Progress after this line does
 * not make the run of errors harmless. */
static bool is_fatal(struct text line)
{
    static const char *const words[] = {
        "(core dumped)",      "CANCELLED AT",        "DUE TO TIME LIMIT",
        "Segmentation fault", "terminate called",    "Fatal Python error",
        "oom-kill",           "Out of memory: Kill", "exited with exit code",
        "ChildFailedError",   "SignalException",     "Killing subprocess",
        "failed (exitcode",   "NODE_FAIL",           "Kernel panic",
        "fallen off the bus", "NVRM: Xid",           " SXid ",
    };
    size_t len = line.len < LOG_MARKS_BYTES ? line.len : LOG_MARKS_BYTES;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (memmem(line.at, len, words[i], strlen(words[i])))
            return true;
    }
    return false;
}

/* True for a line with which a shell reports that a signal ended a program:
 * "Killed" or "job.sh: line 3:  4711 Killed   python a.py". */
static bool is_job_control(struct text line)
{
    static const char *const words[] = {
        "Killed",    "Terminated",          "Aborted",
        "Bus error", "Illegal instruction", "Floating point exception"};
    struct text t = text_trim(line);
    const char *at = memmem(t.at, t.len, ": line ", strlen(": line "));
    if (at)
        t = text_skip(t, (size_t)(at - t.at) + strlen(": line "));
    while (at && (ascii_is_digit(text_char(t, 0)) || text_char(t, 0) == ':' ||
                  text_char(t, 0) == ' '))
        t = text_skip(t, 1);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (at ? text_starts(t, words[i]) : text_is(t, words[i]))
            return true;
    }
    return false;
}

/* Facts that the form of an error line shows. */
struct error_form {
    bool fatal;     /* is_fatal or is_job_control */
    bool exception; /* true if the line names an exception and has a message */
};

/* True if the line belongs to the report of an error that may have ended the
 * program: the classifier says so, or the line has a form that leaves no doubt,
 * such as the last line of a traceback, "KeyError: 'x'". False for a line with
 * a harmless signature. False also for a line of a report that the process
 * survived, unless that line is fatal. Sets *form. `knowledge` may be NULL. */
static bool is_error(const struct log_knowledge *knowledge,
                     enum log_class class, struct text line,
                     const struct log_traced *traced, struct error_form *form)
{
    form->fatal =
        class != LOG_BLANK && (is_fatal(line) || is_job_control(line));
    form->exception =
        traced->kind == LINE_EXCEPTION && text_trim(traced->message).len > 1;
    if (class != LOG_ERROR && !form->fatal && !form->exception)
        return false;
    bool harmless =
        knowledge && log_has_role(knowledge, line, LOG_ROLE_HARMLESS);
    return !harmless && !(traced->survived && !form->fatal);
}

void locator_start(struct locator *l, const struct locator_config *config,
                   struct log_classifier *classifier,
                   const struct log_knowledge *knowledge)
{
    *l = (struct locator){.config = config,
                          .classifier = classifier,
                          .knowledge = knowledge,
                          .last_chunk_clean = true};
}

/* Smallest weight of a cause whose run of errors takes the place of a run long
 * before it. */
#define SPECIFIC_WEIGHT 60

/* Returns the weight of the cause that the line names; 0 if it names none or
 * only a consequence. */
static unsigned weight_of(const struct locator *l, struct text line)
{
    struct log_cause cause = log_cause_of(l->knowledge, line);
    bool fallout = cause.signature && cause.signature->role == LOG_ROLE_FALLOUT;
    return fallout ? 0 : cause.weight;
}

static bool is_credible(const struct locator *l, const struct locator_run *run)
{
    return run->fatal || run->exception || run->errors >= l->config->dense;
}

/* True if the program went on for long after the best run so far, which was not
 * fatal, and then `later` names a cause. */
static bool is_forgotten(const struct locator *l,
                         const struct locator_run *later)
{
    return !l->best.fatal && later->weight >= SPECIFIC_WEIGHT &&
           later->line > l->best.last_line + l->config->forgotten;
}

/* Ends the current run of errors. A run that training survived is counted as a
 * decoy; any other replaces `best` if it is better. */
static void close_run(struct locator *l)
{
    if (!l->open)
        return;
    l->open = false;
    bool survived =
        !l->run.fatal && l->run.progress_after >= l->config->survived;
    if (survived) {
        l->decoys++;
        return;
    }
    bool better = !l->have ||
                  (!is_credible(l, &l->best) && is_credible(l, &l->run)) ||
                  is_forgotten(l, &l->run);
    if (better) {
        l->best = l->run;
        l->have = true;
        l->decoys_before = l->decoys;
    }
}

/* If a line with a strong signature comes at most config->gap chunks before the
 * first error of the run, without progress between, moves the start of the run
 * to that line. The failure report begins at that line even if it is only a
 * warning, such as "NCCL WARN ... Got completion". */
static void begin_at_sign(struct locator *l, uint64_t chunk)
{
    if (!l->have_sign || l->sign.progress_after > 0 ||
        chunk - l->sign.last_chunk > l->config->gap)
        return;
    l->run.line = l->sign.line;
    l->run.offset = l->sign.offset;
}

static void note_error(struct locator *l, struct text line, uint64_t offset,
                       uint64_t chunk, const struct error_form *form)
{
    unsigned weight = weight_of(l, line);
    bool near =
        l->open && chunk - l->run.last_chunk <= l->config->gap + UINT64_C(1);
    if (!near)
        close_run(l);
    if (!l->open) {
        l->run = (struct locator_run){.line = l->line,
                                      .offset = offset,
                                      .clean_before = l->last_chunk_clean};
        l->open = true;
        begin_at_sign(l, chunk);
    }
    l->run.errors++;
    l->run.progress_after = 0;
    l->run.last_chunk = chunk;
    l->run.last_line = l->line;
    l->run.weight = weight > l->run.weight ? weight : l->run.weight;
    l->run.fatal |= form->fatal;
    l->run.exception |= form->exception;
}

/* Smallest weight of a strong signature, unless a line reports a fault by its
 * severity (LOG_ANCHOR_REPORT): for infrastructure, and for all other
 * causes (signatures.json has the weights). */
#define SIGN_WEIGHT 75

#define SIGN_WEIGHT_OTHERS 78

static void note_sign(struct locator *l, struct text line, uint64_t hash,
                      uint64_t offset)
{
    uint64_t *seen = &l->seen[(hash >> 20) % LOCATOR_SEEN];
    if (*seen == hash)
        return;
    *seen = hash;
    struct log_cause cause = log_cause_of(l->knowledge, line);
    bool infra = cause.kind == FAILURE_INFRASTRUCTURE;
    bool reports =
        cause.signature && cause.signature->anchor == LOG_ANCHOR_REPORT;
    if (!reports && cause.weight < (infra ? SIGN_WEIGHT : SIGN_WEIGHT_OTHERS))
        return;
    l->sign =
        (struct locator_run){.line = l->line,
                             .offset = offset,
                             .last_chunk = (l->line - 1) / l->config->chunk,
                             .last_line = l->line,
                             .weight = weight_of(l, line),
                             .errors = 1};
    l->have_sign = true;
}

/* True if a line with a strong signature may be the report of the failure:
 * there is no run of errors, or the runs are long past. */
static bool may_be_sign(const struct locator *l)
{
    uint64_t far = l->config->forgotten;
    return (!l->have || l->line > l->best.last_line + far) &&
           (!l->open || l->line > l->run.last_line + far);
}

enum log_class locator_feed(struct locator *l, struct text line,
                            uint64_t offset)
{
    uint64_t chunk = l->line / l->config->chunk;
    bool first = l->line % l->config->chunk == 0;
    if (first) {
        l->last_chunk_clean = l->chunk_errors == 0;
        l->chunk_errors = 0;
    }
    l->line++;
    struct log_verdict v = log_classify_next(l->classifier, line, &l->context);
    enum log_class class = v.class;
    struct log_traced traced = log_traceback_next(&l->traceback, line);
    struct error_form form;
    if (is_error(l->knowledge, class, line, &traced, &form)) {
        note_error(l, line, offset, chunk, &form);
        l->chunk_errors++;
    } else if (class == LOG_PROGRESS) {
        l->run.progress_after += l->open;
        if (l->run.progress_after >= l->config->survived)
            close_run(l);
        if (l->have_sign && ++l->sign.progress_after >= l->config->survived)
            l->have_sign = false;
    } else if (!l->have_sign && class != LOG_BLANK && may_be_sign(l)) {
        note_sign(l, line, v.hash, offset);
    }
    return class;
}

void locator_end(struct locator *l, struct located *out)
{
    close_run(l);
    if (l->have_sign && (!l->have || is_forgotten(l, &l->sign))) {
        l->best = l->sign;
        l->have = true;
    }
    *out = (struct located){
        .found = l->have, .lines = l->line, .classified = l->line};
    if (!l->have)
        return;
    out->sure = is_credible(l, &l->best) && l->best.clean_before;
    out->line = l->best.line;
    out->chunk = (l->best.line - 1) / l->config->chunk;
    out->offset = l->best.offset;
    out->error_lines = l->best.errors;
    out->decoys = l->decoys_before;
}

/* The errors in a chunk. */
struct chunk_view {
    bool error;
    /* first error line: its number in the chunk, from 0, and its offset in the
     * chunk */
    uint64_t line, offset;
    uint64_t errors, lines;
};

static void view_chunk(struct log_classifier *c, struct text text,
                       struct chunk_view *out)
{
    struct log_context context = {0};
    struct log_traceback traceback = {0};
    struct text rest = text, line;
    *out = (struct chunk_view){0};
    while (log_first_line(&rest, &line)) {
        struct error_form form;
        enum log_class class = log_classify_next(c, line, &context).class;
        struct log_traced traced = log_traceback_next(&traceback, line);
        if (is_error(NULL, class, line, &traced, &form)) {
            if (!out->error) {
                out->line = out->lines;
                out->offset = (uint64_t)(line.at - text.at);
            }
            out->error = true;
            out->errors++;
        }
        out->lines++;
    }
}

void locator_search(const struct locator_config *config,
                    struct log_classifier *classifier, uint64_t n,
                    locator_chunk chunk, void *self, struct located *out)
{
    uint64_t from = 0, to = n;
    struct text text;
    struct chunk_view view;
    *out = (struct located){0};
    while (from < to) {
        uint64_t mid = from + (to - from) / 2;
        if (!chunk(self, mid, &text))
            return;
        view_chunk(classifier, text, &view);
        out->classified += view.lines;
        if (view.error)
            to = mid;
        else
            from = mid + 1;
    }
    if (from == n || !chunk(self, from, &text))
        return;
    view_chunk(classifier, text, &view);
    out->found = view.error;
    out->chunk = from;
    out->line = from * config->chunk + view.line + 1;
    out->offset = view.offset;
    out->error_lines = view.errors;
}
