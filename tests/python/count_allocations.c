// Loaded before everything else, counts what is taken from the heap: by new, malloc and all that rest on them.

#include <stdatomic.h>
#include <stddef.h>

extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);

static atomic_long count;

long allocations(void) { return atomic_load(&count); }

void* malloc(size_t size) {
  atomic_fetch_add(&count, 1);
  return __libc_malloc(size);
}

void* calloc(size_t items, size_t size) {
  atomic_fetch_add(&count, 1);
  return __libc_calloc(items, size);
}

void* realloc(void* old, size_t size) {
  atomic_fetch_add(&count, 1);
  return __libc_realloc(old, size);
}

void* aligned_alloc(size_t alignment, size_t size) {
  atomic_fetch_add(&count, 1);
  return __libc_memalign(alignment, size);
}

int posix_memalign(void** place, size_t alignment, size_t size) {
  atomic_fetch_add(&count, 1);
  *place = __libc_memalign(alignment, size);
  return *place != NULL ? 0 : 12;
}
