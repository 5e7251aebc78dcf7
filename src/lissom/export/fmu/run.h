/* A run of lissom on memory of its own: the part of an FMU that is the same for all versions of FMI. */
#ifndef LISSOM_RUN_H
#define LISSOM_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32) /* what a tool calls */
#define FMI __declspec(dllexport)
#else
#define FMI __attribute__((visibility("default")))
#endif
#pragma GCC visibility push(hidden) /* all else is this library's own, also beside others like it */

typedef enum { TIME, INPUT, PARAMETER, SWITCH, STATE, DERIVATIVE, OUTPUT } Role;

typedef struct {
    uint32_t at; /* offset into the memory of a run */
    Role role;
    int32_t sign; /* of the number there */
    double least, largest;
} Variable;

typedef struct {
    void *block;
    unsigned char *memory; /* in the block, aligned, laid out as the image is */
    double time;
    int32_t next;     /* first of the times at which something jumps or bends that lies ahead */
    int32_t exchange; /* 1: a tool integrates the states; 0: steps are taken here */
    int32_t changed;  /* an input, parameter or state was set since accelerations were found */
    int32_t settled;  /* accelerations and rates are those of the present state */
    int32_t observed; /* so are the outputs */
} Run;

/* run.c */
extern const char *const failures[];
Run *run_new(int exchange);
void run_free(Run *run);
void run_reset(Run *run);
void run_begin(Run *run, double time);
int run_step(Run *run, double end); /* 0: reached; else the place of a message in `failures` */
int run_get(Run *run, uint32_t variable, double *value);
int run_set(Run *run, uint32_t variable, double value);
void run_set_time(Run *run, double time);
void run_set_states(Run *run, const double *x);
void run_get_states(Run *run, double *x);
void run_get_rates(Run *run, double *rates);
int run_pass_events(Run *run); /* 1 where one lies ahead */
double run_next_event(const Run *run);
size_t run_size(void);
void run_save(const Run *run, unsigned char *bytes);
void run_restore(Run *run, const unsigned char *bytes);
int run_directional(Run *run, const uint32_t *unknown, size_t unknowns, const uint32_t *known, size_t knowns,
                    const double *seed, double *out);

/* model.c, written for each model */
extern const uint64_t image_words[];
extern const size_t image_size; /* bytes */
#define IMAGE ((const unsigned char *)image_words)
extern const Variable variables[];
extern const uint32_t variable_count;
extern const char *const token;
void link_memory(unsigned char *memory);
int64_t march(unsigned char *memory, double end, double longest, bool fixed, int64_t steps);
void accelerate(unsigned char *memory, double t);
void sample(unsigned char *memory, double t);
void observe(unsigned char *memory);
void sense(unsigned char *memory);

#pragma GCC visibility pop
#endif
