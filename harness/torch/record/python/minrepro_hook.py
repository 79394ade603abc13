"""Loads the recorder (and the simulated device) right after `torch` is imported, and tells the recorder about exceptions that nobody catches."""

import importlib.abc
import importlib.util
import os
import sys


def _say(text):
    print(f"minrepro: {text}", file=sys.stderr)


class _AfterTorch(importlib.abc.MetaPathFinder):
    """Finds `torch` as Python would have, and runs `then` when its module has been executed."""

    def __init__(self, then):
        self._then = then

    def find_spec(self, name, path, target=None):
        if name != "torch":
            return None
        if self in sys.meta_path:
            sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            sys.meta_path.insert(0, self)
            return spec
        execute = spec.loader.exec_module

        def execute_then_go_on(module):
            execute(module)
            self._then(module)

        spec.loader.exec_module = execute_then_go_on
        return spec


def _built_for(folder):
    with open(os.path.join(folder, "minrepro_torch_version.txt"), encoding="utf-8") as file:
        return file.read().strip()


def _load_recorder(folder):
    import ctypes

    library = os.path.join(os.path.dirname(folder), "libminrepro_record.so")
    try:
        recorder = ctypes.CDLL(library, mode=ctypes.RTLD_GLOBAL)
    except OSError as error:
        _say(f"the recorder does not load, nothing is recorded: {error}")
        return
    recorder.minrepro_record_ignore_folder(os.fsencode(folder))
    note = recorder.minrepro_record_exception
    note.restype = None
    note.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_long, ctypes.c_char_p]
    _wrap_exception_hooks(note, folder)


def _is_users(file, folder):
    if file.startswith("<") and file not in ("<string>", "<stdin>") and not file.startswith("<ipython"):
        return False
    places = ("/site-packages/", "/dist-packages/", "/lib/python3", "/lib64/python3")
    return not any(place in file for place in places) and not file.startswith(folder + os.sep)


def _innermost_user_frame(trace, folder):
    """(file, line, function) of the innermost frame outside of libraries, else of the innermost frame."""
    found = ("", 0, "")
    is_users = False
    while trace is not None:
        code = trace.tb_frame.f_code
        mine = _is_users(code.co_filename, folder)
        if mine or not is_users:
            found = (code.co_filename, trace.tb_lineno or 0, code.co_name)
            is_users = is_users or mine
        trace = trace.tb_next
    return found


def _wrap_exception_hooks(note, folder):
    def text_of(value):
        try:
            return str(value)
        except Exception:
            return f"{type(value).__name__}, whose own text cannot be had"

    def tell(kind, value, trace, again=True):
        try:
            file, line, function = _innermost_user_frame(trace, folder)
            name = kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
            texts = [text_of(text).encode("utf-8", "replace").replace(b"\0", b"") for text in (name, value, file, function)]
            note(texts[0], texts[1], texts[2], line, texts[3])
        except Exception as error:  # the user's traceback has to come, whatever happens here
            if again:  # a handler of the user's may have raised this one: a DataLoader's, when its worker dies
                tell(kind, value, trace, again=False)
            else:
                _say(f"the exception could not be noted: {error!r}")

    previous = sys.excepthook

    def excepthook(kind, value, trace):
        tell(kind, value, trace)
        previous(kind, value, trace)

    sys.excepthook = excepthook

    import threading

    previous_in_thread = threading.excepthook

    def thread_excepthook(args):
        if args.exc_type is not SystemExit:
            tell(args.exc_type, args.exc_value, args.exc_traceback)
        previous_in_thread(args)

    threading.excepthook = thread_excepthook


def install(folder):
    """Arranges everything; called once, by sitecustomize."""

    def torch_is_here(torch):
        wanted = _built_for(folder)
        if str(torch.__version__) != wanted:
            _say(f"this minrepro was built for torch {wanted}, the program uses torch {torch.__version__}: nothing is recorded. "
                 f"Build it with TORCH_PYTHON={sys.executable}")
            return
        if os.environ.get("MINREPRO_SIMULATE") == "1":
            import minrepro_simulate

            minrepro_simulate.install()
        if os.environ.get("MINREPRO_TRACE"):
            _load_recorder(folder)

    if "torch" in sys.modules:
        torch_is_here(sys.modules["torch"])
    else:
        sys.meta_path.insert(0, _AfterTorch(torch_is_here))
