"""The program that measures exported code: time and stack of every function."""

from __future__ import annotations

from collections.abc import Sequence

from lissom.export.c.checks.test_program import SAMPLES, input_tables, random_inputs
from lissom.export.c.export_task import ExportTask, Signature

PROGRAM = """/* Median, 99 % and worst time of every function, in microseconds, and the stack that it takes, in bytes.
   Needs POSIX: its monotonic clock, and a thread whose stack is painted before a call and looked at afterwards. */
#define _POSIX_C_SOURCE 200112L
#include "{name}.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {{ CALLS = 1000, WARM = 20, STACK = 1 << 23, PAINT = 0xA5 }};

{data}

{calls}

static void nothing(int sample)
{{
    (void)sample;
}}

static double now(void)
{{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}}

static int compare(const void *a, const void *b)
{{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}}

typedef struct {{
    const char *name;
    void (*call)(int sample);
}} Function;

static void *once(void *function)
{{
    ((const Function *)function)->call(0);
    return NULL;
}}

/* Bytes of stack that a thread with one call of the function touches. */
static size_t touched(Function function)
{{
    unsigned char *stack = NULL;
    void *place = NULL;
    pthread_attr_t how;
    pthread_t thread;
    size_t left = 0;
    if (posix_memalign(&place, 4096, STACK) != 0) {{
        return 0;
    }}
    stack = place;
    memset(stack, PAINT, STACK);
    pthread_attr_init(&how);
    if (pthread_attr_setstack(&how, stack, STACK) == 0 && pthread_create(&thread, &how, once, &function) == 0) {{
        pthread_join(thread, NULL);
        while (left < STACK && stack[left] == PAINT) {{
            left++;
        }}
    }}
    pthread_attr_destroy(&how);
    free(place);
    return STACK - left;
}}

int main(void)
{{
    static const Function functions[] = {{
{functions}
    }};
    static double times[CALLS];
    const Function none = {{"", nothing}};
    const size_t before = touched(none);
    printf("%-40s %10s %10s %10s %10s\\n", "", "median us", "99 % us", "worst us", "stack B");
    for (size_t f = 0; f < sizeof functions / sizeof functions[0]; f++) {{
        for (int k = -WARM; k < CALLS; k++) {{
            const double begin = now();
            functions[f].call((k + WARM) % {samples});
            times[k < 0 ? 0 : k] = now() - begin;
        }}
        qsort(times, CALLS, sizeof times[0], compare);
        const size_t stack = touched(functions[f]) - before;
        printf("%-40s %10.2f %10.2f %10.2f %10lu\\n", functions[f].name, times[CALLS / 2], times[CALLS * 99 / 100],
               times[CALLS - 1], (unsigned long)stack);
    }}
    return 0;
}}
"""

CALL = """static void call_{name}(int sample)
{{
    static double {results};
    {prefix}_{name}({arguments});
}}
"""


def clock_program(task: ExportTask, chosen: Sequence[Signature]) -> str:
    """Write the program that measures how long each function takes."""
    calls = []
    for each in chosen:
        arguments = [f"{value.name}[sample]" for value in each.inputs] + [f"{out.name}_" for out in each.outputs]
        results = ", ".join(f"{out.name}_[{out.size}]" for out in each.outputs)
        calls.append(CALL.format(name=each.name, prefix=task.name, results=results, arguments=", ".join(arguments)))
    return PROGRAM.format(
        name=task.name,
        data="\n".join(input_tables(task, chosen, random_inputs(task)).values()),
        calls="\n".join(calls),
        functions="\n".join(f'        {{"{each.name}", call_{each.name}}},' for each in chosen),
        samples=SAMPLES,
    )
