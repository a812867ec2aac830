"""Every stage of the rewriter's training that needs a GPU.

Run    python -m training.rewriter.train STAGE... --work FOLDER [--seconds N]
       [--share 0.001 --device cpu] runs it all in minutes, to see that it works
Needs  FOLDER/base, styles, paraphrases, additions, guide, minilm; torch, transformers
"""

from training.rewriter import (
    ablations,
    outputs,
    reinforcement,
    sampling_stages,
    stages,
)
from training.run_stages import Stage, run

STAGES = {
    "paraphraser": Stage(stages.paraphraser, "paraphraser/config.json", 90),
    "supervised": Stage(stages.train_supervised, "supervised/config.json", 150),
    "neutral": Stage(stages.neutral, "neutral.tsv", 180),
    "inverse": Stage(stages.inverse, "inverse/config.json", 150),
    "requests": Stage(sampling_stages.requests, "requests/train.tsv"),
    "choose": Stage(sampling_stages.choose, "chosen/plain.tsv", 300),
    "direct": Stage(stages.direct, "direct/config.json", 90),
    "choose-again": Stage(sampling_stages.choose_again, "chosen/again.tsv", 300),
    "choose-pairs": Stage(sampling_stages.choose_pairs, "chosen/pairs.tsv", 300),
    "choose-more": Stage(sampling_stages.choose_more, "chosen/more.tsv", 180),
    "student": Stage(stages.student, "student/config.json", 560),
    "student-unsupervised": Stage(
        stages.student_unsupervised, "student-unsupervised/config.json", 560
    ),
    "polish": Stage(stages.polish, "polished/config.json", 75),
    "rewarded": Stage(reinforcement.reinforce, "rewarded/config.json", 580),
    "rewarded-unsupervised": Stage(
        reinforcement.rewarded_unsupervised, "rewarded-unsupervised/config.json", 580
    ),
    "ablations": Stage(ablations.ablations, "outputs/ablations.json", 480),
    "ablations-reranked": Stage(
        ablations.rerank_samples, "outputs/two-steps-reranked.tsv"
    ),
    "outputs": Stage(outputs.students, "outputs/unsupervised-32bit.tsv"),
}


if __name__ == "__main__":
    run(STAGES, __doc__)
