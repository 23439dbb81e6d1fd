/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A temporary file: setup and teardown of a cmocka group. */
#ifndef TESTS_SUPPORT_TEMP_PATH_H
#define TESTS_SUPPORT_TEMP_PATH_H

/* Path of the file; set by temp_path_make. */
extern char temp_path[64];

/* Makes an empty file under a new name. Returns 0 on success. */
int temp_path_make(void **state);
/* Removes the file. Returns 0 on success. */
int temp_path_remove(void **state);

#endif
