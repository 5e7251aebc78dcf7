"""The arm as solids: meshes of links, joints, elements and contacts, and how they move.

Pages, films and the live page draw by `arm_drawing`.
"""
