"""What solvers share that send models to a service: its client runs apart and never has the token.

The client of a service (an SDK) runs in a process of its own (``call``), with a token that is good
for one call alone. It speaks to a ``relay`` on this machine, which passes its messages on
(``service``): over verified TLS, through proxies, with bounds, tries and errors of ours. Only there
the token (``credentials``) joins them.
"""
