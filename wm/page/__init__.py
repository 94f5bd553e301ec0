"""The local page of `wm open`: memory, inbox, timeline and sessions in a browser (UI-1).

`access` decides who is served, `serve` runs the server, `app` answers. `memory`, `inbox`,
`diagnosis` and `sessions` prepare the values of one page each for the templates; `source` asks the
daemon for them. Nothing here opens the data folder.
"""
