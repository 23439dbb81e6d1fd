/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `policy build NAME.c`: compiles a policy into NAME.so. */
#include <fcntl.h>
#include <limits.h>
#include <schedsim_features.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands/cli.h"
#include "commands/terminal.h"
#include "commands/tool.h"
#include "policies/outside/program.h"
#include "policies/outside/shared_object.h"

struct policy_build_input {
    struct cli_call call;
    const char *source;
};

/* Finds the folder of the headers: in include/schedsim beside the binary (a
 * build folder) or beside its folder (an installation that may have been
 * moved), else where this build installs them. */
static enum status headers_find(char folder[PATH_MAX], struct error *err)
{
    char program[PATH_MAX], header[PATH_MAX + 32];
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    for (int up = 1; up <= 3; up++) {
        const char *slash = n > 0 ? memrchr(program, '/', (size_t)n) : NULL;
        n = slash ? slash - program : 0;
        if (up == 3)
            snprintf(folder, PATH_MAX, "%s", SCHEDSIM_HEADERS);
        else
            snprintf(folder, PATH_MAX, "%.*s/include/schedsim",
                     (int)(n < PATH_MAX / 2 ? n : 0), program);
        snprintf(header, sizeof header, "%s/schedsim_policy.h", folder);
        if (access(header, R_OK) == 0)
            return STATUS_OK;
    }
    return error_set(err, STATUS_FAILED,
                     "policy build: there is no schedsim_policy.h in %s; "
                     "`meson install`, or the package libschedsim-dev, brings "
                     "it",
                     folder);
}

enum { BUILD_WORDS_MAX = 64 };
/* A command that ends with NULL. */
struct build_command {
    const char *words[BUILD_WORDS_MAX + 1];
    size_t n;
};

/* Adds the words of a text; those after BUILD_WORDS_MAX are counted, not
 * stored. */
static void build_add(struct build_command *command, const char *text,
                      struct arena *arena)
{
    struct text rest = text_from(text);
    while (rest.len) {
        struct text word = text_split(rest, ' ', &rest);
        if (word.len && command->n++ < BUILD_WORDS_MAX)
            command->words[command->n - 1] =
                arena_copy(arena, word.at, word.len);
    }
}

static const char *build_variable(const char *name, const char *otherwise)
{
    const char *value = getenv(name);
    return value && value[0] ? value : otherwise;
}

/* Runs the compiler as make does: CC and CFLAGS, for C++ CXX and CXXFLAGS, name
 * another one and its options. What it writes goes to standard error. */
static enum status build_compile(const char *source, bool is_cxx,
                                 const char *object, const char *headers,
                                 struct arena *arena, struct error *err)
{
    struct build_command command = {.n = 0};
    struct tool_run run = {.argv = command.words};
    const char *const last[] = {"-fPIC", "-shared", "-I",  headers,
                                "-o",    object,    source};
    build_add(&command,
              build_variable(is_cxx ? "CXX" : "CC", is_cxx ? "c++" : "cc"),
              arena);
    build_add(&command,
              build_variable(is_cxx ? "CXXFLAGS" : "CFLAGS", "-O2 -Wall"),
              arena);
    const size_t n_last = sizeof last / sizeof *last;
    if (command.n + n_last > BUILD_WORDS_MAX)
        return error_set(err, STATUS_USAGE,
                         "policy build: more than %d words in the options of "
                         "the compiler",
                         BUILD_WORDS_MAX);
    memcpy(command.words + command.n, last, sizeof last);
    enum status st = tool_run(&run, err);
    if (st != STATUS_OK)
        return error_prefix(err, "policy build: ");
    if (run.status != 0)
        return error_set(err, STATUS_FAILED,
                         "policy build: %s does not compile", source);
    return STATUS_OK;
}

/* True if a file cannot be read or holds the symbol that each policy has. */
static bool object_is_policy(const char *path)
{
    static const char symbol[] = "schedsim_policy_export";
    struct stat is;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool found = fd < 0;
    if (fd >= 0 && fstat(fd, &is) == 0 && is.st_size > 0) {
        void *bytes =
            mmap(NULL, (size_t)is.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        found = bytes != MAP_FAILED &&
                memmem(bytes, (size_t)is.st_size, symbol, strlen(symbol));
        if (bytes != MAP_FAILED)
            munmap(bytes, (size_t)is.st_size);
    }
    if (fd >= 0)
        close(fd);
    return found;
}

static enum status build_check(const struct policy_build_input *input,
                               const char *object, struct error *err)
{
    const char *source = input->source;
    if (access(source, R_OK) != 0)
        return error_set(err, STATUS_BAD_INPUT,
                         "policy build: no file '%s'; `schedsim policy new %s` "
                         "writes one",
                         source, source);
    if (!input->call.force && !object_is_policy(object))
        return error_set(err, STATUS_USAGE,
                         "policy build: %s is no policy; --force replaces it",
                         object);
    return STATUS_OK;
}

static enum status policy_build_run(void *self, struct error *err)
{
    struct policy_build_input *input = self;
    struct arena *arena = &input->call.arena;
    const char *source = input->source, *dot = strrchr(source, '.');
    const struct policy_ops *ops;
    char headers[PATH_MAX];
    if (!outside_is_source(text_from(source)))
        return error_set(err, STATUS_USAGE,
                         "policy build: '%s' is no source in C or C++ (.c, "
                         ".cc, .cpp)",
                         source);
    const size_t size = strlen(source) + sizeof ".so";
    char *object = arena_alloc(arena, size);
    snprintf(object, size, "%.*s.so", (int)(dot - source), source);
    enum status st = build_check(input, object, err);
    if (st == STATUS_OK)
        st = headers_find(headers, err);
    if (st == STATUS_OK)
        st = build_compile(source, strcmp(dot, ".c") != 0, object, headers,
                           arena, err);
    /* what the linker does not miss, the loader may */
    if (st == STATUS_OK)
        st = shared_object_open(object, &ops, err);
    if (st == STATUS_OK)
        say(stdout, "%s: the policy %s; schedsim policy check %s judges it",
            object, ops->name, object);
    return st;
}

static const struct arg policy_build_args[] = {
    TAKE_WORD(struct policy_build_input, source, "NAME.c", "source"),
    TAKE_FLAG(struct policy_build_input, call.force, "force",
              "replace NAME.so although it is no policy"),
    {0},
};

const struct command command_policy_build = {
    .name = "build",
    .summary = "compile a policy: NAME.c becomes NAME.so",
    .about = "Compiles a policy in C, or in C++ if the name ends in .cc or "
             ".cpp, into a shared object beside it, and loads it once. CC and "
             "CFLAGS, or CXX and CXXFLAGS, name another compiler and its "
             "options (cc -O2 -Wall).",
    .parts = {{.rows = policy_build_args}},
    .input_size = sizeof(struct policy_build_input),
    .run = policy_build_run,
    .examples =
        "policy build patient.c\nCFLAGS=-g schedsim policy build patient.c",
};
