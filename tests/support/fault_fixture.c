/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/support/fault_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/run/registry.h"
#include "tests/support/test.h"

int fault_fixture_setup(void **state)
{
    struct fault_fixture *m = calloc(1, sizeof *m);
    arena_init(&m->arena);
    *state = m;
    return 0;
}

int fault_fixture_teardown(void **state)
{
    struct fault_fixture *m = *state;
    if (m->source.ops && m->source.ops->fini && m->source.self)
        m->source.ops->fini(m->source.self);
    if (m->path[0])
        unlink(m->path);
    remarks_fini(&m->remarks);
    cluster_fini(&m->cluster);
    arena_fini(&m->arena);
    free(m);
    return 0;
}

void fault_fixture_write(struct fault_fixture *m, const char *text)
{
    snprintf(m->path, sizeof m->path, "/tmp/schedsim-faults-XXXXXX");
    int fd = mkstemp(m->path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (long)strlen(text));
    close(fd);
}

enum status fault_fixture_begin(struct fault_fixture *m, uint32_t nodes,
                                uint64_t seed, const char *format)
{
    static const char *const vcs[] = {"all"};
    const struct gpu_type_spec type = {.name = "GPU", .speed = 1};
    const struct node_group group = {.count = nodes, .gpus = 8};
    const struct cluster_spec described = {.name = "test",
                                           .types = &type,
                                           .vcs = vcs,
                                           .groups = &group,
                                           .n_types = 1,
                                           .n_vcs = 1,
                                           .n_groups = 1};
    struct spec spec;
    const char *hole = strstr(format, "%s");
    size_t room = strlen(format) + strlen(m->path) + 1;
    char *text = arena_alloc(&m->arena, room);
    snprintf(text, room, "%.*s%s%s", hole ? (int)(hole - format) : 0, format,
             hole ? m->path : "", hole ? hole + 2 : format);
    assert_int_equal(cluster_init(&m->cluster, &described, 1, &m->err),
                     STATUS_OK);
    enum status st = spec_parse("faults", text_from(text), &spec, &m->err);
    if (st == STATUS_OK)
        st = fault_find(spec.name, &m->source.ops, &m->err);
    if (st != STATUS_OK)
        return st;
    void *config = arena_alloc(&m->arena, m->source.ops->config_size);
    m->remarks.arena = &m->arena;
    const struct run_env env = {.cluster = &m->cluster,
                                .seed = seed,
                                .arena = &m->arena,
                                .remarks = &m->remarks};
    st = spec_apply(&spec, m->source.ops->options, config, "faults", &m->arena,
                    &m->err);
    m->source.config = config;
    m->source.self = arena_alloc(&m->arena, m->source.ops->state_size);
    return st == STATUS_OK
               ? m->source.ops->init(m->source.self, config, &env, &m->err)
               : st;
}

bool fault_fixture_next(struct fault_fixture *m, struct fault *out)
{
    return m->source.ops->next(m->source.self, out);
}
