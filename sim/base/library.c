/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/base/library.h"

#include <dlfcn.h>
#include <string.h>

enum status library_load(const char *const *files, const char *package,
                         const char *const *names, size_t count,
                         void *functions, struct error *err)
{
    void *handle = NULL;
    for (size_t i = 0; files[i] && !handle; i++)
        handle = dlopen(files[i], RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return error_set(err, STATUS_FAILED,
                         "%s cannot be loaded (package %s): %s", files[0],
                         package, dlerror());
    for (size_t i = 0; i < count; i++) {
        void *function = dlsym(handle, names[i]);
        if (!function)
            return error_set(err, STATUS_FAILED, "%s has no %s", files[0],
                             names[i]);
        memcpy((char *)functions + i * sizeof function, &function,
               sizeof function);
    }
    return STATUS_OK;
}

void *library_loaded(const char *const *files, const char *function)
{
    for (size_t i = 0; files[i]; i++) {
        void *handle = dlopen(files[i], RTLD_NOW | RTLD_NOLOAD);
        if (!handle)
            continue;
        void *found = dlsym(handle, function);
        dlclose(handle); /* drops only the reference of this call: the library
                            stays loaded */
        return found;
    }
    return NULL;
}
