/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads what a site knows beside the built-in data. About failures: all files
 * NAME.json of $XDG_CONFIG_HOME/schedsim/signatures.d (~/.config without that
 * variable) in the order of their names, then the files of --signatures in the
 * order given. About names in jobs: those of clues.d and of --clues. The code
 * is in site.c. */
#ifndef SIM_SITE_KNOWLEDGE_H
#define SIM_SITE_KNOWLEDGE_H

#include "schedmate/advisor/advisor_clues.h"
#include "schedmate/logs/log_knowledge.h"

/* Reads the built-in data and the files of the site. An absent directory is not
 * an error. The caller owns *out, also if this fails. */
enum status site_knowledge_open(const char *const *files, size_t n,
                                struct log_knowledge **out,
                                struct error *err) MUST_USE;
/* Reads the built-in clues of the advisor and those of the site, under the
 * rules of site_knowledge_open. */
enum status site_clues_open(const char *const *files, size_t n,
                            struct clues **out, struct error *err) MUST_USE;

#endif
