"""Makes tokens.json: what Hugging Face's tokenizer for BERT makes of some texts, with a small vocabulary.

    python make_tokens.py

Versions: Python 3.11, transformers 5.23.0, tokenizers 0.23.3.
"""

import json
import tempfile

from transformers import BertTokenizer

VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "what", "color", "is", "the", "cat", "##s", "##fish", "un", "##aff", "##able", "play",
              "##ing", "?", ",", ".", "'", "-", "cafe", "t", "shirt", "2", "##0", "a", "##b", "we", "##re", "é", "中", "##t"]
TEXTS = ["What color is the cat?", "the catfish, unaffable", "playing cats.", "Café", "CAFÉ is the cat", "t-shirt", "it's the cat", "20 cats",
         "ab abb xyz", "", "   what \t is\nthe  cat ", "中 cat 中国", "we're", "what?is,the.cat", "a" * 120, "[MASK] is the cat", "cat\u00a0cat", "caté"]


def main():
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as f:
        f.write("\n".join(VOCABULARY) + "\n")
        f.flush()
        tokenizer = BertTokenizer(vocab={t: i for i, t in enumerate(VOCABULARY)}, do_lower_case=True)
        ids = [tokenizer(text)["input_ids"] for text in TEXTS]
    with open("tokens.json", "w") as f:
        json.dump({"vocabulary": VOCABULARY, "texts": TEXTS, "ids": ids}, f)
        f.write("\n")


if __name__ == "__main__":
    main()
