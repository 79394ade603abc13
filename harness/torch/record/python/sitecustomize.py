"""Python runs this when it starts, because `minrepro record` put its folder on PYTHONPATH. It loads the recorder right after `torch` is imported,
and then the `sitecustomize` that the user has, if there is one."""


def _chain(folder):
    """Runs the sitecustomize that this one hides: the first one further down sys.path."""
    import os
    import sys

    ours = sys.modules.pop("sitecustomize", None)
    kept = list(sys.path)
    sys.path[:] = [entry for entry in sys.path if os.path.realpath(entry or ".") != folder]
    sys.path_importer_cache.pop(folder, None)
    try:
        import sitecustomize  # noqa: F401  the user's own
    except ImportError as error:
        if error.name != "sitecustomize":
            raise
        if ours is not None:
            sys.modules["sitecustomize"] = ours
    finally:
        # Our folder goes last: what lies in it must not hide a module of the user's.
        added = [entry for entry in sys.path if entry not in kept]
        sys.path[:] = added + [entry for entry in kept if os.path.realpath(entry or ".") != folder] + [folder]


def _start():
    import os
    import sys

    folder = os.path.realpath(os.path.dirname(__file__))
    try:
        if os.environ.get("MINREPRO_TRACE") or os.environ.get("MINREPRO_SIMULATE") == "1":
            sys.path.append(folder)
            import minrepro_hook

            minrepro_hook.install(folder)
    finally:
        _chain(folder)


_start()
