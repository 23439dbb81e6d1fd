/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/llm/llm_access.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { KEY_BYTES_MAX = 4096 };

static const char *variable(const struct llm_env *env, const char *name)
{
    const char *value = env->variable(env->variables, name);
    return value && value[0] ? value : NULL;
}

/* Chooses the address of the server. *is_openai becomes true if OPENAI_API_KEY
 * may be sent there. Refuses an address that is missing, does not begin with
 * http:// or https://, or may contain a user, a password or a query. */
static enum status find_url(struct llm_access *access, const char *url,
                            const struct llm_env *env, bool *is_openai,
                            struct error *err)
{
    *is_openai = false;
    if (!url || !url[0]) {
        *is_openai = true;
        url = variable(env, "OPENAI_BASE_URL");
        url = url ? url : variable(env, "OPENAI_API_BASE");
    }
    if (!url && variable(env, "OPENAI_API_KEY"))
        url = "https://api.openai.com/v1";
    if (!url)
        return error_set(err, STATUS_USAGE,
                         "llm http: no server is named; write "
                         "http:base_url=URL, or set SCHEDSIM_LLM_BASE_URL");
    size_t len = strlen(url);
    while (len && url[len - 1] == '/')
        len--;
    if (strncmp(url, "http://", 7) != 0 && strncmp(url, "https://", 8) != 0)
        return error_set(err, STATUS_USAGE,
                         "llm http: the address of the server must begin with "
                         "http:// or https://");
    if (strpbrk(url, "@?# \r\n\t"))
        return error_set(err, STATUS_USAGE,
                         "llm http: the address of the server must not "
                         "contain a user, a password or a query; give a key "
                         "in SCHEDSIM_LLM_API_KEY or key_file");
    access->url = arena_copy(env->arena, url, len);
    *is_openai |= strncmp(url, "https://api.openai.com/", 23) == 0;
    return STATUS_OK;
}

static enum status read_key(const char *path, struct arena *arena,
                            const char **key, struct error *err)
{
    char buf[KEY_BYTES_MAX + 1];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t n = fd < 0 ? -1 : read(fd, buf, sizeof buf);
    if (fd >= 0)
        close(fd);
    if (n < 0)
        return error_set(err, STATUS_FAILED, "%s: the key cannot be read",
                         path);
    while (n > 0 && strchr(" \t\r\n", buf[n - 1]))
        n--;
    if (n == 0 || n > KEY_BYTES_MAX)
        return error_set(err, STATUS_BAD_INPUT,
                         "%s: the file holds no key, "
                         "or one that is too long",
                         path);
    *key = arena_copy(arena, buf, (size_t)n);
    explicit_bzero(buf, sizeof buf);
    return STATUS_OK;
}

/* Returns `st`, or an error if the key holds a character that could end the
 * header line in which it is sent, or that is not allowed there. */
static enum status check_key(const struct llm_access *access, enum status st,
                             struct error *err)
{
    for (const char *c = access->key; st == STATUS_OK && c && *c; c++) {
        if ((unsigned char)*c <= ' ' || (unsigned char)*c >= 127)
            st = error_set(err, STATUS_BAD_INPUT,
                           "llm http: the API key holds a blank or a "
                           "character that is not ASCII");
    }
    return st;
}

/* True if SCHEDSIM_LLM_API_KEY may be sent to the address:
 * SCHEDSIM_LLM_BASE_URL names it, or is not set. */
static bool may_get_own_key(const struct llm_access *access,
                            const struct llm_env *env)
{
    const char *own = variable(env, "SCHEDSIM_LLM_BASE_URL");
    size_t len = own ? strlen(own) : 0;
    while (len && own[len - 1] == '/')
        len--;
    return !own || text_is((struct text){own, len}, access->url);
}

static enum status find_key(struct llm_access *access, const char *path,
                            const struct llm_env *env, bool is_openai,
                            struct error *err)
{
    enum status st = STATUS_OK;
    if (may_get_own_key(access, env))
        access->key = variable(env, "SCHEDSIM_LLM_API_KEY");
    if (path && path[0])
        st = read_key(path, env->arena, &access->key, err);
    else if (!access->key && is_openai)
        access->key = variable(env, "OPENAI_API_KEY");
    st = check_key(access, st, err);
    if (is_openai) {
        access->organization = variable(env, "OPENAI_ORG_ID");
        access->project = variable(env, "OPENAI_PROJECT_ID");
    }
    return st;
}

enum status llm_access_find(const char *base_url, const char *key_file,
                            const struct llm_env *env, struct llm_access *out,
                            struct error *err)
{
    bool is_openai;
    *out = (struct llm_access){0};
    enum status st = find_url(out, base_url, env, &is_openai, err);
    if (st == STATUS_OK)
        st = find_key(out, key_file, env, is_openai, err);
    return st;
}

enum status llm_access_other(const char *base_url, const char *key_file,
                             const struct llm_env *env, struct llm_access *out,
                             struct error *err)
{
    bool is_openai;
    *out = (struct llm_access){0};
    enum status st = find_url(out, base_url, env, &is_openai, err);
    if (st == STATUS_OK && key_file && key_file[0])
        st = read_key(key_file, env->arena, &out->key, err);
    return check_key(out, st, err);
}
