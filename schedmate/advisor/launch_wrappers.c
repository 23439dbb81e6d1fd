/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Takes programs that start another program, such as nohup, off a command. */
#include <string.h>

#include "schedmate/advisor/launch_internal.h"

/* A program that starts the command in its arguments. */
struct wrapper {
    const char *name; /* base name of the program */
    /* one of these subcommands must follow; NULL: none */
    const char *subcommands;
    const char *flags;  /* options without a value */
    const char *values; /* options with a value that the next word gives */
    /* number of words between options and command, such as the name of an image
     */
    size_t skip;
    bool launches; /* true if it counts as the launcher */
};

static const struct wrapper wrappers[] = {
    {.name = "env",
     .flags = "-i -0 --ignore-environment",
     .values = "-u --unset -S"},
    {.name = "nohup"},
    {.name = "exec", .values = "-a"},
    {.name = "command"},
    {.name = "builtin"},
    {.name = "then"},
    {.name = "do"},
    {.name = "time", .flags = "-p -v", .values = "-f -o"},
    {.name = "nice", .values = "-n"},
    {.name = "ionice", .values = "-c -n"},
    {.name = "chrt", .flags = "-r -f -b -i", .skip = 1},
    {.name = "timeout",
     .flags = "--foreground --preserve-status -v",
     .values = "-k -s",
     .skip = 1},
    {.name = "stdbuf", .values = "-i -o -e"},
    {.name = "unbuffer"},
    {.name = "setsid", .flags = "-w -f -c --wait"},
    {.name = "sudo", .flags = "-E -H -n -S -i", .values = "-u -g"},
    {.name = "gosu", .skip = 1},
    {.name = "numactl", .values = "-N -m -C -i -p"},
    {.name = "taskset", .flags = "-a", .values = "-c"},
    {.name = "xvfb-run", .flags = "-a", .values = "-s -n"},
    {.name = "catchsegv"},
    {.name = "strace", .flags = "-f", .values = "-o -e"},
    {.name = "tini", .flags = "-s -g -v"},
    {.name = "dumb-init"},
    {.name = "nsys", .subcommands = "profile", .values = "-o -t -c -s -w -f"},
    {.name = "ncu", .values = "-o -k -c"},
    {.name = "nvprof", .values = "-o"},
    {.name = "py-spy", .subcommands = "record", .values = "-o -f -r -d"},
    {.name = "kernprof", .flags = "-l -v -lv"},
    {.name = "viztracer", .values = "-o"},
    {.name = "scalene"},
    {.name = "coverage", .subcommands = "run", .flags = "-a -p"},
    {.name = "memray", .subcommands = "run", .values = "-o", .flags = "-f"},
    {.name = "conda",
     .subcommands = "run",
     .flags = "--no-capture-output --live-stream -v",
     .values = "-n -p --name --prefix --cwd"},
    {.name = "mamba",
     .subcommands = "run",
     .flags = "--no-capture-output --live-stream",
     .values = "-n -p --name --prefix"},
    {.name = "micromamba",
     .subcommands = "run",
     .values = "-n -p --name --prefix -a"},
    {.name = "uv",
     .subcommands = "run",
     .flags = "--no-sync --frozen --locked --isolated --active --all-extras "
              "--no-project --offline -q -v --no-dev --dev --all-groups",
     .values = "--with --extra --group --python -p --package --env-file "
               "--project --directory --index-url --with-requirements"},
    {.name = "rye", .subcommands = "run"},
    {.name = "poetry", .subcommands = "run", .flags = "-q"},
    {.name = "pipenv", .subcommands = "run"},
    {.name = "pdm", .subcommands = "run", .flags = "-s", .values = "-p"},
    {.name = "hatch", .subcommands = "run", .values = "-e"},
    {.name = "pixi",
     .subcommands = "run",
     .flags = "--frozen --locked",
     .values = "-e --environment --manifest-path"},
    {.name = "dotenv", .subcommands = "run", .values = "-f"},
    {.name = "singularity",
     .subcommands = "exec run",
     .flags = "--nv --cleanenv -e -c -C --contain --containall --rocm "
              "--writable-tmpfs --no-home --writable --fakeroot",
     .values = "-B --bind --pwd --env -H --home --overlay -W --workdir",
     .skip = 1},
    {.name = "apptainer",
     .subcommands = "exec run",
     .flags = "--nv --cleanenv -e -c -C --contain --containall --rocm "
              "--writable-tmpfs --no-home --writable --fakeroot",
     .values = "-B --bind --pwd --env -H --home --overlay -W --workdir",
     .skip = 1},
    {.name = "enroot",
     .subcommands = "start",
     .flags = "-w --rw -r --root",
     .values = "-m --mount -e --env -c",
     .skip = 1},
    {.name = "udocker", .subcommands = "run", .skip = 1},
    {.name = "charliecloud"},
    {.name = "ch-run", .flags = "-w", .values = "-b --bind -c", .skip = 1},
    {.name = "shifter", .values = "--image --volume --module"},
    {.name = "srun",
     .launches = true,
     .flags = "--exclusive --overlap --unbuffered -u -l --label --pty -X "
              "--kill-on-bad-exit --no-container-mount-home --verbose -v -K "
              "--container-writable --no-container-remap-root -E "
              "--container-mount-home --interactive -Q --quiet"},
    {.name = "salloc", .flags = "--exclusive"},
    {.name = "mpirun",
     .launches = true,
     .flags = "--allow-run-as-root --oversubscribe --tag-output --display-map "
              "--report-bindings -v --use-hwthread-cpus",
     .values = "-H --host -hostfile --hostfile -f -bind-to --bind-to -map-by "
               "--map-by -x --mca -mca -genv"},
    {.name = "mpiexec",
     .launches = true,
     .flags = "--allow-run-as-root --oversubscribe -l -v",
     .values = "-H --host -hostfile --hostfile -f -bind-to --bind-to -map-by "
               "--map-by -x --mca -mca -genv"},
    {.name = "mpiexec.hydra", .launches = true, .values = "-f -genv -hosts"},
    {.name = "aprun", .launches = true, .values = "-n -N -d -j"},
    {.name = "jsrun", .launches = true, .values = "-n -r -a -c -g -l -b"},
    {.name = "horovodrun",
     .launches = true,
     .flags = "--verbose --gloo --mpi --autotune",
     .values = "-H --hosts --hostfile -p --start-timeout"},
    {.name = "torchpack",
     .subcommands = "dist-run",
     .launches = true,
     .values = "-H -hostfile"},
    {.name = "ray",
     .subcommands = "job",
     .launches = true,
     .flags = "--no-wait submit --verbose"},
    {.name = "ray", .subcommands = "exec", .flags = "--stop", .skip = 1},
    {.name = "dvc",
     .subcommands = "run stage",
     .flags = "add --force -f --no-exec --run",
     .values = "-n --name -d --deps -o --outs -O --outs-no-cache -p --params "
               "-m --metrics -M --metrics-no-cache --plots -w --wdir"},
    {.name = "dstack", .subcommands = "run"},
    {.name = "torch_xla.distributed.xla_dist"},
    {.name = "kubectl",
     .subcommands = "exec",
     .flags = "-it -i -t",
     .values = "-n -c",
     .skip = 1},
    {.name = "bsub",
     .flags = "-I -Is -K",
     .values = "-q -n -J -o -e -eo -oo -W -M -R -P -G -m -u"},
};

static const struct wrapper dockers[] = {
    {.subcommands = "run create",
     .flags = "--rm -it -ti -i -t -d -itd -dit -td --privileged --detach "
              "--interactive --tty --init --read-only",
     .values = "-v --volume --name --shm-size -e --env --env-file -p -u --user "
               "-w --workdir --ulimit --runtime --network --net --mount -m "
               "--memory --cpus --gpus --entrypoint -h --hostname --device "
               "--security-opt --cap-add --ipc --pid --group-add --label -l",
     .skip = 1},
    {.subcommands = "exec",
     .flags = "-it -ti -i -t -d -itd --privileged",
     .values = "-e --env -u --user -w --workdir",
     .skip = 1},
};

static const struct wrapper *find_wrapper(struct launch_words words)
{
    const char *base = launch_base(words.at[0]);
    const char *sub = words.n > 1 ? words.at[1] : "";
    for (size_t i = 0; i < sizeof wrappers / sizeof *wrappers; i++) {
        const struct wrapper *row = &wrappers[i];
        if (strcmp(base, row->name) == 0 &&
            (!row->subcommands || launch_listed(row->subcommands, sub)))
            return row;
    }
    if (!launch_listed("docker podman nvidia-docker", base))
        return NULL;
    for (size_t i = 0; i < sizeof dockers / sizeof *dockers; i++) {
        if (launch_listed(dockers[i].subcommands, sub))
            return &dockers[i];
    }
    return NULL;
}

static void take_variable(const char *word, struct launch_context *context)
{
    if (context->n_env < LAUNCH_ENV_MAX)
        context->env[context->n_env++] = word;
}

/* True if the word after an unknown option is likely to be its value. */
static bool is_value(struct launch_words words, size_t i)
{
    return i + 1 < words.n && words.at[i + 1][0] != '-' &&
           !launch_is_program(words.at[i + 1]) &&
           !launch_is_assignment(words.at[i + 1]);
}

/* Takes an option of srun with its value in one word, such as -n4. */
static bool take_joined(const char *of, const char *word,
                        struct launch_context *context)
{
    char name[3] = {'-', word[1], '\0'};
    if (strcmp(launch_base(of), "srun") != 0 || word[1] == '-' || !word[1] ||
        !word[2] || !strchr("nNcG", word[1]))
        return false;
    launch_option(of, name, word + 2, context);
    return true;
}

/* Reads the option at index `i` and returns the index after it and its value.
 */
static size_t take_option(const struct wrapper *row, struct launch_words words,
                          size_t i, struct launch_context *context)
{
    const char *word = words.at[i], *equal = strchr(word, '=');
    const char *of = words.at[0];
    const char *next = i + 1 < words.n ? words.at[i + 1] : NULL;
    if (equal) {
        launch_option(of, word, equal + 1, context);
        return i + 1;
    }
    if (row->flags && launch_listed(row->flags, word))
        return i + 1;
    if (take_joined(of, word, context))
        return i + 1;
    bool counted = launch_option(of, word, next, context);
    bool known = counted || (row->values && launch_listed(row->values, word));
    if (next && (known || is_value(words, i))) {
        bool two = strstr(word, "mca") != NULL || strstr(word, "genv") != NULL;
        return i + 2 + (two && i + 2 < words.n);
    }
    return i + 1;
}

/* True for -m of a wrapper that starts a module of Python: uv run -m pkg. */
static bool starts_module(const struct wrapper *row, const char *word)
{
    return !row->launches && launch_listed("-m --module", word) &&
           !(row->values && launch_listed(row->values, word));
}

/* Turns "-m pkg x" into the command "python -m pkg x". */
static void add_python(struct launch_words *words, struct arena *arena)
{
    const char **at = ARENA_ARRAY(arena, const char *, words->n + 1);
    at[0] = "python";
    at[1] = "-m";
    for (size_t i = 1; i < words->n; i++)
        at[i + 1] = words->at[i];
    words->at = at;
    words->n++;
}

static size_t read_options(const struct wrapper *row, struct launch_words words,
                           size_t i, struct launch_context *context)
{
    while (i < words.n) {
        const char *word = words.at[i];
        if (strcmp(word, "--") == 0)
            return i + 1;
        if (starts_module(row, word))
            return i;
        if (word[0] == '-' && word[1])
            i = take_option(row, words, i, context);
        else if (row->flags && launch_listed(row->flags, word) &&
                 word[0] != '-' && i == 2)
            i++; /* the second part of a subcommand such as `job submit` */
        else
            return i;
    }
    return i;
}

/* Drops a `--` at the start of the command, as after the name of an image. */
static void drop_separator(struct launch_words *words)
{
    if (words->n && strcmp(words->at[0], "--") == 0) {
        words->at++;
        words->n--;
    }
}

bool launch_unwrap(struct launch_words *words, struct launch_context *context,
                   struct arena *arena)
{
    if (words->n && launch_is_assignment(words->at[0])) {
        take_variable(words->at[0], context);
        words->at++;
        words->n--;
        return true;
    }
    const struct wrapper *row = words->n ? find_wrapper(*words) : NULL;
    if (!row)
        return false;
    size_t i = read_options(row, *words, row->subcommands ? 2 : 1, context);
    i += row->skip;
    if (row->launches && !context->launcher)
        context->launcher = launch_base(words->at[0]);
    if (i > words->n)
        i = words->n;
    words->at += i;
    words->n -= i;
    drop_separator(words);
    if (words->n && starts_module(row, words->at[0]))
        add_python(words, arena);
    return true;
}
