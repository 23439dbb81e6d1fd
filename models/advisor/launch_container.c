/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Follows the command that a container starts by itself: that of a Dockerfile,
 * of a service of docker compose, or of a resource of Kubernetes. */
#include <stdio.h>
#include <string.h>

#include "models/advisor/launch_internal.h"
#include "sim/base/out.h"

enum { COMMAND_MAX = 1 << 15 };

/* Writes a word so that a shell reads it back. */
static void quote(struct text word, struct out *out)
{
    out_char(out, '\'');
    for (size_t i = 0; i < word.len; i++) {
        if (word.at[i] == '\'')
            out_text(out, "'\\''");
        else
            out_char(out, word.at[i]);
    }
    out_text(out, "' ");
}

/* Writes the strings of ["a", "b"], or of [a, b], as words of a shell. */
static void write_list(struct text t, struct out *out)
{
    for (size_t i = 1; i < t.len && t.at[i] != ']';) {
        size_t from = i;
        char c = t.at[i];
        if (strchr(" \t\n,\r", c)) {
            i++;
            continue;
        }
        if (c == '"' || c == '\'') {
            for (i++; i < t.len && t.at[i] != c; i++)
                i += t.at[i] == '\\';
            from++;
        } else {
            while (i < t.len && !strchr(",]\n", t.at[i]))
                i++;
        }
        i = i < t.len ? i : t.len;
        quote(text_trim((struct text){t.at + from, i - from}), out);
        i++;
    }
}

static size_t indent_of(struct text line)
{
    size_t n = 0;
    while (text_char(line, n) == ' ')
        n++;
    return n;
}

/* Takes the lines that are indented by more than `indent`, or that begin a list
 * at `indent`, off the start of *rest. */
static struct text block_of(struct text *rest, size_t indent)
{
    struct text all = *rest, line, after;
    while (rest->len) {
        line = text_split(*rest, '\n', &after);
        struct text trimmed = text_trim(line);
        size_t own = indent_of(line);
        bool item = own == indent && text_char(trimmed, 0) == '-';
        if (trimmed.len && own <= indent && !item)
            break;
        *rest = after;
    }
    return (struct text){all.at, all.len - rest->len};
}

/* Writes a block of text: | keeps its lines, > joins them. */
static void write_block(char kind, struct text rest, size_t indent,
                        struct out *out)
{
    struct text block = block_of(&rest, indent), line;
    while (block.len && out_memory(out).len < COMMAND_MAX) {
        line = text_trim(text_split(block, '\n', &block));
        out_bytes(out, line.at, line.len);
        out_char(out, kind == '|' ? '\n' : ' ');
    }
}

static void write_value(struct text value, struct text rest, size_t indent,
                        struct out *out);

/* Writes the items of a list of lines. */
static void write_items(struct text rest, size_t indent, struct out *out)
{
    struct text block = block_of(&rest, indent);
    while (block.len && out_memory(out).len < COMMAND_MAX) {
        struct text line = text_split(block, '\n', &block);
        struct text item = text_trim(line);
        if (text_char(item, 0) != '-')
            continue;
        item = text_trim(text_skip(item, 1));
        struct out *one = out_to_memory();
        write_value(item.len ? item : (struct text){"''", 2}, block,
                    indent_of(line), one);
        quote(out_memory(one), out);
        out_abandon(one);
    }
}

/* Writes a value of YAML: a list in brackets, a list of lines, a block or a
 * plain text. `rest` begins after the line of the key. */
static void write_value(struct text value, struct text rest, size_t indent,
                        struct out *out)
{
    value = text_trim(settings_without_comment(value));
    char c = text_char(value, 0);
    if (value.len == 0)
        write_items(rest, indent, out);
    else if (c == '[')
        write_list(
            (struct text){value.at, (size_t)(rest.at + rest.len - value.at)},
            out);
    else if (c == '|' || c == '>')
        write_block(c, rest, indent, out);
    else if (value.len >= 2 && (c == '"' || c == '\''))
        out_bytes(out, value.at + 1, value.len - 2);
    else
        out_bytes(out, value.at, value.len);
}

/* Finds a key in YAML, from the line `*rest` on, and writes its value as words
 * of a shell. Returns false if there is none. */
static bool write_key(struct text text, const char *key, struct out *out)
{
    while (text.len) {
        struct text line = text_split(text, '\n', &text);
        struct text name, value;
        size_t indent = indent_of(line);
        name = text_split(text_trim(line), ':', &value);
        if (text_char(name, 0) == '-') {
            name = text_trim(text_skip(name, 1));
            indent += 2;
        }
        if (text_is(name, key)) {
            write_value(value, text, indent, out);
            out_char(out, ' ');
            return true;
        }
    }
    return false;
}

/* Returns the lines below the service. */
static struct text service_of(struct text text, const char *service)
{
    while (text.len) {
        struct text line = text_split(text, '\n', &text);
        struct text trimmed = text_trim(line), rest;
        struct text name = text_split(trimmed, ':', &rest);
        if (text_is(name, service) && text_trim(rest).len == 0)
            return block_of(&text, indent_of(line));
    }
    return (struct text){"", 0};
}

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
        quote(text_from(words.at[i]), out);
}

/* docker compose run SERVICE [COMMAND], docker compose up SERVICE. */
static bool follow_compose(struct launch_finder *finder,
                           const struct launch_context *context,
                           struct launch_words words, size_t i)
{
    static const char *const names[] = {"docker-compose.yml",
                                        "docker-compose.yaml", "compose.yml",
                                        "compose.yaml"};
    struct text text;
    const char *path = NULL, *file = NULL;
    for (; i < words.n && !launch_listed("run up exec", words.at[i]); i++) {
        if (strcmp(words.at[i], "-f") == 0 && i + 1 < words.n)
            file = words.at[i + 1];
    }
    for (i++; i < words.n && words.at[i][0] == '-'; i++)
        i += launch_listed("-e -v -w -u -p --name --entrypoint", words.at[i]);
    if (i >= words.n)
        return true;
    if (i + 1 < words.n) { /* a command of its own */
        launch_take(finder, context,
                    (struct launch_words){words.at + i + 1, words.n - i - 1});
        return true;
    }
    for (size_t k = 0; k < 4 && !path; k++) {
        if (!launch_read_file(finder, context->dir, file ? file : names[k],
                              &path, &text))
            path = NULL;
    }
    if (!path)
        return true;
    struct out *out = out_to_memory();
    struct text service = service_of(text, words.at[i]);
    write_key(service, "entrypoint", out);
    write_key(service, "command", out);
    follow_text(finder, context, out, path);
    out_abandon(out);
    return true;
}

/* Returns the last instruction of this name in a Dockerfile, with the lines
 * that continue it. */
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
        write_list(value, out);
    else
        out_bytes(out, value.at, value.len);
    out_char(out, ' ');
}

/* docker run IMAGE: the image is that of the job's Dockerfile. `words` are
 * arguments after the image. */
static void follow_image(struct launch_finder *finder,
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
        return;
    struct out *out = out_to_memory();
    struct text entry = instruction(text, "ENTRYPOINT");
    struct text command = instruction(text, "CMD");
    if (entry.at)
        write_instruction(entry, out);
    if (words.n)
        add_words(words, 0, out);
    else if (command.at)
        write_instruction(command, out);
    follow_text(finder, context, out, path);
    out_abandon(out);
}

/* kubectl apply -f FILE: the command of its first container. */
static void follow_resource(struct launch_finder *finder,
                            const struct launch_context *given,
                            const char *file)
{
    struct text text;
    const char *path;
    struct launch_context context = *given;
    if (!launch_read_file(finder, given->dir, file, &path, &text))
        return;
    struct out *out = out_to_memory(), *gpus = out_to_memory();
    write_key(text, "command", out);
    write_key(text, "args", out);
    if (write_key(text, "nvidia.com/gpu", gpus)) {
        struct text digits = text_trim(out_memory(gpus));
        uint32_t n;
        if (text_to_u32(digits, &n))
            context.counts.gpus_per_node = n;
    }
    follow_text(finder, &context, out, path);
    out_abandon(gpus);
    out_abandon(out);
}

bool launch_container(struct launch_finder *finder,
                      const struct launch_context *context,
                      struct launch_words words)
{
    const char *base = launch_base(words.at[0]);
    const char *sub = words.n > 1 ? words.at[1] : "";
    if (launch_listed("docker-compose podman-compose", base))
        return follow_compose(finder, context, words, 1);
    if (launch_listed("kubectl oc", base) &&
        launch_listed("apply create replace", sub)) {
        for (size_t i = 2; i + 1 < words.n; i++) {
            if (strcmp(words.at[i], "-f") == 0)
                follow_resource(finder, context, words.at[i + 1]);
        }
        return true;
    }
    if (!launch_listed("docker podman nvidia-docker", base))
        return false;
    if (strcmp(sub, "compose") == 0)
        return follow_compose(finder, context, words, 2);
    if (strcmp(sub, "run") != 0)
        return false;
    struct launch_words inner = words;
    struct launch_context own = *context;
    if (!launch_unwrap(&inner, &own, finder->arena) ||
        (inner.n && inner.at[0][0] != '-'))
        return false;
    follow_image(finder, &own, inner);
    return true;
}
