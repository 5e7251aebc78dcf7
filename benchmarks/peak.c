/* The most floating-point operations one core can do: independent multiply-adds in registers. */

#define LANES 48 /* enough independent sums to hide the latency of a multiply-add */

long operations_per_round(void) { return 2 * LANES; }

double peak(long rounds, double factor, double step)
{
    double sums[LANES], total = 0;
    for (int k = 0; k < LANES; k++) sums[k] = k;
    for (long round = 0; round < rounds; round++)
        for (int k = 0; k < LANES; k++) sums[k] = factor * sums[k] + step;
    for (int k = 0; k < LANES; k++) total += sums[k];
    return total;
}
