/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds what a launch command finally starts: which launcher starts how many
 * processes of which script, with which arguments. */
#include "schedmate/advisor/launch_internal.h"

#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/out.h"

/* Tells the kinds of words of a command apart, and writes the texts of
 * launch_raw and launch_why. */

static bool launch_equal(const struct launch *a, const struct launch *b);
static uint32_t product(uint32_t a, uint32_t b);

const char *launch_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool launch_ends(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);
    return n > m && strcmp(s + n - m, end) == 0;
}

/* True for key=value. A key may be a path, as in data.batch_size=8 and
 * +model/head=linear. */
bool launch_is_assignment(const char *word)
{
    word += word[0] == '+';
    word += word[0] == '+';
    word += word[0] == '~';
    size_t n = strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvw"
                            "xyz0123456789./@-");
    return n > 0 && word[n] == '=' && word[0] != '.' && word[0] != '/' &&
           word[0] != '-';
}

bool launch_is_shell_script(const char *word)
{
    static const char *const ends[] = {".sh",  ".bash",   ".zsh",   ".ksh",
                                       ".csh", ".sbatch", ".slurm", ".pbs",
                                       ".lsf", ".job",    ".sub",   ".qsub"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        if (launch_ends(word, ends[i]))
            return true;
    }
    return false;
}

bool launch_listed(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = list; n && (at = strstr(at, word)); at += n) {
        if ((at == list || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0'))
            return true;
    }
    return false;
}

bool launch_is_python(const char *word)
{
    const char *base = launch_base(word);
    return (strncmp(base, "python", 6) == 0 &&
            strspn(base + 6, "0123456789.w") == strlen(base + 6)) ||
           launch_listed("ipython ipython3 pypy pypy3", base);
}

bool launch_is_program(const char *word)
{
    static const char names[] =
        "torchrun deepspeed accelerate mpirun mpiexec mpiexec.hydra "
        "horovodrun srun ray composer colossalai bash sh zsh dash env make "
        "nohup time nice timeout conda mamba uv poetry numactl jupyter "
        "papermill nsys sbatch python torchpack fabric lightning";
    return launch_is_python(word) || launch_listed(names, launch_base(word)) ||
           launch_ends(word, ".py") || launch_is_shell_script(word) ||
           strncmp(word, "./", 2) == 0;
}

bool launch_is_launching(const char *module)
{
    static const char names[] =
        "torch.distributed.launch torch.distributed.run "
        "accelerate.commands.launch "
        "deepspeed.launcher.runner deepspeed.launcher.launch "
        "oneflow.distributed."
        "launch paddle.distributed.launch bagua.distributed.launch "
        "bagua.distributed.run torch_xla.distributed.xla_dist "
        "torch_xla.distributed.xla_spawn cProfile profile pdb ipdb trace "
        "torch.utils.bottleneck line_profiler kernprof scalene viztracer "
        "pyinstrument "
        "memory_profiler memray debugpy coverage streamlit";
    return launch_listed(names, module);
}

bool launch_is_ordinary(const char *program)
{
    static const char names[] =
        "echo printf ls cp mv rm mkdir rmdir ln cat head tail grep sed awk cut "
        "sort uniq wc find xargs tar unzip zip gzip gunzip wget curl rsync scp "
        "ssh git pip pip3 conda mamba apt apt-get yum brew npm which type "
        "nvidia-smi date hostname whoami id uname df du free ps top kill pkill "
        "killall touch chmod chown test tee yes nvcc gcc g++ cmake ninja "
        "module ldconfig aws gsutil gcloud huggingface-cli hf wandb mlflow "
        "tensorboard alias mapfile readarray command jq source . sync less "
        "tmux screen docker podman kubectl scontrol squeue sinfo scancel "
        "uv poetry pipenv pdm ray modprobe mount umount dirname basename";
    return launch_listed(names, launch_base(program)) || program[0] == '$' ||
           program[0] == '-';
}

bool launch_number(const char *word, uint32_t *out)
{
    return word && text_to_u32(text_from(word), out) && *out > 0;
}

/* True for an option that only names the run, says where it writes or listens,
 * or sets its seed. */
static bool is_incidental(const char *option)
{
    static const char names[] =
        "seed random_seed manual_seed run_name run_id exp_name experiment_name "
        "job_name name tag output_dir out_dir outdir output save_dir log_dir "
        "logdir work_dir checkpoint_dir ckpt_dir results_dir master_port "
        "master_addr main_process_port main_process_ip rdzv_endpoint "
        "rdzv_id port wandb_project wandb_run_name wandb_name project";
    char name[64];
    size_t n = 0;
    while (*option == '-')
        option++;
    for (; option[n] && option[n] != '=' && n < sizeof name - 1; n++)
        name[n] = option[n] == '-' ? '_' : option[n];
    name[n] = '\0';
    const char *last = strrchr(name, '.');
    return launch_listed(names, last ? last + 1 : name);
}

/* Writes a word. A path, or a path after the first '=', is cut to its last
 * part. */
static void launch_write_word(const char *word, struct out *out)
{
    const char *equal = strchr(word, '=');
    const char *value = equal ? equal + 1 : word;
    size_t len = strlen(value);
    while (len > 1 && value[len - 1] == '/')
        len--;
    struct text path = {value, len};
    const char *slash = len ? memrchr(value, '/', len) : NULL;
    if (slash && slash + 1 < value + len)
        path = text_skip(path, (size_t)(slash + 1 - value));
    if (out_memory(out).len)
        out_char(out, ' ');
    out_bytes(out, word, (size_t)(value - word));
    out_bytes(out, path.at, path.len);
}

const char *launch_raw(struct text command, struct arena *arena)
{
    struct shell_tokens tokens = shell_lex(command, arena);
    struct out *out = out_to_memory();
    struct shell_words words = {.n = 0};
    for (size_t i = 0; i < tokens.n && words.n < SHELL_WORDS_MAX; i++) {
        if (tokens.at[i].kind == SHELL_WORD)
            words.at[words.n++] =
                arena_copy(arena, tokens.at[i].text.at, tokens.at[i].text.len);
    }
    for (size_t i = 0; i < words.n && out_memory(out).len < 1000; i++) {
        const char *word = words.at[i];
        bool option = word[0] == '-' || launch_is_assignment(word);
        if (option && is_incidental(word))
            i += !strchr(word, '=') && i + 1 < words.n &&
                 words.at[i + 1][0] != '-';
        else
            launch_write_word(word, out);
    }
    struct text text = out_memory(out);
    const char *copy = arena_copy(arena, text.at, text.len);
    out_abandon(out);
    return copy;
}

const char *launch_why(const struct launch *launch, struct arena *arena)
{
    char words[512];
    const char *sought = launch->script   ? launch->script
                         : launch->module ? launch->module
                                          : launch->program;
    if (!sought)
        return "the command starts no script that could be read";
    snprintf(words, sizeof words,
             "%s '%.300s' of the command is no file of the directory that "
             "could be read%s",
             launch->script   ? "script"
             : launch->module ? "module"
                              : "program",
             sought, launch->is_shell ? ", or starts no job" : "");
    return arena_copy(arena, words, strlen(words));
}

static bool is_option(const char *word)
{
    return word[0] == '-' && word[1] && !strchr("0123456789.", word[1]);
}

/* True for a key such as solver.lr, whose value is the next word. A word with
 * one of the known endings is the name of a file. */
static bool is_dotted_key(const char *word)
{
    static const char endings[] =
        "py sh yaml yml json toml cfg ini gin txt csv tsv npz npy pt pth ckpt "
        "bin safetensors h5 hdf5 zip tar gz parquet jsonl arrow lmdb xml db "
        "png jpg wav mp3 mat xyz pkl pickle conf md log ipynb";
    const char *dot = strrchr(word, '.');
    for (const char *c = word; *c; c++) {
        if (!ascii_is_name(*c) && *c != '.')
            return false;
    }
    return dot && dot > word && dot[1] && !ascii_is_digit(word[0]) &&
           !ascii_is_digit(dot[1]) && !launch_listed(endings, dot + 1);
}

/* Returns what follows the last unknown part of a path: "imagenet/train" for
 * "$DATA/imagenet/train". A value that ends with an unknown part becomes "$".
 */
static struct text known_part(struct text value)
{
    const char *dollar = value.len ? memrchr(value.at, '$', value.len) : NULL;
    if (!dollar)
        return value;
    size_t rest = (size_t)(value.at + value.len - dollar);
    const char *slash = memchr(dollar, '/', rest);
    size_t from = slash ? (size_t)(slash + 1 - value.at) : value.len;
    return from < value.len ? text_skip(value, from) : text_from("$");
}

static void launch_add_one(struct settings *out, struct text key,
                           struct text value, const char *where, size_t line)
{
    settings_add(out, SETTING_COMMAND, key, known_part(value), where, line);
}

enum word_kind {
    WORD_OTHER, /* no setting */
    WORD_PAIR,  /* key=value */
    WORD_KEY,   /* the next word is the value */
    WORD_FLAG,  /* a switch */
};

/* Returns the kind of a word of the command; `next` is the word after it, or
 * NULL. */
static enum word_kind kind_of(const char *word, const char *next)
{
    if (strchr(word, '=') && (is_option(word) || launch_is_assignment(word)))
        return WORD_PAIR;
    bool valued = next && !is_option(next);
    if (!is_option(word))
        return valued && is_dotted_key(word) ? WORD_KEY : WORD_OTHER;
    return valued && !launch_is_assignment(next) ? WORD_KEY : WORD_FLAG;
}

void launch_settings(const struct launch *launch, const char *where,
                     size_t line, struct settings *out)
{
    for (size_t i = 0; i < launch->n_words; i++) {
        const char *word = launch->words[i];
        struct text value, key = text_split(text_from(word), '=', &value);
        while (text_char(key, 0) == '+')
            key = text_skip(key, 1);
        const char *next =
            i + 1 < launch->n_words ? launch->words[i + 1] : NULL;
        enum word_kind kind = kind_of(word, next);
        if (kind == WORD_OTHER)
            continue;
        if (kind == WORD_KEY)
            value = text_from(launch->words[++i]);
        else if (kind == WORD_FLAG)
            value = text_from("true");
        launch_add_one(out, key, value, where, line);
        /* a list of settings: --hparams=a=1,b=2 */
        struct text rest = value, pair;
        while (rest.len && memchr(value.at, '=', value.len)) {
            pair = text_split(rest, ',', &rest);
            struct text inner, name = text_split(pair, '=', &inner);
            launch_add_one(out, name, inner, where, line);
        }
    }
}

/* Chooses the launch that trains, if a command starts several programs. */

/* Words that begin a part of a program's name: `training`, if the program
 * trains; `other`, if it does something else. */
static const char *const training[] = {"train", "finetun", "pretrain", "sft",
                                       "dpo",   "ppo",     "grpo",     "rlhf",
                                       "learn", "fit",     "lora",     "tune"};

static const char *const launch_other[] = {
    "eval",     "test",      "infer",   "generat", "predict", "preproc",
    "prepare",  "download",  "convert", "export",  "demo",    "serve",
    "server",   "plot",      "visual",  "tokeniz", "build",   "setup",
    "install",  "merge",     "extract", "collect", "analy",   "bench",
    "process",  "make",      "create",  "summar",  "average", "score",
    "decode",   "translate", "detect",  "split",   "check",   "upload",
    "validate", "report",    "clean",   "sample",  "compile", "average"};

/* True if a part of the name begins with one of the words. Any character other
 * than a letter or digit separates parts. */
static bool has_part(const char *name, const char *const *words, size_t n)
{
    for (size_t i = 0; name[i]; i++) {
        if (i > 0 && ascii_is_alnum(name[i - 1]))
            continue;
        for (size_t k = 0; k < n; k++) {
            size_t len = strlen(words[k]);
            if (strncasecmp(name + i, words[k], len) == 0)
                return true;
        }
    }
    return false;
}

#define LAUNCH_COUNT(array) (sizeof(array) / sizeof *(array))

static int score_name(const char *name)
{
    if (!name)
        return 0;
    bool trains = has_part(name, training, LAUNCH_COUNT(training));
    bool else_ = has_part(name, launch_other, LAUNCH_COUNT(launch_other));
    return trains ? 40 : else_ ? -40 : 0;
}

static int score_words(const struct launch *launch)
{
    static const char on[] = "--do_train --do-train --train --mode=train "
                             "--is_training mode=train --is_train "
                             "+mode=train --train=True";
    static const char off[] =
        "--eval --evaluate --test --test_only --test-only "
        "--eval-only --eval_only --inference --generate "
        "--mode=test --mode=eval mode=test mode=eval "
        "--predict --validate --help --version";
    int score = 0;
    for (size_t i = 0; i < launch->n_words; i++) {
        const char *word = launch->words[i];
        if (launch_listed(on, word))
            score += 20;
        else if (launch_listed(off, word))
            score -= 30;
        else if (i == 0 && word[0] != '-' && !strpbrk(word, "/.="))
            score += score_name(word) / 2;
        if (word[0] == '-' &&
            (strstr(word, "epoch") || strstr(word, "lr") ||
             strstr(word, "learning") || strstr(word, "batch")))
            score += 3;
    }
    return score > 60 ? 60 : score;
}

static int launch_score(const struct launch *launch)
{
    const char *name = launch->script   ? launch_base(launch->script)
                       : launch->module ? launch->module
                                        : launch->program;
    int score = score_name(name) + score_words(launch);
    if (launch->module && launch->script == NULL && strchr(launch->module, '.'))
        score = score_name(strrchr(launch->module, '.') + 1) ||
                        !score_name(launch->module)
                    ? score
                    : score + 10;
    if (launch->launcher && strcmp(launch->launcher, "python") != 0)
        score += 15;
    if (launch->is_shell)
        score -= 10;
    if (!launch->script && !launch->module)
        score -= 20;
    return score;
}

/* True if two launches start the same script or module with the same arguments.
 */
static bool launch_equal(const struct launch *a, const struct launch *b)
{
    const char *x = a->script ? a->script : a->module;
    const char *y = b->script ? b->script : b->module;
    if (!x || !y || strcmp(x, y) != 0 || a->n_words != b->n_words)
        return false;
    for (size_t i = 0; i < a->n_words; i++) {
        if (strcmp(a->words[i], b->words[i]) != 0)
            return false;
    }
    return true;
}

static void set_note(struct launch *launch, size_t n, struct arena *arena)
{
    char note[160] = "";
    if (launch->runs == SHELL_RUNS_MANY)
        snprintf(note, sizeof note,
                 "the command starts several runs; values that differ are "
                 "left out");
    else if (launch->runs > 1)
        snprintf(note, sizeof note,
                 "the command starts %zu runs; values that differ are left out",
                 launch->runs);
    else if (n > 1)
        snprintf(note, sizeof note,
                 "the command starts %zu training runs; this is the first", n);
    if (note[0])
        launch->note = arena_copy(arena, note, strlen(note));
}

/* In launch.c. Returns the launch that looks most like training and sets
 * its note; NULL if there is none. */
static const struct launch *launch_choose(struct launch_finder *finder)
{
    struct launch *best = NULL;
    size_t n = 0;
    for (size_t i = 0; i < finder->n_found; i++) {
        struct launch *launch = &finder->found[i];
        if (!best || launch->score > best->score)
            best = launch;
    }
    if (!best)
        return NULL;
    for (size_t i = 0; i < finder->n_found; i++) {
        const struct launch *launch = &finder->found[i];
        bool trains = launch->score >= 30 || launch->score == best->score;
        bool again = false;
        for (size_t k = 0; k < i; k++)
            again |= launch_equal(launch, &finder->found[k]);
        n += trains && !again && (launch->script || launch->module);
    }
    set_note(best, n, finder->arena);
    return best;
}

/* Counts the processes and the GPUs of a launch. */

static const char *launch_variable(const struct launch *launch,
                                   const char *name)
{
    size_t n = strlen(name);
    for (size_t i = launch->n_env; i-- > 0;) {
        if (strncmp(launch->env[i], name, n) == 0 && launch->env[i][n] == '=')
            return launch->env[i] + n + 1;
    }
    return NULL;
}

/* Returns the number of devices in a list such as 0,1,2 or GPU-x,GPU-y or 0-3;
 * 0 if the list is NULL, empty or unknown, or begins with a minus sign. */
static uint32_t devices(const char *list)
{
    uint32_t n = 0, a, b;
    if (!list || !list[0] || shell_is_unknown(list) || list[0] == '-')
        return 0;
    while (*list) {
        size_t len = strcspn(list, ",");
        const char *dash = memchr(list, '-', len);
        bool range =
            dash && ascii_is_digit(list[0]) && dash[1] &&
            text_to_u32((struct text){list, (size_t)(dash - list)}, &a) &&
            text_to_u32(
                (struct text){dash + 1, len - (size_t)(dash + 1 - list)}, &b) &&
            b >= a && b - a < 64;
        n += range ? b - a + 1 : len > 0;
        list += len + (list[len] == ',');
    }
    return n;
}

/* Returns the value of the first argument of the script that has one of the
 * names; NULL if there is none. A dotted argument has the name after its last
 * dot. */
static const char *argument(const struct launch *launch,
                            const char *const *keys, size_t n_keys)
{
    for (size_t i = 0; i < launch->n_words; i++) {
        const char *word = launch->words[i];
        while (*word == '-' || *word == '+')
            word++;
        size_t len = strcspn(word, "=");
        const char *dot = memrchr(word, '.', len);
        struct text key = {dot ? dot + 1 : word,
                           len - (dot ? (size_t)(dot + 1 - word) : 0)};
        char name[64];
        size_t n = 0;
        for (; n < key.len && n < sizeof name - 1; n++)
            name[n] = key.at[n] == '-' ? '_' : key.at[n];
        name[n] = '\0';
        for (size_t k = 0; k < n_keys; k++) {
            if (strcmp(name, keys[k]) != 0)
                continue;
            if (word[len] == '=')
                return word + len + 1;
            if (word != launch->words[i] && i + 1 < launch->n_words)
                return launch->words[i + 1];
        }
    }
    return NULL;
}

#define ARGUMENT(launch, keys) \
    argument(launch, keys, sizeof keys / sizeof *keys)

/* Returns the product of the sizes of the kinds of parallelism that split one
 * copy of the model; 1 if the arguments give none. */
static uint32_t of_one_copy(const struct launch *launch)
{
    static const char *const tensor[] = {"tensor_model_parallel_size",
                                         "tensor_parallel_size", "tp_size",
                                         "tensor_parallel", "tp"};
    static const char *const pipeline[] = {
        "pipeline_model_parallel_size", "pipeline_parallel_size", "pp_size",
        "pipe_parallel_size",           "pipeline_parallel",      "pp"};
    static const char *const context[] = {"context_parallel_size", "cp_size",
                                          "context_parallel"};
    const char *values[] = {ARGUMENT(launch, tensor),
                            ARGUMENT(launch, pipeline),
                            ARGUMENT(launch, context)};
    uint32_t product = 1, n;
    for (size_t i = 0; i < 3; i++) {
        if (launch_number(values[i], &n) && n <= 4096)
            product *= n;
    }
    return product;
}

static uint32_t product(uint32_t a, uint32_t b)
{
    uint64_t all = (uint64_t)a * b;
    return all <= 1000000 ? (uint32_t)all : 0;
}

/* Returns the device or list of devices that an argument names: "0" for 0,
 * "0,1" for 0,1, "3" for cuda:3. Any other whole number may be a number of GPUs
 * and does not count. Returns NULL if no argument names a device. */
static const char *named_device(const struct launch *launch)
{
    static const char *const names[] = {"gpu", "device", "cuda"};
    const char *device = ARGUMENT(launch, names);
    if (!device)
        return NULL;
    if (strncmp(device, "cuda:", 5) == 0)
        return ascii_is_digit(device[5]) ? device + 5 : NULL;
    bool sure = strcmp(device, "0") == 0 || strchr(device, ',') != NULL;
    return sure && ascii_is_digit(device[0]) ? device : NULL;
}

/* Sets the numbers of nodes and GPUs that arguments of the script give, unless
 * they are known. */
static void count_arguments(struct launch *launch, struct launch_counts *c)
{
    static const char *const gpus[] = {"gpus",    "num_gpus", "n_gpus",
                                       "ngpus",   "n_gpu",    "num_gpu",
                                       "devices", "gpu_num",  "gpu_count"};
    static const char *const ids[] = {"gpu_id",      "gpu_ids",    "device_id",
                                      "gpu_list",    "device_ids", "gpuid",
                                      "visible_gpus"};
    static const char *const nodes[] = {"num_nodes", "nnodes", "n_nodes"};
    const char *value = ARGUMENT(launch, nodes);
    uint32_t n = 0;
    if (!c->nodes && launch_number(value, &n))
        c->nodes = n;
    const char *list = ARGUMENT(launch, ids);
    list = list ? list : named_device(launch);
    value = ARGUMENT(launch, gpus);
    if (value && strchr(value, ','))
        list = value;
    if (c->gpus || c->gpus_per_node || (!list && !value))
        return;
    if (list)
        n = devices(list + (list[0] == '['));
    else if (!launch_number(value, &n))
        return;
    if (c->nodes > 1)
        c->gpus_per_node = n;
    else
        c->gpus = n;
}

/* Computes the counts that are not given from those that the launcher and the
 * batch system give. Each process of a launcher is assumed to have one GPU. */
static void complete(struct launch *launch, struct launch_counts *c)
{
    uint32_t nodes = c->nodes ? c->nodes : 1;
    const char *launcher = launch->launcher ? launch->launcher : "python";
    if (c->per_node && !c->processes)
        c->processes = product(c->per_node, nodes);
    if (!c->gpus && c->gpus_per_node)
        c->gpus = product(c->gpus_per_node, nodes);
    if (!c->gpus)
        c->gpus = product(c->gpus_per_task, c->processes);
    if (!c->gpus && !launch_listed("python jupyter", launcher))
        c->gpus = c->processes;
    if (!c->gpus_per_node && c->nodes && c->gpus && c->gpus % c->nodes == 0)
        c->gpus_per_node = c->gpus / c->nodes;
}

/* Returns the number of GPUs that variables leave visible to the job; 0: not
 * known. */
static uint32_t visible_devices(const struct launch *launch)
{
    static const char *const names[] = {
        "CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES",
        "NVIDIA_VISIBLE_DEVICES", "ASCEND_RT_VISIBLE_DEVICES"};
    uint32_t n = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names && !n; i++) {
        const char *value = launch_variable(launch, names[i]);
        if (value && ascii_is_digit(value[0]))
            n = devices(value);
    }
    return n;
}

/* In launch.c. Completes the counts from one another, from variables such
 * as CUDA_VISIBLE_DEVICES and from the arguments, then sets launch->processes
 * and launch->nodes. */
static void launch_count(struct launch *launch)
{
    struct launch_counts *c = &launch->counts;
    uint32_t world;
    if (c->per_node && launch_listed("torchrun deepspeed",
                                     launch->launcher ? launch->launcher : ""))
        c->gpus_per_node = c->per_node;
    if (!c->processes && !c->per_node &&
        launch_number(launch_variable(launch, "WORLD_SIZE"), &world))
        c->processes = world;
    count_arguments(launch, c);
    if (!c->gpus && !c->gpus_per_node && !c->processes && !c->per_node)
        c->gpus_per_node = visible_devices(launch);
    complete(launch, c);
    c->gpus_at_least = of_one_copy(launch);
    launch->processes = c->per_node ? c->per_node : c->processes;
    launch->nodes = c->per_node || c->nodes ? c->nodes : 0;
}

/* Follows a command, and the scripts that it starts, to all launches in them.
 */

enum {
    LAUNCH_STEPS_MAX = 4000,
    BRANCHES_MAX = 400,
    BYTES_MAX = 1 << 22,
};

bool launch_read_file(struct launch_finder *finder, const char *dir,
                      const char *path, const char **found, struct text *out)
{
    return finder->files && path[0] &&
           finder->files->read(finder->files->self, dir, path, found, out);
}

/* Replaces the counts that the head of a script asks for by those that its
 * caller gives: `sbatch -N 4 x.sh` overrides `#SBATCH -N 2`. */
static void keep_counts(struct launch_counts *counts,
                        const struct launch_counts *given)
{
    if (given->processes)
        counts->processes = given->processes;
    if (given->per_node)
        counts->per_node = given->per_node;
    if (given->nodes)
        counts->nodes = given->nodes;
    if (given->gpus)
        counts->gpus = given->gpus;
    if (given->gpus_per_node)
        counts->gpus_per_node = given->gpus_per_node;
    if (given->gpus_per_task)
        counts->gpus_per_task = given->gpus_per_task;
}

/* Adds the launches in a shell script. Returns false if none is found. */
static bool follow_script(struct launch_finder *finder,
                          const struct launch *launch)
{
    const char *found;
    struct text text;
    if (!finder->context || finder->context->depth >= LAUNCH_DEPTH_MAX ||
        !launch_read_file(finder, launch->dir ? launch->dir : "",
                          launch->script, &found, &text))
        return false;
    struct launch_context *context =
        ARENA_NEW(finder->arena, struct launch_context);
    *context = (struct launch_context){
        .dir = launch->dir ? launch->dir : "",
        .where = found,
        .launcher = launch->launcher,
        .config = launch->config,
        .hardware = launch->hardware,
        .counts = launch->counts,
        .runs = launch->runs,
        .depth = finder->context->depth + 1,
    };
    memcpy(context->env, launch->env, sizeof context->env);
    context->n_env = launch->n_env;
    launch_batch_head(text, context, finder->arena);
    keep_counts(&context->counts, &launch->counts);
    size_t before = finder->n_found;
    launch_follow(finder, context, found, text,
                  (struct launch_words){launch->words, launch->n_words});
    return finder->n_found > before;
}

void launch_add(struct launch_finder *finder, const struct launch *launch)
{
    if (launch->is_shell && follow_script(finder, launch))
        return;
    if (finder->n_found == LAUNCH_FOUND_MAX)
        return;
    struct launch *place = &finder->found[finder->n_found];
    *place = *launch;
    place->score = launch_score(place);
    /* An unknown program counts only if it looks like training. */
    bool unknown = !place->script && !place->module;
    if (!unknown || place->score > -10)
        finder->n_found++;
}

/* Returns the place of a command: "run.sh:12" or, if it is not in a file, the
 * place of its caller. */
static const char *launch_place_of(struct launch_finder *finder,
                                   const struct shell *shell, size_t line)
{
    const char *caller = finder->context->where;
    if (!shell->path)
        return caller;
    size_t room = strlen(shell->path) + U64_TEXT_MAX + 2;
    char *where = arena_alloc(finder->arena, room);
    snprintf(where, room, "%s:%zu", shell->path, line);
    return where;
}

/* Adds the exported variables of the shell to the context. */
static void add_exports(struct launch_context *context,
                        const struct shell *shell)
{
    for (size_t i = 0; i < shell->n_variables; i++) {
        const struct shell_variable *variable = &shell->variables[i];
        if (!variable->is_exported || !variable->n ||
            context->n_env == LAUNCH_ENV_MAX)
            continue;
        size_t room = strlen(variable->name) + strlen(variable->items[0]) + 2;
        char *pair = arena_alloc(shell->arena, room);
        snprintf(pair, room, "%s=%s", variable->name, variable->items[0]);
        context->env[context->n_env++] = pair;
    }
}

static void on_command(void *self, struct shell *shell,
                       const struct shell_command *command)
{
    struct launch_finder *finder = self;
    const struct launch_context *outer = finder->context;
    struct launch_context *context =
        ARENA_NEW(finder->arena, struct launch_context);
    *context = *outer;
    context->dir = shell->dir;
    context->where = launch_place_of(finder, shell, command->line);
    context->document = command->document;
    context->n_env = 0;
    add_exports(context, shell);
    if (shell->runs)
        context->runs = shell->runs;
    launch_take(finder, context,
                (struct launch_words){command->words, command->n});
    finder->context = outer;
}

static bool on_read(void *self, const char *dir, const char *path,
                    const char **found, struct text *out)
{
    return launch_read_file(self, dir, path, found, out);
}

static size_t on_taken(const void *self)
{
    const struct launch_finder *finder = self;
    return finder->n_found;
}

static void on_drop(void *self, size_t n_taken)
{
    struct launch_finder *finder = self;
    finder->n_found = n_taken;
}

/* Gives a script the variables that its caller exports, and those that Slurm
 * sets from the requests of the job. */
static void set_environment(struct shell *shell,
                            const struct launch_context *context)
{
    const struct {
        const char *name;
        uint32_t value;
    } counts[] = {
        {"SLURM_NNODES", context->counts.nodes},
        {"SLURM_JOB_NUM_NODES", context->counts.nodes},
        {"SLURM_NTASKS", context->counts.processes},
        {"SLURM_NPROCS", context->counts.processes},
        {"SLURM_NTASKS_PER_NODE", context->counts.per_node},
        {"SLURM_GPUS_ON_NODE", context->counts.gpus_per_node},
        {"SLURM_GPUS_PER_NODE", context->counts.gpus_per_node},
    };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        char digits[16];
        int n = snprintf(digits, sizeof digits, "%u", counts[i].value);
        if (counts[i].value)
            shell_set(shell, counts[i].name,
                      arena_copy(shell->arena, digits, (size_t)n));
    }
    for (size_t i = 0; i < context->n_env; i++) {
        struct text value,
            name = text_split(text_from(context->env[i]), '=', &value);
        const char *key = arena_copy(shell->arena, name.at, name.len);
        shell_set(shell, key, value.at);
    }
    for (size_t i = 0; i < shell->n_variables; i++)
        shell->variables[i].is_exported = true;
}

void launch_follow(struct launch_finder *finder,
                   const struct launch_context *context, const char *path,
                   struct text script, struct launch_words args)
{
    const struct launch_context *outer = finder->context;
    const struct shell_host host = {finder, on_command, on_read, on_taken,
                                    on_drop};
    if (context->depth >= LAUNCH_DEPTH_MAX)
        return;
    struct shell *shell = ARENA_NEW(finder->arena, struct shell);
    struct launch_context *own =
        ARENA_NEW(finder->arena, struct launch_context);
    *own = *context;
    own->depth++;
    shell_init(shell, finder->arena, &host, &finder->budget);
    shell->path = path;
    shell->dir = context->dir;
    shell->args = args.at;
    shell->n_args = args.n;
    shell->runs = context->runs;
    set_environment(shell, context);
    finder->context = own;
    shell_run(shell, script);
    finder->context = outer;
}

static void follow_document(struct launch_finder *finder,
                            struct launch_context *context)
{
    struct text script = context->document;
    context->document.len = 0;
    launch_batch_head(script, context, finder->arena);
    launch_follow(finder, context, NULL, script, (struct launch_words){0});
}

void launch_take(struct launch_finder *finder,
                 const struct launch_context *given, struct launch_words words)
{
    struct launch_context *context =
        ARENA_NEW(finder->arena, struct launch_context);
    *context = *given;
    for (int i = 0; i < LAUNCH_UNWRAP_MAX; i++) {
        if (words.n && launch_target(finder, context, words))
            return;
        if (!launch_unwrap(&words, context, finder->arena))
            break;
    }
    const struct launch_context *outer = finder->context;
    finder->context = context;
    if (words.n)
        (void)!launch_program(finder, context, words);
    else if (context->document.len) /* as in bsub < script.sh */
        follow_document(finder, context);
    finder->context = outer;
}

bool launch_find(struct text command, const struct launch_files *files,
                 struct arena *arena, struct launch *out)
{
    struct launch_finder *finder = ARENA_NEW(arena, struct launch_finder);
    *finder = (struct launch_finder){
        .files = files,
        .arena = arena,
        .budget = {LAUNCH_STEPS_MAX, BRANCHES_MAX, BYTES_MAX},
        .found = ARENA_ARRAY(arena, struct launch, LAUNCH_FOUND_MAX),
    };
    const struct launch_context start = {.dir = "", .where = "command"};
    launch_follow(finder, &start, NULL, command, (struct launch_words){0});
    const struct launch *best = launch_choose(finder);
    *out = best ? *best : (struct launch){0};
    if (best)
        launch_count(out);
    return best != NULL;
}
