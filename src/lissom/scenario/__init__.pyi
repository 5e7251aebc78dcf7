from lissom.scenario.formulation_comparison import Comparison as Comparison
from lissom.scenario.scenario_files import builtin_names as builtin_names
from lissom.scenario.scenario_files import load as load
from lissom.scenario.scenario_schema import Output as Output
from lissom.scenario.scenario_schema import Scenario as Scenario

FREE_MOTION: float
