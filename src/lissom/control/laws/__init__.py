"""Control laws: continuous and sampled ones, laws on what sensors measure, and the rigid model they may know.

The time loop sees a `ControlLaw` or a `Sampled`, and nothing else of a controller.
"""
