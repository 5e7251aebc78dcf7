"""What commands share: errors in plain words, options, output that may fail, the folder and the figures of a run.

Commands alone use it.
"""
