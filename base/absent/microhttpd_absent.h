/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declares the part of GNU libmicrohttpd that schedsim uses, so that a build
 * without libmicrohttpd compiles. */
#ifndef SIM_ABSENT_MICROHTTPD_H
#define SIM_ABSENT_MICROHTTPD_H

#include <stddef.h>
#include <stdint.h>

enum MHD_Result { MHD_NO = 0, MHD_YES = 1 };
enum MHD_ResponseMemoryMode { MHD_RESPMEM_MUST_COPY = 2 };
enum { MHD_USE_INTERNAL_POLLING_THREAD = 8 };
enum MHD_OPTION {
    MHD_OPTION_END = 0,
    MHD_OPTION_CONNECTION_LIMIT = 2,
    MHD_OPTION_CONNECTION_TIMEOUT = 3,
    MHD_OPTION_LISTEN_SOCKET = 12,
    MHD_OPTION_NOTIFY_CONNECTION = 27,
};
enum MHD_ConnectionNotificationCode {
    MHD_CONNECTION_NOTIFY_STARTED = 0,
    MHD_CONNECTION_NOTIFY_CLOSED = 1,
};
enum MHD_ConnectionInfoType { MHD_CONNECTION_INFO_CONNECTION_FD = 6 };
enum MHD_ValueKind { MHD_HEADER_KIND = 1 };
union MHD_ConnectionInfo {
    int connect_fd;
};
enum {
    MHD_HTTP_OK = 200,
    MHD_HTTP_FORBIDDEN = 403,
    MHD_HTTP_NOT_FOUND = 404,
    MHD_HTTP_METHOD_NOT_ALLOWED = 405,
};

struct MHD_Connection;
struct MHD_Daemon;
struct MHD_Response;
typedef enum MHD_Result (*MHD_AccessHandlerCallback)(
    void *self, struct MHD_Connection *connection, const char *url,
    const char *method, const char *version, const char *data, size_t *n,
    void **state);
typedef enum MHD_Result (*MHD_AcceptPolicyCallback)(void *self,
                                                    const void *address,
                                                    unsigned n);

enum MHD_Result MHD_add_response_header(struct MHD_Response *response,
                                        const char *name, const char *value);
struct MHD_Response *MHD_create_response_from_buffer(
    size_t n, void *at, enum MHD_ResponseMemoryMode mode);
void MHD_destroy_response(struct MHD_Response *response);
const union MHD_ConnectionInfo *MHD_get_connection_info(
    struct MHD_Connection *connection, enum MHD_ConnectionInfoType type, ...);
const char *MHD_lookup_connection_value(struct MHD_Connection *connection,
                                        enum MHD_ValueKind kind,
                                        const char *key);
enum MHD_Result MHD_queue_response(struct MHD_Connection *connection,
                                   unsigned status,
                                   struct MHD_Response *response);
struct MHD_Daemon *MHD_start_daemon(unsigned flags, uint16_t port,
                                    MHD_AcceptPolicyCallback accept,
                                    void *accept_self,
                                    MHD_AccessHandlerCallback answer,
                                    void *self, ...);
void MHD_stop_daemon(struct MHD_Daemon *daemon);

#endif
