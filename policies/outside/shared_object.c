/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policies/outside/shared_object.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "policies/outside/schedsim_policy.h"

static enum status object_check(const char *path,
                                const struct policy_export *export,
                                struct error *err)
{
    const struct policy_ops *ops = export->policy;
    if (strcmp(export->abi, SCHEDSIM_POLICY_ABI) != 0)
        return error_set(err, STATUS_USAGE,
                         "policy %s was compiled with the headers of schedsim "
                         "%s (%.12s), but this is %s (%.12s); compile it again",
                         path, export->version, export->abi,
                         SCHEDSIM_POLICY_VERSION, SCHEDSIM_POLICY_ABI);
    if (!ops || !ops->name || !ops->name[0] || !ops->decide)
        return error_set(err, STATUS_USAGE,
                         "policy %s has a descriptor without a name or without "
                         "decide",
                         path);
    if (ops->options && ops->config_size == 0)
        return error_set(err, STATUS_USAGE,
                         "policy %s has options but no config_size", path);
    return STATUS_OK;
}

enum status shared_object_open(const char *path, const struct policy_ops **out,
                               struct error *err)
{
    char local[PATH_MAX];
    /* the loader looks for a name without a slash among the libraries */
    snprintf(local, sizeof local, "%s%s", strchr(path, '/') ? "" : "./", path);
    void *handle = dlopen(local, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return error_set(err, STATUS_USAGE, "policy %s cannot be loaded: %s",
                         path, dlerror());
    const struct policy_export *export =
        dlsym(handle, "schedsim_policy_export");
    enum status st;
    if (export)
        st = object_check(path, export, err);
    else
        st = error_set(err, STATUS_USAGE,
                       "%s is not a policy: it lacks SCHEDSIM_POLICY "
                       "(schedsim_policy.h)",
                       path);
    if (st == STATUS_OK)
        *out = export->policy;
    else
        dlclose(handle);
    return st;
}
