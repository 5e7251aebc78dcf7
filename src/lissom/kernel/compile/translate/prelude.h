/* The numbers of kernels: double, complex (cplx), eight doubles (pack), eight complex numbers (cpack); sums of rows;
   memory of arrays; what a checked build looks at. Names of arithmetic end with its numbers: d, c, p, q. */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define INLINE static inline __attribute__((always_inline, unused))
#if defined(__clang__)
#define SHORT_LOOP _Pragma("clang loop unroll(disable) vectorize(disable)")
#else
#define SHORT_LOOP _Pragma("GCC unroll 1")
#endif
#if defined(_WIN32)
#define HIDDEN
#else
#define HIDDEN __attribute__((visibility("hidden")))
#endif

typedef struct { double re, im; } cplx;

/* Memory of arrays that a kernel makes, given back when it returns: a list, as what the stack gives is gone with the
   function that is inlined. */
typedef struct Block { struct Block *before; double aligned; } Block;
static _Thread_local Block *blocks __attribute__((unused));
INLINE void *allocated(size_t size)
{
    Block *made = malloc(sizeof(Block) + size);
    if (made == NULL) abort();
    made->before = blocks;
    blocks = made;
    return made + 1;
}
INLINE void release(Block *until)
{
    while (blocks != until) {
        Block *last = blocks;
        blocks = last->before;
        free(last);
    }
}

/* Whole numbers and reals, with Python's signs of quotients and remainders. */
INLINE int64_t floor_div(int64_t a, int64_t b) { int64_t q = a / b; return q - ((a % b != 0) & ((a < 0) != (b < 0))); }
INLINE int64_t floor_mod(int64_t a, int64_t b) { int64_t r = a % b; return r + ((r != 0) & ((r < 0) != (b < 0)) ? b : 0); }
INLINE double floor_mod_real(double a, double b)
{
    double r = fmod(a, b);
    return r == 0.0 ? copysign(0.0, b) : (r < 0.0) != (b < 0.0) ? r + b : r;
}
INLINE double floor_div_real(double a, double b)
{
    double r = fmod(a, b), q = (a - r) / b, whole;
    if (b == 0.0) return a / b;
    if (r != 0.0 && (r < 0.0) != (b < 0.0)) q -= 1.0;
    if (q == 0.0) return copysign(0.0, a / b);
    whole = floor(q);
    return q - whole > 0.5 ? whole + 1.0 : whole;
}
INLINE int64_t abs_int(int64_t a) { return a < 0 ? -a : a; }
INLINE double abs_d(double a) { return fabs(a); }
INLINE double least(double a, double b) { return b < a ? b : a; }
INLINE double largest(double a, double b) { return b > a ? b : a; }
INLINE int64_t least_int(int64_t a, int64_t b) { return b < a ? b : a; }
INLINE int64_t largest_int(int64_t a, int64_t b) { return b > a ? b : a; }
INLINE bool is_finite(double a) { return a - a == 0.0; }
INLINE double power_d(double a, int n) { double p = a; for (int k = 1; k < n; k++) p *= a; return p; }
INLINE int64_t power_int(int64_t a, int n) { int64_t p = a; for (int k = 1; k < n; k++) p *= a; return p; }

/* Complex numbers. */
INLINE cplx c_of_d(double a) { return (cplx){a, 0.0}; }
INLINE cplx add_cc(cplx a, cplx b) { return (cplx){a.re + b.re, a.im + b.im}; }
INLINE cplx add_cd(cplx a, double b) { return (cplx){a.re + b, a.im}; }
INLINE cplx add_dc(double a, cplx b) { return (cplx){a + b.re, b.im}; }
INLINE cplx sub_cc(cplx a, cplx b) { return (cplx){a.re - b.re, a.im - b.im}; }
INLINE cplx sub_cd(cplx a, double b) { return (cplx){a.re - b, a.im}; }
INLINE cplx sub_dc(double a, cplx b) { return (cplx){a - b.re, -b.im}; }
INLINE cplx mul_cc(cplx a, cplx b) { return (cplx){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
INLINE cplx mul_cd(cplx a, double b) { return (cplx){a.re * b, a.im * b}; }
INLINE cplx mul_dc(double a, cplx b) { return (cplx){a * b.re, a * b.im}; }
INLINE cplx neg_c(cplx a) { return (cplx){-a.re, -a.im}; }
INLINE cplx div_cd(cplx a, double b) { return (cplx){a.re / b, a.im / b}; }
INLINE cplx div_cc(cplx a, cplx b) /* Smith's rule: overflows only where the quotient does */
{
    bool by_real = fabs(b.re) >= fabs(b.im);
    double large = by_real ? b.re : b.im, small = by_real ? b.im : b.re;
    double x = by_real ? a.re : a.im, y = by_real ? a.im : a.re;
    double ratio = small / large, total = large + small * ratio, across = y - x * ratio;
    return (cplx){(x + y * ratio) / total, (by_real ? across : -across) / total};
}
INLINE cplx div_dc(double a, cplx b) { return div_cc((cplx){a, 0.0}, b); }
INLINE bool equal_c(cplx a, cplx b) { return a.re == b.re && a.im == b.im; }
INLINE double abs_c(cplx a) { return hypot(a.re, a.im); }
INLINE cplx power_c(cplx a, int n) { cplx p = a; for (int k = 1; k < n; k++) p = mul_cc(p, a); return p; }
INLINE cplx sin_c(cplx a) { return (cplx){sin(a.re) * cosh(a.im), cos(a.re) * sinh(a.im)}; }
INLINE cplx cos_c(cplx a) { return (cplx){cos(a.re) * cosh(a.im), -sin(a.re) * sinh(a.im)}; }
INLINE cplx exp_c(cplx a) { double size = exp(a.re); return (cplx){size * cos(a.im), size * sin(a.im)}; }
INLINE cplx log_c(cplx a) { return (cplx){log(hypot(a.re, a.im)), atan2(a.im, a.re)}; }
INLINE cplx sqrt_c(cplx a)
{
    if (a.re == 0.0 && a.im == 0.0) return (cplx){0.0, a.im};
    double t = sqrt(0.5 * hypot(a.re, a.im) + 0.5 * fabs(a.re));
    double other = a.im / (2.0 * t);
    if (a.re >= 0.0) return (cplx){t, other};
    return (cplx){fabs(other), copysign(t, a.im)};
}
/* (t + i s) / (1 + i t s) with t = tanh a.re, s = tan a.im: a quotient of exponentials would overflow, and make the
   derivative by the complex step NaN where the function has long settled. */
INLINE cplx tanh_c(cplx a)
{
    double t = tanh(a.re), s = tan(a.im), scale = 1.0 / (1.0 + t * t * s * s);
    return (cplx){t * (1.0 + s * s) * scale, s * (1.0 - t) * (1.0 + t) * scale};
}
INLINE bool is_finite_c(cplx a) { return is_finite(a.re) && is_finite(a.im); }

/* Sums of rows, s + f row, by steps of four doubles, four complex numbers or a pack. Rows begin anywhere. A sum that is not
   added to anything begins with -0.0: the compiler drops it, as x + -0.0 is x for every x. */
typedef double v4 __attribute__((vector_size(32)));
typedef double v4u __attribute__((vector_size(32), aligned(8), may_alias));
INLINE v4 v4_of_d(double a) { return a - (v4){0}; }
INLINE v4 load_d(const double *a) { return *(const v4u *)a; }
INLINE v4 nothing_d(void) { return v4_of_d(-0.0); }
INLINE void store_d(double *a, v4 x) { *(v4u *)a = x; }
INLINE v4 term_d_dd(v4 s, double f, const double *row) { return s + f * load_d(row); }

/* Of four complex numbers: those that lie in memory side by side, the same of i times what is still to be turned, and
   real and imaginary parts of sums of real rows. Each term is then one multiplication and addition for each register,
   and numbers are put in their places once for all terms. All four are one register where those are wide enough. */
#if defined(__AVX512F__)
typedef double v8 __attribute__((vector_size(64)));
typedef double v8u __attribute__((vector_size(64), aligned(8), may_alias));
typedef struct { v8 all, turn; v4 re, im; } csum;
INLINE v8 load_8(const cplx *a) { return *(const v8u *)a; }
INLINE csum nothing_c(void) { v4 x = nothing_d(); v8 y = -0.0 - (v8){0}; return (csum){y, y, x, x}; }
INLINE csum load_c(const cplx *a) { csum s = nothing_c(); s.all = load_8(a); return s; }
INLINE void store_c(cplx *a, csum s) { *(v8u *)a = s.all; }
INLINE csum turned(csum s)
{
    v8 signs = {-1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0};
    s.all += __builtin_shufflevector(s.turn, s.turn, 1, 0, 3, 2, 5, 4, 7, 6) * signs;
    return s;
}
INLINE csum paired(csum s) { s.all += __builtin_shufflevector(s.re, s.im, 0, 4, 1, 5, 2, 6, 3, 7); return s; }
INLINE csum term_c_dc(csum s, double f, const cplx *row) { s.all += f * load_8(row); return s; }
INLINE csum term_c_cc(csum s, cplx f, const cplx *row)
{
    v8 x = load_8(row);
    s.all += f.re * x, s.turn += f.im * x;
    return s;
}
#else
typedef struct { v4 low, high, turn_low, turn_high, re, im; } csum;
INLINE csum nothing_c(void) { v4 x = nothing_d(); return (csum){x, x, x, x, x, x}; }
INLINE csum load_c(const cplx *a)
{
    csum s = nothing_c();
    s.low = load_d(&a[0].re), s.high = load_d(&a[2].re);
    return s;
}
INLINE void store_c(cplx *a, csum s) { store_d(&a[0].re, s.low), store_d(&a[2].re, s.high); }
INLINE v4 times_i(v4 x) { return __builtin_shufflevector(x, x, 1, 0, 3, 2) * (v4){-1.0, 1.0, -1.0, 1.0}; }
INLINE csum turned(csum s) { s.low += times_i(s.turn_low), s.high += times_i(s.turn_high); return s; }
INLINE csum paired(csum s)
{
    s.low += __builtin_shufflevector(s.re, s.im, 0, 4, 1, 5), s.high += __builtin_shufflevector(s.re, s.im, 2, 6, 3, 7);
    return s;
}
INLINE csum term_c_dc(csum s, double f, const cplx *row)
{
    s.low += f * load_d(&row[0].re), s.high += f * load_d(&row[2].re);
    return s;
}
INLINE csum term_c_cc(csum s, cplx f, const cplx *row)
{
    v4 low = load_d(&row[0].re), high = load_d(&row[2].re);
    s.low += f.re * low, s.high += f.re * high, s.turn_low += f.im * low, s.turn_high += f.im * high;
    return s;
}
#endif
INLINE csum term_c_cd(csum s, cplx f, const double *row)
{
    v4 x = load_d(row);
    s.re += f.re * x, s.im += f.im * x;
    return s;
}
INLINE csum term_c_dd(csum s, double f, const double *row) { s.re += f * load_d(row); return s; }

/* Packs: one wide vector where the compiler is good at those, else two of four. Of a vector expression `e` in V (and
   W, the same bits as whole numbers), PACKn makes the function of n packs. */
#if defined(__clang__) || defined(__AVX512F__)
typedef double pack __attribute__((vector_size(64)));
typedef int64_t pack_bits __attribute__((vector_size(64)));
#define HALF(v) typedef pack V; typedef pack_bits W; (void)sizeof(W); (void)sizeof(V)
#define PACK1(name, e) INLINE pack name(pack a) { HALF(0); return e; }
#define PACK2(name, e) INLINE pack name(pack a, pack b) { HALF(0); return e; }
#define LANE(x, k) ((x)[k])
#define SET_LANE(x, k, v) ((x)[k] = (v))
INLINE pack p_of_d(double a) { return a - (pack){0}; }
#else
typedef int64_t v4_bits __attribute__((vector_size(32)));
typedef struct { v4 lo, hi; } pack;
#define HALF(v) typedef v4 V; typedef v4_bits W; (void)sizeof(W); (void)sizeof(V)
#define PACK1(name, e) INLINE v4 name##_half(v4 a) { HALF(0); return e; } \
    INLINE pack name(pack a) { return (pack){name##_half(a.lo), name##_half(a.hi)}; }
#define PACK2(name, e) INLINE v4 name##_half(v4 a, v4 b) { HALF(0); return e; } \
    INLINE pack name(pack a, pack b) { return (pack){name##_half(a.lo, b.lo), name##_half(a.hi, b.hi)}; }
#define LANE(x, k) ((k) < 4 ? (x).lo[(k) & 3] : (x).hi[(k) & 3])
#define SET_LANE(x, k, v) (*((k) < 4 ? (double *)&(x).lo + (k) : (double *)&(x).hi + (k) - 4) = (v))
INLINE pack p_of_d(double a) { v4 x = a - (v4){0}; return (pack){x, x}; }
#endif
#define EACH_LANE(k) for (int k = 0; k < 8; k++)
typedef struct { pack re, im; } cpack;
PACK2(add_pp, a + b)
PACK2(sub_pp, a - b)
PACK2(mul_pp, a * b)
PACK2(div_pp, a / b)
PACK1(neg_p, -a)
PACK1(abs_p, (V)((W)a & INT64_MAX))
INLINE pack add_pd(pack a, double b) { return add_pp(a, p_of_d(b)); }
INLINE pack add_dp(double a, pack b) { return add_pp(p_of_d(a), b); }
INLINE pack sub_pd(pack a, double b) { return sub_pp(a, p_of_d(b)); }
INLINE pack sub_dp(double a, pack b) { return sub_pp(p_of_d(a), b); }
INLINE pack mul_pd(pack a, double b) { return mul_pp(a, p_of_d(b)); }
INLINE pack mul_dp(double a, pack b) { return mul_pp(p_of_d(a), b); }
INLINE pack div_pd(pack a, double b) { return div_pp(a, p_of_d(b)); }
INLINE pack div_dp(double a, pack b) { return div_pp(p_of_d(a), b); }
INLINE pack power_p(pack a, int n) { pack p = a; for (int k = 1; k < n; k++) p = mul_pp(p, a); return p; }
#define BY_LANE(name, of) INLINE pack name(pack a) { pack x; EACH_LANE(k) SET_LANE(x, k, of(LANE(a, k))); return x; }
BY_LANE(sqrt_p, sqrt)
BY_LANE(tanh_p, tanh)
INLINE double first_lane(pack a) { return LANE(a, 0); }
INLINE double largest_lane(pack a) /* not a number where one of them is not */
{
    double most = LANE(a, 0), sum = 0.0;
    EACH_LANE(k) { double x = LANE(a, k); most = x > most ? x : most; sum += 0.0 * x; }
    return most + sum;
}
INLINE bool is_finite_p(pack a) { double sum = 0.0; EACH_LANE(k) sum += 0.0 * LANE(a, k); return sum == 0.0; }
INLINE pack since_p(pack t, pack begin, pack later, pack before)
{
    pack x;
    EACH_LANE(k) SET_LANE(x, k, LANE(t, k) >= LANE(begin, k) ? LANE(later, k) : LANE(before, k));
    return x;
}

/* Sine and cosine of packs: Cephes' polynomials on an eighth of a turn either side of a whole number k of quarter turns.
   Adding ROUNDER = 1.5 2^52 leaves k in the last bits. */
#define ROUNDER 6755399441055744.0
INLINE double quarter_turns(double x) { return rint(x * 0.63661977236758134308); }
BY_LANE(quarters_p, quarter_turns)
INLINE pack reduced_p(pack a, pack quarters) /* a - k pi / 2, of which two doubles are taken off one after the other */
{
    pack r;
    EACH_LANE(k) {
        double t = LANE(quarters, k);
        SET_LANE(r, k, fma(-t, 6.123233995736766e-17, fma(-t, 1.57079632679489661923, LANE(a, k))));
    }
    return r;
}
#define SINE(r, z) (r + r * z * (-1.66666666666666307295e-1 + z * (8.33333333332211858878e-3 \
    + z * (-1.98412698295895385996e-4 + z * (2.75573136213857245213e-6 + z * (-2.50507477628578072866e-8 \
    + z * 1.58962301576546568060e-10))))))
#define COSINE(z) (1.0 - 0.5 * z + z * z * (4.16666666666665929218e-2 + z * (-1.38888888888730564116e-3 \
    + z * (2.48015872888517045348e-5 + z * (-2.75573141792967388112e-7 + z * (2.08757008419747316778e-9 \
    - z * 1.13585365213876817300e-11))))))
#define ODD(k) ((((W)((k) + ROUNDER)) & 1) != 0)
#define WITH_SIGN(x, k) ((V)((W)(x) ^ ((((W)((k) + ROUNDER)) & 2) << 62)))
PACK2(sine_in, WITH_SIGN((V)((ODD(b) & (W)COSINE((a * a))) | (~ODD(b) & (W)SINE(a, (a * a)))), b))
PACK2(cosine_in, WITH_SIGN((V)((ODD(b) & (W)SINE(a, (a * a))) | (~ODD(b) & (W)COSINE((a * a)))), b + 1.0))
INLINE pack sin_p(pack a) { pack k = quarters_p(a); return sine_in(reduced_p(a, k), k); }
INLINE pack cos_p(pack a) { pack k = quarters_p(a); return cosine_in(reduced_p(a, k), k); }

/* Complex packs. */
INLINE cpack q_of_d(double a) { return (cpack){p_of_d(a), p_of_d(0.0)}; }
INLINE cpack q_of_p(pack a) { return (cpack){a, p_of_d(0.0)}; }
INLINE cpack q_of_c(cplx a) { return (cpack){p_of_d(a.re), p_of_d(a.im)}; }
INLINE cpack neg_q(cpack a) { return (cpack){neg_p(a.re), neg_p(a.im)}; }
INLINE cpack add_qq(cpack a, cpack b) { return (cpack){add_pp(a.re, b.re), add_pp(a.im, b.im)}; }
INLINE cpack sub_qq(cpack a, cpack b) { return (cpack){sub_pp(a.re, b.re), sub_pp(a.im, b.im)}; }
INLINE cpack mul_qq(cpack a, cpack b)
{
    return (cpack){sub_pp(mul_pp(a.re, b.re), mul_pp(a.im, b.im)), add_pp(mul_pp(a.re, b.im), mul_pp(a.im, b.re))};
}
INLINE cpack mul_pq(pack a, cpack b) { return (cpack){mul_pp(a, b.re), mul_pp(a, b.im)}; }
INLINE cpack mul_qp(cpack a, pack b) { return mul_pq(b, a); }
INLINE cpack mul_dq(double a, cpack b) { return mul_pq(p_of_d(a), b); }
INLINE cpack mul_qd(cpack a, double b) { return mul_pq(p_of_d(b), a); }
INLINE cpack mul_pc(pack a, cplx b) { return (cpack){mul_pd(a, b.re), mul_pd(a, b.im)}; }
INLINE cpack mul_cp(cplx a, pack b) { return mul_pc(b, a); }
INLINE cpack power_q(cpack a, int n) { cpack p = a; for (int k = 1; k < n; k++) p = mul_qq(p, a); return p; }
INLINE cpack div_qq(cpack a, cpack b)
{
    pack inverse = div_dp(1.0, add_pp(mul_pp(b.re, b.re), mul_pp(b.im, b.im)));
    return mul_pq(inverse, mul_qq(a, (cpack){b.re, neg_p(b.im)}));
}
#define WITH_COMPLEX(op) \
    INLINE cpack op##_qc(cpack a, cplx b) { return op##_qq(a, q_of_c(b)); } \
    INLINE cpack op##_cq(cplx a, cpack b) { return op##_qq(q_of_c(a), b); }
#define WITH_REAL(op) \
    INLINE cpack op##_qp(cpack a, pack b) { return op##_qq(a, q_of_p(b)); } \
    INLINE cpack op##_pq(pack a, cpack b) { return op##_qq(q_of_p(a), b); } \
    INLINE cpack op##_qd(cpack a, double b) { return op##_qq(a, q_of_d(b)); } \
    INLINE cpack op##_dq(double a, cpack b) { return op##_qq(q_of_d(a), b); } \
    INLINE cpack op##_pc(pack a, cplx b) { return op##_qq(q_of_p(a), q_of_c(b)); } \
    INLINE cpack op##_cp(cplx a, pack b) { return op##_qq(q_of_c(a), q_of_p(b)); }
WITH_COMPLEX(add) WITH_COMPLEX(sub) WITH_COMPLEX(mul) WITH_COMPLEX(div)
WITH_REAL(add) WITH_REAL(sub) WITH_REAL(div)
INLINE pack load_p(const pack *a) { return *a; }
INLINE pack nothing_p(void) { return p_of_d(-0.0); }
INLINE void store_p(pack *a, pack s) { *a = s; }
INLINE pack term_p_pp(pack s, pack f, const pack *row) { return add_pp(s, mul_pp(f, *row)); }
INLINE pack term_p_dp(pack s, double f, const pack *row) { return add_pp(s, mul_dp(f, *row)); }
INLINE pack term_p_pd(pack s, pack f, const double *row) { return add_pp(s, mul_pd(f, *row)); }
INLINE pack term_p_dd(pack s, double f, const double *row) { return add_pp(s, p_of_d(f * *row)); }
INLINE cpack load_q(const cpack *a) { return *a; }
INLINE cpack nothing_q(void) { pack x = nothing_p(); return (cpack){x, x}; }
INLINE void store_q(cpack *a, cpack s) { *a = s; }
INLINE cpack term_q_qq(cpack s, cpack f, const cpack *row)
{
    pack re = add_pp(s.re, mul_pp(f.re, row->re)), im = add_pp(s.im, mul_pp(f.re, row->im));
    return (cpack){sub_pp(re, mul_pp(f.im, row->im)), add_pp(im, mul_pp(f.im, row->re))};
}
INLINE cpack term_q_pq(cpack s, pack f, const cpack *row)
{
    return (cpack){add_pp(s.re, mul_pp(f, row->re)), add_pp(s.im, mul_pp(f, row->im))};
}
INLINE cpack term_q_qp(cpack s, cpack f, const pack *row)
{
    return (cpack){add_pp(s.re, mul_pp(f.re, *row)), add_pp(s.im, mul_pp(f.im, *row))};
}
INLINE cpack term_q_pp(cpack s, pack f, const pack *row) { return (cpack){term_p_pp(s.re, f, row), s.im}; }
INLINE cpack term_q_dp(cpack s, double f, const pack *row) { return (cpack){term_p_dp(s.re, f, row), s.im}; }
INLINE cpack term_q_dq(cpack s, double f, const cpack *row) { return term_q_pq(s, p_of_d(f), row); }
INLINE cpack term_q_cq(cpack s, cplx f, const cpack *row) { return term_q_qq(s, q_of_c(f), row); }
INLINE cpack term_q_cp(cpack s, cplx f, const pack *row) { return term_q_qp(s, q_of_c(f), row); }

/* A checked build stops with a message where Python would raise, and notes the first number that is not finite. */
#if defined(CHECKED)
#include <stdio.h>
#include <string.h>
HIDDEN void note_not_finite(const char *place);
#define STOP(...) do { fprintf(stderr, "lissom: " __VA_ARGS__); fflush(stderr); abort(); } while (0)
INLINE int64_t in_bounds(int64_t i, int64_t n, const char *place)
{
    if (i < 0 || i >= n) STOP("%s: entry %lld of %lld\n", place, (long long)i, (long long)n);
    return i;
}
INLINE int64_t slice_end(int64_t low, int64_t high, int64_t n, const char *place)
{
    if (low < 0 || high < low || high > n)
        STOP("%s: entries %lld to %lld of %lld\n", place, (long long)low, (long long)high, (long long)n);
    return high;
}
INLINE void same_size(int64_t m, int64_t n, const char *place)
{
    if (m != n) STOP("%s: axes of %lld and %lld entries\n", place, (long long)m, (long long)n);
}
INLINE int64_t not_zero(int64_t n, const char *place)
{
    if (n == 0) STOP("%s: divided by zero\n", place);
    return n;
}
INLINE int64_t whole_of(double x, const char *place)
{
    if (!(fabs(x) < 9.2233720368547758e18)) STOP("%s: %g as a whole number\n", place, x);
    return (int64_t)x;
}
INLINE void note_finite(double x, const char *place) { if (!is_finite(x)) note_not_finite(place); }
#endif
