/* FMI 3.0: co-simulation and model exchange. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"
#include "model.h"

typedef enum { OK, WARNING, DISCARD, ERROR, FATAL } Status;
typedef const char *String;
typedef uint32_t Reference;
typedef void (*Logger)(void *environment, Status status, String category, String message);

typedef struct {
    Run *run;
    Logger logger;
    void *environment;
} Instance;

static Status failed(Instance *one, String message) {
    if (one->logger) one->logger(one->environment, ERROR, "error", message);
    return ERROR;
}

FMI String fmi3GetVersion(void) { return "3.0"; }

FMI Status fmi3SetDebugLogging(void *c, bool on, size_t count, const String *categories) {
    (void)c, (void)on, (void)count, (void)categories;
    return OK;
}

static void *instantiate(int exchange, String given, void *environment, Logger logger) {
    Instance *one = calloc(1, sizeof *one);
    if (one == NULL) return NULL;
    one->logger = logger;
    one->environment = environment;
    if (given == NULL || strcmp(given, token) != 0)
        failed(one, "the instantiation token is not that of this FMU");
    else
        one->run = run_new(exchange);
    if (one->run == NULL) {
        free(one);
        return NULL;
    }
    return one;
}

FMI void *fmi3InstantiateModelExchange(String name, String given, String resources, bool visible, bool logging,
                                       void *environment, Logger logger) {
    (void)name, (void)resources, (void)visible, (void)logging;
    return instantiate(1, given, environment, logger);
}

FMI void *fmi3InstantiateCoSimulation(String name, String given, String resources, bool visible, bool logging,
                                      bool event_mode, bool early_return, const Reference *intermediate, size_t count,
                                      void *environment, Logger logger, void *update) {
    (void)name, (void)resources, (void)visible, (void)logging, (void)event_mode, (void)early_return;
    (void)intermediate, (void)count, (void)update;
    return instantiate(0, given, environment, logger);
}

FMI void *fmi3InstantiateScheduledExecution(String name, String given, String resources, bool visible, bool logging,
                                            void *environment, Logger logger, void *update, void *lock, void *unlock) {
    (void)name, (void)given, (void)resources, (void)visible, (void)logging, (void)environment, (void)logger;
    (void)update, (void)lock, (void)unlock;
    return NULL;
}

FMI void fmi3FreeInstance(void *c) {
    if (c != NULL) run_free(((Instance *)c)->run);
    free(c);
}

FMI Status fmi3EnterInitializationMode(void *c, bool tolerance_defined, double tolerance, double begin,
                                       bool end_defined, double end) {
    (void)tolerance_defined, (void)tolerance, (void)end_defined, (void)end;
    run_set_time(((Instance *)c)->run, begin);
    return OK;
}

FMI Status fmi3ExitInitializationMode(void *c) {
    run_begin(((Instance *)c)->run, ((Instance *)c)->run->time);
    return OK;
}

FMI Status fmi3Reset(void *c) {
    run_reset(((Instance *)c)->run);
    return OK;
}

#define NOTHING_TO_DO(name)  \
    FMI Status name(void *c) { \
        (void)c;             \
        return OK;           \
    }
NOTHING_TO_DO(fmi3EnterEventMode)
NOTHING_TO_DO(fmi3Terminate)
NOTHING_TO_DO(fmi3EnterConfigurationMode)
NOTHING_TO_DO(fmi3ExitConfigurationMode)
NOTHING_TO_DO(fmi3EvaluateDiscreteStates)
NOTHING_TO_DO(fmi3EnterContinuousTimeMode)
NOTHING_TO_DO(fmi3EnterStepMode)

/* Variables: numbers and one switch */

FMI Status fmi3GetFloat64(void *c, const Reference *which, size_t count, double *values, size_t sizes) {
    (void)sizes;
    for (size_t k = 0; k < count; k++)
        if (run_get(((Instance *)c)->run, which[k], &values[k])) return failed(c, "no variable has this reference");
    return OK;
}

FMI Status fmi3SetFloat64(void *c, const Reference *which, size_t count, const double *values, size_t sizes) {
    (void)sizes;
    for (size_t k = 0; k < count; k++)
        if (run_set(((Instance *)c)->run, which[k], values[k])) return failed(c, "this variable cannot be set, or not to this value");
    return OK;
}

FMI Status fmi3GetBoolean(void *c, const Reference *which, size_t count, bool *values, size_t sizes) {
    (void)sizes;
    for (size_t k = 0; k < count; k++) {
        double value;
        if (run_get(((Instance *)c)->run, which[k], &value)) return failed(c, "no variable has this reference");
        values[k] = value != 0.0;
    }
    return OK;
}

FMI Status fmi3SetBoolean(void *c, const Reference *which, size_t count, const bool *values, size_t sizes) {
    (void)sizes;
    for (size_t k = 0; k < count; k++)
        if (run_set(((Instance *)c)->run, which[k], values[k] ? 1.0 : 0.0))
            return failed(c, "this variable cannot be set, or not to this value");
    return OK;
}

static Status none(void *c, size_t count) { return count ? failed(c, "there are no such variables") : OK; }

#define NO_VARIABLES(name)                                                                          \
    FMI Status fmi3Get##name(void *c, const Reference *which, size_t count, void *values, size_t n) { \
        (void)which, (void)values, (void)n;                                                         \
        return none(c, count);                                                                      \
    }                                                                                               \
    FMI Status fmi3Set##name(void *c, const Reference *which, size_t count, const void *values, size_t n) { \
        (void)which, (void)values, (void)n;                                                         \
        return none(c, count);                                                                      \
    }
NO_VARIABLES(Float32)
NO_VARIABLES(Int8)
NO_VARIABLES(UInt8)
NO_VARIABLES(Int16)
NO_VARIABLES(UInt16)
NO_VARIABLES(Int32)
NO_VARIABLES(UInt32)
NO_VARIABLES(Int64)
NO_VARIABLES(UInt64)
NO_VARIABLES(String)

#define NO_BINARIES(name, kind)                                                                                   \
    FMI Status name(void *c, const Reference *which, size_t count, const size_t *sizes, kind values, size_t n) { \
        (void)which, (void)sizes, (void)values, (void)n;                                                          \
        return none(c, count);                                                                                    \
    }
NO_BINARIES(fmi3GetBinary, void *)
NO_BINARIES(fmi3SetBinary, const void *)

#define NO_CLOCKS(name)                                           \
    FMI Status name(void *c, const Reference *which, size_t count) { \
        (void)which;                                                              \
        return none(c, count);                                                    \
    }
NO_CLOCKS(fmi3GetClock)
NO_CLOCKS(fmi3SetClock)
NO_CLOCKS(fmi3GetIntervalDecimal)
NO_CLOCKS(fmi3GetIntervalFraction)
NO_CLOCKS(fmi3GetShiftDecimal)
NO_CLOCKS(fmi3GetShiftFraction)
NO_CLOCKS(fmi3SetIntervalDecimal)
NO_CLOCKS(fmi3SetIntervalFraction)
NO_CLOCKS(fmi3SetShiftDecimal)
NO_CLOCKS(fmi3SetShiftFraction)

FMI Status fmi3GetNumberOfVariableDependencies(void *c, Reference which, size_t *count) {
    (void)which, (void)count;
    return failed(c, "dependencies are those of the description");
}

FMI Status fmi3GetVariableDependencies(void *c, Reference dependent, size_t *own, Reference *independents,
                                       size_t *others, int *kinds, size_t count) {
    (void)dependent, (void)own, (void)independents, (void)others, (void)kinds, (void)count;
    return failed(c, "dependencies are those of the description");
}

/* The state as a whole */

FMI Status fmi3GetFMUState(void *c, void **state) {
    if (*state == NULL) *state = malloc(run_size());
    if (*state == NULL) return failed(c, "no memory for a state");
    run_save(((Instance *)c)->run, *state);
    return OK;
}

FMI Status fmi3SetFMUState(void *c, void *state) {
    run_restore(((Instance *)c)->run, state);
    return OK;
}

FMI Status fmi3FreeFMUState(void *c, void **state) {
    (void)c;
    free(*state);
    *state = NULL;
    return OK;
}

FMI Status fmi3SerializedFMUStateSize(void *c, void *state, size_t *size) {
    (void)c, (void)state;
    *size = run_size();
    return OK;
}

FMI Status fmi3SerializeFMUState(void *c, void *state, unsigned char *bytes, size_t size) {
    if (size < run_size()) return failed(c, "too little room for a state");
    memcpy(bytes, state, run_size());
    return OK;
}

FMI Status fmi3DeserializeFMUState(void *c, const unsigned char *bytes, size_t size, void **state) {
    if (size != run_size()) return failed(c, "the bytes are not a state of this FMU");
    if (*state == NULL) *state = malloc(size);
    if (*state == NULL) return failed(c, "no memory for a state");
    memcpy(*state, bytes, size);
    return OK;
}

FMI Status fmi3GetDirectionalDerivative(void *c, const Reference *unknown, size_t unknowns, const Reference *known,
                                        size_t knowns, const double *seed, size_t seeds, double *out, size_t outs) {
    (void)seeds, (void)outs;
    if (run_directional(((Instance *)c)->run, unknown, unknowns, known, knowns, seed, out))
        return failed(c, "there is no derivative by these variables");
    return OK;
}

FMI Status fmi3GetAdjointDerivative(void *c, const Reference *unknown, size_t unknowns, const Reference *known,
                                    size_t knowns, const double *seed, size_t seeds, double *out, size_t outs) {
    (void)unknown, (void)unknowns, (void)known, (void)knowns, (void)seed, (void)seeds, (void)out, (void)outs;
    return failed(c, "adjoint derivatives are not offered");
}

/* Model exchange */

FMI Status fmi3UpdateDiscreteStates(void *c, bool *more_needed, bool *terminate, bool *nominals_changed,
                                    bool *states_changed, bool *time_defined, double *next_time) {
    Instance *one = c;
    *more_needed = *terminate = *nominals_changed = *states_changed = false;
    *time_defined = run_pass_events(one->run);
    *next_time = run_next_event(one->run);
    return OK;
}

FMI Status fmi3CompletedIntegratorStep(void *c, bool no_set_before, bool *enter_event_mode, bool *terminate) {
    (void)c, (void)no_set_before;
    *enter_event_mode = *terminate = false;
    return OK;
}

FMI Status fmi3SetTime(void *c, double time) {
    run_set_time(((Instance *)c)->run, time);
    return OK;
}

FMI Status fmi3SetContinuousStates(void *c, const double *x, size_t count) {
    if (count != STATES_COUNT) return failed(c, "wrong number of states");
    run_set_states(((Instance *)c)->run, x);
    return OK;
}

FMI Status fmi3GetContinuousStates(void *c, double *x, size_t count) {
    if (count != STATES_COUNT) return failed(c, "wrong number of states");
    run_get_states(((Instance *)c)->run, x);
    return OK;
}

FMI Status fmi3GetContinuousStateDerivatives(void *c, double *rates, size_t count) {
    if (count != STATES_COUNT) return failed(c, "wrong number of states");
    run_get_rates(((Instance *)c)->run, rates);
    return OK;
}

FMI Status fmi3GetEventIndicators(void *c, double *indicators, size_t count) {
    (void)indicators;
    return none(c, count);
}

FMI Status fmi3GetNominalsOfContinuousStates(void *c, double *nominals, size_t count) {
    (void)c;
    for (size_t k = 0; k < count; k++) nominals[k] = 1.0;
    return OK;
}

FMI Status fmi3GetNumberOfEventIndicators(void *c, size_t *count) {
    (void)c;
    *count = 0;
    return OK;
}

FMI Status fmi3GetNumberOfContinuousStates(void *c, size_t *count) {
    (void)c;
    *count = STATES_COUNT;
    return OK;
}

/* Co-simulation */

FMI Status fmi3GetOutputDerivatives(void *c, const Reference *which, size_t count, const int32_t *orders,
                                    double *values, size_t sizes) {
    (void)which, (void)orders, (void)values, (void)sizes;
    return none(c, count);
}

FMI Status fmi3DoStep(void *c, double point, double step, bool no_set_before, bool *event_needed, bool *terminate,
                      bool *early_return, double *reached) {
    (void)no_set_before;
    Instance *one = c;
    *event_needed = *terminate = *early_return = false;
    int status = run_step(one->run, point + step);
    *reached = one->run->time;
    if (status != 0) return failed(c, failures[status]);
    return OK;
}

FMI Status fmi3ActivateModelPartition(void *c, Reference clock, double time) {
    (void)clock, (void)time;
    return failed(c, "there are no clocks");
}
