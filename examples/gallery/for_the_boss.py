"""A page or a PDF that goes to the boss: title, words, kN, mm and degrees, the arm that moves.

Measurement
"""

from pathlib import Path

from lissom.scenario import load

run = load("luffing-crane").run(duration=2.0, progress=False)
run.units = "kN, mm, deg"
text = "The cylinder raises the boom.\n\nAll forces are within what the drives can bear."
run.report("crane.html", title="Lift of 2 t", text=text)
run.report("crane.pdf", title="Lift of 2 t", text=text)
assert Path("crane.pdf").read_bytes().startswith(b"%PDF") and "Lift of 2 t" in Path("crane.html").read_text()
figure = run.plot("outside")
