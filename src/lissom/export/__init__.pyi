from lissom.export.c import CExport as CExport
from lissom.export.c import to_c as to_c
from lissom.export.c.controller_export import controller_to_c as controller_to_c
from lissom.export.fmu import to_fmu as to_fmu
