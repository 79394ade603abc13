"""How the simulated device says what it cannot do: one line that names minrepro."""


def refusal(what):
    return RuntimeError(f"minrepro: the simulated device has no {what}")


def refuse(what):
    raise refusal(what)


def refusing(what):
    def refuse_call(*args, **kwargs):
        raise refusal(what)

    return refuse_call


def refusing_class(original, what):
    """A class that takes the place of `original`, of which there is no object."""
    return type(original.__name__, (), {"__new__": refusing(what), "__module__": original.__module__, "__doc__": original.__doc__})
