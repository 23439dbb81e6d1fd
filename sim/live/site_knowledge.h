/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads what a site knows about failures beside the built-in data: all files
 * NAME.json of $XDG_CONFIG_HOME/schedsim/signatures.d (~/.config without that
 * variable) in the order of their names, then the files of --signatures in the
 * order given. */
#ifndef SIM_SITE_KNOWLEDGE_H
#define SIM_SITE_KNOWLEDGE_H

#include "models/logs/log_knowledge.h"

/* Reads the built-in data and the files of the site. An absent directory is not
 * an error. The caller owns *out, also if this fails. */
enum status site_knowledge_open(const char *const *files, size_t n,
                                struct log_knowledge **out,
                                struct error *err) MUST_USE;

#endif
