"""Trajectories in files: NetCDF with all that makes a run, and tables for other programs.

Called by the methods of `Trajectory`; the command `run` writes samples by `netcdf_files.save_samples`.
"""
