/* Steps, inputs and outputs of a run; `simulation/stepping/time_loop.py` is the same in Python. */
#include "run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

enum { CLOCK_TIME, NEXT_STEP };
enum { ALIGNED = 64 }; /* bytes */

#define NUMBERS(run, at) ((double *)((run)->memory + (at)))
#define COUNTS(run, at) ((int64_t *)((run)->memory + (at)))

const char *const failures[] = {"", "", "the steps did not converge, however small", "the state became infinite",
                                "the motion diverges; check inputs, gains and the start"};

static void unsettle(Run *run) {
    run->settled = 0;
    run->observed = 0;
}

static void clear(Run *run) {
    memcpy(run->memory, IMAGE, image_size);
    link_memory(run->memory);
    run->time = 0.0;
    run->next = 0;
    run->changed = 1;
    unsettle(run);
}

Run *run_new(int exchange) {
    Run *run = calloc(1, sizeof *run);
    if (run == NULL || (run->block = malloc(image_size + ALIGNED)) == NULL) {
        free(run);
        return NULL;
    }
    run->memory = (unsigned char *)(((uintptr_t)run->block + ALIGNED - 1) / ALIGNED * ALIGNED);
    run->exchange = exchange;
    clear(run);
    return run;
}

void run_free(Run *run) {
    if (run != NULL) {
        free(run->block);
        free(run);
    }
}

void run_reset(Run *run) { clear(run); }

/* Ends of segments. */

static double end_after(Run *run, double t) {
    const double *ends = NUMBERS(run, ENDS);
    for (int k = 0; k < ENDS_COUNT; k++)
        if (ends[k] > t + 1e-12) return ends[k];
    return INFINITY;
}

static int jumps_at(Run *run, double t) {
    const double *jumps = NUMBERS(run, JUMPS);
    for (int k = 0; k < JUMPS_COUNT; k++)
        if (jumps[k] == t) return 1;
    return 0;
}

static void look_no_further(Run *run, double end) {
    NUMBERS(run, LATEST)[0] = isinf(end) ? end : end - 1e-13 * fmax(1.0, end);
}

int run_pass_events(Run *run) {
    const double *ends = NUMBERS(run, ENDS);
    run->next = 0;
    while (run->next < ENDS_COUNT && ends[run->next] <= run->time + 1e-12) run->next++;
    unsettle(run);
    return run->next < ENDS_COUNT;
}

double run_next_event(const Run *run) {
    return run->next < ENDS_COUNT ? NUMBERS(run, ENDS)[run->next] : INFINITY;
}

/* What comes from outside goes to where the machine code reads it. */

static void follow(Run *run, const double *wanted) {
    double *breaks = NUMBERS(run, BREAKS), *first = NUMBERS(run, COEFFICIENTS);
    breaks[0] = run->time; /* one piece from now on, a parabola */
    for (int k = 1; k < BREAKS_COUNT; k++) breaks[k] = 1e300;
    for (int k = 0; k < CHANNELS_COUNT; k++) {
        double *piece = first + 6 * channels[k];
        piece[0] = wanted[3 * k];
        piece[1] = wanted[3 * k + 1];
        piece[2] = 0.5 * wanted[3 * k + 2];
        piece[3] = piece[4] = piece[5] = 0.0;
    }
}

static void take_in(Run *run) {
    const double *inputs = NUMBERS(run, INPUTS);
    for (int k = 0; k < CONTROLLED; k++) NUMBERS(run, HELD)[controlled[k]] = 0.0;
    for (int k = 0; k < TORQUES_COUNT; k++) NUMBERS(run, HELD)[torques[k]] = inputs[k];
    for (int k = 0; k < CONTROLLED; k++) NUMBERS(run, HELD)[controlled[k]] += NUMBERS(run, ACTING)[k];
    inputs += TORQUES_COUNT;
    if (NUMBERS(run, SWITCHES)[0] != 0.0)
        follow(run, inputs);
    else {
        memcpy(run->memory + BREAKS, IMAGE + BREAKS, BREAKS_COUNT * sizeof(double));
        memcpy(run->memory + COEFFICIENTS, IMAGE + COEFFICIENTS, COEFFICIENTS_COUNT * sizeof(double));
    }
    inputs += 3 * CHANNELS_COUNT;
    for (int k = 0; k < LOADS_COUNT; k++) NUMBERS(run, LOAD_HELD)[LOADS_FIRST + k] = inputs[k];
    use_parameters(run->memory);
}

/* Accelerations, rates of the configuration, outputs. */

static double length(const double *quaternion) {
    double square = 0.0;
    for (int k = 0; k < 4; k++) square += quaternion[k] * quaternion[k];
    return sqrt(square);
}

static void copy_state(Run *run) {
    double *q = NUMBERS(run, OWN_Q);
    memcpy(q, run->memory + STATE_Q, NQ * sizeof(double));
    memcpy(run->memory + OWN_V, run->memory + STATE_V, NV * sizeof(double));
    for (int k = 0; k < NV; k++)
        if (group_axis[k] == 0) {
            double *turn = q + coordinate[k], size = length(turn);
            for (int j = 0; j < 4; j++) turn[j] /= size;
        }
}

/* Given coordinates follow their motion. */
static void copy_given(Run *run) {
    for (int k = 0; k < GIVEN_Q_COUNT; k++) NUMBERS(run, STATE_Q)[given_q[k]] = NUMBERS(run, OWN_Q)[given_q[k]];
    for (int k = 0; k < GIVEN_V_COUNT; k++) NUMBERS(run, STATE_V)[given_v[k]] = NUMBERS(run, OWN_V)[given_v[k]];
}

/* p' = p w / 2 of a quaternion of any length and the angular velocity w in body axes. */
static void turn_rate(const double *p, const double *w, double *rate) {
    rate[0] = -0.5 * (p[1] * w[0] + p[2] * w[1] + p[3] * w[2]);
    rate[1] = 0.5 * (p[0] * w[0] + p[2] * w[2] - p[3] * w[1]);
    rate[2] = 0.5 * (p[0] * w[1] + p[3] * w[0] - p[1] * w[2]);
    rate[3] = 0.5 * (p[0] * w[2] + p[1] * w[1] - p[2] * w[0]);
}

/* A vector in body axes, in the axes in which the unit quaternion p turns the body. */
static void rotated(const double *p, const double *x, double *out) {
    double w = p[0], c[3] = {p[2] * x[2] - p[3] * x[1], p[3] * x[0] - p[1] * x[2], p[1] * x[1] - p[2] * x[0]};
    out[0] = x[0] + 2.0 * (w * c[0] + p[2] * c[2] - p[3] * c[1]);
    out[1] = x[1] + 2.0 * (w * c[1] + p[3] * c[0] - p[1] * c[2]);
    out[2] = x[2] + 2.0 * (w * c[2] + p[1] * c[1] - p[2] * c[0]);
}

static void find_rates(Run *run) {
    const double *unit = NUMBERS(run, OWN_Q), *q = NUMBERS(run, STATE_Q), *v = NUMBERS(run, OWN_V);
    double *rate = NUMBERS(run, OWN_RATE);
    for (int k = 0; k < NV; k++) {
        int at = coordinate[k];
        if (group_axis[k] < 0) rate[at] = v[k];
        if (group_axis[k] == 0) turn_rate(q + at, v + k, rate + at);
        if (group_axis[k] == 3) rotated(unit + at, v + k, rate + at + 4);
    }
}

static void settle(Run *run) {
    if (run->settled) return;
    copy_state(run);
    int changed = run->changed;
    if (changed || (run->exchange && NUMBERS(run, SWITCHES)[0] != 0.0)) {
        take_in(run);
        run->changed = 0;
    }
    look_no_further(run, run->exchange ? run_next_event(run) : INFINITY);
    if (changed || run->exchange || ROWS) {
        accelerate(run->memory, run->time);
        copy_given(run);
    } else
        memcpy(run->memory + OWN_A, run->memory + STATE_A, NV * sizeof(double));
    if (changed && !run->exchange) { /* the next step cannot continue the last */
        memcpy(run->memory + STATE_A, run->memory + OWN_A, NV * sizeof(double));
        COUNTS(run, CONTINUED)[0] = 0;
    }
    find_rates(run);
    run->settled = 1;
    run->observed = 0;
}

static void look(Run *run) {
    settle(run);
    if (run->observed) return;
    COUNTS(run, WRITTEN)[0] = 0;
    sample(run->memory, run->time);
    observe(run->memory);
    sense(run->memory);
    run->observed = 1;
}

/* A controller with samples, as `control/laws/sampled_control.py` holds them: taken at the rate, each acting after the
   delay. */

static double next_sample(Run *run) {
    if (!CONTROLLED) return INFINITY;
    const int64_t *counts = COUNTS(run, SAMPLED);
    double sample = (double)counts[0] / SAMPLE_RATE;
    return counts[2] > 0 ? fmin(sample, NUMBERS(run, WAITING)[(1 + CONTROLLED) * counts[1]]) : sample;
}

static void take_samples(Run *run) {
    if (!CONTROLLED) return;
    double t = run->time, slack = 1e-9 / SAMPLE_RATE;
    int64_t *counts = COUNTS(run, SAMPLED);
    double *waiting = NUMBERS(run, WAITING);
    double sample_time = (double)counts[0] / SAMPLE_RATE;
    if (sample_time <= t + slack) {
        settle(run);
        if (counts[0] == 0) memset(run->memory + OWN_A, 0, NV * sizeof(double)); /* sensors see a steady motion first */
        COUNTS(run, WRITTEN)[0] = 0;
        sample(run->memory, t);
        observe(run->memory);
        sense(run->memory);
        double *row = waiting + (1 + CONTROLLED) * ((counts[1] + counts[2]) % (WAITING_ROWS + !WAITING_ROWS));
        row[0] = sample_time + SAMPLE_DELAY;
        control(run->memory, sample_time, row + 1);
        counts[2]++;
        counts[0]++;
        unsettle(run);
    }
    while (counts[2] > 0 && waiting[(1 + CONTROLLED) * counts[1]] <= t + slack) {
        memcpy(run->memory + ACTING, waiting + (1 + CONTROLLED) * counts[1] + 1, CONTROLLED * sizeof(double));
        counts[1] = (counts[1] + 1) % (WAITING_ROWS + !WAITING_ROWS);
        counts[2]--;
        run->changed = 1;
        unsettle(run);
    }
}

void run_begin(Run *run, double time) {
    run->time = time;
    NUMBERS(run, CLOCK)[CLOCK_TIME] = time;
    run->changed = 1;
    unsettle(run);
    run_pass_events(run);
    settle(run);
    take_samples(run);
    settle(run);
}

/* As `simulation/status/run_limits.py` does: a joint that races, a tip that is lengths away. */
static int diverges(Run *run) {
    const double *q = NUMBERS(run, STATE_Q), *v = NUMBERS(run, STATE_V);
    for (int k = 0; k < NV; k++)
        if (!(fabs(v[k]) < RACING)) return 1;
    for (int link = 0; link < WATCHED_COUNT; link++) {
        double square = 0.0;
        for (int row = 0; row < 3; row++) {
            double sum = 0.0;
            for (int k = 0; k < NQ; k++) sum += tip_maps[(3 * link + row) * NQ + k] * q[k];
            square += sum * sum;
        }
        if (!(square < 1.0)) return 1;
    }
    return 0;
}

int run_step(Run *run, double end) {
    double *clock = NUMBERS(run, CLOCK);
    settle(run);
    while (clock[CLOCK_TIME] < end) {
        double segment = fmin(fmin(end, end_after(run, clock[CLOCK_TIME])), next_sample(run));
        int64_t status;
        look_no_further(run, segment);
        do {
            status = march(run->memory, segment, LONGEST, FIXED, 50);
            run->time = clock[CLOCK_TIME];
            unsettle(run);
            if (status == 2 || status == 3) return (int)status;
            if (diverges(run)) return 4;
        } while (status == 1);
        take_samples(run);
        if (CONTROLLED && run->changed) settle(run);
        if (jumps_at(run, segment)) {
            run->changed = 1;
            settle(run);
            if (!FIXED) clock[NEXT_STEP] = fmin(clock[NEXT_STEP], AFTER_JUMP);
        }
    }
    return 0;
}

/* Variables. */

int run_get(Run *run, uint32_t variable, double *value) {
    if (variable >= variable_count) return 1;
    const Variable *one = &variables[variable];
    if (one->role == TIME) {
        *value = run->time;
        return 0;
    }
    if (one->role == DERIVATIVE) settle(run);
    if (one->role == OUTPUT) look(run);
    *value = one->sign * *NUMBERS(run, one->at);
    return 0;
}

int run_set(Run *run, uint32_t variable, double value) {
    if (variable >= variable_count) return 1;
    const Variable *one = &variables[variable];
    if (one->role != INPUT && one->role != PARAMETER && one->role != SWITCH && one->role != STATE) return 1;
    if (!(one->least <= value && value <= one->largest)) return 1;
    double *at = NUMBERS(run, one->at);
    if (*at == value) return 0;
    *at = value;
    run->changed = 1;
    unsettle(run);
    return 0;
}

/* Model exchange. */

void run_set_time(Run *run, double time) {
    run->time = time;
    unsettle(run);
}

void run_set_states(Run *run, const double *x) {
    for (int k = 0; k < STATES_COUNT; k++) *NUMBERS(run, states[k]) = x[k];
    unsettle(run);
}

void run_get_states(Run *run, double *x) {
    for (int k = 0; k < STATES_COUNT; k++) x[k] = *NUMBERS(run, states[k]);
}

void run_get_rates(Run *run, double *rates) {
    settle(run);
    for (int k = 0; k < STATES_COUNT; k++) rates[k] = *NUMBERS(run, derivatives[k]);
}

/* The whole run as bytes; addresses are written anew where they are read. */

size_t run_size(void) { return sizeof(Run) + image_size; }

void run_save(const Run *run, unsigned char *bytes) {
    memcpy(bytes, run, sizeof *run);
    memcpy(bytes + sizeof *run, run->memory, image_size);
}

void run_restore(Run *run, const unsigned char *bytes) {
    Run own = *run;
    memcpy(run, bytes, sizeof *run);
    run->block = own.block;
    run->memory = own.memory;
    memcpy(run->memory, bytes + sizeof *run, image_size);
    link_memory(run->memory);
}

/* Derivatives of `unknown` along `seed`: differences of fourth order. */

static int seen_at(Run *run, const uint32_t *known, size_t knowns, const double *at, const double *seed, double step,
                   const uint32_t *unknown, size_t unknowns, double weight, double *out) {
    for (size_t k = 0; k < knowns; k++) *NUMBERS(run, variables[known[k]].at) = at[k] + step * seed[k];
    run->changed = 1;
    unsettle(run);
    for (size_t k = 0; k < unknowns; k++) {
        double value;
        if (run_get(run, unknown[k], &value)) return 1;
        out[k] += weight * value;
    }
    return 0;
}

int run_directional(Run *run, const uint32_t *unknown, size_t unknowns, const uint32_t *known, size_t knowns,
                    const double *seed, double *out) {
    static const double steps[4] = {-2.0, -1.0, 1.0, 2.0}, weights[4] = {1.0, -8.0, 8.0, -1.0};
    double largest = 0.0;
    int wrong = 0;
    for (size_t k = 0; k < unknowns; k++) out[k] = 0.0;
    for (size_t k = 0; k < knowns; k++) {
        if (known[k] >= variable_count) return 1;
        Role role = variables[known[k]].role;
        if (role != INPUT && role != STATE && role != PARAMETER) return 1;
        double size = fmax(1.0, fabs(*NUMBERS(run, variables[known[k]].at)));
        largest = fmax(largest, fabs(seed[k]) / size);
    }
    if (largest == 0.0) return 0;
    unsigned char *before = malloc(run_size());
    double *at = malloc((knowns + 1) * sizeof *at), step = 2e-5 / largest;
    if (before == NULL || at == NULL)
        wrong = 1;
    else {
        run_save(run, before);
        for (size_t k = 0; k < knowns; k++) at[k] = *NUMBERS(run, variables[known[k]].at);
        for (int j = 0; j < 4 && !wrong; j++)
            wrong = seen_at(run, known, knowns, at, seed, steps[j] * step, unknown, unknowns,
                            weights[j] / (12.0 * step), out);
        run_restore(run, before);
    }
    free(before);
    free(at);
    return wrong;
}
