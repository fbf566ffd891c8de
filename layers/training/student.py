"""The student: the teacher's first layers and head, with fewer WordPieces."""

from tokenizers import Tokenizer

from training.classifier import Classifier, new_encoder
from training.fitting import MAX_LENGTH

PIECES = 4000
LAYERS = 1

_WORDS = "encoder.embeddings.word_embeddings.weight"
_PLACES = "encoder.embeddings.position_embeddings.weight"


def cut_down(teacher: Classifier, tokenizer: Tokenizer, pruned: Tokenizer) -> Classifier:
    """A copy of the teacher that reads through `pruned` and stops after its first layers.

    What is left has the teacher's own weights: starting there takes minutes to train, where
    random layers would take hours.
    """
    described = {
        **teacher.encoder.config.to_dict(),
        "vocab_size": pruned.get_vocab_size(),
        "num_hidden_layers": LAYERS,
        "max_position_embeddings": MAX_LENGTH,
        # Nothing here is large enough to learn by heart; the variations keep it general.
        "hidden_dropout_prob": 0.0,
        "attention_probs_dropout_prob": 0.0,
    }
    student = Classifier(new_encoder(described), labels=teacher.head.out_features, dropout=0.0)
    weights = teacher.state_dict()
    pieces = sorted(pruned.get_vocab().items(), key=lambda item: item[1])
    weights[_WORDS] = weights[_WORDS][[tokenizer.token_to_id(piece) for piece, _ in pieces]]
    weights[_PLACES] = weights[_PLACES][:MAX_LENGTH]
    student.load_state_dict({name: weights[name] for name in student.state_dict()})
    return student
