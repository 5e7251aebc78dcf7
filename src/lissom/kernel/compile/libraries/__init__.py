"""Shared libraries of machine code: the C compiler, what is built and when, where it is kept, how it is called.

`library` finds a kernel's machine code, `on_demand` compiles what no library holds, `toolchain` knows compilers.
"""
