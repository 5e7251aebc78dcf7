"""The outward pass: frames, velocities and drift accelerations of all bodies, and Jacobians of frames.

The begin of every algorithm; free to use from above.
"""
