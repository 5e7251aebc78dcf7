"""What acts on a run: loads, payloads, sensors, controllers and prescribed motions as compiled code reads them.

`Load` and `Payload` are public.
"""
