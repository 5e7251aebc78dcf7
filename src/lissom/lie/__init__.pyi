from lissom.lie import dual as dual
from lissom.lie import quaternion as quaternion
from lissom.lie import se3 as se3
from lissom.lie import so3 as so3
