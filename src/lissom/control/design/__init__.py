"""Design of controllers: state feedback, output feedback, Kalman filters, input shaping.

`lqr`, `lqg`, `kalman` and `shaper` are public.
"""
