/* Runs an FMU of FMI 2.0 on any platform: host LIBRARY GUID STATES END REFERENCE... prints the derivatives of a state that
   moves and bends (forward dynamics), then the variables at the end of a run. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#if defined(_WIN32)
#include <windows.h>
static void *opened(const char *name) { return (void *)LoadLibraryA(name); }
static void *found(void *library, const char *name) { return (void *)GetProcAddress((HMODULE)library, name); }
#else
#include <dlfcn.h>
static void *opened(const char *name) { return dlopen(name, RTLD_NOW); }
static void *found(void *library, const char *name) { return dlsym(library, name); }
#endif

typedef struct {
    void *logger, *allocate, *release, *finished, *environment;
} Callbacks;
enum { CO_SIMULATION = 1, MODEL_EXCHANGE = 0 };

static void print(const double *values, size_t count)
{
    for (size_t k = 0; k < count; k++) printf("%.17g\n", values[k]);
}

int main(int count, char **arguments)
{
    void *library = count > 5 ? opened(arguments[1]) : NULL;
    if (library == NULL) return 1;
    void *(*instantiate)(const char *, int, const char *, const char *, const Callbacks *, int, int);
    int (*setup)(void *, int, double, double, int, double), (*enter)(void *), (*leave)(void *), (*continuous)(void *);
    int (*step)(void *, double, double, int), (*get)(void *, const unsigned *, size_t, double *);
    int (*set_states)(void *, const double *, size_t), (*get_states)(void *, double *, size_t);
    int (*derivatives)(void *, double *, size_t);
    *(void **)&instantiate = found(library, "fmi2Instantiate");
    *(void **)&setup = found(library, "fmi2SetupExperiment");
    *(void **)&enter = found(library, "fmi2EnterInitializationMode");
    *(void **)&leave = found(library, "fmi2ExitInitializationMode");
    *(void **)&continuous = found(library, "fmi2EnterContinuousTimeMode");
    *(void **)&step = found(library, "fmi2DoStep");
    *(void **)&get = found(library, "fmi2GetReal");
    *(void **)&get_states = found(library, "fmi2GetContinuousStates");
    *(void **)&set_states = found(library, "fmi2SetContinuousStates");
    *(void **)&derivatives = found(library, "fmi2GetDerivatives");
    Callbacks callbacks = {0};
    size_t states = (size_t)atoi(arguments[3]), variables = (size_t)(count - 5);
    double *x = calloc(states + 1, sizeof *x), *values = calloc(variables + states + 1, sizeof *values);
    unsigned *references = calloc(variables + 1, sizeof *references);
    for (size_t k = 0; k < variables; k++) references[k] = (unsigned)atoi(arguments[5 + k]);

    void *one = instantiate("one", MODEL_EXCHANGE, arguments[2], "", &callbacks, 0, 0);
    if (one == NULL || setup(one, 0, 0.0, 0.0, 0, 0.0) || enter(one) || leave(one) || continuous(one)) return 2;
    if (get_states(one, x, states)) return 3;
    for (size_t k = 0; k < states; k++) x[k] += 0.01 * sin(1.0 + (double)k);
    if (set_states(one, x, states) || derivatives(one, values, states)) return 3;
    print(values, states);

    one = instantiate("two", CO_SIMULATION, arguments[2], "", &callbacks, 0, 0);
    if (one == NULL || setup(one, 0, 0.0, 0.0, 0, 0.0) || enter(one) || leave(one)) return 4;
    double end = atof(arguments[4]), h = 0.05;
    for (int k = 0; k * h < end - 1e-9; k++)
        if (step(one, k * h, h, 1)) return 5;
    if (get(one, references, variables, values)) return 6;
    print(values, variables);
    return 0;
}
