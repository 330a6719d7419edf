// Logs what a program writes, and when it syncs it: to the file $POWERCUT_LOG, for each file whose
// path begins with $POWERCUT. Preloaded before the C library.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

struct __attribute__((packed)) entry {
    char kind; // 'w' write, 't' truncate, 's' sync
    uint16_t name;
    int64_t at;
    uint32_t size;
};

static void note(char kind, int file, int64_t at, const void *data, size_t size) {
    static int log = -1;
    const char *wanted = getenv("POWERCUT");
    char link[64], path[4096];
    const int kept = errno;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    const ssize_t length = readlink(link, path, sizeof path);
    if (length > 0 && wanted && strncmp(path, wanted, strlen(wanted)) == 0) {
        if (log < 0) log = open(getenv("POWERCUT_LOG"), O_WRONLY | O_CREAT | O_APPEND, 0600);
        struct entry head = {kind, (uint16_t)length, at, (uint32_t)size};
        struct iovec parts[] = {{&head, sizeof head}, {path, (size_t)length}, {(void *)data, size}};
        if (writev(log, parts, 3) < 0) abort();
    }
    errno = kept;
}

#define REAL(function) \
    static __typeof__(function) *real; \
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, #function)

#define WRITES(function) \
    ssize_t function(int file, const void *data, size_t size, off64_t at) { \
        REAL(function); \
        const ssize_t done = real(file, data, size, at); \
        if (done > 0) note('w', file, at, data, (size_t)done); \
        return done; \
    }

#define TRUNCATES(function) \
    int function(int file, off64_t size) { \
        REAL(function); \
        const int failed = real(file, size); \
        if (!failed) note('t', file, size, NULL, 0); \
        return failed; \
    }

#define SYNCS(function) \
    int function(int file) { \
        REAL(function); \
        const int failed = real(file); \
        if (!failed) note('s', file, 0, NULL, 0); \
        return failed; \
    }

WRITES(pwrite)
WRITES(pwrite64)
TRUNCATES(ftruncate)
TRUNCATES(ftruncate64)
SYNCS(fsync)
SYNCS(fdatasync)
