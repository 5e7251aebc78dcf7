/* FMI 2.0: co-simulation and model exchange. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"
#include "model.h"

typedef enum { OK, WARNING, DISCARD, ERROR, FATAL, PENDING } Status;
typedef const char *String;
typedef unsigned int Reference;

typedef struct {
    void (*logger)(void *environment, String instance, Status status, String category, String message, ...);
    void *(*allocate)(size_t count, size_t size);
    void (*release)(void *memory);
    void (*finished)(void *environment, Status status);
    void *environment;
} Callbacks;

typedef struct {
    int more_needed, terminate, nominals_changed, states_changed, time_defined;
    double next_time;
} EventInfo;

typedef struct {
    Run *run;
    char *name;
    Callbacks callbacks;
    double begin;
    double last; /* time of the last communication */
} Instance;

static Status failed(Instance *one, String message) {
    if (one->callbacks.logger)
        one->callbacks.logger(one->callbacks.environment, one->name, ERROR, "error", "%s", message);
    return ERROR;
}

FMI String fmi2GetTypesPlatform(void) { return "default"; }
FMI String fmi2GetVersion(void) { return "2.0"; }

FMI Status fmi2SetDebugLogging(void *c, int on, size_t count, const String *categories) {
    (void)c, (void)on, (void)count, (void)categories;
    return OK;
}

FMI void *fmi2Instantiate(String name, int type, String guid, String resources, const Callbacks *callbacks, int visible,
                          int logging) {
    (void)resources, (void)visible, (void)logging;
    Instance *one = calloc(1, sizeof *one);
    if (one == NULL) return NULL;
    one->callbacks = *callbacks;
    one->name = strdup(name ? name : "");
    if (guid == NULL || strcmp(guid, token) != 0) {
        failed(one, "the guid is not that of this FMU");
        free(one->name);
        free(one);
        return NULL;
    }
    one->run = run_new(type == 0);
    if (one->run == NULL || one->name == NULL) {
        free(one->name);
        free(one);
        return NULL;
    }
    return one;
}

FMI void fmi2FreeInstance(void *c) {
    Instance *one = c;
    if (one == NULL) return;
    run_free(one->run);
    free(one->name);
    free(one);
}

FMI Status fmi2SetupExperiment(void *c, int tolerance_defined, double tolerance, double begin, int end_defined,
                               double end) {
    (void)tolerance_defined, (void)tolerance, (void)end_defined, (void)end;
    ((Instance *)c)->begin = begin;
    return OK;
}

FMI Status fmi2EnterInitializationMode(void *c) {
    run_set_time(((Instance *)c)->run, ((Instance *)c)->begin);
    return OK;
}

FMI Status fmi2ExitInitializationMode(void *c) {
    run_begin(((Instance *)c)->run, ((Instance *)c)->begin);
    return OK;
}

FMI Status fmi2Terminate(void *c) {
    (void)c;
    return OK;
}

FMI Status fmi2Reset(void *c) {
    run_reset(((Instance *)c)->run);
    return OK;
}

/* Variables */

FMI Status fmi2GetReal(void *c, const Reference *which, size_t count, double *values) {
    for (size_t k = 0; k < count; k++)
        if (run_get(((Instance *)c)->run, which[k], &values[k])) return failed(c, "no variable has this reference");
    return OK;
}

FMI Status fmi2SetReal(void *c, const Reference *which, size_t count, const double *values) {
    for (size_t k = 0; k < count; k++)
        if (run_set(((Instance *)c)->run, which[k], values[k])) return failed(c, "this variable cannot be set, or not to this value");
    return OK;
}

FMI Status fmi2GetBoolean(void *c, const Reference *which, size_t count, int *values) {
    for (size_t k = 0; k < count; k++) {
        double value;
        if (run_get(((Instance *)c)->run, which[k], &value)) return failed(c, "no variable has this reference");
        values[k] = value != 0.0;
    }
    return OK;
}

FMI Status fmi2SetBoolean(void *c, const Reference *which, size_t count, const int *values) {
    for (size_t k = 0; k < count; k++)
        if (run_set(((Instance *)c)->run, which[k], values[k] ? 1.0 : 0.0))
            return failed(c, "this variable cannot be set, or not to this value");
    return OK;
}

static Status none(void *c, size_t count) { return count ? failed(c, "there are no such variables") : OK; }

FMI Status fmi2GetInteger(void *c, const Reference *which, size_t count, int *values) {
    (void)which, (void)values;
    return none(c, count);
}

FMI Status fmi2SetInteger(void *c, const Reference *which, size_t count, const int *values) {
    (void)which, (void)values;
    return none(c, count);
}

FMI Status fmi2GetString(void *c, const Reference *which, size_t count, String *values) {
    (void)which, (void)values;
    return none(c, count);
}

FMI Status fmi2SetString(void *c, const Reference *which, size_t count, const String *values) {
    (void)which, (void)values;
    return none(c, count);
}

/* The state as a whole */

FMI Status fmi2GetFMUstate(void *c, void **state) {
    if (*state == NULL) *state = malloc(run_size());
    if (*state == NULL) return failed(c, "no memory for a state");
    run_save(((Instance *)c)->run, *state);
    return OK;
}

FMI Status fmi2SetFMUstate(void *c, void *state) {
    run_restore(((Instance *)c)->run, state);
    return OK;
}

FMI Status fmi2FreeFMUstate(void *c, void **state) {
    (void)c;
    free(*state);
    *state = NULL;
    return OK;
}

FMI Status fmi2SerializedFMUstateSize(void *c, void *state, size_t *size) {
    (void)c, (void)state;
    *size = run_size();
    return OK;
}

FMI Status fmi2SerializeFMUstate(void *c, void *state, unsigned char *bytes, size_t size) {
    if (size < run_size()) return failed(c, "too little room for a state");
    memcpy(bytes, state, run_size());
    return OK;
}

FMI Status fmi2DeSerializeFMUstate(void *c, const unsigned char *bytes, size_t size, void **state) {
    if (size != run_size()) return failed(c, "the bytes are not a state of this FMU");
    if (*state == NULL) *state = malloc(size);
    if (*state == NULL) return failed(c, "no memory for a state");
    memcpy(*state, bytes, size);
    return OK;
}

FMI Status fmi2GetDirectionalDerivative(void *c, const Reference *unknown, size_t unknowns, const Reference *known,
                                        size_t knowns, const double *seed, double *out) {
    if (run_directional(((Instance *)c)->run, unknown, unknowns, known, knowns, seed, out))
        return failed(c, "there is no derivative by these variables");
    return OK;
}

/* Model exchange */

FMI Status fmi2EnterEventMode(void *c) {
    (void)c;
    return OK;
}

FMI Status fmi2NewDiscreteStates(void *c, EventInfo *info) {
    Instance *one = c;
    memset(info, 0, sizeof *info);
    info->time_defined = run_pass_events(one->run);
    info->next_time = run_next_event(one->run);
    return OK;
}

FMI Status fmi2EnterContinuousTimeMode(void *c) {
    (void)c;
    return OK;
}

FMI Status fmi2CompletedIntegratorStep(void *c, int no_set_before, int *enter_event_mode, int *terminate) {
    (void)c, (void)no_set_before;
    *enter_event_mode = *terminate = 0;
    return OK;
}

FMI Status fmi2SetTime(void *c, double time) {
    run_set_time(((Instance *)c)->run, time);
    return OK;
}

FMI Status fmi2SetContinuousStates(void *c, const double *x, size_t count) {
    if (count != STATES_COUNT) return failed(c, "wrong number of states");
    run_set_states(((Instance *)c)->run, x);
    return OK;
}

FMI Status fmi2GetContinuousStates(void *c, double *x, size_t count) {
    if (count != STATES_COUNT) return failed(c, "wrong number of states");
    run_get_states(((Instance *)c)->run, x);
    return OK;
}

FMI Status fmi2GetDerivatives(void *c, double *rates, size_t count) {
    if (count != STATES_COUNT) return failed(c, "wrong number of states");
    run_get_rates(((Instance *)c)->run, rates);
    return OK;
}

FMI Status fmi2GetEventIndicators(void *c, double *indicators, size_t count) {
    (void)indicators;
    return none(c, count);
}

FMI Status fmi2GetNominalsOfContinuousStates(void *c, double *nominals, size_t count) {
    (void)c;
    for (size_t k = 0; k < count; k++) nominals[k] = 1.0;
    return OK;
}

/* Co-simulation */

FMI Status fmi2DoStep(void *c, double point, double step, int no_set_before) {
    (void)no_set_before;
    Instance *one = c;
    int status = run_step(one->run, point + step);
    if (status != 0) return failed(c, failures[status]);
    one->last = point + step;
    return OK;
}

FMI Status fmi2CancelStep(void *c) { return failed(c, "a step cannot be cancelled"); }

FMI Status fmi2SetRealInputDerivatives(void *c, const Reference *which, size_t count, const int *order,
                                       const double *values) {
    (void)which, (void)order, (void)values;
    return none(c, count);
}

FMI Status fmi2GetRealOutputDerivatives(void *c, const Reference *which, size_t count, const int *order,
                                        double *values) {
    (void)which, (void)order, (void)values;
    return none(c, count);
}

FMI Status fmi2GetStatus(void *c, int kind, Status *value) {
    (void)c, (void)kind, (void)value;
    return DISCARD;
}

FMI Status fmi2GetRealStatus(void *c, int kind, double *value) {
    if (kind != 2) return DISCARD; /* last successful time */
    *value = ((Instance *)c)->last;
    return OK;
}

FMI Status fmi2GetIntegerStatus(void *c, int kind, int *value) {
    (void)c, (void)kind, (void)value;
    return DISCARD;
}

FMI Status fmi2GetBooleanStatus(void *c, int kind, int *value) {
    (void)c, (void)kind, (void)value;
    return DISCARD;
}

FMI Status fmi2GetStringStatus(void *c, int kind, String *value) {
    (void)c, (void)kind, (void)value;
    return DISCARD;
}
