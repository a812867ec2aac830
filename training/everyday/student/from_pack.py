"""A student as training reads it, from a pack that ships: its 8 bits become 32 again.

The final weights of a student's training are not in git; these are close enough
for training to continue from. Greedy outputs are those of the pack in CTranslate2 where
that computes in 32 bits too.

Run    python -m training.everyday.student.from_pack --pack FOLDER -o FOLDER
"""

import json
import shutil
from pathlib import Path

from paraphrast.neural.finetune.t5_weights import open_model
from training.base_models import save_untied
from training.everyday import from_pack

TOKENIZER = {
    "tokenizer_class": "PreTrainedTokenizerFast", "eos_token": "</s>",
    "unk_token": "<unk>", "pad_token": "<pad>", "model_max_length": 512,
}  # fmt: skip


def restore(pack: Path, output: Path) -> None:
    """Write the folder of a pack's student."""
    model, weights = open_model(pack)
    model.lm_head.weight.data *= float(weights.arrays["decoder/scale_outputs"])
    save_untied(model, output)
    shutil.copyfile(pack / "tokenizer.json", output / "tokenizer.json")
    (output / "tokenizer_config.json").write_text(json.dumps(TOKENIZER), "utf-8")


if __name__ == "__main__":
    from_pack.run(restore, __doc__)
