"""The text of exported C: header, functions of both back ends, tables, the page that comes with them.

`c_files` puts a task together; the rest serves it.
"""
