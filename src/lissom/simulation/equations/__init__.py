"""The equations as integrators see them: residual and accelerations, loops, Newton iterations, output within steps.

For integrators and the time loop; formulations of `theory` put their own dynamics in place of `system`.
"""
