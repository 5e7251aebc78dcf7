"""Small motions about a state as linear models: inputs and outputs by name, frequency response, reduction.

`linearise` and `reduce_model` are public; estimators and state feedback are designed on these models.
"""
