"""The Messages API proxy: it passes everything through, and watches what passes (SPEC PX).

What bytes mean is the business of `wm.wire`; what is kept, of the daemon. Here are sockets and
tasks only. The rule that stands above all others: any fault of ours on the way of a request
leaves the bytes as they came.
"""
