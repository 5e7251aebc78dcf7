"""The programs that test and time exported code, and what they compare.

Called by `c_export` alone.
"""
