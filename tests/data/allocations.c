/* Counts what steps of exported code allocate: malloc and its like are those of this file for the whole process.
   Prints how often memory was asked for before the steps, by this program, and during them. */
#include "arm.h"

#include <stddef.h>
#include <stdio.h>

enum { STEPS = 200 };

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
void *aligned_alloc(size_t alignment, size_t size);

static volatile long asked;

void *malloc(size_t size) { return asked++, __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return asked++, __libc_calloc(count, size); }
void *realloc(void *old, size_t size) { return asked++, __libc_realloc(old, size); }
void *aligned_alloc(size_t alignment, size_t size) { return asked++, __libc_memalign(alignment, size); }

static double before[4][ARM_NQ + ARM_NV], after[4][ARM_NQ + ARM_NV];
static double tau[ARM_NV], kp[ARM_NV], kd[ARM_NV], target[ARM_NV], rate[ARM_NV], left[1];

int main(void)
{
    void *volatile own = malloc(8);
    const long first = asked;
    for (int k = 0; k < STEPS; k++) {
        arm_step(before[0], before[1], before[2], before[3], tau, kp, kd, target, rate, 1e-3,
                 after[0], after[1], after[2], after[3], left);
        arm_forward_dynamics(before[0], before[1], tau, before[2]);
    }
    const long last = asked;
    printf("%ld %ld\n", first, last - first);
    return own == NULL;
}
