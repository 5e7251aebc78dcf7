from lissom.results.error_bars import ErrorBar as ErrorBar
from lissom.results.error_bars import ErrorSource as ErrorSource
from lissom.results.error_bars import Trust as Trust
from lissom.results.registry.result_quantity import ResultQuantity as ResultQuantity
from lissom.results.registry.result_quantity import RunData as RunData
from lissom.results.registry.result_quantity import register_axis as register_axis
from lissom.results.registry.result_quantity import register_quantity as register_quantity
from lissom.results.trajectory import Trajectory as Trajectory
