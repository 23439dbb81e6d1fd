/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Follows the command that a container starts by itself: that of a Dockerfile,
 * a service of docker compose or a resource of Kubernetes. Also follows
 * SkyPilot, DVC and terminals such as tmux. */
#include <stdio.h>
#include <string.h>

#include "base/out.h"
#include "schedmate/advisor/launch_internal.h"

static void follow_text(struct launch_finder *finder,
                        const struct launch_context *context, struct out *out,
                        const char *path)
{
    struct launch_context *own =
        ARENA_NEW(finder->arena, struct launch_context);
    *own = *context;
    own->where = path;
    struct text text = out_memory(out);
    text.at = arena_copy(finder->arena, text.at, text.len);
    launch_follow(finder, own, NULL, text, (struct launch_words){0});
}

static void add_words(struct launch_words words, size_t from, struct out *out)
{
    for (size_t i = from; i < words.n; i++)
        launch_quote(text_from(words.at[i]), out);
}

/* What a command of docker compose names: the file, and the index of the
 * service in the words. */
struct compose {
    const char *file; /* -f FILE; NULL: one of the usual names */
    size_t service;
    bool is_up; /* true for `up`, which takes no command after the service */
};

static struct compose read_compose(struct launch_words words, size_t i)
{
    struct compose out = {.file = NULL};
    for (; i < words.n && !launch_listed("run up exec", words.at[i]); i++) {
        if (strcmp(words.at[i], "-f") == 0 && i + 1 < words.n)
            out.file = words.at[i + 1];
    }
    out.is_up = i < words.n && strcmp(words.at[i], "up") == 0;
    for (i++; i < words.n && words.at[i][0] == '-'; i++)
        i += launch_listed("-e -v -w -u -p --name --entrypoint", words.at[i]);
    out.service = i;
    return out;
}

/* Follows the command that a service has in `file` or, if that is NULL, in a
 * file with one of the usual names. */
static void follow_service(struct launch_finder *finder,
                           const struct launch_context *context,
                           const char *file, const char *name)
{
    static const char *const names[] = {"docker-compose.yml",
                                        "docker-compose.yaml", "compose.yml",
                                        "compose.yaml"};
    struct text text;
    const char *path = NULL;
    for (size_t k = 0; k < 4 && !path; k++) {
        if (!launch_read_file(finder, context->dir, file ? file : names[k],
                              &path, &text))
            path = NULL;
    }
    if (!path)
        return;
    struct out *out = out_to_memory();
    struct text service = launch_yaml_block(text, name);
    struct launch_context own = *context;
    own.counts.gpus = launch_yaml_number(service, "count");
    if (!own.counts.gpus)
        own.counts.gpus = launch_yaml_devices(service);
    launch_yaml_key(service, "entrypoint", out);
    launch_yaml_key(service, "command", out);
    follow_text(finder, &own, out, path);
    out_abandon(out);
}

/* Follows `docker compose run SERVICE [COMMAND]`, `docker compose exec SERVICE
 * COMMAND` and `docker compose up SERVICE`. Returns true. */
static bool follow_compose(struct launch_finder *finder,
                           const struct launch_context *context,
                           struct launch_words words, size_t i)
{
    struct compose compose = read_compose(words, i);
    size_t at = compose.service;
    if (at + 1 < words.n && words.at[at + 1][0] != '-' && !compose.is_up)
        launch_take(finder, context,
                    (struct launch_words){words.at + at + 1, words.n - at - 1});
    else if (at < words.n)
        follow_service(finder, context, compose.file, words.at[at]);
    return true;
}

/* Returns the arguments of the last instruction of this name in a Dockerfile,
 * with the lines that continue it; .at is NULL if there is none. */
static struct text instruction(struct text text, const char *name)
{
    struct text found = {NULL, 0};
    while (text.len) {
        struct text line = text_split(text, '\n', &text);
        struct text trimmed = text_trim(line), rest, all = line;
        if (!text_is_nocase(text_split(trimmed, ' ', &rest), name))
            continue;
        while (all.len && all.at[all.len - 1] == '\\' && text.len) {
            line = text_split(text, '\n', &text);
            all.len = (size_t)(line.at + line.len - all.at);
        }
        found = (struct text){rest.at, (size_t)(all.at + all.len - rest.at)};
    }
    return found;
}

static void write_instruction(struct text value, struct out *out)
{
    value = text_trim(value);
    if (text_char(value, 0) == '[')
        launch_list(value, out);
    else
        out_bytes(out, value.at, value.len);
    out_char(out, ' ');
}

/* Follows `docker run IMAGE`. The image is assumed to be built from the
 * Dockerfile of the job. `words` are arguments after the image. Returns false
 * if they must be a command, because no entry point of a Dockerfile takes them.
 */
static bool follow_image(struct launch_finder *finder,
                         const struct launch_context *context,
                         struct launch_words words)
{
    static const char *const names[] = {"Dockerfile", "docker/Dockerfile",
                                        "Containerfile"};
    struct text text;
    const char *path = NULL;
    for (size_t i = 0; i < 3 && !path; i++) {
        if (!launch_read_file(finder, context->dir, names[i], &path, &text))
            path = NULL;
    }
    if (!path)
        return words.n == 0;
    struct out *out = out_to_memory();
    struct text entry = instruction(text, "ENTRYPOINT");
    struct text command = instruction(text, "CMD");
    if (!entry.at && words.n) {
        out_abandon(out);
        return false; /* the words are a command of their own */
    }
    if (entry.at)
        write_instruction(entry, out);
    if (words.n)
        add_words(words, 0, out);
    else if (command.at)
        write_instruction(command, out);
    follow_text(finder, context, out, path);
    out_abandon(out);
    return true;
}

/* Follows `kubectl apply -f FILE` to the command of the first container of
 * FILE. */
static void follow_resource(struct launch_finder *finder,
                            const struct launch_context *given,
                            const char *file)
{
    struct text text;
    const char *path;
    struct launch_context context = *given;
    if (!launch_read_file(finder, given->dir, file, &path, &text))
        return;
    struct out *out = out_to_memory();
    launch_yaml_key(text, "command", out);
    launch_yaml_key(text, "args", out);
    context.counts.gpus_per_node = launch_yaml_number(text, "nvidia.com/gpu");
    follow_text(finder, &context, out, path);
    out_abandon(out);
}

/* Follows `sky launch FILE` to the command under the key `run` of SkyPilot's
 * task in FILE. */
static void follow_task(struct launch_finder *finder,
                        const struct launch_context *given, const char *file)
{
    struct text text, rest;
    const char *path;
    struct launch_context context = *given;
    if (!launch_read_file(finder, given->dir, file, &path, &text))
        return;
    struct out *out = out_to_memory(), *gpus = out_to_memory();
    if (launch_yaml_key(text, "accelerators", gpus)) {
        text_split(out_memory(gpus), ':', &rest);
        if (!text_to_u32(text_trim(rest), &context.counts.gpus_per_node))
            context.counts.gpus_per_node = 1;
    }
    context.counts.nodes = launch_yaml_number(text, "num_nodes");
    launch_yaml_key(text, "run", out);
    follow_text(finder, &context, out, path);
    out_abandon(gpus);
    out_abandon(out);
}

/* Writes the values of all keys `cmd` in a text of dvc.yaml, one a line. */
static void write_stages(struct text text, struct out *out)
{
    while (text.len) {
        struct text line = text_trim(text), rest;
        text_split(line, '\n', &rest);
        if (text_starts(line, "cmd:")) {
            launch_yaml_key(line, "cmd", out);
            out_char(out, '\n');
        }
        text_split(text, '\n', &text);
    }
}

/* Follows `dvc repro [STAGE...]` or `dvc exp run [STAGE...]` to the commands of
 * the stages, in the order of the words, or to those of all stages. */
static void follow_stages(struct launch_finder *finder,
                          const struct launch_context *context,
                          struct launch_words words)
{
    struct text text;
    const char *path;
    if (!launch_read_file(finder, context->dir, "dvc.yaml", &path, &text))
        return;
    struct out *out = out_to_memory();
    bool names_stage = false;
    size_t first = strcmp(words.at[1], "exp") == 0 ? 3 : 2; /* exp run */
    for (size_t i = first; i < words.n; i++) {
        struct text stage = launch_yaml_block(text, words.at[i]);
        names_stage |= stage.len > 0;
        write_stages(stage, out);
    }
    if (!names_stage)
        write_stages(text, out);
    follow_text(finder, context, out, path);
    out_abandon(out);
}

/* Follows the commands of `tmux new -d "command"` and the like, where a word
 * with blanks is a command. */
static void follow_terminal(struct launch_finder *finder,
                            const struct launch_context *context,
                            struct launch_words words)
{
    for (size_t i = 1; i < words.n; i++) {
        if (strpbrk(words.at[i], " \n"))
            launch_follow(finder, context, NULL, text_from(words.at[i]),
                          (struct launch_words){0});
    }
}

/* Follows what kubectl, oc, dvc, tmux, screen or sky starts. Returns false for
 * any other command and for subcommands that are not followed, such as `kubectl
 * exec`. */
static bool follow_cluster(struct launch_finder *finder,
                           const struct launch_context *context,
                           struct launch_words words)
{
    const char *base = launch_base(words.at[0]);
    const char *sub = words.n > 1 ? words.at[1] : "";
    if (launch_listed("kubectl oc", base) &&
        launch_listed("apply create replace", sub)) {
        for (size_t i = 2; i + 1 < words.n; i++) {
            if (strcmp(words.at[i], "-f") == 0)
                follow_resource(finder, context, words.at[i + 1]);
        }
        return true;
    }
    if (strcmp(base, "dvc") == 0 && launch_listed("repro exp", sub)) {
        follow_stages(finder, context, words);
        return true;
    }
    if (launch_listed("tmux screen", base)) {
        follow_terminal(finder, context, words);
        return true;
    }
    if (strcmp(base, "sky") != 0)
        return false;
    for (size_t i = 2; i < words.n; i++) {
        if (launch_ends(words.at[i], ".yaml") ||
            launch_ends(words.at[i], ".yml"))
            follow_task(finder, context, words.at[i]);
    }
    return true;
}

bool launch_container(struct launch_finder *finder,
                      const struct launch_context *context,
                      struct launch_words words)
{
    const char *base = launch_base(words.at[0]);
    const char *sub = words.n > 1 ? words.at[1] : "";
    if (launch_listed("docker-compose podman-compose", base))
        return follow_compose(finder, context, words, 1);
    if (follow_cluster(finder, context, words))
        return true;
    if (!launch_listed("docker podman nvidia-docker", base))
        return false;
    if (strcmp(sub, "compose") == 0)
        return follow_compose(finder, context, words, 2);
    if (strcmp(sub, "run") != 0)
        return false;
    struct launch_words inner = words;
    struct launch_context own = *context;
    if (!launch_unwrap(&inner, &own, finder->arena))
        return false;
    bool command =
        inner.n && inner.at[0][0] != '-' &&
        (launch_is_program(inner.at[0]) || launch_is_assignment(inner.at[0]));
    return !command && follow_image(finder, &own, inner);
}
