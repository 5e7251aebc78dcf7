"""The time loop: its memory, segments, output times, contact events, stiffness estimates, why it fails.

`time_loop.simulate_raw` is the way in.
"""
