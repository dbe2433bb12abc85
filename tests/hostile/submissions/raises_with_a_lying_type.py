"""Raises errors whose type has no name, whose class lies and whose message is not a string."""
# topic: selective
# outcome: step7 none error or crashed


class _Meta(type):
    @property
    def __name__(cls):
        raise RuntimeError("no name")


class _Text(str):
    def __getitem__(self, key):
        return 5

    def __str__(self):
        return self


class _Error(Exception, metaclass=_Meta):
    __class__ = property(lambda self: 1 / 0)
    __traceback__ = property(lambda self: 1 / 0)
    filename = []

    def __str__(self):
        return _Text("text")


def should_recompute(layer_type, activation_bytes, recompute_flops_ratio):
    raise _Error
