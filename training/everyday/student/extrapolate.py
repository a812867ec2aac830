"""Go on along the way that a training took (task vectors: Ilharco et al. 2023).

Run    python -m training.everyday.student.extrapolate STUDENT TUNED --times 2 -o FOLDER
       writes STUDENT + TIMES x (TUNED - STUDENT)
"""

import argparse
import shutil
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save_file

WEIGHTS = "model.safetensors"


def extrapolate(student: Path, tuned: Path, times: float, output: Path) -> None:
    """Write a student whose weights lie further along the way to the tuned one."""
    before, after = load_file(student / WEIGHTS), load_file(tuned / WEIGHTS)
    weights = {
        name: value + np.float32(times - 1) * (value - before[name])
        for name, value in after.items()
    }
    output.mkdir(parents=True)
    for path in tuned.iterdir():
        if path.name != WEIGHTS:
            shutil.copy(path, output / path.name)
    save_file(weights, output / WEIGHTS, metadata={"format": "pt"})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("student", type=Path)
    parser.add_argument("tuned", type=Path)
    parser.add_argument("--times", type=float, default=2.0)
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    extrapolate(options.student, options.tuned, options.times, options.output)


if __name__ == "__main__":
    main()
