/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `policy new NAME.c|.py|.lua`: writes a policy that runs, to be changed. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/ascii.h"
#include "base/out.h"
#include "commands/cli.h"
#include "commands/policy_templates_internal.h"
#include "commands/terminal.h"

/* The name of the policy in the templates, which the new name replaces. */
#define TEMPLATE_NAME "mypolicy"

struct policy_new_input {
    struct cli_call call;
    const char *path;
};

/* The languages. A policy in an interpreted one is a program: `interpreter`
 * runs it, and `helper` goes beside it. */
static const struct language {
    const char *ending, *interpreter, *helper;
} languages[] = {
    {.ending = ".c"},
    {.ending = ".py", .interpreter = "python3", .helper = "schedsim_policy.py"},
    {.ending = ".lua", .interpreter = "lua", .helper = "schedsim_policy.lua"},
};

/* Returns the template or the helper of this name. */
static struct text template_find(const char *stem, const char *ending)
{
    const struct policy_template *t = policy_templates;
    const size_t len = strlen(stem);
    while (strncmp(t->name, stem, len) != 0 ||
           strcmp(t->name + len, ending) != 0)
        t++;
    return (struct text){t->text, t->len};
}

static struct text template_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return text_from(slash ? slash + 1 : path);
}

static const struct language *language_find(struct text base)
{
    for (size_t i = 0; i < sizeof languages / sizeof *languages; i++) {
        const size_t len = strlen(languages[i].ending);
        if (base.len > len &&
            memcmp(base.at + base.len - len, languages[i].ending, len) == 0)
            return &languages[i];
    }
    return NULL;
}

/* The results name a policy, so its name has the letters of the protocol
 * (docs/policy-protocol.md). */
static enum status name_check(struct text name, struct error *err)
{
    size_t good = 0;
    while (good < name.len &&
           (ascii_is_alnum(name.at[good]) || strchr("-_.", name.at[good])))
        good++;
    if (good < name.len || name.len > 40)
        return error_set(err, STATUS_USAGE,
                         "policy new: '%.*s' cannot name a policy: it has 1 to "
                         "40 letters, digits, '-', '_' and '.'",
                         TEXT_ARGS(name));
    if (text_is(name, "schedsim_policy"))
        return error_set(err, STATUS_USAGE,
                         "policy new: schedsim_policy is the name of the "
                         "helper that the policy loads");
    return STATUS_OK;
}

/* Writes the template with the name of the policy. Refuses to replace any file:
 * one that began as this template is work of the user. */
static enum status template_write(const char *path, bool force,
                                  struct text body, struct text name,
                                  struct error *err)
{
    struct out *out;
    struct stat is;
    if (!force && stat(path, &is) == 0)
        return error_set(err, STATUS_USAGE,
                         "policy new: %s exists; --force replaces it", path);
    enum status st = out_open(path, &out, err);
    if (st != STATUS_OK)
        return st;
    const char *at;
    while ((
        at = memmem(body.at, body.len, TEMPLATE_NAME, strlen(TEMPLATE_NAME)))) {
        const size_t before = (size_t)(at - body.at);
        out_bytes(out, body.at, before);
        out_bytes(out, name.at, name.len);
        body = text_skip(body, before + strlen(TEMPLATE_NAME));
    }
    out_bytes(out, body.at, body.len);
    return out_close(out, err);
}

/* Writes the helper beside the policy, unless there is one, which may be
 * another version or changed. */
static enum status helper_write(const char *path, const char *helper,
                                struct arena *arena, struct error *err)
{
    const struct text base = template_base(path);
    const size_t folder = (size_t)(base.at - path), len = strlen(helper);
    char *beside = arena_alloc(arena, folder + len + 1);
    struct out *out;
    struct stat is;
    memcpy(beside, path, folder);
    memcpy(beside + folder, helper, len + 1);
    if (stat(beside, &is) == 0) {
        say(stdout, "%s: is there, kept", beside);
        return STATUS_OK;
    }
    enum status st = out_open(beside, &out, err);
    if (st != STATUS_OK)
        return st;
    const struct text text = template_find(helper, "");
    out_bytes(out, text.at, text.len);
    st = out_close(out, err);
    if (st == STATUS_OK)
        say(stdout, "%s: written, its helper", beside);
    return st;
}

static void print_next(const struct language *language, const char *path)
{
    const int stem = (int)(strlen(path) - strlen(language->ending));
    say(stdout, "next:");
    if (language->interpreter) {
        say(stdout, "  schedsim policy check \"exec:%s %s\"",
            language->interpreter, path);
        say(stdout, "  schedsim run TRACE --policy \"exec:%s %s\"",
            language->interpreter, path);
        return;
    }
    say(stdout, "  schedsim policy build %s", path);
    say(stdout, "  schedsim policy check %.*s.so", stem, path);
    say(stdout, "  schedsim run TRACE --policy %.*s.so", stem, path);
}

static enum status policy_new_run(void *self, struct error *err)
{
    struct policy_new_input *input = self;
    struct text base = template_base(input->path);
    const struct language *language = language_find(base);
    if (!language)
        return error_set(err, STATUS_USAGE,
                         "policy new: '%s' does not end in .c, .py or .lua",
                         input->path);
    const struct text name = {base.at, base.len - strlen(language->ending)};
    enum status st = name_check(name, err);
    if (st == STATUS_OK)
        st = template_write(input->path, input->call.force,
                            template_find(TEMPLATE_NAME, language->ending),
                            name, err);
    if (st != STATUS_OK)
        return st;
    say(stdout, "%s: written, a policy that runs", input->path);
    if (language->helper)
        st = helper_write(input->path, language->helper, &input->call.arena,
                          err);
    if (st == STATUS_OK)
        print_next(language, input->path);
    return st;
}

static const struct arg policy_new_args[] = {
    TAKE_WORD(struct policy_new_input, path, "FILE", "file"),
    TAKE_FLAG(struct policy_new_input, call.force, "force",
              "replace the file if it exists"),
    {0},
};

const struct command command_policy_new = {
    .name = "new",
    .summary = "write a policy that runs, to be changed: NAME.c, .py or .lua",
    .about = "Writes a short policy that runs at once: in C, to be compiled "
             "with `policy build`, or a program in Python or Lua, with its "
             "helper beside it. The name of the file is that of the policy.",
    .notes = "docs/policy-tutorial.md shows how to go on.",
    .parts = {{.rows = policy_new_args}},
    .input_size = sizeof(struct policy_new_input),
    .run = policy_new_run,
    .examples = "policy new patient.c\npolicy new patient.py",
};
