"""What is to be run and kept: the study as a user writes it, samples, the quantities of every run.

`Study` is public; `run_plan` is what execution takes.
"""
