"""A second reading of docs/sampling.md, in Python, kept apart from the C++.

Written from that page alone and made to be checked by eye, not to be fast:
the two must agree to the bit, and what both got wrong the page got wrong.
"""
