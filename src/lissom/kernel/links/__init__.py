"""What one flexible link contributes: inertia, foreshortening, stiffness, the geometrically exact field.

Used by the algorithms; from outside only `exact_link` is called.
"""
