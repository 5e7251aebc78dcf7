"""Robot files: find, read and write them, values by path, a robot as plain data.

`robot_files.load` is the way in, and `find` there for files that may hold something else; scenarios and studies use
`yaml_reader`, `yaml_writer` and `robot_paths` too.
"""
