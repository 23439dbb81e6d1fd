/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An open log, shared by log_file.c and log_convert.c. */
#ifndef SIM_LOG_FILE_INTERNAL_H
#define SIM_LOG_FILE_INTERNAL_H

#include "schedmate/live/log_file.h"

/* How the bytes of a log were turned into lines. The counts are those of the
 * last log_file_scan. */
struct log_traits {
    bool gzip, zstd, utf16, utf8_mark, damaged;
    uint64_t zero_lines;  /* number of lines with zero bytes */
    uint64_t other_lines; /* number of lines that are not UTF-8, such as
                           * Latin-1 */
    uint64_t return_ends; /* number of lines that end in a carriage return
                           * alone */
};
struct log_file {
    int fd;
    /* true if `name` is the path of the file that is read, so that it may name
     * another file after a rotation */
    bool named;
    char *name;
    uint64_t begin; /* bytes at the front that are not part of the log */
    struct log_traits traits;
    /* why the unpacking ended early; set if traits.damaged is true */
    struct error damage;
};

/* Sets the message to NAME and the words of errno. Returns STATUS_BAD_INPUT. */
enum status log_file_failed(const char *name, struct error *err);

/* Copies the whole pipe to a nameless file, which then replaces the pipe.
 * STATUS_BAD_INPUT for more than 4 GiB. */
enum status log_file_spool(struct log_file *file, struct error *err) MUST_USE;

/* Unpacks the log and converts it to UTF-8 if its first bytes demand it, and
 * sets `begin` and the traits that are not counts. Refuses xz, bzip2, zip and
 * UTF-32. */
enum status log_file_convert(struct log_file *file, struct error *err) MUST_USE;

#endif
