/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tells the kinds of words of a command apart, and writes the texts of
 * launch_raw and launch_why. */
#include <stdio.h>
#include <string.h>

#include "base/out.h"
#include "schedmate/advisor/launch_internal.h"

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
static void write_word(const char *word, struct out *out)
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
            write_word(word, out);
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
