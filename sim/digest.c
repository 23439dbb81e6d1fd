/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/digest.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/arena.h"

enum status digest_file(const char *path, char hex[65], struct error *err)
{
    unsigned char md[EVP_MAX_MD_SIZE];
    unsigned n_md = 0;
    enum { PIECE = 1 << 18 };
    enum status st = STATUS_OK;
    char *piece = mem_alloc(PIECE);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : 0;
    if (!context || !EVP_DigestInit_ex(context, EVP_sha256(), NULL)) {
        st = error_set(err, STATUS_FAILED, "%s: no SHA-256 available", path);
        goto out;
    }
    while (fd >= 0 && (n = read(fd, piece, PIECE)) > 0)
        EVP_DigestUpdate(context, piece, (size_t)n);
    if (n < 0)
        st = error_set(err, STATUS_FAILED, "%s: %s", path, strerror(errno));
    EVP_DigestFinal_ex(context, md, &n_md);
    for (unsigned i = 0; i < 32; i++)
        snprintf(hex + (size_t)2 * i, 3, "%02x", md[i]);
out:
    if (fd >= 0)
        close(fd);
    EVP_MD_CTX_free(context);
    free(piece);
    return st;
}
