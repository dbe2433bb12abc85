"""Messages, types and answers full of escape sequences, direction marks, markup and formulas."""
# topic: cost_model
# outcome: step4 none error, step5 none failed, step6 none error

_EVIL = (
    "\x1b]0;owned\x07\x1b[2J\x1b[31m\x9b1m\x1b]8;;http://evil.example\x07link\x1b]8;;\x07\x1bP\x1b\\"
    "\u202e\u2066abc\u2069\u200b\ufeff<script>alert(1)</script><img src=x onerror=alert(1)>"
    "[bold red]x[/]=cmd|' /C calc'!A0\r\n::error::owned\x00\x08\ud800\U000e0041"
)


def checkpoint_cost(*args, **kwargs):
    print(_EVIL)
    raise ValueError(_EVIL)


def selective_checkpoint_cost(*args, **kwargs):
    raise type(_EVIL.replace("\x00", "").replace("\ud800", ""), (Exception,), {})(_EVIL)


def activation_memory_mb(*args, **kwargs):
    print(_EVIL)
    return _EVIL


def memory_after_checkpoint(*args, **kwargs):
    return type(_EVIL.replace("\x00", "").replace("\ud800", ""), (), {})()


def optimal_segment(n_layers):
    exec(compile("\n" * 10**6 + "raise KeyError('" + "\\x1b[2J" + "')", "cost_model.py", "exec"))
