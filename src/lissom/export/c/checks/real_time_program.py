"""The program that runs the closed loop in real time: worst of many steps, and deadlines that were missed."""

from __future__ import annotations

import numpy as np

from lissom.dynamics import mass_matrix
from lissom.export.c.export_task import ExportTask

FREQUENCY, DAMPING = 10.0, 0.7  # rad/s and ratio of the loop, each coordinate by itself
SWING = 0.1  # rad or m by which targets go to and fro
PROGRAM = """/* The closed loop in real time: ./loop [STEPS] [SECONDS] [RATE]

   First so many steps (a million) one after the other: median, 99.99 % and worst time, by the clock on the wall and by
   processor time, which stands still while other programs run. Then one step at a time at a rate (1000 Hz, for 60 s):
   deadlines that were missed, as a step was not done when the next one began. Memory is locked and the loop runs with a
   real-time priority, where the system allows it. Needs POSIX with clock_nanosleep, such as Linux. */
#define _POSIX_C_SOURCE 200112L
#include "{name}.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum {{ WARM = 1000, BILLION = 1000000000 }};

{tables}
typedef struct {{
    double q[{upper}_NQ], v[{upper}_NV], a[{upper}_NV], s[{upper}_NV];
}} State;

static State states[2];
static double target[{upper}_NV], rate[{upper}_NV], tau[{upper}_NV], left[1]; /* no forces beside the law's */

static double read_clock(clockid_t which)
{{
    struct timespec t;
    clock_gettime(which, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}}

static void start(void)
{{
    const State at_rest = {{{{0}}, {{0}}, {{0}}, {{0}}}};
    states[0] = at_rest;
    memcpy(states[0].q, neutral, sizeof neutral);
}}

/* A step from one of both states to the other, towards targets that go to and fro. */
static void step(long count, double h)
{{
    const State *before = &states[count & 1];
    State *after = &states[1 - (count & 1)];
    const double t = h * (double)count;
    for (int k = 0; k < {upper}_NV; k++) {{
        target[k] = middle[k] + {swing!r} * sin(t);
        rate[k] = {swing!r} * cos(t);
    }}
    {name}_step({arguments});
}}

static int is_finite(void)
{{
    double sum = 0.0;
    for (int k = 0; k < {upper}_NV; k++) {{
        sum += 0.0 * (states[0].v[k] + states[1].v[k]);
    }}
    return sum == 0.0;
}}

static int compare(const void *a, const void *b)
{{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}}

static void show(const char *clock, double *times, long count)
{{
    qsort(times, (size_t)count, sizeof times[0], compare);
    printf("%-15s %10.2f %10.2f %10.2f\\n", clock, 1e6 * times[count / 2],
           1e6 * times[count - 1 - count / 10000], 1e6 * times[count - 1]);
}}

static int time_steps(long count, double h)
{{
    double *wall = malloc((size_t)count * sizeof *wall), *processor = malloc((size_t)count * sizeof *processor);
    if (wall == NULL || processor == NULL) {{
        fprintf(stderr, "no memory for the times of %ld steps\\n", count);
        return 0;
    }}
    start();
    for (long k = -WARM; k < count; k++) {{
        const double begin = read_clock(CLOCK_THREAD_CPUTIME_ID), at = read_clock(CLOCK_MONOTONIC);
        step(k + WARM, h);
        wall[k < 0 ? 0 : k] = read_clock(CLOCK_MONOTONIC) - at;
        processor[k < 0 ? 0 : k] = read_clock(CLOCK_THREAD_CPUTIME_ID) - begin;
    }}
    printf("%ld steps, us %9s %10s %10s\\n", count, "median", "99.99 %", "worst");
    show("  wall", wall, count);
    show("  processor", processor, count);
    free(wall);
    free(processor);
    return is_finite();
}}

static int keep_time(double seconds, double frequency)
{{
    const long count = (long)(seconds * frequency), period = (long)(BILLION / frequency);
    long missed = 0;
    double latest = 0.0, longest = 0.0;
    struct sched_param most;
    struct timespec due;
    most.sched_priority = sched_get_priority_max(SCHED_FIFO) / 2;
    const int locked = mlockall(MCL_CURRENT | MCL_FUTURE) == 0;
    const int first = sched_setscheduler(0, SCHED_FIFO, &most) == 0;
    start();
    clock_gettime(CLOCK_MONOTONIC, &due);
    for (long k = 0; k < count; k++) {{
        due.tv_nsec += period;
        due.tv_sec += due.tv_nsec / BILLION;
        due.tv_nsec %= BILLION;
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
        const double begin = read_clock(CLOCK_MONOTONIC) - ((double)due.tv_sec + 1e-9 * (double)due.tv_nsec);
        step(k, 1.0 / frequency);
        const double end = read_clock(CLOCK_MONOTONIC) - ((double)due.tv_sec + 1e-9 * (double)due.tv_nsec);
        latest = begin > latest ? begin : latest;
        longest = end - begin > longest ? end - begin : longest;
        missed += end > 1.0 / frequency;
    }}
    printf("%g Hz for %g s, %s memory, %s priority:\\n", frequency, seconds, locked ? "locked" : "pageable",
           first ? "real-time" : "usual");
    printf("  %ld of %ld deadlines missed; latest begin %.0f us, longest step %.0f us\\n", missed, count, 1e6 * latest,
           1e6 * longest);
    return is_finite();
}}

int main(int count, char **given)
{{
    const long steps = count > 1 ? atol(given[1]) : 1000000;
    const double seconds = count > 2 ? atof(given[2]) : 60.0, frequency = count > 3 ? atof(given[3]) : 1000.0;
    if (steps < 1 || !(seconds >= 0.0) || !(frequency > 0.0)) {{
        fprintf(stderr, "./loop [STEPS] [SECONDS] [RATE]: a number of steps, seconds, and steps per second\\n");
        return 2;
    }}
    if (!time_steps(steps, 1.0 / frequency) || !keep_time(seconds, frequency)) {{
        fprintf(stderr, "the loop does not stay finite at this rate\\n");
        return 1;
    }}
    return 0;
}}
"""


def loop_program(task: ExportTask) -> str:
    """Write the program that runs the closed loop: gains by the inertia that each joint carries at rest."""
    model, step = task.model, task.signatures["step"]
    carried, kp = np.diag(mass_matrix(model, model.neutral())), np.zeros(model.nv)
    for body in model.bodies:
        kp[body.motor_v] = FREQUENCY**2 * carried[body.joint_v]
    q = model.neutral()
    tables = {"kp": kp, "kd": 2.0 * DAMPING / FREQUENCY * kp, "wrenches": np.zeros(6 * len(task.wrenches))}
    if task.parameters is not None:
        tables["p"] = task.parameters.values
    sized = [(each.name, each.size, tables[each.name]) for each in step.inputs if each.name in tables]
    sized += [("neutral", f"{task.upper}_NQ", q)]
    sized += [("middle", f"{task.upper}_NV", q[model.arrays.velocities.coordinate])]
    state = ("q", "v", "a", "s")
    given = [f"before->{each.name}" if each.name in state else each.name for each in step.inputs]
    return PROGRAM.format(
        name=task.name,
        upper=task.upper,
        swing=SWING,
        tables="\n".join(f"static const double {name}[{size}] = {{{numbers(row)}}};" for name, size, row in sized),
        arguments=", ".join([*given, *(f"after->{name}" for name in state), "left"]),
    )


def numbers(values: np.ndarray) -> str:
    """Return numbers as C has them, five to a line."""
    texts = [repr(float(value)) for value in values]
    return ",\n    ".join(", ".join(texts[k : k + 5]) for k in range(0, len(texts), 5))
