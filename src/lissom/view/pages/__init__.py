"""Pages in one file: the report of a run, a study, a notebook's view, with their charts and their access control.

`run_report` and `study_page` are the ways in.
"""
