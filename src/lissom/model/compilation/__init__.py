"""From a description to the arrays that the kernels read, with the checks of the result.

`Robot.compile()` is the way in; batches use `variants`, and results `tip_frames`.
"""
