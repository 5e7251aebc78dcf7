"""The store of a study, a Zarr group, its results, and which inputs matter.

`Results` is public.
"""
