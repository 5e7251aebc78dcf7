"""Published tables as data: which parameter explains numbers that a paper prints, and how sure that is.

From outside: `explain` and `PublishedTable`, by way of `lissom.identify`.
"""
