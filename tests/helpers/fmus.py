"""FMUs as tools use them: by FMPy, of either version."""

import shutil
import subprocess
import tempfile
import zipfile
from pathlib import Path

import fmpy
import numpy as np
from fmpy.simulation import instantiate_fmu

SWING = """
robot:
  lissom: 1
  name: swing
  gravity: [0, 0, -9.81]
  materials: {aluminium: {E: 7.0e10, nu: 0.33, rho: 2700}}
  links:
    - name: boom
      joint: {name: base, type: JOINT, axis: [0, 1, 0], damping: 0.2}
      beam: {length: 1.5, material: aluminium, section: {shape: tube, outer: 0.04, thickness: 0.002}, shear: none,
             modes: {y: 1, z: 1, torsion: 1}, damping: {stiffness: 1.0e-4}}
    - name: left
      parent: boom
      at: 0.6
      joint: {name: left-hinge, type: revolute, axis: [0, 0, 1], damping: 0.05}
      body: {mass: 0.8, com: [0.2, 0, 0], inertia: [0.004, 0.01, 0.01], tip: [0.4, 0, 0]}
    - name: right
      parent: boom
      joint: {name: right-slide, type: prismatic, axis: [0, 1, 0], spring: {stiffness: 400}}
      body: {mass: 0.5, com: [0, 0.1, 0], inertia: [0.002, 0.002, 0.002]}
duration: 0.4
method: radau
rtol: 1.0e-9
atol: 1.0e-11
"""


def compiled_elsewhere(path, to):
    """Replace the library of an FMU by one that gcc makes of the sources that its description lists."""
    with tempfile.TemporaryDirectory() as place:
        fmpy.extract(path, place)
        [build] = fmpy.read_model_description(place).buildConfigurations
        sources = [Path(place, "sources", name) for each in build.sourceFileSets for name in each.sourceFiles]
        [library] = Path(place, "binaries").rglob("*.so")
        library.unlink()
        subprocess.run(
            ["gcc", "-O1", "-fPIC", "-shared", "-Werror=implicit", "-o", library, *sources, "-lm"], check=True
        )
        with zipfile.ZipFile(to, "w") as archive:
            for file in filter(Path.is_file, Path(place).rglob("*")):
                archive.write(file, file.relative_to(place).as_posix())
    return str(to)


class Block:
    """One instance, from start values to the end."""

    def __init__(self, path, kind="CoSimulation", begin=0.0, **start):
        self.folder = tempfile.mkdtemp()
        fmpy.extract(path, self.folder)
        self.about = fmpy.read_model_description(self.folder)
        self.three = self.about.fmiVersion == "3.0"
        self.fmu = instantiate_fmu(self.folder, self.about, kind)
        self.variables = {each.name: each for each in self.about.modelVariables}
        self.set(**start)
        if self.three:
            self.fmu.enterInitializationMode(startTime=begin)
        else:
            self.fmu.setupExperiment(startTime=begin)
            self.fmu.enterInitializationMode()
        self.fmu.exitInitializationMode()
        self.time = begin

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.fmu.terminate()
        self.fmu.freeInstance()
        shutil.rmtree(self.folder)

    def references(self, names):
        return [self.variables[name].valueReference for name in names]

    def get(self, *names):
        get = self.fmu.getFloat64 if self.three else self.fmu.getReal
        return np.array(get(self.references(names)))

    def set(self, **values):
        """Set variables; in their names, __ stands for a dot."""
        for name, value in values.items():
            name = name.replace("__", ".")
            if isinstance(value, bool):
                self.fmu.setBoolean(self.references([name]), [value])
            else:
                (self.fmu.setFloat64 if self.three else self.fmu.setReal)(self.references([name]), [value])

    def step(self, size):
        self.fmu.doStep(currentCommunicationPoint=self.time, communicationStepSize=size)
        self.time += size

    def derivative(self, unknown, known, seed):
        call = self.fmu.getDirectionalDerivative
        return np.array(call(self.references(unknown), self.references(known), list(seed)))

    @property
    def outputs(self):
        return [each.name for each in self.about.modelVariables if each.causality == "output"]
