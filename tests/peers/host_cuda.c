/* A libcuda.so.1 for machines without a GPU. The library has only the functions that libarrow_cuda.so calls.
   pyarrow.cuda is linked against this library, and can be tested with it on any machine.

   Device memory is memory of the host that is mapped twice. The library uses one mapping. The addresses of the other
   mapping are returned to the caller, and can be neither read nor written. A program that uses these addresses as CPU
   memory therefore crashes, as with a GPU. A program that simulates the device calls host_cuda_reveal, which makes the
   addresses accessible. */

#define _GNU_SOURCE
#include <cuda.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ARENA ((size_t)1 << 30)
#define ALIGNMENT 256
#define MOST (1 << 20)
#define MOST_OPENED 64

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *device, *host;
static int memory;
static size_t used;
/* The allocations in the order of their addresses. Memory is never reused. */
static struct { size_t at, bytes; int live; } allocations[MOST];
static int count;
/* Allocations of other processes. Each entry maps the whole device memory of its process. */
static struct { char *device, *host; size_t at, bytes; } opened[MOST_OPENED];
static int opened_count;
static int late, early_copies;
static char context[1];

/* The content of a CUipcMemHandle of this library. */
struct shared { int process, memory; size_t at, bytes; };

static void map(int of, char **hidden, char **open) {
    *hidden = mmap(NULL, ARENA, PROT_NONE, MAP_SHARED, of, 0);
    *open = mmap(NULL, ARENA, PROT_READ | PROT_WRITE, MAP_SHARED, of, 0);
    if (*hidden == MAP_FAILED || *open == MAP_FAILED) abort();
}

static void setup(void) {
    memory = memfd_create("device memory", 0);
    if (memory < 0 || ftruncate(memory, ARENA)) abort();
    map(memory, &device, &host);
}

static int in_arena(const void *address) { return device && (char *)address >= device && (char *)address < device + ARENA; }

/* Returns the number of the allocation that contains an address of the arena, or -1. */
static int find(const void *address) {
    size_t at = (char *)address - device;
    int low = 0, high = count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (allocations[middle].at <= at) low = middle + 1;
        else high = middle;
    }
    int found = low - 1;
    return found >= 0 && allocations[found].live && at < allocations[found].at + allocations[found].bytes ? found : -1;
}

/* Returns the number of the opened allocation that contains an address, or -1. */
static int find_opened(const void *address) {
    for (int i = 0; i < opened_count; i++) {
        char *begin = opened[i].device + opened[i].at;
        if (opened[i].bytes && (char *)address >= begin && (char *)address < begin + opened[i].bytes) return i;
    }
    return -1;
}

/* Returns the address at which this library can access `bytes` bytes at `address`. Device memory has another address
   in this library. Returns NULL if device memory has been freed or has fewer bytes. */
static char *reach(const void *address, size_t bytes) {
    int theirs = find_opened(address);
    if (theirs >= 0) {
        size_t at = (char *)address - opened[theirs].device;
        return at + bytes <= opened[theirs].at + opened[theirs].bytes ? opened[theirs].host + at : NULL;
    }
    if (!in_arena(address)) return (char *)address;
    int found = find(address);
    size_t at = (char *)address - device;
    return found >= 0 && at + bytes <= allocations[found].at + allocations[found].bytes ? host + at : NULL;
}

static CUresult copy(const void *to, const void *from, size_t bytes) {
    if (!bytes) return CUDA_SUCCESS;
    pthread_mutex_lock(&lock);
    char *target = reach(to, bytes), *source = reach(from, bytes);
    if (late && !in_arena(to)) early_copies++;
    if (target && source) memcpy(target, source, bytes);
    pthread_mutex_unlock(&lock);
    return target && source ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* Makes the device memory accessible to all code, or to no code except this library. */
void host_cuda_reveal(int open) {
    if (mprotect(device, ARENA, open ? PROT_READ | PROT_WRITE : PROT_NONE)) abort();
}

/* Begins to count copies to the host that happen before the first wait for an event. */
void host_cuda_begin(void) { late = 1, early_copies = 0; }

/* Returns the number of copies to the host between host_cuda_begin and the first wait. Returns -1 without a wait. */
int host_cuda_early_copies(void) { return late ? -1 : early_copies; }

/* Returns the number of allocations that were not freed. */
int host_cuda_live(void) {
    int live = 0;
    for (int i = 0; i < count; i++) live += allocations[i].live;
    return live;
}

CUresult cuInit(unsigned flags) {
    (void)flags;
    pthread_mutex_lock(&lock);
    if (!device) setup();
    pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *out) { *out = 1; return CUDA_SUCCESS; }
CUresult cuDeviceGet(CUdevice *out, int ordinal) { *out = ordinal; return ordinal ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS; }
CUresult cuDeviceTotalMem(size_t *out, CUdevice of) { (void)of; *out = ARENA; return CUDA_SUCCESS; }
CUresult cuDeviceGetName(char *out, int room, CUdevice of) {
    (void)of;
    strncpy(out, "no GPU", room);
    return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice of) { (void)of; *out = (CUcontext)context; return CUDA_SUCCESS; }
CUresult cuDevicePrimaryCtxRelease(CUdevice of) { (void)of; return CUDA_SUCCESS; }
CUresult cuCtxPushCurrent(CUcontext of) { (void)of; return CUDA_SUCCESS; }
CUresult cuCtxPopCurrent(CUcontext *out) { *out = (CUcontext)context; return CUDA_SUCCESS; }
CUresult cuCtxSynchronize(void) { late = 0; return CUDA_SUCCESS; }

CUresult cuMemAlloc(CUdeviceptr *out, size_t bytes) {
    CUresult result = CUDA_ERROR_OUT_OF_MEMORY;
    pthread_mutex_lock(&lock);
    size_t room = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (!bytes) result = CUDA_ERROR_INVALID_VALUE;
    else if (count < MOST && room <= ARENA - used) {
        allocations[count].at = used, allocations[count].bytes = bytes, allocations[count].live = 1;
        memset(host + used, 0xA5, room);
        *out = (CUdeviceptr)(device + used);
        used += room, count++;
        result = CUDA_SUCCESS;
    }
    pthread_mutex_unlock(&lock);
    return result;
}

CUresult cuMemFree(CUdeviceptr address) {
    if (!address) return CUDA_SUCCESS;
    pthread_mutex_lock(&lock);
    int found = in_arena((void *)address) ? find((void *)address) : -1;
    int first = found >= 0 && device + allocations[found].at == (char *)address;
    if (first) allocations[found].live = 0;
    pthread_mutex_unlock(&lock);
    return first ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemGetAddressRange(CUdeviceptr *base, size_t *bytes, CUdeviceptr address) {
    int theirs = find_opened((void *)address);
    if (theirs >= 0) {
        if (base) *base = (CUdeviceptr)(opened[theirs].device + opened[theirs].at);
        if (bytes) *bytes = opened[theirs].bytes;
        return CUDA_SUCCESS;
    }
    int found = in_arena((void *)address) ? find((void *)address) : -1;
    if (found < 0) return CUDA_ERROR_NOT_FOUND;
    if (base) *base = (CUdeviceptr)(device + allocations[found].at);
    if (bytes) *bytes = allocations[found].bytes;
    return CUDA_SUCCESS;
}

CUresult cuMemHostAlloc(void **out, size_t bytes, unsigned flags) {
    (void)flags;
    *out = malloc(bytes ? bytes : 1);
    return *out ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}
CUresult cuMemFreeHost(void *address) { free(address); return CUDA_SUCCESS; }
CUresult cuMemHostGetDevicePointer(CUdeviceptr *out, void *address, unsigned flags) {
    (void)flags;
    *out = (CUdeviceptr)address;
    return CUDA_SUCCESS;
}
CUresult cuPointerGetAttribute(void *out, CUpointer_attribute what, CUdeviceptr address) {
    if (!address || what != CU_POINTER_ATTRIBUTE_DEVICE_POINTER) return CUDA_ERROR_INVALID_VALUE;
    *(CUdeviceptr *)out = address;
    return CUDA_SUCCESS;
}

CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes) { return copy((void *)to, from, bytes); }
CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes) { return copy(to, (void *)from, bytes); }
CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) { return copy((void *)to, (void *)from, bytes); }
CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext there, CUdeviceptr from, CUcontext here, size_t bytes) {
    (void)there, (void)here;
    return copy((void *)to, (void *)from, bytes);
}

CUresult cuStreamCreate(CUstream *out, unsigned flags) { (void)flags; *out = (CUstream)malloc(1); return CUDA_SUCCESS; }
CUresult cuStreamDestroy(CUstream of) { free(of); return CUDA_SUCCESS; }
CUresult cuStreamSynchronize(CUstream of) { (void)of; late = 0; return CUDA_SUCCESS; }
CUresult cuStreamWaitEvent(CUstream of, CUevent event, unsigned flags) { (void)of, (void)event, (void)flags; return CUDA_SUCCESS; }
CUresult cuEventCreate(CUevent *out, unsigned flags) { (void)flags; *out = (CUevent)malloc(1); return CUDA_SUCCESS; }
CUresult cuEventDestroy(CUevent of) { free(of); return CUDA_SUCCESS; }
CUresult cuEventRecord(CUevent of, CUstream on) { (void)of, (void)on; return CUDA_SUCCESS; }
CUresult cuEventSynchronize(CUevent of) { (void)of; late = 0; return CUDA_SUCCESS; }

CUresult cuIpcGetMemHandle(CUipcMemHandle *out, CUdeviceptr of) {
    int found = in_arena((void *)of) ? find((void *)of) : -1;
    if (found < 0) return CUDA_ERROR_INVALID_VALUE;
    struct shared shared = {getpid(), memory, allocations[found].at, allocations[found].bytes};
    memset(out, 0, sizeof *out);
    memcpy(out, &shared, sizeof shared);
    return CUDA_SUCCESS;
}
CUresult cuIpcOpenMemHandle(CUdeviceptr *out, CUipcMemHandle of, unsigned flags) {
    (void)flags;
    struct shared shared;
    memcpy(&shared, &of, sizeof shared);
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", shared.process, shared.memory);
    int theirs = open(path, O_RDWR);
    if (theirs < 0 || opened_count == MOST_OPENED || shared.process == getpid()) return CUDA_ERROR_INVALID_VALUE;
    int i = opened_count++;
    map(theirs, &opened[i].device, &opened[i].host);
    close(theirs);
    opened[i].at = shared.at, opened[i].bytes = shared.bytes;
    *out = (CUdeviceptr)(opened[i].device + shared.at);
    return CUDA_SUCCESS;
}
CUresult cuIpcCloseMemHandle(CUdeviceptr of) {
    int i = find_opened((void *)of);
    if (i < 0) return CUDA_ERROR_INVALID_VALUE;
    munmap(opened[i].device, ARENA), munmap(opened[i].host, ARENA);
    opened[i].bytes = 0;
    return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult of, const char **out) { (void)of; *out = "CUDA_ERROR"; return CUDA_SUCCESS; }
CUresult cuGetErrorString(CUresult of, const char **out) { (void)of; *out = "the library for machines without a GPU refuses the call"; return CUDA_SUCCESS; }
