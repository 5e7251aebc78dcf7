/* The most floating-point operations one core can do: independent multiply-adds in registers. */

#ifdef __AVX512F__
#define WIDTH 8
#define CHAINS 16 /* of 32 registers: a latency of 4 cycles at two multiply-adds per cycle asks for 8 or more */
#else
#define WIDTH 4
#define CHAINS 12 /* of 16 registers, beside the factor and the step */
#endif

typedef double vector __attribute__((vector_size(8 * WIDTH)));

long operations_per_round(void) { return 2 * CHAINS * WIDTH; }

double peak(long rounds, double factor, double step)
{
    vector sums[CHAINS], f = factor - (vector){0}, s = step - (vector){0};
    double total = 0;
    for (int k = 0; k < CHAINS; k++) sums[k] = k - (vector){0};
    for (long round = 0; round < rounds; round++)
        for (int k = 0; k < CHAINS; k++) sums[k] = f * sums[k] + s;
    for (int k = 0; k < CHAINS; k++)
        for (int i = 0; i < WIDTH; i++) total += sums[k][i];
    return total;
}
