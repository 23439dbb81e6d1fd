/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <schedsim_features.h>
#include <stddef.h>
#include <string.h>

#include "base/glpk_lazy.h"
#include "base/sqlite_lazy.h"

/* Returns the feature of meson (meson_options.txt) to which this library file
 * belongs, if the build left the feature out; otherwise NULL. A feature has the
 * name of its library. */
static const char *left_out(const char *file)
{
    static const char *const features[] = {SCHEDSIM_LEFT_OUT NULL};
    for (size_t i = 0; features[i]; i++) {
        if (strncmp(file, "lib", 3) == 0 &&
            strncmp(file + 3, features[i], strlen(features[i])) == 0)
            return features[i];
    }
    return NULL;
}

/* Opens the first of the files that can be opened; NULL if none can. dlopen has
 * a lock of its own, but ThreadSanitizer does not see it: what a library
 * initialises would seem to race with its use by another thread. */
static void *open_first(const char *const *files)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    void *handle = NULL;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; files[i] && !handle; i++)
        handle = dlopen(files[i], RTLD_NOW | RTLD_LOCAL);
    pthread_mutex_unlock(&lock);
    return handle;
}

enum status library_load(const char *const *files, const char *package,
                         const char *const *names, size_t count,
                         void *functions, struct error *err)
{
    const char *feature = left_out(files[0]);
    if (feature)
        return error_set(err, STATUS_FAILED,
                         "this schedsim was built without lib%s, which is "
                         "needed here; build it with -D%s=enabled",
                         feature, feature);
    void *handle = open_first(files);
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

enum status glpk_load(struct glpk *out, struct error *err)
{
    static const char *const files[] = {"libglpk.so.40", "libglpk.so", NULL};
    static const char *const names[] = {
#define GLPK_NAME(name) #name,
        GLPK_FUNCTIONS(GLPK_NAME)
#undef GLPK_NAME
    };
    enum status st = library_load(files, "libglpk40", names,
                                  sizeof names / sizeof *names, out, err);
    if (st == STATUS_OK)
        out->glp_term_out(GLP_OFF);
    return st;
}

enum status sqlite_load(struct sqlite *out, struct error *err)
{
    static const char *const files[] = {"libsqlite3.so.0", "libsqlite3.so",
                                        NULL};
    static const char *const names[] = {
#define SQLITE_NAME(name) #name,
        SQLITE_FUNCTIONS(SQLITE_NAME)
#undef SQLITE_NAME
    };
    return library_load(files, "libsqlite3-0", names,
                        sizeof names / sizeof *names, out, err);
}
