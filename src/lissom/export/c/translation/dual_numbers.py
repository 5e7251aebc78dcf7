"""Numbers with derivatives in C, for exact derivatives in the table back end."""

BINARY = """static inline dual {name}(dual a, dual b)
{{
    dual c;
    {first}
    c.d = {rate};
    return c;
}}
"""
MIXED_RIGHT = BINARY.replace("dual a, dual b", "dual a, double b")
MIXED_LEFT = BINARY.replace("dual a, dual b", "double a, dual b")
UNARY = BINARY.replace("dual a, dual b", "dual a")

FUNCTIONS = [
    (BINARY, "plus", "c.x = a.x + b.x;", "a.d + b.d"),
    (MIXED_RIGHT, "plus_dr", "c.x = a.x + b;", "a.d"),
    (MIXED_LEFT, "plus_rd", "c.x = a + b.x;", "b.d"),
    (BINARY, "minus", "c.x = a.x - b.x;", "a.d - b.d"),
    (MIXED_RIGHT, "minus_dr", "c.x = a.x - b;", "a.d"),
    (MIXED_LEFT, "minus_rd", "c.x = a - b.x;", "-b.d"),
    (BINARY, "times", "c.x = a.x * b.x;", "a.d * b.x + a.x * b.d"),
    (MIXED_RIGHT, "times_dr", "c.x = a.x * b;", "a.d * b"),
    (MIXED_LEFT, "times_rd", "c.x = a * b.x;", "a * b.d"),
    (BINARY, "over", "c.x = a.x / b.x;", "(a.d - c.x * b.d) / b.x"),
    (MIXED_RIGHT, "over_dr", "c.x = a.x / b;", "a.d / b"),
    (MIXED_LEFT, "over_rd", "c.x = a / b.x;", "-c.x * b.d / b.x"),
    (UNARY, "negative", "c.x = -a.x;", "-a.d"),
    (UNARY, "sin_dual", "const double slope = cos(a.x);\n    c.x = sin(a.x);", "slope * a.d"),
    (UNARY, "cos_dual", "const double slope = -sin(a.x);\n    c.x = cos(a.x);", "slope * a.d"),
    (UNARY, "sqrt_dual", "c.x = sqrt(a.x);", "0.5 * a.d / c.x"),
    (UNARY, "tanh_dual", "c.x = tanh(a.x);", "(1.0 - c.x * c.x) * a.d"),
    (
        MIXED_RIGHT,
        "pow_dual",
        "const double slope = a.x != 0.0 ? b * pow(a.x, b - 1.0) : 0.0;\n    c.x = pow(a.x, b);",
        "slope * a.d",
    ),
]
TYPE = """/* A number and its derivative along one direction. */
typedef struct {
    double x, d;
} dual;

static inline dual lift(double x)
{
    const dual c = {x, 0.0};
    return c;
}
"""


LIFTS = (
    """static inline dvec3 lift_vec3(vec3 a)
{
    return (dvec3){{lift(a.at[0]), lift(a.at[1]), lift(a.at[2])}};
}
""",
    """static inline dmat3 lift_mat3(mat3 A)
{
    return (dmat3){{lift_vec3(A.at[0]), lift_vec3(A.at[1]), lift_vec3(A.at[2])}};
}
""",
)


def lifts(text: str) -> list[str]:
    """Return vectors and matrices that get derivatives, as far as `text` needs them."""
    if "lift_mat3(" in text:
        return [*LIFTS]
    return [LIFTS[0]] if "lift_vec3(" in text else []


def prelude(text: str) -> str:
    """Return the type and the functions that `text` calls."""
    used = [
        form.format(name=name, first=first, rate=rate) for form, name, first, rate in FUNCTIONS if f"{name}(" in text
    ]
    return "\n".join([TYPE, *used])
