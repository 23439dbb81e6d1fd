/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/advisor/jail.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "schedmate/llm/llm_text.h"

static int workspace_by_path(const void *key, const void *file)
{
    return strcmp(key, ((const struct workspace_file *)file)->path);
}

const struct workspace_file *workspace_find(const struct workspace *workspace,
                                            const char *path)
{
    char plain[4096];
    size_t len = 0;
    while (strncmp(path, "./", 2) == 0)
        path += 2;
    for (; *path && len < sizeof plain - 1; path++) {
        if (*path != '/' || path[1] != '/')
            plain[len++] = *path;
    }
    plain[len] = '\0';
    if (*path)
        return NULL;
    const struct workspace_file *file =
        workspace->n_files
            ? bsearch(plain, workspace->files, workspace->n_files,
                      sizeof *workspace->files, workspace_by_path)
            : NULL;
    return file || !workspace->lookup
               ? file
               : workspace->lookup(workspace->self, plain);
}

/* A folder with this many entries or more is left out entirely: it contains
 * data, and listing a part of it would make the result depend on the order in
 * which the system returns entries. */
enum { ENTRIES_MAX = 1000000 };

/* Largest number of subfolders that are opened. */
enum { JAIL_FOLDERS_MAX = 20000 };

const struct option jail_options[] = {
    OPT_U32(struct jail_limits, files, "files", 2000, 1, 100000,
            "most files that are listed", NULL),
    OPT_U32(struct jail_limits, depth, "depth", 12, 1, 64,
            "most folders below each other", NULL),
    OPT_U32(struct jail_limits, file_kib, "file_kib", 256, 1, 16384,
            "most KiB read of one file", NULL),
    {0},
};

struct jail {
    struct arena arena;
    struct jail_limits limits;
    int root;
    struct workspace_file *files;
    size_t n_files, cap;
    uint64_t n_left_out;
    uint32_t n_folders;
    const char *command;       /* the launch command, NULL if it is not known */
    struct jail_extra *extras; /* files that jail_lookup found */
    struct workspace workspace;
};

struct jail_extra {
    struct workspace_file file;
    struct jail_extra *next;
};

/* True for the name of a file that says what to start and has no usual ending,
 * such as Makefile or Dockerfile.gpu. */
static bool jail_is_recipe(const char *name)
{
    static const char *const names[] = {
        "Makefile", "makefile", "GNUmakefile",  "Dockerfile",
        "justfile", "Justfile", "Containerfile"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return strncmp(name, "Dockerfile.", 11) == 0;
}

/* True for the name of a file of a type that describes a job (SchedMate,
 * section 4.1). Hidden files do not count. */
static bool is_kept(const char *name)
{
    static const char *const ends[] = {
        ".bash", ".cfg",  ".conf", ".gin",    ".ini",   ".ipynb", ".job",
        ".json", ".ksh",  ".lsf",  ".md",     ".mk",    ".pbs",   ".py",
        ".qsub", ".rst",  ".sh",   ".sbatch", ".slurm", ".sub",   ".toml",
        ".txt",  ".yaml", ".yml",  ".zsh"};
    size_t len = strlen(name);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t n = strlen(ends[i]);
        if (len > n && strcmp(name + len - n, ends[i]) == 0)
            return name[0] != '.';
    }
    return jail_is_recipe(name);
}

static bool is_transient(const char *name)
{
    static const char *const names[] = {
        "__pycache__",   "build",        "cache",  "checkpoint", "checkpoints",
        "ckpt",          "ckpts",        "dist",   "log",        "logs",
        "mlruns",        "node_modules", "output", "outputs",    "runs",
        "site-packages", "tensorboard",  "tmp",    "venv",       "wandb"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    size_t len = strlen(name);
    return name[0] == '.' ||
           (len > 9 && strcmp(name + len - 9, ".egg-info") == 0);
}

/* True for a name in UTF-8 without control characters. Other names cannot be
 * shown in a list. */
static bool is_printable(const char *name)
{
    char copy[NAME_MAX + 1];
    size_t len = strlen(name);
    if (len > NAME_MAX)
        return false;
    for (size_t i = 0; i < len; i++) {
        if ((unsigned char)name[i] < ' ' || name[i] == 127)
            return false;
    }
    memcpy(copy, name, len);
    return llm_utf8_clean(copy, len) == 0;
}

struct jail_folder {
    struct arena *arena;
    char **names;
    size_t n, cap;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Reads all names of a folder, sorted; takes ownership of `fd`. Returns false
 * if the folder cannot be read or holds too many entries. */
static bool read_folder(int fd, struct jail_folder *folder)
{
    DIR *dir = fdopendir(fd);
    if (!dir) {
        close(fd);
        return false;
    }
    struct dirent *entry;
    size_t seen = 0;
    while ((entry = readdir(dir)) != NULL && seen++ < ENTRIES_MAX) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
            continue;
        folder->names = mem_grow(folder->names, &folder->cap, folder->n + 1,
                                 sizeof *folder->names);
        folder->names[folder->n++] =
            arena_copy(folder->arena, name, strlen(name));
    }
    closedir(dir);
    if (folder->n)
        qsort(folder->names, folder->n, sizeof *folder->names, by_name);
    return seen < ENTRIES_MAX;
}

static void jail_add_file(struct jail *jail, const char *path, off_t bytes)
{
    jail->files = mem_grow(jail->files, &jail->cap, jail->n_files + 1,
                           sizeof *jail->files);
    jail->files[jail->n_files++] = (struct workspace_file){
        arena_copy(&jail->arena, path, strlen(path)), (uint64_t)bytes};
}

static void list(struct jail *jail, int fd, char *path, size_t len,
                 uint32_t depth);

/* Lists one entry of the folder `at`. `path` has `len` bytes and ends with the
 * name of the entry, for a folder with a slash after it. */
static void list_entry(struct jail *jail, int at, const char *name, char *path,
                       size_t len, uint32_t depth)
{
    struct stat about;
    if (!is_printable(name) ||
        fstatat(at, name, &about, AT_SYMLINK_NOFOLLOW) != 0) {
        jail->n_left_out++;
    } else if (S_ISDIR(about.st_mode) && !is_transient(name) &&
               depth < jail->limits.depth &&
               jail->n_folders < JAIL_FOLDERS_MAX) {
        int fd =
            openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        jail->n_folders++;
        if (fd >= 0)
            list(jail, fd, path, len, depth + 1);
        else
            jail->n_left_out++;
    } else if (S_ISREG(about.st_mode) && is_kept(name) &&
               jail->n_files < jail->limits.files) {
        jail_add_file(jail, path, about.st_size);
    } else {
        jail->n_left_out++;
    }
}

/* Lists one folder; takes ownership of `fd`. Files come before subfolders: if
 * not all can be listed, files near the top are more informative. */
static void list(struct jail *jail, int fd, char *path, size_t len,
                 uint32_t depth)
{
    struct arena arena;
    struct jail_folder folder = {.arena = &arena};
    int at = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    arena_init(&arena);
    if (at < 0)
        close(fd);
    if (at < 0 || !read_folder(fd, &folder)) {
        jail->n_left_out++;
        folder.n = 0;
    }
    for (int folders = 0; folders < 2; folders++) {
        for (size_t i = 0; i < folder.n; i++) {
            const char *name = folder.names[i];
            size_t n = strlen(name);
            struct stat about;
            bool is_folder =
                fstatat(at, name, &about, AT_SYMLINK_NOFOLLOW) == 0 &&
                S_ISDIR(about.st_mode);
            if (is_folder != (bool)folders)
                continue;
            if (len + n + 2 > PATH_MAX) {
                jail->n_left_out++;
                continue;
            }
            memcpy(path + len, name, n + 1);
            if (is_folder)
                memcpy(path + len + n, "/", 2);
            list_entry(jail, at, name, path, len + n + (size_t)is_folder,
                       depth);
            path[len] = '\0';
        }
    }
    if (at >= 0)
        close(at);
    free(folder.names);
    arena_fini(&arena);
}

/* Opens a file below `root` by opening the components of the path one after the
 * other, so that no link is followed. Returns -1 if this fails. */
static int open_below(int root, const char *path)
{
    int at = root, fd = -1;
    while (at >= 0) {
        char name[NAME_MAX + 1];
        size_t len = strcspn(path, "/");
        bool last = path[len] == '\0';
        if (len == 0 || len > NAME_MAX)
            break;
        memcpy(name, path, len);
        name[len] = '\0';
        if (strcmp(name, "..") == 0)
            break;
        fd = openat(at, name,
                    O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK |
                        (last ? 0 : O_DIRECTORY));
        if (at != root)
            close(at);
        if (last)
            return fd;
        at = fd;
        path += len + 1;
    }
    if (at >= 0 && at != root)
        close(at);
    return -1;
}

static bool jail_is_binary(struct text t)
{
    enum { LOOK = 8192 };
    size_t n = t.len < LOOK ? t.len : LOOK, odd = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)t.at[i];
        if (c == 0)
            return true;
        odd += c < 32 && !strchr("\t\n\r\f\033", c);
    }
    return odd * 10 > n;
}

static bool refuse(char why[WORKSPACE_WHY_MAX], const char *words)
{
    snprintf(why, WORKSPACE_WHY_MAX, "%s", words);
    return false;
}

static bool read_fd(int fd, size_t max, struct arena *arena, struct text *out,
                    bool *cut, char why[WORKSPACE_WHY_MAX])
{
    char *buf = mem_alloc(max + 1);
    size_t len = 0;
    ssize_t n = 1;
    while (n > 0 && len <= max) {
        n = read(fd, buf + len, max + 1 - len);
        if (n > 0)
            len += (size_t)n;
        else if (n < 0 && errno == EINTR)
            n = 1;
    }
    *cut = len > max;
    len = len > max ? max : len;
    *out = (struct text){arena_copy(arena, buf, len), len};
    free(buf);
    if (n < 0)
        return refuse(why, "it cannot be read");
    if (jail_is_binary(*out))
        return refuse(why, "it is binary");
    return true;
}

/* Sets `why` to the reason why a path is not in the list of files. */
static bool refuse_path(const char *path, char why[WORKSPACE_WHY_MAX])
{
    const char *slash = strrchr(path, '/');
    if (path[0] == '/' || strncmp(path, "../", 3) == 0 || strstr(path, "/../"))
        return refuse(why, "it is outside of the working directory");
    if (path[0] == '.' || strstr(path, "/."))
        return refuse(why, "hidden files are not read");
    if (!is_kept(slash ? slash + 1 : path))
        return refuse(why, "it is no source, configuration or note");
    return refuse(why, "there is no such file, or it is a link");
}

static bool jail_read(void *self, const char *path, struct arena *arena,
                      struct text *out, bool *cut, char why[WORKSPACE_WHY_MAX])
{
    const struct jail *jail = self;
    const struct workspace_file *file = workspace_find(&jail->workspace, path);
    struct stat about;
    if (!file)
        return refuse_path(path, why);
    int fd = open_below(jail->root, file->path);
    if (fd < 0)
        return refuse(why, "it cannot be opened");
    bool good = fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
    if (good)
        good = read_fd(fd, (size_t)jail->limits.file_kib << 10, arena, out, cut,
                       why);
    else
        refuse(why, "it is no plain file");
    close(fd);
    return good;
}

/* True if the path stands in the launch command as a word or at the end of
 * one, as in ./run.sh, --config=a/b.yaml or /home/me/job/train.py. */
static bool jail_is_named(const struct jail *jail, const char *path)
{
    size_t n = strlen(path);
    const char *hit = jail->command;
    while (n && hit && (hit = strstr(hit, path)) != NULL) {
        bool begins = hit == jail->command || strchr(" \t'\"=/", hit[-1]);
        if (begins && (hit[n] == '\0' || strchr(" \t\n'\";&|", hit[n])))
            return true;
        hit++;
    }
    return false;
}

/* True if each part of the path may be opened: none is hidden, none of the
 * folders holds what jobs leave (unless the command names the file), and
 * the file is of a type that describes a job. */
static bool jail_may_open(const char *path, bool named)
{
    char name[NAME_MAX + 1];
    for (;;) {
        size_t len = strcspn(path, "/");
        if (len == 0 || len > NAME_MAX)
            return false;
        memcpy(name, path, len);
        name[len] = '\0';
        if (name[0] == '.' || !is_printable(name))
            return false;
        if (path[len] == '\0')
            return is_kept(name);
        if (!named && is_transient(name))
            return false;
        path += len + 1;
    }
}

static const struct workspace_file *jail_lookup(void *self, const char *path)
{
    struct jail *jail = self;
    struct stat about;
    bool named = jail_is_named(jail, path);
    for (const struct jail_extra *extra = jail->extras; extra;
         extra = extra->next) {
        if (strcmp(extra->file.path, path) == 0)
            return &extra->file;
    }
    if (!*path || (!named && jail->n_files < jail->limits.files) ||
        !jail_may_open(path, named))
        return NULL;
    int fd = open_below(jail->root, path);
    if (fd < 0)
        return NULL;
    bool plain = fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
    close(fd);
    if (!plain)
        return NULL;
    struct jail_extra *extra = ARENA_NEW(&jail->arena, struct jail_extra);
    *extra = (struct jail_extra){
        .file = {arena_copy(&jail->arena, path, strlen(path)),
                 (uint64_t)about.st_size},
        .next = jail->extras};
    jail->extras = extra;
    return &extra->file;
}

void jail_allow(struct jail *jail, const char *command)
{
    jail->command = command;
}

static int jail_by_path(const void *a, const void *b)
{
    return strcmp(((const struct workspace_file *)a)->path,
                  ((const struct workspace_file *)b)->path);
}

enum status jail_open(const char *dir, const struct jail_limits *limits,
                      struct jail **out, struct error *err)
{
    char path[PATH_MAX + 1] = "";
    int root = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int copy = root < 0 ? -1 : fcntl(root, F_DUPFD_CLOEXEC, 0);
    if (copy < 0) {
        enum status st =
            error_set(err, STATUS_BAD_INPUT, "%s: cannot be listed: %s", dir,
                      strerror(errno));
        if (root >= 0)
            close(root);
        return st;
    }
    struct jail *jail = mem_zalloc(1, sizeof *jail);
    arena_init(&jail->arena);
    jail->limits = *limits;
    jail->root = root;
    list(jail, copy, path, 0, 0);
    if (jail->n_files)
        qsort(jail->files, jail->n_files, sizeof *jail->files, jail_by_path);
    jail->workspace = (struct workspace){.self = jail,
                                         .files = jail->files,
                                         .n_files = jail->n_files,
                                         .n_left_out = jail->n_left_out,
                                         .read = jail_read,
                                         .lookup = jail_lookup};
    *out = jail;
    return STATUS_OK;
}

void jail_free(struct jail *jail)
{
    if (!jail)
        return;
    close(jail->root);
    free(jail->files);
    arena_fini(&jail->arena);
    free(jail);
}

const struct workspace *jail_workspace(const struct jail *jail)
{
    return &jail->workspace;
}
