"""The tables that a model is compiled to, and the memory that kernels work in.

Every layer above may use `Arrays` and `workspace`; nothing here computes.
"""
