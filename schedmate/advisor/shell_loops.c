/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Follows the loops and the `case` of a shell script. */
#include <string.h>

#include "schedmate/advisor/shell_internal.h"

/* Largest number of iterations of one loop that are followed. */
enum { ITERATIONS_MAX = 64 };

/* Ends an iteration. Returns false if the loop ended: by `break`, or by a
 * `continue` for a loop around it. */
static bool end_iteration(struct shell *shell)
{
    if (shell->breaks > 0) {
        shell->breaks--;
        return false;
    }
    shell->continues = false;
    return true;
}

/* Follows the body of a loop once. Returns false if that ended the loop. */
static bool follow_body(struct shell_cursor *c, size_t body)
{
    c->i = body;
    c->shell->loops++;
    shell_list(c, true);
    c->shell->loops--;
    return end_iteration(c->shell);
}

/* Follows the body with each value. Returns false if a value is unknown or a
 * pattern, or if there are too many values. */
static bool follow_each(struct shell_cursor *c, const char *name,
                        const struct shell_words *values, size_t body)
{
    if (values->n > ITERATIONS_MAX)
        return false;
    for (size_t i = 0; i < values->n; i++) {
        if (shell_is_unknown(values->at[i]) || strpbrk(values->at[i], "*?"))
            return false;
        if (!shell_goes_on(c->shell))
            return true;
        shell_set(c->shell, name, values->at[i]);
        if (!follow_body(c, body))
            return true;
    }
    return true;
}

static size_t number_taken(const struct shell *shell)
{
    const struct shell_host *host = shell->host;
    return host && host->taken ? host->taken(host->self) : 0;
}

/* Follows the body of a loop once with an unknown value. `n`: number of values,
 * or SHELL_RUNS_MANY. */
static void follow_unknown(struct shell_cursor *c, const char *name, size_t n,
                           size_t body)
{
    struct shell *shell = c->shell;
    size_t runs = shell->runs;
    bool many = runs == SHELL_RUNS_MANY || n == SHELL_RUNS_MANY;
    shell_forget(shell, name);
    shell->runs = many ? SHELL_RUNS_MANY : runs == 0 ? n : runs * n;
    follow_body(c, body);
    shell->runs = runs;
}

/* Follows the body of a loop with each value. If that is not possible, or if
 * there are several values and the body starts jobs, drops these jobs and
 * follows the body once with an unknown value. */
static void follow_values(struct shell_cursor *c, const char *name,
                          const struct shell_words *values, size_t body)
{
    struct shell *shell = c->shell;
    const struct shell_state *before = shell_save(shell);
    size_t taken = number_taken(shell);
    bool known = follow_each(c, name, values, body);
    bool starts = number_taken(shell) > taken;
    if (known && (values->n == 1 || !starts))
        return;
    if (starts && shell->host->drop)
        shell->host->drop(shell->host->self, taken);
    shell_restore(shell, before);
    follow_unknown(c, name, known ? values->n : SHELL_RUNS_MANY, body);
}

void shell_for(struct shell_cursor *c, bool live)
{
    struct shell *shell = c->shell;
    struct shell_words values = {.n = 0};
    struct text name = c->i < c->n ? c->at[c->i++].text : (struct text){"", 0};
    bool counted = text_starts(name, "((");
    shell_skip_breaks(c);
    if (shell_take(c, "in")) {
        for (; c->i < c->n && c->at[c->i].kind == SHELL_WORD &&
               !shell_is_now(c, "do");
             c->i++) {
            if (live)
                shell_expand(shell, c->at[c->i].text, &values);
        }
    } else if (live && !counted) {
        for (size_t i = 0; i < shell->n_args && values.n < SHELL_WORDS_MAX; i++)
            values.at[values.n++] = shell->args[i];
    }
    shell_skip_breaks(c);
    shell_take(c, "do");
    size_t body = c->i;
    if (live && counted) {
        struct text rest, first = text_split(text_skip(name, 2), '=', &rest);
        first = text_trim(first);
        values.n = 1;
        values.at[0] = "$"; /* an unknown value */
        name = first;
    }
    if (live && values.n)
        follow_values(c, arena_copy(shell->arena, name.at, name.len), &values,
                      body);
    c->i = body;
    shell_list(c, false);
    shell_take(c, "done");
}

void shell_while(struct shell_cursor *c, bool live, bool until)
{
    struct shell *shell = c->shell;
    size_t start = c->i, taken = number_taken(shell);
    size_t runs = shell->runs;
    bool again = live;
    for (int n = 0; n < ITERATIONS_MAX && again && shell_goes_on(shell); n++) {
        c->i = start;
        enum shell_truth truth = shell_list(c, true);
        shell_take(c, "do");
        if (truth == (until ? SHELL_YES : SHELL_NO))
            break;
        again = truth != SHELL_UNKNOWN;
        bool parts = !again && shell_may_branch(shell);
        const struct shell_state *before = parts ? shell_save(shell) : NULL;
        if (!again)
            shell->runs = SHELL_RUNS_MANY;
        shell->loops++;
        shell_list(c, true);
        shell->loops--;
        shell->runs = runs;
        again &= end_iteration(shell);
        again &= shell_goes_on(shell);
        if (parts)
            shell_merge(shell, before);
        if (number_taken(shell) > taken)
            break;
    }
    c->i = start;
    shell_list(c, false);
    shell_take(c, "do");
    shell_list(c, false);
    shell_take(c, "done");
}

/* Reads the patterns of a branch of `case`. Returns true if `live` and a
 * pattern fits the word. */
static bool take_patterns(struct shell_cursor *c, const char *word, bool live)
{
    bool fits = false;
    shell_take(c, "(");
    for (; c->i < c->n && !shell_is_now(c, ")"); c->i++) {
        if (live && c->at[c->i].kind == SHELL_WORD)
            fits |= shell_matches(shell_expand_one(c->shell, c->at[c->i].text),
                                  word);
    }
    shell_take(c, ")");
    return fits;
}

void shell_case(struct shell_cursor *c, bool live)
{
    struct shell *shell = c->shell;
    const char *word =
        live && c->i < c->n ? shell_expand_one(shell, c->at[c->i].text) : "";
    bool unknown = live && shell_is_unknown(word), done = false;
    const struct shell_state *before = unknown ? shell_save(shell) : NULL;
    const struct shell_state *joined = before;
    c->i++;
    shell_skip_breaks(c);
    shell_take(c, "in");
    shell_skip_breaks(c);
    while (c->i < c->n && !shell_is_now(c, "esac")) {
        bool fits = take_patterns(c, word, live && !unknown);
        bool parts = unknown && shell_may_branch(shell);
        bool runs = parts || (live && !unknown && fits && !done);
        shell_list(c, runs);
        done |= runs;
        if (parts) {
            shell_merge(shell, joined);
            joined = shell_save(shell);
            shell_restore(shell, before);
        }
        shell_take(c, ";;");
        shell_skip_breaks(c);
    }
    if (unknown)
        shell_restore(shell, joined);
    shell_take(c, "esac");
}
