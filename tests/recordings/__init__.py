"""Recordings of what wm 760881f promised to programs, and the tests that hold this tree to them.

`record.py` wrote `760881f/`; `test_recordings.py` compares formats, JSON, codes, routes, verbs and
a played story; `test_installed.py` runs what setup of that time installed. Recordings are never
made anew; `differences.py` lists what changed on purpose.
"""
