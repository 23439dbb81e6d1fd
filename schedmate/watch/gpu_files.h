/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads GPU figures from a file or from the files of a directory and adds them
 * to the jobs that hold these GPUs. In a directory, the name of a file up to
 * its first '.' is the node, unless the text itself names one. A file that
 * grows is read on; one that was replaced or truncated, was written again with
 * the same size, or holds the text of dcgm-exporter is read anew. */
#ifndef SIM_WATCH_GPU_FILES_H
#define SIM_WATCH_GPU_FILES_H

#include "schedmate/watch/watch_internal.h"

struct gpu_files *gpu_files_new(const char *path);
void gpu_files_free(struct gpu_files *gpu); /* accepts NULL */
/* Reads what was added since the last read. Does nothing until watch_config.gpu
 * has passed since then. */
void gpu_files_read(struct gpu_files *gpu, struct watch *w);

#endif
