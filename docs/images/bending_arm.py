"""Draws bending-arm.png: ELLA lifts its payload, its deflection enlarged eight times.

python docs/images/bending_arm.py
"""

from pathlib import Path

from PIL import Image

from lissom.scenario.scenario_files import find
from lissom.view import still

TIMES = (0.0, 0.6, 0.8, 0.95, 1.15, 0.32)  # s; the last one is drawn solid


def main() -> None:
    run = find("ella").scenario.run(progress=False)
    picture = still(run, TIMES, scale=8.0, size=(1100, 560), turn=-1.35, lift=0.2)
    Image.fromarray(picture).save(Path(__file__).with_name("bending-arm.png"), optimize=True)


if __name__ == "__main__":
    main()
