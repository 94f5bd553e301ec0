/* Replaces every flush by a pause of fixed length, and counts the flushes.
 *
 * Disks differ and swing by a factor of forty; a fixed price per flush makes the number of
 * flushes the thing that is measured. Use with LD_PRELOAD.
 *   WM_BENCH_FLUSH_US     pause per flush in microseconds (default 2000)
 *   WM_BENCH_FLUSH_COUNT  file of 8 bytes in which the flushes are counted (shared)
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static atomic_long *counter;
static long pause_us = 2000;

__attribute__((constructor)) static void begin(void) {
    const char *us = getenv("WM_BENCH_FLUSH_US");
    const char *path = getenv("WM_BENCH_FLUSH_COUNT");
    if (us) pause_us = atol(us);
    if (!path) return;
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    if (fd < 0) return;
    if (ftruncate(fd, sizeof(atomic_long)) == 0) {
        void *page = mmap(NULL, sizeof(atomic_long), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (page != MAP_FAILED) counter = page;
    }
    close(fd);
}

static int flush(void) {
    struct timespec pause = {pause_us / 1000000, (pause_us % 1000000) * 1000};
    if (counter) atomic_fetch_add(counter, 1);
    nanosleep(&pause, NULL);
    return 0;
}

int fsync(int fd) { (void)fd; return flush(); }
int fdatasync(int fd) { (void)fd; return flush(); }
