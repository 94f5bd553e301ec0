"""HTTP/1.1 for the daemon and the proxy: parsing, framing, limits, connections (IF-1, PX-10).

It knows no route, no model and no feature. Of `wm` it may import only settings and errors.
"""
