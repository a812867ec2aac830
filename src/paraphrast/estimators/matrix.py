"""The array type that estimators and metrics exchange: 64-bit floats."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Matrix: TypeAlias = NDArray[np.float64]
