"""The local page of `wm open`: memory, inbox, timeline and sessions in a browser (UI-1).

`door` decides who is served, `serve` listens, `routes` answers, `views` prepares values for the
templates. Reads and changes go through use cases only; nothing here opens the data folder.
"""
