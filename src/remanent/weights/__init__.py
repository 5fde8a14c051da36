"""Weights of the built-in encoders, and what loads them: int8, trained by us, part of this package.

| file | holds |
|---|---|
| `vocabulary.npz` | the table of the base's vocabulary, which all encoders share |
| `tokenizer.json` | its tokenizer |
| `NAME.onnx` | the layers of an encoder, in int8 |
| `NAME.npz` | what stands before its layers, and its heads |
| `sums.json` | CRC-32, SHA-256 and size of every file; by the first each file is verified when it is loaded |

`training/` makes them; `training/cards/` says on what, and how good they are.
"""
