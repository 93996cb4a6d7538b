"""Starts JupyterLab and ends it when the launcher goes away, however it went: standard input ends then."""
import os
import signal
import sys
import threading

from jupyterlab.labapp import main


def watch_launcher():
    while os.read(0, 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


threading.Thread(target=watch_launcher, daemon=True).start()
sys.exit(main())
