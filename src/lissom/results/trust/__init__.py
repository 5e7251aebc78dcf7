"""How far numbers can be trusted: runs and analyses repeated with finer steps, more functions and a better field.

`lissom.trust` and `lissom.simulate(..., trust=True)` are the doors.
"""
