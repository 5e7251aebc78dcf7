/* Forward dynamics of a serial chain of flexible links on revolute joints, by hand.

   The articulated-body pass of lissom's kernel for links of equal mode counts, linear field. LINKS and MODES are fixed
   when this file is compiled; the kernel it is compared with takes any tree. Twists and wrenches have the angular part
   first, in link axes. Row 0 of every model array is the world. */

#include <math.h>

_Static_assert(MODES % 4 == 0, "rows start on whole vector registers");

#define ROWS (MODES + 6)                  /* a link's unknowns: modal accelerations, acceleration of its frame */
#define BIAS (MODES + 6)                  /* column of the right-hand side */
#define WIDTH ((MODES + 7 + 3) / 4 * 4)   /* rows padded to whole vector registers */
#define STATE (1 + MODES)                 /* coordinates of a link: joint angle, modes */

typedef struct {
    const double (*section_position)[3];       /* section that carries the joint, on the undeformed parent */
    const double (*section_phi)[3][MODES];     /* its displacement per mode of the parent */
    const double (*section_psi)[3][MODES];     /* its rotation */
    const double (*screw)[3][6];               /* of the joint in the first row: its axis, then zeros */
    const double *mass;
    const double (*moment)[3];                 /* int s0 */
    const double (*second_moment)[3][3];       /* int s0 s0^T */
    const double (*coupling)[MODES][12];       /* int s_a Phi_bj of the undeformed link, a in x, y, z, 1 */
    const double (*coupling_eta)[MODES][MODES][12];  /* its derivative by the first index */
    const double (*gyroscopic)[3][MODES][MODES];     /* int Phi_l x Phi_j */
    const double (*modal_mass)[MODES][MODES];
    const double (*stiffness)[MODES][MODES];
    const double (*damping)[MODES][MODES];
    const double *gravity;
} Model;

typedef struct { double x, y, z; } Vec;
typedef struct { Vec x, y, z; } Mat; /* rows */

typedef struct {
    Mat rotation;              /* link axes in the parent's axes */
    Vec position;              /* link origin in the parent's frame */
    Vec omega;                 /* angular velocity */
    Vec drift_angular;         /* acceleration at zero qdd and zero parent acceleration */
    Vec drift_linear;
    Vec axis;
    Vec pull_angular;          /* articulated inertia times joint axis */
    Vec pull_linear;
    double pull_inverse;
    double pull_force;
    double pivot_inverse[MODES];
    _Alignas(32) double reach[6][MODES];       /* motion of the link's origin per mode of the parent, parent axes */
    _Alignas(32) double system[ROWS][WIDTH];   /* upper triangle of [modes, twist | bias] */
} Link;

static inline Vec vec(const double *a) { return (Vec){a[0], a[1], a[2]}; }
static inline Vec add(Vec a, Vec b) { return (Vec){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline Vec sub(Vec a, Vec b) { return (Vec){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline Vec scale(double s, Vec a) { return (Vec){s * a.x, s * a.y, s * a.z}; }
static inline double dot(Vec a, Vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline Vec cross(Vec a, Vec b)
{
    return (Vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline Vec rotate(Mat R, Vec a) { return (Vec){dot(R.x, a), dot(R.y, a), dot(R.z, a)}; }
static inline Vec rotate_back(Mat R, Vec a)
{
    return (Vec){R.x.x * a.x + R.y.x * a.y + R.z.x * a.z,
                 R.x.y * a.x + R.y.y * a.y + R.z.y * a.z,
                 R.x.z * a.x + R.y.z * a.y + R.z.z * a.z};
}
static inline Mat compose(Mat A, Mat B)
{
    return (Mat){rotate_back(B, A.x), rotate_back(B, A.y), rotate_back(B, A.z)};
}
static inline Mat transpose(Mat A)
{
    return (Mat){{A.x.x, A.y.x, A.z.x}, {A.x.y, A.y.y, A.z.y}, {A.x.z, A.y.z, A.z.z}};
}
static inline Mat conjugate(Mat R, Mat A) { return compose(compose(R, A), transpose(R)); }

static inline Mat turn_matrix(Vec a, double angle)
{
    double c = cos(angle), s = sin(angle), k = 1 - c;
    return (Mat){{c + k * a.x * a.x, k * a.x * a.y - s * a.z, k * a.x * a.z + s * a.y},
                 {k * a.y * a.x + s * a.z, c + k * a.y * a.y, k * a.y * a.z - s * a.x},
                 {k * a.z * a.x - s * a.y, k * a.z * a.y + s * a.x, c + k * a.z * a.z}};
}

static inline Mat gibbs_matrix(Vec g)
{
    double f = 2 / (1 + dot(g, g));
    return (Mat){{1 - f * (g.y * g.y + g.z * g.z), f * (g.x * g.y - g.z), f * (g.x * g.z + g.y)},
                 {f * (g.x * g.y + g.z), 1 - f * (g.x * g.x + g.z * g.z), f * (g.y * g.z - g.x)},
                 {f * (g.x * g.z - g.y), f * (g.y * g.z + g.x), 1 - f * (g.x * g.x + g.y * g.y)}};
}

static inline Vec modal_sum(const double (*restrict weights)[MODES], const double *restrict amplitude)
{
    Vec sum = {0, 0, 0};
    for (int j = 0; j < MODES; j++) {
        sum.x += weights[0][j] * amplitude[j];
        sum.y += weights[1][j] * amplitude[j];
        sum.z += weights[2][j] * amplitude[j];
    }
    return sum;
}

/* Angular velocity, its drift and the drift of the origin, carried through a rotation Q at the relative rate given. */
static inline void turn(Link *restrict link, Mat Q, Vec rate, Vec rate_drift)
{
    Vec omega = rotate_back(Q, link->omega);
    link->drift_angular = add(rotate_back(Q, link->drift_angular), add(cross(omega, rate), rate_drift));
    link->drift_linear = rotate_back(Q, link->drift_linear);
    link->omega = add(omega, rate);
}

/* From the parent's frame to the deformed section at its tip: position, rotation, drifts and `reach`. */
static inline void to_section(const Model *restrict model, int i, const double *restrict eta,
                              const double *restrict rate, Link *restrict link)
{
    const double(*restrict phi)[MODES] = model->section_phi[i], (*restrict psi)[MODES] = model->section_psi[i];
    Vec u = modal_sum(phi, eta), du = modal_sum(phi, rate), th = modal_sum(psi, eta), dth = modal_sum(psi, rate);
    Vec r = link->position = add(vec(model->section_position[i]), u);
    link->drift_linear = cross(link->omega, add(cross(link->omega, r), scale(2, du)));

    /* bending by the slopes a: Gibbs vector g = a/2 (1 + |a|^2/12), its rate and drift */
    Vec a = {0, th.y, th.z}, da = {0, dth.y, dth.z};
    double z = dot(a, a), dz = 2 * dot(a, da), s = 0.5 + z / 24;
    Vec g = scale(s, a), dg = add(scale(s, da), scale(dz / 24, a));
    Vec ddg = add(scale(dz / 12, da), scale(dot(da, da) / 12, a));
    double f = 2 / (1 + dot(g, g));
    Vec spin = scale(f, sub(dg, cross(g, dg)));
    Vec spin_drift = sub(scale(f, sub(ddg, cross(g, ddg))), scale(f * dot(g, dg), spin));
    Mat bend = gibbs_matrix(g), twist = turn_matrix((Vec){1, 0, 0}, th.x);
    turn(link, bend, spin, spin_drift);
    turn(link, twist, (Vec){dth.x, 0, 0}, (Vec){0, 0, 0});
    link->rotation = compose(bend, twist);

    double (*restrict reach)[MODES] = link->reach;
    for (int j = 0; j < MODES; j++) {
        double slope = (psi[1][j] * a.y + psi[2][j] * a.z) / 12;
        double gy = s * psi[1][j] + slope * a.y, gz = s * psi[2][j] + slope * a.z;
        reach[0][j] = f * (g.y * gz - g.z * gy) + psi[0][j] * bend.x.x;
        reach[1][j] = f * gy + psi[0][j] * bend.y.x;
        reach[2][j] = f * gz + psi[0][j] * bend.z.x;
        reach[3][j] = phi[0][j];
        reach[4][j] = phi[1][j];
        reach[5][j] = phi[2][j];
    }
}

/* A link's own inertia and bias at its deformation, from the invariants. */
static inline void own_system(const Model *restrict model, int i, const double *restrict eta,
                              const double *restrict rate, const double *restrict tau, Link *restrict link)
{
    const double(*restrict c0)[12] = model->coupling[i];
    const double(*restrict by_eta)[MODES][12] = model->coupling_eta[i];
    double(*restrict A)[WIDTH] = link->system;
    _Alignas(32) double c[MODES][12], gain[12] = {0}, moving[12] = {0}, modal[MODES];

    for (int j = 0; j < MODES; j++)
        for (int ab = 0; ab < 12; ab++) {
            double sum = c0[j][ab];
            for (int l = 0; l < MODES; l++) sum += eta[l] * by_eta[l][j][ab];
            c[j][ab] = sum;
        }
    for (int j = 0; j < MODES; j++)
        for (int ab = 0; ab < 12; ab++) {
            gain[ab] += 0.5 * eta[j] * (c0[j][ab] + c[j][ab]);
            moving[ab] += rate[j] * c[j][ab];
        }

    Vec w = link->omega, moment = add(vec(model->moment[i]), vec(gain + 9));
    const double(*restrict G0)[3] = model->second_moment[i];
    double xx = G0[0][0] + 2 * gain[0], yy = G0[1][1] + 2 * gain[4], zz = G0[2][2] + 2 * gain[8];
    double xy = G0[0][1] + gain[1] + gain[3], xz = G0[0][2] + gain[2] + gain[6], yz = G0[1][2] + gain[5] + gain[7];
    Mat J = {{yy + zz, -xy, -xz}, {-xy, xx + zz, -yz}, {-xz, -yz, xx + yy}};
    Mat D = {vec(moving), vec(moving + 3), vec(moving + 6)};
    double stretch = 2 * (moving[0] + moving[4] + moving[8]);
    Vec torque = add(cross(w, rotate(J, w)), sub(scale(stretch, w), scale(2, rotate_back(D, w))));
    Vec force = cross(w, add(cross(w, moment), scale(2, vec(moving + 9))));
    double mass = model->mass[i];
    double rigid[6][7] = {{J.x.x, J.x.y, J.x.z, 0, -moment.z, moment.y, torque.x},
                          {0, J.y.y, J.y.z, moment.z, 0, -moment.x, torque.y},
                          {0, 0, J.z.z, -moment.y, moment.x, 0, torque.z},
                          {0, 0, 0, mass, 0, 0, force.x},
                          {0, 0, 0, 0, mass, 0, force.y},
                          {0, 0, 0, 0, 0, mass, force.z}};
    for (int row = 0; row < 6; row++)
        for (int k = 0; k < 7; k++) A[MODES + row][MODES + k] = rigid[row][k];

    double cxx = -(w.y * w.y + w.z * w.z), cyy = -(w.x * w.x + w.z * w.z), czz = -(w.x * w.x + w.y * w.y);
    for (int j = 0; j < MODES; j++) {
        modal[j] = cxx * c[j][0] + cyy * c[j][4] + czz * c[j][8] + w.x * w.y * (c[j][1] + c[j][3])
                   + w.x * w.z * (c[j][2] + c[j][6]) + w.y * w.z * (c[j][5] + c[j][7]) - tau[j];
        for (int k = 0; k < MODES; k++) A[j][k] = model->modal_mass[i][j][k];
        A[j][MODES] = c[j][5] - c[j][7];
        A[j][MODES + 1] = c[j][6] - c[j][2];
        A[j][MODES + 2] = c[j][1] - c[j][3];
        for (int k = 0; k < 3; k++) A[j][MODES + 3 + k] = c[j][9 + k];
    }
    const double(*restrict about)[MODES][MODES] = model->gyroscopic[i];
    const double(*restrict K)[MODES] = model->stiffness[i], (*restrict C)[MODES] = model->damping[i];
    for (int l = 0; l < MODES; l++) {
        double e = eta[l], de = rate[l], x = 2 * de * w.x, y = 2 * de * w.y, z = 2 * de * w.z;
        for (int j = 0; j < MODES; j++)
            modal[j] += e * K[l][j] + de * C[l][j] + x * about[0][l][j] + y * about[1][l][j] + z * about[2][l][j];
    }
    for (int j = 0; j < MODES; j++) A[j][BIAS] = modal[j];
}

/* Reduce the rows of [modes, twist | bias] by the modes above them. */
static inline void eliminate_modes(double (*restrict A)[WIDTH], double *restrict inverse)
{
    for (int r = 0; r < ROWS; r++) {
        for (int j = 0; j < (r < MODES ? r : MODES); j++) {
            double f = A[j][r] * inverse[j];
            for (int k = r / 4 * 4; k < WIDTH; k++) A[r][k] -= f * A[j][k];
        }
        if (r < MODES) inverse[r] = 1 / A[r][r];
    }
}

static inline void store_block(double (*restrict B)[6], int row, int column, Mat A)
{
    const Vec rows[3] = {A.x, A.y, A.z};
    for (int k = 0; k < 3; k++) {
        B[row + k][column] = rows[k].x;
        B[row + k][column + 1] = rows[k].y;
        B[row + k][column + 2] = rows[k].z;
    }
}

/* Take the joint's rotation out of a link's articulated inertia and add the rest to its parent's system. */
static inline void hand_to_parent(Link *restrict link, double tau, Link *restrict parent)
{
    double(*restrict own)[WIDTH] = link->system + MODES;
    double I[6][7];
    for (int row = 0; row < 6; row++) {
        for (int k = row; k < 6; k++) I[row][k] = I[k][row] = own[row][MODES + k];
        I[row][6] = own[row][BIAS];
    }
    Vec s = link->axis;
    double U[6], drift[6] = {link->drift_angular.x, link->drift_angular.y, link->drift_angular.z,
                             link->drift_linear.x, link->drift_linear.y, link->drift_linear.z};
    for (int row = 0; row < 6; row++) U[row] = I[row][0] * s.x + I[row][1] * s.y + I[row][2] * s.z;
    double inverse = 1 / dot(s, vec(U)), force = tau - (s.x * I[0][6] + s.y * I[1][6] + s.z * I[2][6]);
    link->pull_angular = vec(U);
    link->pull_linear = vec(U + 3);
    link->pull_inverse = inverse;
    link->pull_force = force;
    if (!parent) return;

    for (int row = 0; row < 6; row++) {
        double f = U[row] * inverse;
        I[row][6] += f * force;
        for (int k = 0; k < 6; k++) {
            I[row][k] -= f * U[k];
            I[row][6] += I[row][k] * drift[k];
        }
    }
    Mat R = link->rotation;
    Mat AA = conjugate(R, (Mat){vec(I[0]), vec(I[1]), vec(I[2])});
    Mat AL = conjugate(R, (Mat){vec(I[0] + 3), vec(I[1] + 3), vec(I[2] + 3)});
    Mat LL = conjugate(R, (Mat){vec(I[3] + 3), vec(I[4] + 3), vec(I[5] + 3)});
    Vec torque = rotate(R, (Vec){I[0][6], I[1][6], I[2][6]});
    Vec push = rotate(R, (Vec){I[3][6], I[4][6], I[5][6]});

    /* wrench per unit of every unknown of the parent, and the bias: columns of [AA AL; LA LL] [reach | twist at p] */
    Vec p = link->position;
    double B[6][6];
    store_block(B, 0, 0, AA);
    store_block(B, 0, 3, AL);
    store_block(B, 3, 0, transpose(AL));
    store_block(B, 3, 3, LL);
    double bias[6] = {torque.x, torque.y, torque.z, push.x, push.y, push.z};
    _Alignas(32) double carried[6][WIDTH];
    const double(*restrict reach)[MODES] = (const double(*)[MODES])link->reach;
    for (int row = 0; row < 6; row++) {
        double *restrict b = B[row], *restrict out = carried[row];
        for (int k = 0; k < MODES; k++)
            out[k] = b[0] * reach[0][k] + b[1] * reach[1][k] + b[2] * reach[2][k] + b[3] * reach[3][k]
                     + b[4] * reach[4][k] + b[5] * reach[5][k];
        Vec angular = add(vec(b), cross(p, vec(b + 3)));
        out[MODES] = angular.x;
        out[MODES + 1] = angular.y;
        out[MODES + 2] = angular.z;
        for (int k = 3; k < 6; k++) out[MODES + k] = b[k];
        out[BIAS] = bias[row];
        for (int k = BIAS + 1; k < WIDTH; k++) out[k] = 0;
    }
    double(*restrict A)[WIDTH] = parent->system;
    for (int j = 0; j < MODES; j++)
        for (int k = j / 4 * 4; k < WIDTH; k++)
            A[j][k] += reach[0][j] * carried[0][k] + reach[1][j] * carried[1][k] + reach[2][j] * carried[2][k]
                       + reach[3][j] * carried[3][k] + reach[4][j] * carried[4][k] + reach[5][j] * carried[5][k];
    for (int k = MODES; k < MODES + 7; k++) {
        A[MODES][k] += carried[0][k] + p.y * carried[5][k] - p.z * carried[4][k];
        A[MODES + 1][k] += carried[1][k] + p.z * carried[3][k] - p.x * carried[5][k];
        A[MODES + 2][k] += carried[2][k] + p.x * carried[4][k] - p.y * carried[3][k];
        for (int row = 3; row < 6; row++) A[MODES + row][k] += carried[row][k];
    }
}

/* Accelerations of a link's joint and modes, given that of its parent's frame; then that of its own frame. */
static inline void accelerate(const Link *restrict link, const double *restrict parent_modal, double *restrict qdd,
                              Vec *restrict angular, Vec *restrict linear)
{
    Vec a = *angular, v = add(*linear, cross(*angular, link->position));
    if (parent_modal) {
        a = add(a, modal_sum((const double(*)[MODES])link->reach, parent_modal));
        v = add(v, modal_sum((const double(*)[MODES])link->reach + 3, parent_modal));
    }
    a = add(rotate_back(link->rotation, a), link->drift_angular);
    v = add(rotate_back(link->rotation, v), link->drift_linear);
    qdd[0] = (link->pull_force - dot(link->pull_angular, a) - dot(link->pull_linear, v)) * link->pull_inverse;
    a = add(a, scale(qdd[0], link->axis));
    *angular = a;
    *linear = v;

    double *restrict modal = qdd + 1;
    for (int j = MODES - 1; j >= 0; j--) {
        const double *restrict row = link->system[j], *restrict twist = row + MODES;
        double sum = row[BIAS] + dot(vec(twist), a) + dot(vec(twist + 3), v);
        for (int k = j + 1; k < MODES; k++) sum += row[k] * modal[k];
        modal[j] = -sum * link->pivot_inverse[j];
    }
}

/* Accelerations qdd under the forces tau; all of them (LINKS, 1 + MODES). */
void forward_dynamics(const Model *restrict model, Link *restrict links, const double *restrict q,
                      const double *restrict v, const double *restrict tau, double *restrict qdd)
{
    for (int i = 0; i < LINKS; i++) {
        const double *own_q = q + i * STATE, *own_v = v + i * STATE;
        Link *link = links + i;
        link->axis = vec(model->screw[i + 1][0]);
        Mat joint = turn_matrix(link->axis, own_q[0]);
        if (i > 0) {
            link->omega = links[i - 1].omega;
            link->drift_angular = (Vec){0, 0, 0};
            to_section(model, i + 1, own_q - MODES, own_v - MODES, link);
            link->rotation = compose(link->rotation, joint);
        } else {
            link->omega = link->drift_angular = link->drift_linear = (Vec){0, 0, 0};
            link->position = vec(model->section_position[1]);
            link->rotation = joint;
        }
        turn(link, joint, scale(own_v[0], link->axis), (Vec){0, 0, 0});
        own_system(model, i + 1, own_q + 1, own_v + 1, tau + i * STATE + 1, link);
    }
    for (int i = LINKS - 1; i >= 0; i--) {
        eliminate_modes(links[i].system, links[i].pivot_inverse);
        hand_to_parent(links + i, tau[i * STATE], i > 0 ? links + i - 1 : 0);
    }
    Vec angular = {0, 0, 0}, linear = scale(-1, vec(model->gravity));
    for (int i = 0; i < LINKS; i++) {
        double *own = qdd + i * STATE;
        accelerate(links + i, i > 0 ? own - MODES : 0, own, &angular, &linear);
    }
}

/* The same for `states` states one after the other, `rounds` times: what is timed. */
void repeat(const Model *model, long rounds, long states, const double *q, const double *v, const double *tau,
            double *qdd)
{
    static _Alignas(64) Link links[LINKS];
    const long size = LINKS * STATE;
    for (long round = 0; round < rounds; round++)
        for (long k = 0; k < states; k++)
            forward_dynamics(model, links, q + k * size, v + k * size, tau + k * size, qdd + k * size);
}
