/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Denies a program access to files, by Landlock, a part of the kernel (since
 * 5.13) that needs no privileges, and the way out of its process group, by
 * seccomp. */
#include "policies/outside/program_internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/text.h"

/* Definitions that linux/landlock.h of Debian 12 lacks, from the headers of
 * Linux 6.12. */
#define NET_TCP 3u   /* bind and connect */
#define SCOPE_ALL 3u /* abstract sockets and signals */
#define FS_TRUNCATE (1ull << 14)
#define FS_IOCTL_DEV (1ull << 15)

enum { VERSION_KNOWN = 6 };
#define FILES_1 (LANDLOCK_ACCESS_FS_MAKE_SYM * 2 - 1)
#define FILES_2 (FILES_1 | LANDLOCK_ACCESS_FS_REFER)
#define FILES_3 (FILES_2 | FS_TRUNCATE)
#define FILES_5 (FILES_3 | FS_IOCTL_DEV)
/* By version of Landlock, which begins at 1: what it can forbid in files, on
 * the network, and outside a scope, in the order of the kernel. */
static const uint64_t rules_of[VERSION_KNOWN + 1][3] = {
    [1] = {FILES_1},          [2] = {FILES_2},
    [3] = {FILES_3},          [4] = {FILES_3, NET_TCP},
    [5] = {FILES_5, NET_TCP}, [6] = {FILES_5, NET_TCP, SCOPE_ALL},
};

#define READ_FILES (LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE)
#define READ_ALL (READ_FILES | LANDLOCK_ACCESS_FS_READ_DIR)

/* Returns a descriptor of a set of rules that forbids all access that Landlock
 * can forbid in this kernel; -1 if the kernel cannot confine. */
static int open_rules(void)
{
    long version = syscall(SYS_landlock_create_ruleset, NULL, (size_t)0,
                           LANDLOCK_CREATE_RULESET_VERSION);
    if (version < 1)
        return -1;
    if (version > VERSION_KNOWN)
        version = VERSION_KNOWN;
    /* an old kernel accepts a longer structure whose rest is 0 */
    int fd = (int)syscall(SYS_landlock_create_ruleset, &rules_of[version],
                          sizeof rules_of[version], 0);
    if (fd < 0)
        return -1;
    /* above 3: the program gets 0 to 2, and 3 reports that it could not
     * start */
    int high = fcntl(fd, F_DUPFD_CLOEXEC, 4);
    close(fd);
    return high;
}

/* Allows access to a path, which if it is relative begins at the folder `at`.
 * Does nothing if the path does not exist. */
static void allow_at(int rules, int at, const char *path, uint64_t access)
{
    struct stat info = {0}; /* if fstat fails, no folder: the least access */
    int fd = openat(at, path, O_PATH | O_CLOEXEC);
    if (fd < 0)
        return;
    (void)fstat(fd, &info);
    if (!S_ISDIR(info.st_mode))
        access &= READ_FILES | LANDLOCK_ACCESS_FS_WRITE_FILE;
    struct landlock_path_beneath_attr one = {.allowed_access = access,
                                             .parent_fd = fd};
    (void)syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH,
                  &one, 0);
    close(fd);
}

static void allow(int rules, const char *path, uint64_t access)
{
    allow_at(rules, AT_FDCWD, path, access);
}

static bool confine_is_code(const char *name)
{
    static const char *const ends[] = {".lua", ".py", ".pyc", ".so"};
    size_t len = strlen(name);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t n = strlen(ends[i]);
        if (len > n && strcmp(name + len - n, ends[i]) == 0)
            return true;
    }
    return false;
}

/* Largest number of files of code beside a script that the program may read. */
enum { BESIDE_MAX = 1000 };

/* Allows the code beside a script, the file `word` with its absolute path,
 * which the script may import, but no other file: a trace may lie there too.
 * The folder may be listed, because Python lists it. */
static void allow_beside(int rules, const char *word)
{
    char dir[PATH_MAX];
    size_t len = (size_t)(strrchr(word, '/') - word);
    if (len == 0 || len >= sizeof dir)
        return;
    memcpy(dir, word, len);
    dir[len] = '\0';
    allow(rules, dir, LANDLOCK_ACCESS_FS_READ_DIR);
    DIR *folder = opendir(dir);
    const struct dirent *entry;
    if (!folder)
        return;
    for (int n = 0; n < BESIDE_MAX && (entry = readdir(folder));) {
        if (!confine_is_code(entry->d_name))
            continue;
        allow_at(rules, dirfd(folder), entry->d_name, READ_FILES);
        n++;
    }
    closedir(folder);
}

/* Allows the files that were installed with a program: a program in PREFIX/bin
 * needs the libraries in PREFIX/lib. `program` may be a link, as in a Python
 * environment, so the caller passes the target of the link too. */
static void allow_installed(int rules, const char *program)
{
    static const char *const parts[] = {"bin",     "lib",     "lib64",
                                        "libexec", "shims",   "versions",
                                        "version", "plugins", "pyvenv.cfg"};
    char path[PATH_MAX + 16]; /* room for each part */
    size_t len = strlen(program);
    for (int ups = 0; ups < 2; ups++) {
        while (len && program[len - 1] != '/')
            len--;
        len -= len > 0;
    }
    for (size_t i = 0; len && i < sizeof parts / sizeof *parts; i++) {
        snprintf(path, sizeof path, "%.*s/%s", (int)len, program, parts[i]);
        allow(rules, path, READ_ALL);
    }
}

static void allow_named(int rules, const char *reads)
{
    char path[PATH_MAX];
    struct text rest = text_from(reads);
    while (rest.len) {
        struct text one = text_split(rest, '+', &rest);
        if (one.len == 0 || one.len >= sizeof path)
            continue;
        memcpy(path, one.at, one.len);
        path[one.len] = '\0';
        allow(rules, path, READ_ALL);
    }
}

enum status confine_rules(enum confine_choice choice, char *const *words,
                          const char *reads, int *out, struct error *err)
{
    static const char *const folders[] = {
        "/usr",  "/lib", "/lib32",       "/lib64",   "/bin",
        "/sbin", "/etc", "/dev/urandom", "/dev/zero"};
    *out = -1;
    if (choice == CONFINE_OFF)
        return STATUS_OK;
    char real[PATH_MAX];
    int rules = open_rules();
    if (rules < 0 && choice == CONFINE_ON)
        return error_set(err, STATUS_FAILED,
                         "policy exec: this kernel cannot confine a program "
                         "(Landlock, from Linux 5.13 on); confine=off runs it "
                         "with access to all files of this user");
    if (rules < 0)
        return STATUS_OK;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        allow(rules, folders[i], READ_ALL);
    allow(rules, "/dev/null", READ_FILES | LANDLOCK_ACCESS_FS_WRITE_FILE);
    for (size_t i = 0; words[i]; i++) {
        if (words[i][0] != '/')
            continue;
        allow(rules, words[i], READ_FILES);
        if (i > 0)
            allow_beside(rules, words[i]);
    }
    allow_installed(rules, words[0]);
    if (realpath(words[0], real))
        allow_installed(rules, real);
    allow_named(rules, reads);
    *out = rules;
    return STATUS_OK;
}

#if defined __x86_64__
#define NATIVE AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define NATIVE AUDIT_ARCH_AARCH64
#endif

/* Denies setsid and setpgid: the process group is killed after the run, and no
 * process may leave it. On another processor than these two nothing is
 * denied. */
static int confine_group(void)
{
#ifdef NATIVE
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        /* calls of 32-bit programs have other numbers, and x32 adds 1 << 30 */
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NATIVE, 0, 5),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 1u << 30, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_setsid, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_setpgid, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    };
    struct sock_fprog program = {sizeof steps / sizeof *steps, steps};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
#else
    return 0;
#endif
}

int confine_self(int rules)
{
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || confine_group() != 0)
        return -1;
    return (int)syscall(SYS_landlock_restrict_self, rules, 0);
}
