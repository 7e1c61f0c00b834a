// Loaded before the C library, this makes one system call of a program go wrong. The environment variable
// FLOE_FAULT says which:
//   write-full:N   the N-th write to a file fails, as the disk is full
//   write-flip:N   the N-th write to a file stores one wrong bit
//   read-error:N   the N-th read fails with an input/output error
//   pieces         reads and writes move at most 1000 bytes, and every third one is interrupted
//   no-nameless    files without a name cannot be created, as on some file systems
//   read-at-error:N  the N-th read at a place of its own fails with an input/output error
//   no-thread:N    the N-th thread cannot be started
//   sync-error:N   the N-th fsync fails with an input/output error
//   name-error:N   the N-th link or rename fails, as the disk is full
// With FLOE_FAULT_LOG, the calls that make a file last, name it and delete it are written to that file.
// Standard streams are left alone by the write faults.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static const size_t piece_bytes = 1000;

// The number after "kind:", or 0 if the variable names another fault.
static long fault_number(const char* kind) {
  const char* fault = getenv("FLOE_FAULT");
  const size_t length = strlen(kind);
  return fault != NULL && strncmp(fault, kind, length) == 0 && fault[length] == ':' ? atol(fault + length + 1)
                                                                                    : 0;
}

static int is_fault(const char* kind) {
  const char* fault = getenv("FLOE_FAULT");
  return fault != NULL && strcmp(fault, kind) == 0;
}
static int in_pieces(void) { return is_fault("pieces"); }

// Appends a line to the log, if there is one.
static void log_call(const char* what, const char* name) {
  const char* path = getenv("FLOE_FAULT_LOG");
  FILE* file = path == NULL ? NULL : fopen(path, "ae");
  if (file == NULL) return;
  fprintf(file, "%s %s\n", what, name);
  fclose(file);
}

int fsync(int file) {
  static long calls = 0;
  int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  struct stat found;
  const int is_folder = fstat(file, &found) == 0 && S_ISDIR(found.st_mode);
  log_call("fsync", is_folder ? "folder" : "file");
  if (++calls == fault_number("sync-error")) {
    errno = EIO;
    return -1;
  }
  return next(file);
}

// Of all calls that give a file its name.
static int naming_fails(const char* to) {
  static long calls = 0;
  log_call("name", to);
  if (++calls != fault_number("name-error")) return 0;
  errno = ENOSPC;
  return 1;
}

int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) {
  int (*next)(int, const char*, int, const char*, int) =
      (int (*)(int, const char*, int, const char*, int))dlsym(RTLD_NEXT, "linkat");
  return naming_fails(to) ? -1 : next(from_folder, from, to_folder, to, flags);
}

int rename(const char* from, const char* to) {
  int (*next)(const char*, const char*) = (int (*)(const char*, const char*))dlsym(RTLD_NEXT, "rename");
  return naming_fails(to) ? -1 : next(from, to);
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  int (*next)(int, const char*, int, const char*, unsigned) =
      (int (*)(int, const char*, int, const char*, unsigned))dlsym(RTLD_NEXT, "renameat2");
  return naming_fails(to) ? -1 : next(from_folder, from, to_folder, to, flags);
}

int unlink(const char* path) {
  int (*next)(const char*) = (int (*)(const char*))dlsym(RTLD_NEXT, "unlink");
  log_call("delete", path);
  return next(path);
}

int open(const char* path, int flags, ...) {
  int (*next)(const char*, int, ...) = (int (*)(const char*, int, ...))dlsym(RTLD_NEXT, "open");
  mode_t mode = 0;
  if ((flags & (O_CREAT | O_TMPFILE)) != 0) {
    va_list arguments;
    va_start(arguments, flags);
    mode = (mode_t)va_arg(arguments, unsigned);
    va_end(arguments);
  }
  if ((flags & O_TMPFILE) == O_TMPFILE && is_fault("no-nameless")) {
    errno = EOPNOTSUPP;
    return -1;
  }
  return next(path, flags, mode);
}

ssize_t pread(int file, void* bytes, size_t count, off_t offset) {
  static long calls = 0;
  ssize_t (*next)(int, void*, size_t, off_t) =
      (ssize_t(*)(int, void*, size_t, off_t))dlsym(RTLD_NEXT, "pread");
  if (++calls == fault_number("read-at-error")) {
    errno = EIO;
    return -1;
  }
  return next(file, bytes, count, offset);
}

// Of all writes to files.
static long write_calls = 0;

ssize_t pwrite(int file, const void* bytes, size_t count, off_t offset) {
  ssize_t (*next)(int, const void*, size_t, off_t) =
      (ssize_t(*)(int, const void*, size_t, off_t))dlsym(RTLD_NEXT, "pwrite");
  if (++write_calls == fault_number("write-full")) {
    errno = ENOSPC;
    return -1;
  }
  if (in_pieces()) {
    if (write_calls % 3 == 0) {
      errno = EINTR;
      return -1;
    }
    if (count > piece_bytes) count = piece_bytes;
  }
  return next(file, bytes, count, offset);
}

ssize_t write(int file, const void* bytes, size_t count) {
  ssize_t (*next)(int, const void*, size_t) = (ssize_t(*)(int, const void*, size_t))dlsym(RTLD_NEXT, "write");
  if (file <= STDERR_FILENO) return next(file, bytes, count);
  ++write_calls;
  if (write_calls == fault_number("write-full")) {
    errno = ENOSPC;
    return -1;
  }
  if (write_calls == fault_number("write-flip") && count > 0) {
    unsigned char* changed = malloc(count);
    memcpy(changed, bytes, count);
    changed[count / 2] ^= 1;
    const ssize_t result = next(file, changed, count);
    free(changed);
    return result;
  }
  if (in_pieces()) {
    if (write_calls % 3 == 0) {
      errno = EINTR;
      return -1;
    }
    if (count > piece_bytes) count = piece_bytes;
  }
  return next(file, bytes, count);
}

ssize_t read(int file, void* bytes, size_t count) {
  static long calls = 0;
  ssize_t (*next)(int, void*, size_t) = (ssize_t(*)(int, void*, size_t))dlsym(RTLD_NEXT, "read");
  ++calls;
  if (calls == fault_number("read-error")) {
    errno = EIO;
    return -1;
  }
  if (in_pieces()) {
    if (calls % 3 == 0) {
      errno = EINTR;
      return -1;
    }
    if (count > piece_bytes) count = piece_bytes;
  }
  return next(file, bytes, count);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*work)(void*),
                   void* argument) {
  static long calls = 0;
  int (*next)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*) =
      (int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*))dlsym(RTLD_NEXT, "pthread_create");
  if (__atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) == fault_number("no-thread")) return EAGAIN;
  return next(thread, attributes, work, argument);
}
