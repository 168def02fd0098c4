/* A disk that fails: preloaded, it strikes one write, sync or rename below a folder.

   Compiled and used by test_crashes.py (LD_PRELOAD); whatever writes through the C library is
   reached, Python, SQLite and RocksDB alike. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { COUNT, FAIL, FULL, KILL };

static char folder[4096];
static int strike_at, kind;
static atomic_int seen;

void disk_arm(const char *path, int at, int how) {
    snprintf(folder, sizeof folder, "%s", path);
    strike_at = at;
    kind = how;
    seen = 0;
}

int disk_seen(void) { return seen; }

static int below(const char *path) {
    return folder[0] && strncmp(path, folder, strlen(folder)) == 0;
}

static int of_file(int file) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t size = folder[0] ? readlink(link, path, sizeof path - 1) : -1;
    if (size < 0) return 0;
    path[size] = 0;
    return below(path);
}

/* Whether this operation fails; one that ends the process is half done before (see torn). */
static int strikes(int concerned) {
    if (!concerned || kind == COUNT) { if (concerned) seen++; return 0; }
    int now = ++seen;
    if (kind == KILL) return now == strike_at ? KILL : 0;
    if (kind == FAIL && now == strike_at) { errno = EIO; return FAIL; }
    if (kind == FULL && now >= strike_at) { errno = ENOSPC; return FULL; }
    return 0;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int file, const void *data, size_t size) {
    int struck = strikes(of_file(file));
    if (struck == KILL) { REAL(write)(file, data, size / 2); kill(getpid(), SIGKILL); }
    return struck ? -1 : REAL(write)(file, data, size);
}

ssize_t pwrite(int file, const void *data, size_t size, off_t at) {
    int struck = strikes(of_file(file));
    if (struck == KILL) { REAL(pwrite)(file, data, size / 2, at); kill(getpid(), SIGKILL); }
    return struck ? -1 : REAL(pwrite)(file, data, size, at);
}

ssize_t pwrite64(int file, const void *data, size_t size, off64_t at) {
    int struck = strikes(of_file(file));
    if (struck == KILL) { REAL(pwrite64)(file, data, size / 2, at); kill(getpid(), SIGKILL); }
    return struck ? -1 : REAL(pwrite64)(file, data, size, at);
}

ssize_t writev(int file, const struct iovec *parts, int count) {
    int struck = strikes(of_file(file));
    if (struck == KILL) kill(getpid(), SIGKILL);
    return struck ? -1 : REAL(writev)(file, parts, count);
}

#define PLAIN(name, arguments, given, concerned)                        \
    int name arguments {                                                \
        int struck = strikes(concerned);                                \
        if (struck == KILL) kill(getpid(), SIGKILL);                    \
        return struck ? -1 : REAL(name) given;                          \
    }

/* Nobody pulls the plug here, so that what is synced need not be. */
#define SYNC(name)                                                      \
    int name(int file) {                                                \
        int struck = strikes(of_file(file));                            \
        if (struck == KILL) kill(getpid(), SIGKILL);                    \
        return struck ? -1 : 0;                                         \
    }

SYNC(fsync)
SYNC(fdatasync)
PLAIN(ftruncate, (int file, off_t size), (file, size), of_file(file))
PLAIN(ftruncate64, (int file, off64_t size), (file, size), of_file(file))
PLAIN(rename, (const char *old, const char *new), (old, new), below(old) || below(new))
