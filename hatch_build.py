"""A wheel that holds machine code is for one platform, that of LISSOM_WHEEL or this one; one without is for all."""

import os
import sysconfig
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

LIBRARY = "src/lissom/kernel/compile/built"


class MachineCode(BuildHookInterface):
    PLUGIN_NAME = "custom"

    def initialize(self, version, build_data):
        if any(Path(self.root, LIBRARY).glob("*.json")):
            own = sysconfig.get_platform().replace("-", "_").replace(".", "_")
            platform = os.environ.get("LISSOM_WHEEL", own)  # that of the machine code, see wheels.py
            build_data["pure_python"], build_data["tag"] = False, f"py3-none-{platform}"
