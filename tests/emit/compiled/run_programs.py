"""run_programs.py DEVICE FILE…: runs emitted Python programs on a device where failures are exceptions; prints NAME<tab>the exception's first line, or nothing."""
import contextlib
import io
import os
import runpy
import sys

device, *files = sys.argv[1:]
for file in files:
    sys.argv = [file, device]
    message = ""
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            runpy.run_path(file, run_name="__main__")
        except Exception as error:
            message = (str(error).splitlines() or [type(error).__name__])[0]
    print(f"{os.path.basename(file)[:-len('.py')]}\t{message}", flush=True)
