// Pinocchio's algorithms on a tree given as arrays, each run n times: what rigid_race.py times against lissom.
#include <pinocchio/multibody.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <string>

namespace pin = pinocchio;
using Vec = Eigen::VectorXd;
static pin::Model model;
static pin::Data *data_;
static Vec q, v, a, tau;

// kinds: 0 fixed, 1 turns, 2 slides, 3 free; rows parents first, depth first
extern "C" void build(int n, const int *parent, const int *kind, const double *rotation, const double *position,
                      const double *axis, const double *mass, const double *com, const double *inertia,
                      const double *gravity) {
    model = pin::Model();
    model.gravity.linear() = Eigen::Map<const Eigen::Vector3d>(gravity);
    std::vector<pin::JointIndex> joint(n + 1, 0);
    std::vector<pin::SE3> frame(n + 1, pin::SE3::Identity());
    for (int i = 1; i <= n; i++) {
        Eigen::Matrix3d R = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(rotation + 9 * i);
        pin::SE3 place = frame[parent[i]] * pin::SE3(R, Eigen::Map<const Eigen::Vector3d>(position + 3 * i));
        Eigen::Vector3d n3 = Eigen::Map<const Eigen::Vector3d>(axis + 3 * i);
        pin::JointIndex up = joint[parent[i]];
        std::string name = "joint" + std::to_string(i);
        joint[i] = up;
        frame[i] = place;
        if (kind[i] > 0) {
            frame[i] = pin::SE3::Identity();
            if (kind[i] == 3) joint[i] = model.addJoint(up, pin::JointModelFreeFlyer(), place, name);
            else if (kind[i] == 2) joint[i] = model.addJoint(up, pin::JointModelPrismaticUnaligned(n3), place, name);
            else if (n3[0] == 1) joint[i] = model.addJoint(up, pin::JointModelRX(), place, name);
            else if (n3[1] == 1) joint[i] = model.addJoint(up, pin::JointModelRY(), place, name);
            else if (n3[2] == 1) joint[i] = model.addJoint(up, pin::JointModelRZ(), place, name);
            else joint[i] = model.addJoint(up, pin::JointModelRevoluteUnaligned(n3), place, name);
        }
        Eigen::Matrix3d I = Eigen::Map<const Eigen::Matrix3d>(inertia + 9 * i);
        model.appendBodyToJoint(joint[i], pin::Inertia(mass[i], Eigen::Map<const Eigen::Vector3d>(com + 3 * i), I),
                                frame[i]);
    }
    data_ = new pin::Data(model);
}

extern "C" void state(const double *q_, const double *v_, const double *a_, const double *tau_) {
    q = Eigen::Map<const Vec>(q_, model.nq);
    v = Eigen::Map<const Vec>(v_, model.nv);
    a = Eigen::Map<const Vec>(a_, model.nv);
    tau = Eigen::Map<const Vec>(tau_, model.nv);
}

extern "C" void forward(int n) { for (int k = 0; k < n; k++) pin::aba(model, *data_, q, v, tau, pin::Convention::WORLD); }
extern "C" void forward_local(int n) { for (int k = 0; k < n; k++) pin::aba(model, *data_, q, v, tau, pin::Convention::LOCAL); }
extern "C" void inverse(int n) { for (int k = 0; k < n; k++) pin::rnea(model, *data_, q, v, a); }
extern "C" void mass_matrix(int n) { for (int k = 0; k < n; k++) pin::crba(model, *data_, q, pin::Convention::WORLD); }
extern "C" void mass_matrix_local(int n) { for (int k = 0; k < n; k++) pin::crba(model, *data_, q, pin::Convention::LOCAL); }
extern "C" void inverse_slopes(int n) { for (int k = 0; k < n; k++) pin::computeRNEADerivatives(model, *data_, q, v, a); }
extern "C" void forward_slopes(int n) { for (int k = 0; k < n; k++) pin::computeABADerivatives(model, *data_, q, v, tau); }

extern "C" void results(double *accelerations, double *forces, double *by_q) {
    Eigen::Map<Vec>(accelerations, model.nv) = pin::aba(model, *data_, q, v, tau);
    Eigen::Map<Vec>(forces, model.nv) = pin::rnea(model, *data_, q, v, a);
    pin::computeABADerivatives(model, *data_, q, v, tau);
    Eigen::Map<Eigen::Matrix<double, -1, -1, Eigen::RowMajor>>(by_q, model.nv, model.nv) = data_->ddq_dq;
}
