/* Runs an FMU of FMI 2.0 without Python: host LIBRARY GUID REFERENCE prints a variable after a step, and again after the
   state was set back and the step repeated. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    void *logger, *allocate, *release, *finished, *environment;
} Callbacks;

int main(int count, char **arguments) {
    void *library = count == 4 ? dlopen(arguments[1], RTLD_NOW) : NULL;
    if (library == NULL) {
        puts(dlerror());
        return 1;
    }
    void *(*instantiate)(const char *, int, const char *, const char *, const Callbacks *, int, int);
    int (*setup)(void *, int, double, double, int, double), (*enter)(void *), (*leave)(void *);
    int (*step)(void *, double, double, int), (*get)(void *, const unsigned *, size_t, double *);
    int (*save)(void *, void **), (*restore)(void *, void *), (*release)(void *, void **);
    void (*end)(void *);
    *(void **)&instantiate = dlsym(library, "fmi2Instantiate");
    *(void **)&setup = dlsym(library, "fmi2SetupExperiment");
    *(void **)&enter = dlsym(library, "fmi2EnterInitializationMode");
    *(void **)&leave = dlsym(library, "fmi2ExitInitializationMode");
    *(void **)&step = dlsym(library, "fmi2DoStep");
    *(void **)&get = dlsym(library, "fmi2GetReal");
    *(void **)&save = dlsym(library, "fmi2GetFMUstate");
    *(void **)&restore = dlsym(library, "fmi2SetFMUstate");
    *(void **)&release = dlsym(library, "fmi2FreeFMUstate");
    *(void **)&end = dlsym(library, "fmi2FreeInstance");
    Callbacks callbacks = {0};
    unsigned variable = (unsigned)atoi(arguments[3]);
    void *one = instantiate("one", 1, arguments[2], "", &callbacks, 0, 0), *state = NULL;
    if (one == NULL) return 2;
    setup(one, 0, 0.0, 0.0, 0, 0.0);
    enter(one);
    leave(one);
    step(one, 0.0, 0.01, 1);
    save(one, &state);
    for (int k = 0; k < 2; k++) {
        double value;
        step(one, 0.01, 0.01, 1);
        get(one, &variable, 1, &value);
        printf("%.17g\n", value);
        restore(one, state);
    }
    release(one, &state);
    end(one);
    return 0;
}
