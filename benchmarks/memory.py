"""Peak memory of a process, as the kernel counts it.

A new program's ``ru_maxrss`` begins with that of the program that started it; the value
read here does not.
"""

import re
import subprocess
import sys
from pathlib import Path


def read_peak() -> int:
    """Return the peak memory of this process, in kB."""
    status = Path("/proc/self/status").read_text()
    return int(re.findall(r"VmHWM:\s+(\d+)", status)[0])


def measure_megabytes(benchmark: str, mirror: Path) -> int:
    """Return the peak in MB that a fresh process of a benchmark prints in kB."""
    command = [sys.executable, "-m", benchmark, str(mirror), "--memory"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return round(int(done.stdout) / 1000)
