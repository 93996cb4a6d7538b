"""Starts JupyterLab and ends it when the launcher goes away, however it went: standard input ends then. With a kernel ends all that its
cells have started."""
import os
import signal
import sys
import threading

from jupyter_client.provisioning import LocalProvisioner


def watch_launcher():
    while os.read(0, 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


def end_what_cells_started():
    """Has Jupyter kill the process group of a kernel once it has ended. By itself it leaves the rest of the group alone where the kernel
    ends when asked."""
    cleanup = LocalProvisioner.cleanup

    async def kill_and_cleanup(self, restart=False):
        if self.pgid:
            try:
                os.killpg(self.pgid, signal.SIGKILL)
            except ProcessLookupError:  # nothing is left
                pass
        await cleanup(self, restart)

    LocalProvisioner.cleanup = kill_and_cleanup


if __name__ == "__main__":
    from jupyterlab.labapp import main

    end_what_cells_started()
    threading.Thread(target=watch_launcher, daemon=True).start()
    sys.exit(main())
