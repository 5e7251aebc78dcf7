"""What the worked examples show of their papers: which figures agree, which cannot be met, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from rich.table import Table

Verdict = Literal["agrees", "agrees in kind", "cannot be met", "not in the paper"]
KIND: Verdict = "agrees in kind"  # the same course, with parameters that the paper leaves open


class Agreement(NamedTuple):
    """One or several figures or tables of a paper, by number or by what they show."""

    what: str
    verdict: Verdict
    why: str


class Paper(NamedTuple):
    """The paper of an example, and what the example shows of it."""

    title: str
    rows: tuple[Agreement, ...]

    def table(self) -> Table:
        """Return the rows as a table for a terminal."""
        from lissom.printing import table

        made = table("of the paper", "here", "why", title=f"Beside {self.title}")
        for row in self.rows:
            made.add_row(*row)
        return made


PAPERS = {
    "canadarm2": Paper(
        "Qian, Zhang and Liu 2013, section 4.2",
        (
            Agreement(
                "8, the fall", KIND, "its table of parameters is not public; stiffness and rotor inertia are its"
            ),
            Agreement("9 to 13, four rotor inertias", KIND, "torsion grows with the rotor's inertia, as shown"),
            Agreement(
                "14 to 18, four joint stiffnesses",
                KIND,
                "printed in N/mm: as N mm/rad joints 3 and 5 come apart by 80 and 164 mrad, as a figure shows; as "
                "N m/rad by 1.2 mrad at most. Both are drawn, of 12 clamped-free functions per boom without damping",
            ),
            Agreement(
                "12 functions per boom, joints without damping",
                KIND,
                "figures 14 to 18 and `arm_as_printed`; figures 8 to 13 take the functions of `auto`, 14 per boom, "
                "which bend to what a boom carries, and the robot file's damping",
            ),
            Agreement("sensitivity of the tip", "not in the paper", "exact, by stiffness, rotor inertia and section"),
        ),
    ),
    "dual-screw-arm": Paper(
        "Cibicik and Egeland 2021, section VI",
        (
            Agreement("6 to 8, angles and elastic coordinates", KIND, "its table of parameters is not public"),
            Agreement(
                "9 and 10, linear beside nonlinear",
                KIND,
                "they differ in the enlarged places only: by 0.44 degrees and 1.7 % of the peak with its own orders",
            ),
            Agreement("5, the manoeuvre drawn", KIND, "its lengths are not public"),
            Agreement(
                "linear model 12 times faster, 314 s against 3901 s",
                "cannot be met",
                "here all forms take the same time, below 0.1 s: compiled recursions have no long expressions",
            ),
            Agreement(
                "symbolic expressions in 11 s against 181 s",
                "cannot be met",
                "with common expressions written once the linear ones have 3 % fewer operations than the nonlinear, "
                "6359 against 6574; either is built within 1 s",
            ),
            Agreement("distance from the kernel", "not in the paper", "of every form, and how it falls with stiffness"),
        ),
    ),
    "ella": Paper(
        "Yaqubi, Kitzinger, Müller, Gattringer and Mattila 2026, section 7",
        (
            Agreement(
                "4 to 8, frames, twists, angles, tip, deflection",
                KIND,
                "lengths, stiffnesses, motor and payload are its; hub, torsion, damping, gains and the optimised "
                "reference it does not give: a quintic of 1.5 s here",
            ),
            Agreement(
                "start with the tip displaced by (-20, 6.5, -8.3) mm",
                KIND,
                "6.5 and -8.3 mm are taken; -20 mm along a link of that EA would take 0.94 MN and 9.4 kJ",
            ),
            Agreement("6 and 13, measured curves", "cannot be met", "the measurements are not public"),
            Agreement(
                "8 and 9, spectra of the deflection",
                KIND,
                "peaks at the poles of this arm within 2 %; its kinematics as printed, (23) and (31), would give the "
                "locked arm 4.73 Hz, finite elements and lissom 2.76 Hz",
            ),
            Agreement(
                "9, a component near 13 Hz",
                KIND,
                "0.002 mm with these gains, which damp it; 0.23 mm at 13.2 Hz with motors 100 times as stiff: the "
                "second pair of modes of the arm with locked motors (13.4 Hz), not 6.27 times the first of one beam",
            ),
            Agreement(
                "10 to 12, fields and modal coordinates",
                KIND,
                "other functions: its own, clamped-free, carry no moment to the next link",
            ),
            Agreement(
                "13 to 15, torques and wrenches of the model",
                KIND,
                "at rest they carry this arm's weight to 0.1 %; with (59) or (17) as printed energy is not conserved",
            ),
            Agreement(
                "step limit of 10.04 ms",
                "cannot be met",
                "(89) gives 10.37 ms and belongs to central differences; the assembled arm allows 2.25 ms",
            ),
        ),
    ),
    "l-mechanism": Paper(
        "Vidoni, Gallina, Boscariol, Gasparetto and Giovagnoni 2017, tests 1 to 3",
        (
            Agreement(
                "Table 2, 6 modes", "agrees", "125.896 degrees by a lumped mesh of five nodes: all printed digits"
            ),
            Agreement(
                "Table 2, 18 modes",
                KIND,
                "not by its Table 1, which moves the elbow by 1.8 mm, not 63.7; with one modulus 22 times smaller (or "
                "a density as much larger) its own mesh meets the row within 0.23 degrees and 0.9 mm",
            ),
            Agreement(
                "Table 2, 8 to 16 modes",
                "cannot be met",
                "its Table 1 moves the elbow by 1.8 mm at most; with the modulus that meets 18 modes the angles are up "
                "to 1.4 degrees off",
            ),
            Agreement("3(a) and 3(b), elbow and tip by modes", KIND, "the fine mesh is drawn, beside exact beams"),
            Agreement("8, peaks at 11 and 31 Hz", "agrees", "11.11 Hz by the paper's own mesh; 30.94 Hz by a fine one"),
            Agreement(
                "8, peaks at 113 and 171 Hz",
                "cannot be met",
                "119.3 Hz here; 171.8 Hz lies in the plane of the L, which this torque hardly excites",
            ),
            Agreement("5, torque", KIND, "a picture only; +1.5 and -1.5 N m for 0.1 s each are taken"),
        ),
    ),
    "optimal-motion": Paper(
        "Park, Bobrow and Ploen 1995",
        (
            Agreement("gradient of the energy", "agrees", "with the corrections of the errata: equal to differences"),
            Agreement("motion of least energy", KIND, "no arm with numbers is given; energy is constant along the way"),
        ),
    ),
    "spinup-beam": Paper(
        "Qian, Zhang and Liu 2013, section 4.1",
        (
            Agreement(
                "3 to 5, zero order",
                "agrees",
                "it diverges from 3 rad/s on; the cause is the loss of stiffness at 2.911 rad/s, not resonance",
            ),
            Agreement(
                "3 to 5, high order",
                "agrees",
                "finite at every speed; the largest lag is within 0.25 % of a fully nonlinear beam by another program",
            ),
        ),
    ),
}
