"""Where runs are computed: in this process, in vector lanes, by processes of this machine, on a Dask cluster.

`simulate_batch` is public; the others are called by `Study.run`.
"""
