"""The user's own start-up module: it has to run although minrepro brings one too."""
import os
import sys

os.environ["USERS_SITECUSTOMIZE"] = f"ran in {__name__}"
sys.users_sitecustomize = True
